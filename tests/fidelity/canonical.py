"""One numbering of the nodes for our documents and PyTorch's, so that the two can be compared field by field.

PyTorch shows only the nodes that something still reaches: the roots of a pass, or a variable that the script left. Our document
lists every node of the run. Both are reduced here to the nodes reached from the passes' roots and from the variables, numbered in
the order in which a depth-first walk along the edges meets them. No torch in this file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]
ACCUMULATE_GRAD_NR = 2**64 - 1
NODE_FIELDS = ("name", "shape", "dtype")
TENSOR_FIELDS = ("type", "shape", "dtype", "requires_grad", "is_leaf", "grad_fn", "version", "value", "grad", "elided")


def canonical(document: Document) -> Document:
    """Reduce a run document to what PyTorch can confirm.

    Parameters
    ----------
    document : dict
        An ``agrad/run@1`` document, ours or one that ``record.py`` wrote.

    Returns
    -------
    dict
        ``status``, ``error`` (type and line), ``stdout``, ``variables`` (by name, sorted), ``nodes`` and ``passes``, renumbered.
        Applying it twice changes nothing.
    """
    nodes = {node["id"]: node for node in document["graph"]["nodes"]}
    passes = [a_pass for a_pass in document["passes"] if not never_started(a_pass)]
    number = _number(_starting_points(document, passes), nodes)
    error = document["error"]
    return {
        "status": document["status"],
        "error": error and {"type": error["type"], "line": error["line"]},
        "stdout": document["stdout"],
        "variables": {name: _value(value, number) for name, value in sorted(document["variables"].items())},
        "graph": {"nodes": _nodes(nodes, number)},
        "passes": [_pass(a_pass, number) for a_pass in passes],
    }


def never_started(a_pass: Document) -> bool:
    """Whether a pass was refused before its first node ran (a root that is not a scalar, say): PyTorch leaves no trace of it."""
    return bool(a_pass.get("failed")) and not a_pass.get("elided") and not a_pass["order"]


def _starting_points(document: Document, passes: list[Document]) -> Iterator[int]:
    """Yield the ids to walk from: the roots of each pass, then the grad_fn of each variable in the order of their names."""
    for a_pass in passes:
        if not a_pass.get("elided"):
            yield from a_pass["roots"]
    for _, value in sorted(document["variables"].items()):
        for tensor in _tensors(value):
            # A leaf's AccumulateGrad need not exist before something uses the leaf, so it is no starting point.
            if tensor["grad_fn"] is not None and tensor["node"] is not None:
                yield tensor["node"]


def _tensors(value: Document) -> Iterator[Document]:
    """Yield the tensors inside a VALUE, in order."""
    stack = [value]
    while stack:
        value = stack.pop()
        if value["type"] == "tensor":
            yield value
        elif "items" in value:
            items = value["items"]
            stack.extend(reversed(list(items.values()) if isinstance(items, dict) else items))


def _number(starting_points: Iterator[int], nodes: dict[int, Document]) -> dict[int, int]:
    """Number the nodes in the order in which a depth-first walk along the edges meets them."""
    number: dict[int, int] = {}
    for start in starting_points:
        stack = [start]
        while stack:
            node = stack.pop()
            if node in number or node not in nodes:
                continue
            number[node] = len(number)
            stack.extend(edge["node"] for edge in reversed(nodes[node]["next"]) if edge is not None)
    return number


def _nodes(nodes: dict[int, Document], number: dict[int, int]) -> list[Document]:
    """Renumber the nodes; sequence numbers become ranks, since only their order means anything."""
    ranked = sorted({nodes[node]["sequence_nr"] for node in number} - {ACCUMULATE_GRAD_NR})
    rank = {sequence_nr: place for place, sequence_nr in enumerate(ranked)} | {ACCUMULATE_GRAD_NR: ACCUMULATE_GRAD_NR}
    return [
        {"id": new}
        | {field: nodes[old][field] for field in NODE_FIELDS}
        | {"sequence_nr": rank[nodes[old]["sequence_nr"]]}
        | {"next": [edge and {"node": number[edge["node"]], "input": edge["input"]} for edge in nodes[old]["next"]]}
        | {"saved": _saved(nodes[old]["saved"])}
        for old, new in number.items()
    ]


def _saved(saved: list[Document] | None) -> list[Document] | None:
    """Sort what a node saved; None where PyTorch no longer shows it."""
    if saved is None:
        return None
    return sorted(
        ({"name": item["name"], "shape": item["shape"], "dtype": item["dtype"]} for item in saved),
        key=lambda item: (item["name"], item["shape"]),
    )


def _pass(a_pass: Document, number: dict[int, int]) -> Document:
    """Renumber a pass. Of an elided pass only its kind and line can be compared."""
    if a_pass.get("elided"):
        return {"kind": a_pass["kind"], "line": a_pass["line"], "elided": True}
    counts = ((number[int(node)], count) for node, count in a_pass["dependencies"].items())
    return {
        "kind": a_pass["kind"],
        "line": a_pass["line"],
        "failed": bool(a_pass.get("failed")),
        "restricted": bool(a_pass.get("restricted")),
        "roots": [number[node] for node in a_pass["roots"]],
        "dependencies": {str(node): count for node, count in sorted(counts)},
        "order": [number[node] for node in a_pass["order"]],
    }


def _value(value: Document, number: dict[int, int]) -> Document:
    """Keep of a VALUE what both sides know; a leaf's node stays only where the graph reaches it."""
    if value["type"] == "tensor":
        kept = {field: value[field] for field in TENSOR_FIELDS if field in value}
        return kept | {"node": number.get(value["node"])}
    if "items" in value:
        items = value["items"]
        if isinstance(items, dict):
            return {"type": value["type"], "items": {key: _value(item, number) for key, item in items.items()}}
        return {"type": value["type"], "items": [_value(item, number) for item in items]}
    return dict(value)
