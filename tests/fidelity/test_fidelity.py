"""Every program of ``programs/`` does here what it did under PyTorch 2.13, as ``goldens/`` recorded it.

The oracle is PyTorch: values, gradients, versions, the nodes' names, edges and saved tensors, the order of evaluation, the
dependency counts, what was printed, and where and with what type a run failed. Adding a test = adding a program and running ``record.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical

from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.trace import codec

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "programs").glob("*.yaml"))
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}
LISTED = 12  # differences that a failing test lists

# OUTPUT.md's word for each failure: PyTorch has only the type.
KINDS = {
    "error_add": "ShapeMismatch",
    "error_argument": "BadArgument",
    "error_assert": "ScriptRaised",
    "error_attribute": "ScriptRaised",
    "error_bool": "BadArgument",
    "error_cat": "ShapeMismatch",
    "error_dim": "IndexOutOfRange",
    "error_dtype_int_grad": "DtypeMismatch",
    "error_dtype_matmul": "DtypeMismatch",
    "error_grad_shape": "GradShapeMismatch",
    "error_index": "IndexOutOfRange",
    "error_item": "BadArgument",
    "error_mean_int": "DtypeMismatch",
    "error_mm": "ShapeMismatch",
    "error_name": "NameNotDefined",
    "error_no_graph": "NoGraph",
    "error_no_graph_key": "NoGraph",
    "error_non_scalar": "NonScalarRoot",
    "error_python": "ScriptRaised",
    "error_raised": "ScriptRaised",
    "error_too_many_indices": "IndexOutOfRange",
    "error_view": "ShapeMismatch",
    "grad_unused": "UnusedInput",
    "hook_raises": "ScriptRaised",
    "inplace_leaf": "LeafInplace",
    "inplace_result_saved": "InplaceModified",
    "inplace_saved": "InplaceModified",
    "second_backward_freed": "GraphFreed",
    "shared_part_freed": "GraphFreed",
}


def golden(name: str) -> dict[str, Any]:
    """What PyTorch did with a program."""
    return json.loads((HERE / "goldens" / f"{name}.json").read_text(encoding="utf-8"))


def ours(name: str) -> dict[str, Any]:
    """What agrad does with it."""
    return json.loads(codec.encode(run_scenario(load_scenario(HERE / "programs" / f"{name}.yaml"))))


def differences(torch: Any, agrad: Any, where: str = "", tolerance: float = 0.0) -> Iterator[str]:
    """Yield each place where two documents differ; numbers of a tensor may differ by its dtype's tolerance."""
    stack = [(torch, agrad, where, tolerance)]
    while stack:
        expected, got, where, tolerance = stack.pop()
        if isinstance(expected, dict) and isinstance(got, dict):
            near = TOLERANCE.get(expected.get("dtype", ""), tolerance) if expected.get("type") == "tensor" else tolerance
            for key in sorted(expected.keys() | got.keys(), reverse=True):
                if key == "saved" and expected[key] is None:  # PyTorch no longer shows it
                    continue
                stack.append((expected.get(key, "(absent)"), got.get(key, "(absent)"), f"{where}.{key}", near))
        elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
            pairs = enumerate(zip(expected, got, strict=True))
            stack.extend((left, right, f"{where}[{i}]", tolerance) for i, (left, right) in reversed(list(pairs)))
        elif not _same(expected, got, tolerance):
            yield f"{where.removeprefix('.')}: torch {_short(expected)}, agrad {_short(got)}"


def _same(expected: Any, got: Any, tolerance: float) -> bool:
    if type(expected) is float and type(got) is float and tolerance:
        return abs(expected - got) <= tolerance * max(1.0, abs(expected))
    return type(expected) is type(got) and expected == got


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else text[:400] + " ..."


@pytest.mark.parametrize("name", NAMES)
def test_program_runs_as_in_pytorch(name: str) -> None:
    expected, got = canonical(golden(name)), canonical(ours(name))
    found = list(differences(expected, got))
    assert not found, "\n".join([f"{len(found)} differences from PyTorch:", *found[:LISTED]])


@pytest.mark.parametrize("name", sorted(KINDS))
def test_failure_has_its_kind(name: str) -> None:
    assert ours(name)["error"]["kind"] == KINDS[name]


def test_every_failing_program_has_a_kind() -> None:
    assert {name for name in NAMES if golden(name)["error"]} == set(KINDS)


def test_every_golden_is_of_a_program() -> None:
    assert sorted(path.stem for path in (HERE / "goldens").glob("*.json")) == NAMES


def test_differences_are_seen() -> None:
    """The comparison itself: one changed field at a time is found, and a rounding error is not."""
    expected = canonical(golden("retain_grad"))
    for change in (
        lambda document: document["passes"][0]["order"].reverse(),
        lambda document: document["passes"][0]["dependencies"].update({"2": 1}),
        lambda document: document["graph"]["nodes"][1]["next"].pop(),
        lambda document: document["graph"]["nodes"][1]["saved"].pop(),
        lambda document: document["graph"]["nodes"][0].update(name="SumBackward1"),
        lambda document: document["variables"]["x"].update(grad=[18.0, 36.001]),
        lambda document: document["variables"]["x"].update(grad=None),
        lambda document: document["variables"]["y"].update(version=1),
        lambda document: document["variables"].pop("y"),
        lambda document: document.update(stdout=""),
    ):
        changed = canonical(golden("retain_grad"))
        change(changed)
        assert len(list(differences(expected, changed))) >= 1
    rounded = canonical(golden("retain_grad"))
    rounded["variables"]["x"]["grad"] = [18.000001, 36.0]
    assert not list(differences(expected, rounded))


@pytest.mark.parametrize("name", NAMES)
def test_canonical_numbers_are_stable(name: str) -> None:
    """A golden is canonical already; shuffled ids come back to the same numbers."""
    document = golden(name)
    once = canonical(document)
    assert canonical(document | once) == once
    assert canonical(_shuffled(document)) == once


def _shuffled(document: dict[str, Any]) -> dict[str, Any]:
    """The same document with the ids of its nodes in reverse."""
    document = json.loads(json.dumps(document))
    nodes = document["graph"]["nodes"]
    new = {node["id"]: len(nodes) - 1 - place for place, node in enumerate(nodes)}
    for node in nodes:
        node["id"] = new[node["id"]]
        node["next"] = [edge and edge | {"node": new[edge["node"]]} for edge in node["next"]]
    nodes.sort(key=lambda node: node["id"])
    for a_pass in document["passes"]:
        if not a_pass.get("elided"):
            a_pass["roots"] = [new[node] for node in a_pass["roots"]]
            a_pass["order"] = [new[node] for node in a_pass["order"]]
            a_pass["dependencies"] = {str(new[int(node)]): count for node, count in a_pass["dependencies"].items()}
    values = list(document["variables"].values())
    while values:
        value = values.pop()
        if value["type"] == "tensor" and value["node"] is not None:
            value["node"] = new[value["node"]]
        elif "items" in value:
            values.extend(value["items"].values() if isinstance(value["items"], dict) else value["items"])
    return document
