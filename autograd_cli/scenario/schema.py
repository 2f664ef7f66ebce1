"""The JSON Schema of the scenario format, for `agrad schema` and for editors.

It says what shape a file has. What goes beyond shape (that `gradient` has an entry for each root, that a worker exists) is
checked when the file is loaded.
"""

from __future__ import annotations

from typing import Any

from autograd_cli.scenario.build import BACKWARD_KEYS, DTYPES, FLOATING, MODES, SOURCES
from autograd_cli.scenario.build_distributed import ACTIONS, MAX_WORKERS, STAGES

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"anyOf": [{"type": "number"}, {"enum": ["nan", "NaN", "inf", "-inf", "+inf"]}]}
_TOLERANCE: Schema = {"type": "number", "minimum": 0}
_NAME = r"^(?!__)[^\W\d]\w*$"


def json_schema() -> Schema:
    """The schema, draft 2020-12, as plain data."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agrad scenario",
        "description": "A PyTorch snippet in a YAML file, to be run by agrad.",
        **_object(_properties(), required=["forward"]),
        "dependentRequired": {"mode": ["workers"], "faults": ["workers"]},
        "if": {"properties": {"forward": {"type": "object"}}, "required": ["forward"]},
        "then": {"required": ["workers"]},
        "$defs": {
            "data": {
                "description": "Numbers, true/false, nested lists of them.",
                "anyOf": [*_numbers(), _list({"$ref": "#/$defs/data"})],
            },
            "value": {
                "anyOf": [*_numbers(), _TEXT, {"type": "null"}, _list({"$ref": "#/$defs/value"}), _values("#/$defs/value")]
            },
            "expression": {"type": "string", "minLength": 1},
            "tensor": _tensor(),
        },
    }


def _object(properties: Schema, required: list[str] | None = None) -> Schema:
    return {"type": "object", "properties": properties, "required": required or [], "additionalProperties": False}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _values(reference: str) -> Schema:
    return {"type": "object", "additionalProperties": {"$ref": reference}}


def _numbers() -> list[Schema]:
    return [{"type": "boolean"}, *_NUMBER["anyOf"]]


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _properties() -> Schema:
    script = {"anyOf": [_TEXT, _list(_TEXT)]}
    device = {"type": "string", "pattern": r"^(cpu|cuda(:\d{1,3})?|auto)$"}
    return {
        "title": {**_TEXT, "description": "One line."},
        "about": {**_TEXT, "description": "Markdown: what there is to see."},
        "seed": {
            "type": "integer",
            "minimum": -(2**63),
            "maximum": 2**64 - 1,
            "default": 0,
            "description": "torch.manual_seed(seed)",
        },
        "device": {**device, "default": "cpu", "description": "The default device of factory functions."},
        "dtype": {**_dtype(FLOATING), "default": "float32", "description": "The default floating dtype."},
        "tensors": {
            "type": "object",
            "propertyNames": {"pattern": _NAME},
            "additionalProperties": _ref("tensor"),
            "description": "Leaf tensors by name, made before forward runs, in file order.",
        },
        "forward": {
            "anyOf": [*script["anyOf"], {"type": "object", "additionalProperties": script, "minProperties": 1}],
            "description": "The script; with workers: also a mapping from a worker's name, or all, to its script.",
        },
        "backward": _backward(),
        "mode": {"enum": list(MODES), "description": "Distributed only."},
        "workers": {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MAX_WORKERS},
                _list(
                    {"type": "string", "pattern": r"^(?!all$)[A-Za-z_][A-Za-z0-9_-]*$"},
                    minItems=1,
                    maxItems=MAX_WORKERS,
                    uniqueItems=True,
                ),
            ],
            "description": "A count or a list of names; makes the scenario distributed.",
        },
        "faults": _list(_fault()),
        "expect": _expect(),
    }


def _dtype(names: tuple[str, ...]) -> Schema:
    return {"enum": [*names, *(f"torch.{name}" for name in names)]}


def _tensor() -> Schema:
    size = {"type": "integer", "minimum": 0}
    column = {"anyOf": [_TEXT, {"type": "integer", "minimum": 0}]}
    shapes = {source: {"anyOf": [size, _list(size)]} for source in SOURCES if source not in ("data", "load")}
    properties = {
        "data": {**_ref("data"), "description": "What torch.tensor(data) makes of it."},
        **shapes,
        "load": {**_TEXT, "description": "A .npy, .npz:NAME or .csv file in the scenario's folder."},
        "columns": {"anyOf": [*column["anyOf"], _list(column, minItems=1)]},
        "skip_rows": {"type": "integer", "minimum": 0},
        "dtype": _dtype(DTYPES),
        "device": {"type": "string", "pattern": r"^(cpu|cuda(:\d{1,3})?)$"},
        "requires_grad": {"type": "boolean"},
    }
    return {
        **_object(properties),
        "oneOf": [{"required": [source]} for source in SOURCES],
        "dependentRequired": {"columns": ["load"], "skip_rows": ["load"]},
    }


def _backward() -> Schema:
    roots = {"anyOf": [_ref("expression"), _list(_ref("expression"), minItems=1)]}
    gradient = {
        "anyOf": [
            _ref("data"),
            _ref("expression"),
            {"type": "null"},
            _list({"anyOf": [_ref("data"), _ref("expression"), {"type": "null"}]}),
        ]
    }
    flag = {"type": "boolean"}
    properties = {
        "roots": roots,
        "gradient": gradient,
        "retain_graph": flag,
        "create_graph": flag,
        "inputs": roots,
        "mode": {"enum": list(MODES)},
    }
    assert set(properties) == set(BACKWARD_KEYS)
    return {"anyOf": [*roots["anyOf"], _object(properties, ["roots"])], "description": "The pass to run after the script."}


def _fault() -> Schema:
    message = {"type": "string", "pattern": r"^\d+:\d+$"}
    at = {"anyOf": [{"enum": list(STAGES)}, _object({"node": _TEXT}, ["node"]), _object({"message": message}, ["message"])]}
    properties = {
        "worker": _TEXT,
        "action": {"enum": list(ACTIONS)},
        "at": at,
        "seconds": _TOLERANCE,
        "times": {"type": "integer", "minimum": 1},
    }
    return _object(properties, ["worker", "action", "at"])


def _expect() -> Schema:
    properties = {
        "variables": _values("#/$defs/value"),
        "grads": {"type": "object", "additionalProperties": {"anyOf": [_ref("data"), {"type": "null"}]}},
        "dependencies": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        "order": _list(_TEXT),
        "stdout": {"type": ["string", "number", "boolean", "null"]},
        "error": {"type": "string", "pattern": r"\S"},
        "rtol": _TOLERANCE,
        "atol": _TOLERANCE,
    }
    return {**_object(properties), "description": "What must come out; checked by agrad run --check."}
