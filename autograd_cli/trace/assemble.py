"""From what a Recorder kept and what the script left behind to a Trace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from ..core import dtype as dt
from ..core.tensor import Tensor
from ..core.view import edge_or_none
from .kept import PassRow, key_of, saved_of, target_of
from .model import (
    ACCUMULATE_GRAD_NR,
    EdgeRecord,
    ErrorRecord,
    Graph,
    NodeRecord,
    PassRecord,
    SavedRecord,
    ScenarioRecord,
    Trace,
    WarningRecord,
)
from .recorder import Recorder
from .snapshot import LARGEST, Snapshot, is_shown


def assemble(
    recorder: Recorder,
    variables: Mapping[str, Any],
    *,
    scenario: ScenarioRecord,
    stdout: str,
    error: ErrorRecord | None,
    warnings: list[WarningRecord] | None = None,
    largest: int = LARGEST,
) -> Trace:
    """The Trace of a run.

    Parameters
    ----------
    recorder : Recorder
    variables : mapping
        The names the script left at top level, in the order in which they were bound.
    largest : int
        How many elements a tensor may have to be written out.
    """
    graph = GraphBuilder(recorder, variables)
    snapshot = Snapshot(graph.id_of_node, largest)
    trace = Trace(
        format="agrad/run@1",
        scenario=scenario,
        status="ok" if error is None else "error",
        error=error,
        warnings=[*(warnings or []), *recorder.warnings],
        stdout=stdout,
        variables={name: snapshot.value(value) for name, value in variables.items() if is_shown(name, value)},
        graph=Graph(graph.nodes()),
        passes=[graph.pass_record(p) for p in sorted(recorder.passes, key=lambda p: p.number)],
    )
    if recorder.log is not None:
        trace.events = [graph.event(e) for e in recorder.log.events]
    return trace


class GraphBuilder:
    """Gives ids and names to what a Recorder kept, and turns it into records.

    Ids follow the order of recording; a leaf comes right before the first node that uses it.
    """

    def __init__(self, recorder: Recorder, variables: Mapping[str, Any]) -> None:
        self.entries = recorder.entries()
        order = sorted((e for e in self.entries.values() if e[1] >= 0), key=lambda e: e[1])
        self.first = order[0][1] if order else 0  # sequence numbers are shown from 0
        self.ids: dict[int, int] = {}
        for entry in order:
            for edge in entry[7]:
                if edge is not None and (key := target_of(edge)[0]) in self.entries:
                    self.ids.setdefault(key, len(self.ids))
            self.ids.setdefault(entry[1], len(self.ids))
        for key in self.entries:
            self.ids.setdefault(key, len(self.ids))
        self.names = recorder.lines.assigned(order)
        for key, entry in self.entries.items():
            if entry[0] == "AccumulateGrad" and (target := recorder.lines.target(entry[2])) is not None:
                self.names[key] = target
        self._name_variables(variables)

    def _name_variables(self, variables: Mapping[str, Any]) -> None:
        """A top-level name wins over the target of a line; the last one bound wins over earlier ones."""
        for name, value in variables.items():
            if isinstance(value, Tensor):
                self._name(value, name)
            elif hasattr(value, "named_parameters") and not isinstance(value, type):
                for path, parameter in value.named_parameters():
                    self._name(parameter, f"{name}.{path}")

    def _name(self, tensor: Tensor, name: str) -> None:
        edge = edge_or_none(tensor)
        if edge is not None:
            self.names[key_of(edge.function)] = name

    def id_of_node(self, node: Any) -> int | None:
        """The id of a node, or None when it was not recorded or not kept."""
        return self.ids.get(key_of(node))

    def nodes(self) -> list[NodeRecord]:
        """The records, by id."""
        return [self._node(self.entries[key]) for key in sorted(self.ids, key=self.ids.__getitem__)]

    def _node(self, entry: Any) -> NodeRecord:
        name, key, line, _, shape, dtype, device, edges, _ = entry
        return NodeRecord(
            id=self.ids[key],
            name=name,
            sequence_nr=key - self.first if key >= 0 else ACCUMULATE_GRAD_NR if name == "AccumulateGrad" else 0,
            variable=self.names.get(key),
            line=line,
            device=device,
            shape=None if shape is None else list(shape),
            dtype=_dtype_name(dtype),
            next=[None if e is None else self._edge(*target_of(e)) for e in edges],
            saved=[SavedRecord(n, list(s), _dtype_name(d) or "", v, math.prod(s) * d.itemsize) for n, s, d, v in saved_of(entry)],
        )

    def _edge(self, key: int, input_nr: int) -> EdgeRecord | None:
        return EdgeRecord(self.ids[key], input_nr) if key in self.ids else None

    def pass_record(self, p: PassRow) -> PassRecord:
        """One pass, with ids for keys."""
        ids = self.ids
        return PassRecord(
            kind=p.kind,
            line=p.line,
            roots=[] if p.elided else [ids[k] for k in p.roots],
            dependencies={str(ids[k]): n for k, n in p.dependencies.items()},
            order=[ids[k] for k in p.order],
            duration=p.duration,
            peak_bytes=p.peak_bytes,
            failed=True if p.failed else UNSET,
            restricted=True if p.restricted else UNSET,
            elided=True if p.elided else UNSET,
            inside=p.inside if p.inside is not None else UNSET,
            nodes=p.evaluated if p.elided else UNSET,
        )

    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        """One event, with ids and names for keys."""
        shown = {k: v for k, v in event.items() if not k.startswith("_")}
        if "node" in shown:
            entry = self.entries.get(shown["node"])
            shown["device"] = shown["device"] if entry is None else entry[6]
            shown["node"] = self.ids.get(shown["node"])
        if "variable" in shown:
            shown["variable"] = self.names.get(shown["variable"])
        if "roots" in shown:
            shown["roots"] = [self.ids.get(k) for k in shown["roots"]]
        if "counts" in shown:
            shown["counts"] = {str(self.ids.get(k)): n for k, n in shown["counts"].items()}
        return shown


def _dtype_name(numpy_dtype: Any) -> str | None:
    return None if numpy_dtype is None else dt.dtype._of_numpy[numpy_dtype].name
