"""From what a `Watch` wrote down and what the script left to a Trace.

PyTorch shows the nodes that something still reaches. They are numbered in the order in which a depth-first walk along the edges meets
them, from the roots of the passes and then from the variables by name: the same numbers for the same graph, whatever happened first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from ..trace.model import (
    ACCUMULATE_GRAD_NR,
    EdgeRecord,
    ErrorRecord,
    Graph,
    Json,
    NodeRecord,
    PassRecord,
    ScenarioRecord,
    Trace,
)
from ..trace.snapshot import is_shown
from .nodes import NodeRow, node_or_none
from .values import PyTorchSnapshot, tensors_in
from .watch import PassRow, Watch


def assemble(
    watch: Watch, variables: Mapping[str, Any], *, scenario: ScenarioRecord, stdout: str, error: ErrorRecord | None, largest: int
) -> Trace:
    """The Trace of a run under PyTorch; the parameters are those of agrad's own (``trace/assemble.py``)."""
    snapshot = PyTorchSnapshot(watch, largest)
    values = {name: snapshot.value(value) for name, value in variables.items() if is_shown(name, value)}
    number = _number(_starts(watch.passes, values), watch.rows)
    for value in values.values():
        for tensor in tensors_in(value):
            tensor["node"] = number.get(tensor["node"])
    named = _names(variables, watch)
    ranks = _ranks(watch.rows[old].sequence_nr for old in number)
    return Trace(
        format="agrad/run@1",
        scenario=scenario,
        status="ok" if error is None else "error",
        error=error,
        warnings=[],
        stdout=stdout,
        variables=values,
        graph=Graph([_node(watch.rows[old], new, number, ranks, named.get(old)) for old, new in number.items()]),
        passes=[_pass(row, number) for row in watch.passes],
    )


def _starts(passes: list[PassRow], values: Mapping[str, Json]) -> Iterator[int]:
    """The numbers to walk from: the roots of each pass, then the grad_fn of each variable in the order of their names."""
    for row in passes:
        if not row.elided:
            yield from row.roots
    for _, value in sorted(values.items()):
        for tensor in tensors_in(value):
            if tensor["grad_fn"] is not None:  # a leaf's AccumulateGrad need not exist before something uses the leaf
                yield tensor["node"]


def _number(starts: Iterator[int], rows: Mapping[int, NodeRow]) -> dict[int, int]:
    number: dict[int, int] = {}
    for start in starts:
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in number:
                number[node] = len(number)
                stack.extend(edge[0] for edge in reversed(rows[node].next) if edge is not None)
    return number


def _names(variables: Mapping[str, Any], watch: Watch) -> dict[int, str]:
    """The name of the variable or parameter that each node stands for; the last one bound wins."""
    names: dict[int, str] = {}

    def name(tensor: Any, text: str) -> None:
        node = node_or_none(tensor)
        if node is not None:
            names[watch.node_id(node)] = text

    for variable, value in variables.items():
        if isinstance(value, PyTorchSnapshot.tensor_type):
            name(value, variable)
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            for path, parameter in value.named_parameters():
                name(parameter, f"{variable}.{path}")
    return names


def _ranks(numbers: Iterator[int]) -> dict[int, int]:
    """Sequence numbers to ranks, since only their order means anything."""
    ranked = sorted(set(numbers) - {ACCUMULATE_GRAD_NR})
    return {old: new for new, old in enumerate(ranked)} | {ACCUMULATE_GRAD_NR: ACCUMULATE_GRAD_NR}


def _node(row: NodeRow, new: int, number: dict[int, int], ranks: dict[int, int], variable: str | None) -> NodeRecord:
    return NodeRecord(
        id=new,
        name=row.name,
        sequence_nr=ranks[row.sequence_nr],
        variable=variable,
        line=None,
        device=row.device,
        shape=row.shape,
        dtype=row.dtype,
        next=[None if edge is None else EdgeRecord(number[edge[0]], edge[1]) for edge in row.next],
        saved=row.saved,
        unknown=row.unknown or UNSET,
    )


def _pass(row: PassRow, number: dict[int, int]) -> PassRecord:
    return PassRecord(
        kind=row.kind,
        line=row.line,
        roots=[] if row.elided else [number[root] for root in row.roots],
        dependencies={str(node): count for node, count in sorted((number[old], n) for old, n in row.dependencies.items())},
        order=[number[node] for node in row.order],
        duration=row.duration,
        peak_bytes=0,
        failed=True if row.failed else UNSET,
        restricted=True if row.restricted else UNSET,
        elided=True if row.elided else UNSET,
        nodes=row.evaluated if row.elided else UNSET,
    )
