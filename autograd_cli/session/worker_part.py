"""One worker's part of a distributed document."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any

import msgspec

from ..distributed.functions import RecvRpcBackward, SendRpcBackward
from ..distributed.messages import show_id
from ..distributed.worker import Worker
from ..trace.assemble import GraphBuilder
from ..trace.dist_model import ContextRecord, DistErrorRecord, GradientRecord, RecvRecord, SendRecord, WorkerRecord
from ..trace.kept import key_of
from ..trace.model import Graph, NodeRecord, WarningRecord
from ..trace.recorder import Recorder
from ..trace.snapshot import Snapshot, is_shown, nested
from .control import PassPartRecord
from .worker_report import Received, Sent, WorkerReport


class WorkerPart(msgspec.Struct):
    """What a worker sends to the coordinator in the end."""

    record: WorkerRecord
    passes: list[PassPartRecord]
    sent: list[Sent]
    received: list[Received]
    warnings: list[WarningRecord]
    events: list[dict[str, Any]] | None


def make_part(
    worker: Worker,
    recorder: Recorder,
    report: WorkerReport,
    variables: Mapping[str, Any],
    stdout: str,
    error: DistErrorRecord | None,
    device: str,
) -> WorkerPart:
    """The part of `worker`, whose script left `variables` behind."""
    builder = GraphBuilder(recorder, variables)
    snapshot = Snapshot(builder.id_of_node)
    contexts = {**worker.contexts.ended, **worker.contexts.contexts}
    _name_answers(contexts, builder, recorder, report)
    nodes = builder.nodes()
    _mark_rpc_nodes(nodes, contexts, builder, worker.names)
    record = WorkerRecord(
        name=worker.names[worker.rank],
        rank=worker.rank,
        pid=os.getpid(),
        host=platform.node(),
        device=device,
        status="ok" if error is None else "error",
        stdout=stdout,
        variables={n: snapshot.value(v) for n, v in variables.items() if is_shown(n, v)},
        graph=Graph(nodes),
        contexts=[_context(c, builder, worker.names) for _, c in sorted(contexts.items())],
    )
    if error is not None:
        record.error = error
    recorded = [part for part in report.passes if part.index < len(recorder.passes)]  # none where nothing was recorded
    passes = [_pass(part, recorder, builder, worker.names) for part in recorded if part.index >= 0]
    name = worker.names[worker.rank]
    events = None if recorder.log is None else [_event(e, builder, name, worker.names) for e in recorder.log.events]
    return WorkerPart(record, passes, report.sent_messages, report.received_messages, recorder.warnings, events)


def _event(event: dict[str, Any], builder: GraphBuilder, name: str, names: list[str]) -> dict[str, Any]:
    """An event as the document has it, with names for ranks."""
    shown = {**builder.event(event), "worker": name}
    if "peer" in shown:
        shown["peer"] = names[shown["peer"]]
    return shown


def _name_answers(contexts: Mapping[int, Any], builder: GraphBuilder, recorder: Recorder, report: WorkerReport) -> None:
    """Name the recv function of an answer by what its line assigns to, as other nodes: ``y = rpc.rpc_sync(…)``.

    Not where the line records nodes of its own, since the name is theirs: ``y = rpc.rpc_sync(…) + 1``.
    """
    answers = {got.message_id for got in report.received_messages if got.kind == "reply"}
    taken = {entry[2] for entry in builder.entries.values() if entry[1] >= 0 and entry[0] != "SendRpcBackward"}
    for context in contexts.values():
        for recv in context.recvs.values():
            entry = builder.entries.get(key_of(recv))
            if entry is None or entry[2] in taken or show_id(recv.message_id) not in answers:
                continue
            target = recorder.lines.target(entry[2])
            if target is not None:
                builder.names.setdefault(entry[1], target)


def _mark_rpc_nodes(nodes: list[NodeRecord], contexts: Mapping[int, Any], builder: GraphBuilder, names: list[str]) -> None:
    by_id = {node.id: node for node in nodes}
    for context in contexts.values():
        for node in (*context.sends.values(), *context.recvs.values()):
            found = by_id.get(builder.id_of_node(node))  # type: ignore[arg-type]
            if found is not None:
                found.shape, found.message_id, found.peer = None, show_id(node.message_id), names[node.peer]


def _context(context: Any, builder: GraphBuilder, names: list[str]) -> ContextRecord:
    sends: list[SendRpcBackward] = list(context.sends.values())
    recvs: list[RecvRpcBackward] = list(context.recvs.values())
    gradients = [
        GradientRecord(builder.names.get(key_of(node)), None, list(grad._data.shape), nested(grad._data), str(grad._data.dtype))
        for node, (_, grad) in context.gradients.items()
    ]
    return ContextRecord(
        id=show_id(context.context_id),
        known_workers=[names[r] for r in context.known_workers],
        sends=[SendRecord(show_id(s.message_id), names[s.peer], builder.id_of_node(s), len(s.edges)) for s in sends],
        recvs=[RecvRecord(show_id(r.message_id), names[r.peer], builder.id_of_node(r), len(r.fits_of)) for r in recvs],
        gradients=gradients,
    )


def _pass(part: Any, recorder: Recorder, builder: GraphBuilder, names: list[str]) -> PassPartRecord:
    row, ids = recorder.passes[part.index], builder.ids
    stages = [
        (
            s.kind,
            None if s.key is None else ids.get(s.key),
            s.message_id,
            None if s.peer is None else names[s.peer],
            s.start,
            s.end,
        )
        for s in part.stages
    ]
    times = [t for s in part.stages for t in (s.start, s.end)]
    return PassPartRecord(
        context=show_id(part.context),
        number=part.number,
        mode=part.mode,
        is_root=part.is_root,
        failed=part.failed,
        raised=part.raised,
        elided=row.elided,
        line=row.line,
        roots=[ids[k] for k in row.roots if k in ids],
        dependencies={str(ids[k]): n for k, n in row.dependencies.items() if k in ids},
        order=[ids[k] for k in row.order if k in ids],
        stages=[] if row.elided else stages,
        start=min(times, default=0.0),
        end=max(times, default=0.0),
    )
