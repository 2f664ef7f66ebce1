"""What ``record.py`` wrote, as Traces to compare with. No torch in this file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from autograd_cli.scenario.closeness import Tolerance
from autograd_cli.trace.model import Trace

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "programs").glob("*.yaml"))
UNKNOWN_NODE = {"variable": None, "line": None, "device": "cpu"}
UNKNOWN_PASS = {"roots": [], "dependencies": {}, "order": [], "duration": 0.0, "peak_bytes": 0}
UNKNOWN_ERROR = dict.fromkeys(("column", "source", "hint", "node", "variable")) | {"kind": "ScriptRaised", "causes": []}


class Strict(Tolerance):
    """What rounding may do to a short program; torch.testing allows more."""

    def for_dtype(self, dtype: str) -> tuple[float, float]:
        """(rtol, atol) for values of a dtype."""
        near = {"float64": 1e-12, "float32": 1e-6, "complex128": 1e-12, "complex64": 1e-6}.get(dtype, 0.0)
        return near, near


def read(path: Path) -> Trace:
    """The Trace of a golden; what PyTorch does not tell is filled in."""
    document = json.loads(path.read_text(encoding="utf-8"))
    document["scenario"]["device"] = "cpu"
    document["warnings"] = []
    if document["error"]:
        document["error"] |= UNKNOWN_ERROR
    document["graph"]["nodes"] = [_node(node) for node in document["graph"]["nodes"]]
    document["passes"] = [UNKNOWN_PASS | _without_false(one) for one in document["passes"]]
    return msgspec.convert(document, Trace)


@cache
def golden(name: str) -> Trace:
    """What PyTorch did with a program of ``programs/``."""
    return read(HERE / "goldens" / f"{name}.json")


def _node(node: dict[str, Any]) -> dict[str, Any]:
    saved = [one | {"version": 0, "bytes": 0} for one in node["saved"] or []]
    return UNKNOWN_NODE | node | {"saved": saved} | ({"unknown": ["saved"]} if node["saved"] is None else {})


def _without_false(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not False}
