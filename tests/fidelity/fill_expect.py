"""Write the ``expect`` of scenario files: run each under PyTorch 2.13 and append what came out. Needs torch.

    python tests/fidelity/fill_expect.py scenarios/*.yaml

An ``expect`` at the end of a file is replaced. Numbers have all the digits that tell two float32 (or float64) apart.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from record import record

LARGEST = 64  # elements of a tensor that is still written down
LONGEST = 40  # nodes of an order that is still written down
FEW = 8  # passes; in a longer training run the rounding of each step adds up, and torch.testing's own tolerances hold
WIDTH = 130
TOLERANCE = {"float32": "1.0e-6", "float64": "1.0e-12"}
PARTS = {"complex64": "float32", "complex128": "float64"}  # a complex number is written as the pair of its parts

Document = dict[str, Any]


def expect_of(document: Document) -> str:
    """The text of ``expect:`` for a run document that PyTorch's run gave."""
    if document["error"]:
        raise SystemExit(f"{document['scenario']['path']} fails in PyTorch: {document['error']}")
    tensors = {
        name: value
        for name, value in document["variables"].items()
        if value["type"] == "tensor"
        and PARTS.get(value["dtype"], value["dtype"]) in TOLERANCE
        and np.size(value["value"]) <= LARGEST
    }
    grads = {name: value for name, value in tensors.items() if value["grad"] is not None or _is_waiting(value)}
    lines = [f"# Recorded from PyTorch {document['torch'].split('+')[0]}.", "expect:"]
    if len(document["passes"]) <= FEW:
        tolerance = TOLERANCE[document["scenario"]["dtype"]]
        lines += [f"  rtol: {tolerance}", f"  atol: {tolerance}"]
    lines += _mapping("variables", ((name, _data(value["value"], value["dtype"])) for name, value in tensors.items()))
    lines += _mapping("grads", ((name, _data(value["grad"], value["dtype"])) for name, value in grads.items()))
    if document["passes"]:
        last = document["passes"][-1]
        made = [(name, value) for name, value in document["variables"].items() if value.get("grad_fn")]
        counts = ((name, last["dependencies"].get(str(value["node"]), 0)) for name, value in made)
        lines += _mapping("dependencies", counts)
        if len(last["order"]) <= LONGEST:
            names = {node["id"]: node["name"] for node in document["graph"]["nodes"]}
            lines += _folded("order", "[" + ", ".join(names[node] for node in last["order"]) + "]")
    if document["stdout"]:
        lines += ["  stdout: |", *textwrap.indent(document["stdout"], " " * 4).splitlines()]
    return "\n".join(lines) + "\n"


def _is_waiting(value: Document) -> bool:
    """Whether a leaf could have a gradient and has none, which is worth expecting too."""
    return value["is_leaf"] and value["requires_grad"]


def _mapping(key: str, entries: Iterator[tuple[str, Any]]) -> list[str]:
    found = [line for name, text in entries for line in _folded(name, text, indent=4)]
    return [f"  {key}:", *found] if found else []


def _folded(key: str, text: Any, indent: int = 2) -> list[str]:
    """One entry, its flow list folded where it is long."""
    margin = " " * indent
    return textwrap.wrap(f"{key}: {text}", WIDTH, initial_indent=margin, subsequent_indent=margin + "  ", break_on_hyphens=False)


def _data(value: Any, dtype: str) -> str:
    """Nested flow lists; each number with the fewest digits that read back as the same float."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return "[" + ", ".join(_data(item, dtype) for item in value) + "]"
    if isinstance(value, str):
        return value  # nan, inf and -inf
    return np.format_float_positional(np.dtype(PARTS.get(dtype, dtype)).type(value), unique=True, trim="0")


def fill(path: Path) -> None:
    """Replace or append the ``expect`` of one scenario file."""
    text = path.read_text(encoding="utf-8")
    kept = text.split("\n# Recorded from PyTorch")[0].rstrip() + "\n"
    path.write_text(kept + "\n" + expect_of(record(path)), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        fill(Path(name))
