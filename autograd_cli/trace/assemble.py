"""From what a Recorder kept and what the script left behind to a Trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from ..core import dtype as dt
from ..core.tensor import Tensor
from .model import EdgeRecord, ErrorRecord, Graph, NodeRecord, PassRecord, SavedRecord, ScenarioRecord, Trace, WarningRecord
from .recorder import PassRow, Recorder, Row, key_of
from .snapshot import Snapshot, is_shown


def assemble(
    recorder: Recorder,
    variables: Mapping[str, Any],
    *,
    scenario: ScenarioRecord,
    stdout: str,
    error: ErrorRecord | None,
    warnings: list[WarningRecord] | None = None,
) -> Trace:
    """The Trace of a run.

    Parameters
    ----------
    recorder : Recorder
    variables : mapping
        The names the script left at top level, in the order in which they were bound.
    """
    name_rows(recorder, variables)
    snapshot = Snapshot(lambda node: recorder.rows[key_of(node)].id if key_of(node) in recorder.rows else None)
    trace = Trace(
        format="agrad/run@1",
        scenario=scenario,
        status="ok" if error is None else "error",
        error=error,
        warnings=[*(warnings or []), *recorder.warnings],
        stdout=stdout,
        variables={name: snapshot.value(value) for name, value in variables.items() if is_shown(name, value)},
        graph=Graph([_node(row, recorder.rows) for row in sorted(recorder.rows.values(), key=lambda r: r.id)]),
        passes=[_pass(p) for p in recorder.passes],
    )
    if recorder.log is not None:
        trace.events = [_event(e, recorder.rows) for e in recorder.log.events]
    return trace


def name_rows(recorder: Recorder, variables: Mapping[str, Any]) -> None:
    """Give nodes the names of the variables they made: top-level names first, else the target of their line."""
    recorder.lines.flush(recorder.rows)
    for row in recorder.rows.values():
        if row.variable is None and row.name == "AccumulateGrad":
            row.variable = recorder.lines.target(row.line)
    for name, value in variables.items():
        if isinstance(value, Tensor):
            _name(recorder.rows, value, name)
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            for path, parameter in value.named_parameters():
                _name(recorder.rows, parameter, f"{name}.{path}")


def _name(rows: dict[int, Row], tensor: Tensor, name: str) -> None:
    if tensor._edge is not None:
        row = rows.get(key_of(tensor._edge.function))
        if row is not None:
            row.variable = name


def _dtype_name(numpy_dtype: Any) -> str | None:
    return None if numpy_dtype is None else dt.dtype.of_numpy[numpy_dtype].name


def _node(row: Row, rows: dict[int, Row]) -> NodeRecord:
    edges = [None if e is None or e[0] not in rows else EdgeRecord(rows[e[0]].id, e[1]) for e in row.next]
    saved = [SavedRecord(name, list(shape), _dtype_name(d) or "", version, size) for name, shape, d, version, size in row.saved]
    return NodeRecord(
        id=row.id,
        name=row.name,
        sequence_nr=row.sequence_nr,
        variable=row.variable,
        line=row.line,
        device=row.device,
        shape=None if row.shape is None else list(row.shape),
        dtype=_dtype_name(row.dtype),
        next=edges,
        saved=saved,
    )


def _pass(p: PassRow) -> PassRecord:
    return PassRecord(
        kind=p.kind,
        line=p.line,
        roots=[] if p.elided else p.roots,
        dependencies={str(k): n for k, n in p.dependencies.items()},
        order=p.order,
        duration=p.duration,
        peak_bytes=p.peak_bytes,
        failed=True if p.failed else UNSET,
        restricted=True if p.restricted else UNSET,
        elided=True if p.elided else UNSET,
        inside=p.inside if p.inside is not None else UNSET,
        nodes=p.evaluated if p.elided else UNSET,
    )


def _event(event: dict[str, Any], rows: dict[int, Row]) -> dict[str, Any]:
    shown = {k: v for k, v in event.items() if not k.startswith("_") and k != "key"}
    if "variable" in shown and event.get("key") in rows:
        shown["variable"] = rows[event["key"]].variable
    return shown
