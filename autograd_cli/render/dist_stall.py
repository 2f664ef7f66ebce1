"""Why a FAST pass stalled: which send functions wait, what was sent there, and where their recv functions stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from autograd_cli.render.labels import plural, printable
from autograd_cli.trace.dist_model import DistPassRecord, DistTrace, SendRecord, WorkerRecord
from autograd_cli.trace.dist_views import MOST_WAITING, STALLED, stands
from autograd_cli.trace.model import NodeRecord


class Waiting(NamedTuple):
    """A send function that waits, on the worker of that name; ``message_id`` went from there to ``peer``."""

    worker: str
    node: NodeRecord
    message_id: str
    peer: str
    tensors: list[str]  # what was sent: names of variables, or of the operations that made them
    function: str | None  # of the call, or of the answer
    is_answer: bool
    starves: bool  # its recv function waits itself


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
    lines = [_line(one) for one in waiting[:MOST_WAITING]]
    if len(waiting) > MOST_WAITING:
        lines.append(f"  {plural(len(waiting) - MOST_WAITING, 'send function')} more, which wait likewise.")
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


def _waiting(dist: DistTrace, one: DistPassRecord) -> list[Waiting]:
    """The send functions of the pass whose gradients did not come, by worker and message."""
    functions = {m.message_id: (m.function, m.kind == "reply") for m in dist.messages if m.kind in ("call", "reply")}
    roots: list[str] = []
    leads: dict[str, list[str]] = {}
    found: list[tuple[WorkerRecord, SendRecord, NodeRecord, list[str]]] = []
    for worker in dist.workers:
        nodes = {node.id: node for node in worker.graph.nodes}
        if worker.name == one.root_worker:
            roots = _leads_to(one.roots, nodes)
        # A worker that no gradient reached has no part of the pass, and its send functions are not waited for.
        part = one.workers.get(worker.name)
        for send in (s for context in worker.contexts if context.id == one.context for s in context.sends):
            node = None if send.node is None else nodes.get(send.node)
            if node is None:
                continue
            leads[send.message_id] = _leads_to([node.id], nodes)
            if part is not None and node.id not in part.order and str(node.id) in part.dependencies:
                found.append((worker, send, node, _tensors(node, nodes)))
    how = stands([send.message_id for _, send, _, _ in found], roots, leads)
    return [
        Waiting(
            worker.name, node, send.message_id, send.to, tensors, *functions.get(send.message_id, (None, False)),
            how[send.message_id].starves,
        )
        for worker, send, node, tensors in found
    ]  # fmt: skip


def _leads_to(starts: Iterable[int], nodes: dict[int, NodeRecord]) -> list[str]:
    """The messages of the recv functions that a way leads to from the nodes `starts`."""
    todo = list(starts)
    seen: set[int] = set()
    while todo:
        number = todo.pop()
        if number in nodes and number not in seen:
            seen.add(number)
            todo.extend(edge.node for edge in nodes[number].next if edge is not None)
    return [message for n in seen if nodes[n].name == "RecvRpcBackward" and (message := nodes[n].message_id)]


def _tensors(node: NodeRecord, nodes: dict[int, NodeRecord]) -> list[str]:
    """What a send function sent: its edges lead to the nodes of the tensors."""
    found = [nodes[edge.node] for edge in node.next if edge is not None and edge.node in nodes]
    return list(dict.fromkeys(target.variable or f"a result of {target.name}" for target in found))
