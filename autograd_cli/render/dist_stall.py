"""Why a FAST pass stalled: which send functions wait, what was sent there, and where their recv functions stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from autograd_cli.render.labels import plural, printable
from autograd_cli.trace.dist_model import DistPassRecord, DistTrace, WorkerRecord
from autograd_cli.trace.dist_views import STALLED
from autograd_cli.trace.model import NodeRecord

MOST_LINES = 6


class Waiting(NamedTuple):
    """A send function that waits, on the worker of that name; ``message_id`` went from there to ``peer``."""

    worker: str
    node: NodeRecord
    message_id: str
    peer: str
    tensors: list[str]  # what was sent: names of variables, or of the operations that made them
    function: str | None  # of the call, or of the answer
    is_answer: bool
    starves: bool  # its recv function takes part in the pass and waits itself


def stall_lines(dist: DistTrace) -> list[str]:
    """For the error panel: the send functions that wait, with the script's lines; nothing for other errors.

    Those whose recv functions the roots do not reach come first: they are the cause. The others starve behind them.
    """
    if dist.error is None or dist.error.kind != STALLED:
        return []
    failed = next((one for one in reversed(dist.passes) if one.failed is True), None)
    if failed is None:
        return []
    waiting = sorted(_waiting(dist, failed), key=lambda one: one.starves)
    lines = [_line(one) for one in waiting[:MOST_LINES]]
    if len(waiting) > MOST_LINES:
        lines.append(f"  {plural(len(waiting) - MOST_LINES, 'send function')} more, which wait likewise.")
    return lines


def _line(waiting: Waiting) -> str:
    """One send function in words."""
    shown = printable(", ".join(waiting.tensors[:4]) or plural(1, "tensor"))
    call = "" if waiting.function is None else f" {'as the result' if waiting.is_answer else 'for a call'} of {waiting.function}"
    where = "" if waiting.node.line is None else f"line {waiting.node.line}: "
    why = "which waits for gradients itself" if waiting.starves else "which the roots do not reach"
    return printable(
        f"  {where}{waiting.worker} sent {shown} to {waiting.peer}{call}. Its send function {waiting.message_id} waits for the recv "
        f"function on {waiting.peer}, {why}."
    )


def _waiting(dist: DistTrace, one: DistPassRecord) -> Iterator[Waiting]:
    """The send functions of the pass whose gradients did not come, by worker and message."""
    functions = {m.message_id: (m.function, m.kind == "reply") for m in dist.messages if m.kind in ("call", "reply")}
    for worker in dist.workers:
        part = one.workers.get(worker.name)
        # A worker that no gradient reached has no part of the pass, and its send functions are not waited for.
        if part is None:
            continue
        came = set(part.order)
        nodes = {node.id: node for node in worker.graph.nodes}
        for context in worker.contexts:
            if context.id != one.context:
                continue
            for send in context.sends:
                node = None if send.node is None else nodes.get(send.node)
                if node is None or node.id in came or str(node.id) not in part.dependencies:
                    continue
                function, is_answer = functions.get(send.message_id, (None, False))
                starves = _takes_part(dist, one, send.to, send.message_id)
                tensors = _tensors(node, nodes, worker)
                yield Waiting(worker.name, node, send.message_id, send.to, tensors, function, is_answer, starves)


def _tensors(node: NodeRecord, nodes: dict[int, NodeRecord], worker: WorkerRecord) -> list[str]:
    """What a send function sent: its edges lead to the nodes of the tensors."""
    found = [nodes[edge.node] for edge in node.next if edge is not None and edge.node in nodes]
    return list(dict.fromkeys(target.variable or f"a result of {target.name}" for target in found))


def _takes_part(dist: DistTrace, one: DistPassRecord, peer: str, message_id: str) -> bool:
    """Whether the recv function of a message takes part in the pass on its worker."""
    part = one.workers.get(peer)
    worker = next((w for w in dist.workers if w.name == peer), None)
    if part is None or worker is None:
        return False
    nodes = [r.node for c in worker.contexts if c.id == one.context for r in c.recvs if r.message_id == message_id]
    return any(node is not None and str(node) in part.dependencies for node in nodes)
