"""From the workers' parts to one document."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import UNSET

from ..distributed.messages import make_id
from ..errors import AgradError, Interrupted
from ..scenario.model import Scenario
from ..trace.codec import error_record
from ..trace.dist_model import (
    DistErrorRecord,
    DistPassRecord,
    DistTrace,
    MessageRecord,
    StageRecord,
    WorkerPassRecord,
    WorkerRecord,
)
from ..trace.model import Graph
from .control import PassPartRecord
from .local import scenario_record
from .worker_part import WorkerPart
from .worker_report import Sent


@dataclass
class Outcome:
    """What the coordinator knows at the end: the parts by rank, who is gone, and its own problem and which worker's that is."""

    names: list[str]
    parts: dict[int, WorkerPart]
    gone: list[int]
    pids: list[int]
    problem: AgradError | None
    culprit: str | None
    mode: str
    engine: str
    seed: int
    device: str


def gather(scenario: Scenario, outcome: Outcome) -> DistTrace:
    """The document of the run."""
    error = _error(outcome)
    events = None
    if any(part.events is not None for part in outcome.parts.values()):
        events = [e for _, part in sorted(outcome.parts.items()) for e in part.events or ()]
    messages = _messages(outcome)
    return DistTrace(
        format="agrad/dist@1",
        scenario=scenario_record(scenario, outcome.seed, outcome.device),
        engine=outcome.engine,
        mode=outcome.mode,
        status="ok" if error is None else "error",
        error=error,
        warnings=[w for _, part in sorted(outcome.parts.items()) for w in part.warnings],
        workers=[_worker(rank, outcome) for rank in range(len(outcome.names))],
        passes=_passes(outcome, messages),
        messages=[record for record, _ in sorted(messages, key=lambda m: _message_key(m[1]))],
        events=UNSET if events is None else events,
    )


def _worker(rank: int, outcome: Outcome) -> WorkerRecord:
    if rank in outcome.parts:
        return outcome.parts[rank].record
    died = rank in outcome.gone
    record = WorkerRecord(
        name=outcome.names[rank],
        rank=rank,
        pid=outcome.pids[rank] if rank < len(outcome.pids) else 0,
        host="",
        device=outcome.device,
        status="died" if died else "error",
        stdout="",
        variables={},
        graph=Graph([]),
        contexts=[],
    )
    if not died:  # it was busy when the run was stopped
        text = "the run was stopped before this worker could report"
        record.error = DistErrorRecord.of(error_record(Interrupted(text)), record.name)
    return record


def _error(outcome: Outcome) -> DistErrorRecord | None:
    """What went wrong first: the coordinator's own problem, else a script's error that is not the echo of another's."""
    if outcome.problem is not None:
        return DistErrorRecord.of(error_record(outcome.problem), outcome.culprit)
    errors = [part.record.error for _, part in sorted(outcome.parts.items()) if isinstance(part.record.error, DistErrorRecord)]
    real = [e for e in errors if e.kind != "Interrupted"]
    return next(iter(real or errors), None)


def _messages(outcome: Outcome) -> list[tuple[MessageRecord, Message]]:
    """Every message, with the time it arrived, and where it came from. See Note [Matching messages] in ``worker_report.py``."""
    arrived: dict[tuple[int, int], deque[float]] = defaultdict(deque)
    for rank, part in outcome.parts.items():
        for got in part.received:
            arrived[got.source, rank].append(got.time)
    found: list[tuple[MessageRecord, Message]] = []
    for rank, part in sorted(outcome.parts.items()):
        for sent in part.sent:
            queue = arrived[rank, sent.to]
            record = MessageRecord(
                kind=sent.kind,
                source=outcome.names[rank],
                to=outcome.names[sent.to],
                message_id=sent.message_id,
                function=sent.function,
                bytes=sent.bytes,
                sent=sent.time,
                received=queue.popleft() if queue else None,
            )
            found.append((record, Message(rank, sent)))
    return found


class Message(NamedTuple):
    """A message as its sender, `rank`, told it."""

    rank: int
    sent: Sent


def _message_key(message: Message) -> tuple[int, bool, tuple[int, ...]]:
    """By sender, then by id; those without an id come last. Sorting is stable: otherwise as they were sent."""
    number = message.sent.message_id
    return message.rank, number is None, () if number is None else tuple(map(int, number.split(":")))


def _passes(outcome: Outcome, messages: list[tuple[MessageRecord, Message]]) -> list[DistPassRecord]:
    """The parts of one pass, put together: those of one context and number."""
    groups: dict[tuple[str, int], dict[int, PassPartRecord]] = {}
    of_context: dict[int | None, list[tuple[MessageRecord, Message]]] = defaultdict(list)
    for record, message in messages:
        of_context[message.sent.context].append((record, message))
    for rank, part in sorted(outcome.parts.items()):
        for p in part.passes:
            groups.setdefault((p.context, p.number), {})[rank] = p
    made = []
    for (context, _), parts in sorted(groups.items(), key=lambda item: min(p.start for p in item[1].values())):
        root_rank = next((r for r, p in parts.items() if p.is_root), min(parts))
        root = parts[root_rank]
        start, end = min(p.start for p in parts.values()), max(p.end for p in parts.values())
        own = of_context[context_number(context)]
        within = [m for m, message in own if message.sent.run == root.number]
        gradients, discovery = ([m for m in within if m.kind == kind] for kind in ("gradient", "discovery"))
        size = {"gradient": sum(m.bytes for m in gradients)}
        if root.mode == "smart":
            size["discovery"] = sum(m.bytes for m in discovery)
        cleanup = sum(1 for m, _ in own if m.kind == "cleanup")
        made.append(
            DistPassRecord(
                context=context,
                mode=root.mode,
                root_worker=outcome.names[root_rank],
                roots=root.roots,
                line=root.line,
                workers={outcome.names[r]: _worker_pass(p) for r, p in sorted(parts.items())},
                messages={"gradient": len(gradients), "discovery": len(discovery), "cleanup": cleanup},
                bytes=size,
                duration=root.end - root.start if root.end > root.start else end - start,
                failed=True if any(p.failed for p in parts.values()) else UNSET,
                elided=True if root.elided else UNSET,
            )
        )
    return made


def context_number(shown: str) -> int:
    """The number of a context from the form that documents have, ``worker:counter``."""
    worker, counter = shown.split(":")
    return make_id(int(worker), int(counter))


def _worker_pass(part: PassPartRecord) -> WorkerPassRecord:
    stages = [
        StageRecord(i, kind, node, mid, peer, start, end) for i, (kind, node, mid, peer, start, end) in enumerate(part.stages, 1)
    ]
    return WorkerPassRecord(
        dependencies=part.dependencies, order=part.order, stages=stages, failed=True if part.raised else UNSET
    )
