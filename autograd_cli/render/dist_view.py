"""DistView: a distributed run's graphs made ready for drawing, once for all renderers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from msgspec import UNSET

from autograd_cli.errors import BadArgumentValue
from autograd_cli.render.labels import plural, printable
from autograd_cli.render.selection import choose_pass
from autograd_cli.render.view import GraphView, NodeView, prepare
from autograd_cli.trace.dist_model import DistErrorRecord, DistPassRecord, DistTrace, WorkerRecord
from autograd_cli.trace.dist_views import worker_trace


class MessageEdge(NamedTuple):
    """The way of a message's gradients: from the recv function on one worker (its rank) to the send function on another."""

    message_id: str
    recv_rank: int
    recv: NodeView
    send_rank: int
    send: NodeView

    @property
    def taken(self) -> bool:
        """Whether gradients went this way in the pass."""
        return self.recv.step is not None


@dataclass(frozen=True)
class DistView:
    """What one picture of a distributed run shows: a GraphView a worker, by rank."""

    title: str
    subtitle: str
    workers: list[GraphView]
    notes: list[str]

    @property
    def names(self) -> list[str]:
        """The workers' names."""
        return [view.title for view in self.workers]

    @property
    def count(self) -> int:
        """How many nodes are shown."""
        return sum(len(view.nodes) for view in self.workers)

    def messages(self) -> Iterator[MessageEdge]:
        """The pairs of recv and send functions that are both shown, in the order of the recv functions."""
        sends = {
            (rank, node.record.message_id): node
            for rank, view in enumerate(self.workers)
            for node in view.nodes
            if node.record.name == "SendRpcBackward"
        }
        ranks = {name: rank for rank, name in enumerate(self.names)}
        for rank, view in enumerate(self.workers):
            for node in view.nodes:
                record = node.record
                if record.name != "RecvRpcBackward" or record.message_id is UNSET:
                    continue
                other = ranks.get(printable(str(record.peer)), -1)
                send = sends.get((other, record.message_id))
                if send is not None:
                    yield MessageEdge(str(record.message_id), rank, node, other, send)

    def description(self) -> str:
        """The picture in a few sentences, for readers who do not see it."""
        said = [f"Autograd graphs of a distributed run, {self.subtitle}."]
        for view in self.workers:
            edges = sum(1 for _ in view.edges())
            said.append(f"{view.title}: {plural(len(view.nodes), 'node')}, {plural(edges, 'edge')}.")
        ways = [f"{m.message_id} from {self.names[m.recv_rank]} to {self.names[m.send_rank]}" for m in self.messages() if m.taken]
        if ways:
            said.append(f"Gradients went with messages {', '.join(ways[:20])}{' and others' if len(ways) > 20 else ''}.")
        return " ".join(said)


def prepare_dist(
    dist: DistTrace, *, pass_index: int | None = None, show_all: bool = False, around: str | None = None, depth: int = 2
) -> DistView:
    """Choose the pass and each worker's nodes; the parameters are those of :func:`autograd_cli.render.view.prepare`.

    Raises
    ------
    BadArgumentValue
        There is no such pass, or on no worker is anything called `around`.
    """
    traces = [worker_trace(dist, worker) for worker in dist.workers]
    index = choose_pass(traces[0], pass_index) if traces else None
    record = None if index is None else dist.passes[index]
    views = []
    missing: BadArgumentValue | None = None
    for worker, trace in zip(dist.workers, traces, strict=True):
        try:
            view = prepare(trace, pass_index=index, show_all=show_all, around=around, depth=depth)
        except BadArgumentValue as error:  # it has nothing of that name; another worker may
            missing = error
            view = replace(prepare(trace, pass_index=index), nodes=[], notes=[])
        views.append(replace(view, subtitle=_worker_subtitle(view, record, worker)))
    if missing is not None and not any(view.nodes for view in views):
        raise missing
    title = printable(dist.scenario.title or dist.scenario.path or "distributed autograd")
    notes = [f"{view.title}: {note}" for view in views for note in view.notes]
    return DistView(title, _subtitle(dist, index), views, notes)


def _subtitle(dist: DistTrace, index: int | None) -> str:
    """One line on the run and the pass that is shown."""
    workers = plural(len(dist.workers), "worker")
    if index is None:
        return f"{workers}, {dist.mode.upper()} mode, no backward pass"
    record = dist.passes[index]
    said = f"{workers}, {record.mode.upper()} mode"
    which = f"pass {index + 1} of {len(dist.passes)}, " if len(dist.passes) > 1 else ""
    ended = " (failed)" if record.failed is True else ""
    messages = plural(record.messages.get("gradient", 0), "gradient message")
    where = "" if record.line is None else f" at line {record.line}"
    return f"{said}, {which}backward() on {printable(record.root_worker)}{where}{ended}: {messages}"


def _worker_subtitle(view: GraphView, record: DistPassRecord | None, worker: WorkerRecord) -> str:
    """One line on a worker's part of the pass."""
    if worker.status == "died":
        return "died, and what it did is not known"
    if isinstance(worker.error, DistErrorRecord) and worker.error.kind == "Interrupted" and not worker.graph.nodes:
        return "did not report what it did"
    if record is None:
        return plural(len(view.nodes), "node") + " recorded" if view.nodes else "no node was recorded"
    part = record.workers.get(worker.name)
    if part is None:
        return "takes no part in the pass"
    evaluated = f"{plural(len(part.order), 'node')} evaluated"
    return f"calls backward(): {evaluated}" if record.root_worker == worker.name else f"takes part in the pass: {evaluated}"
