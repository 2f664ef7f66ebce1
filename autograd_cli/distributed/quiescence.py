"""Finding out that a pass can never end.

Note [Nothing moves]
    FAST waits for a gradient for every send function of the context, also for one that the roots do not reach; PyTorch then hangs, or its
    call runs into a time-out. Here the caller of backward(), when nothing has come for a while, asks every worker how many messages it has
    sent and received. When all that was sent has been received, and a second round gives the same counts, no message is in flight and no
    worker is at work (a busy one does not answer until it is done). Nothing can ever change: the pass is stalled, and what the workers
    said in the second round of what they wait for explains why. Probes are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.graph_task import GraphTask
from ..errors import BackwardStalled
from ..trace.dist_views import MOST_WAITING, stands
from .functions import RecvRpcBackward
from .messages import Probe, ProbeReply, show_id

if TYPE_CHECKING:
    from .dist_engine import DistPass
    from .worker import Worker


class StallWatch:
    """Watches one pass for its caller."""

    def __init__(self, worker: Worker, run: DistPass) -> None:
        self.worker, self.run = worker, run
        self.answers: dict[int, ProbeReply] = {}
        self.asked = False
        self.before: tuple[Any, ...] | None = None

    def ask(self) -> None:
        """Start a round, unless one is under way."""
        if self.asked:
            return
        self.asked, self.answers = True, {}
        me, context = self.worker.rank, None if self.before is None else self.run.context.context_id
        for rank in range(len(self.worker.names)):
            if rank != me:
                request, future = self.worker.new_request(rank, "probe")
                future.when_done(lambda f, rank=rank: self._answer(rank, f))  # type: ignore[misc]
                self.worker.post(rank, Probe(request, context))
        self.answers[me] = probe_reply(self.worker, Probe(0, context))
        self._see()

    def _answer(self, rank: int, future: Any) -> None:
        if future.error is None:
            self.answers[rank] = future.value
        self._see()

    def _see(self) -> None:
        if len(self.answers) < len(self.worker.names):
            return
        self.asked = False
        counts = tuple((a.sent, a.received) for _, a in sorted(self.answers.items()))
        still = sum(s for s, _ in counts) == sum(r for _, r in counts)
        if not still or self.run.context.running is not self.run:
            self.before = None
        elif counts != self.before:
            self.before = counts
            self.ask()
        else:
            self.worker.engine.fail(self.run, explain(self.worker, self.run, self.answers))


def probe_reply(worker: Worker, probe: Probe) -> ProbeReply:
    """What `worker` says to a probe."""
    reply = ProbeReply(probe.request, worker.sent_count, worker.received_count, [], False, [], [])
    context = None if probe.context is None else worker.contexts.contexts.get(probe.context)
    if context is not None:
        reply.recvs = list(context.recvs)
        reply.leads = [(message, leads_to([send])) for message, send in context.sends.items()]
        if context.running is not None:
            reply.waiting = [(send.message_id, send.peer) for send in context.running.waiting]
            reply.engaged = context.running.engaged_by is not None
    return reply


def leads_to(nodes: list[Any]) -> list[int]:
    """The messages of the recv functions that a way leads to from `nodes` on this worker."""
    task = GraphTask(keep_graph=True, create_graph=False, accumulate=lambda *_: None)
    task.compute_dependencies(nodes)
    return [node.message_id for node in task.dependencies if isinstance(node, RecvRpcBackward)]


def explain(worker: Worker, run: DistPass, answers: dict[int, ProbeReply]) -> BackwardStalled:
    """The error of a stalled pass, from what the workers wait for."""
    names, by_rank = worker.names, sorted(answers.items())
    waiting = {message: (rank, peer) for rank, a in by_rank for message, peer in a.waiting}
    leads = {message: behind for _, a in by_rank for message, behind in a.leads}
    found = stands(waiting, leads_to(run.roots), leads)
    parts = []
    for message in sorted(waiting, key=lambda m: found[m].reached)[:MOST_WAITING]:  # what the roots do not reach is the cause
        rank, peer = waiting[message]
        if message not in answers[peer].recvs:
            why = f"{names[peer]} recorded no recv function for it"
        else:
            stand = found[message]
            facts = ["is not reached from the roots"] * (not stand.reached) + ["waits for gradients itself"] * stand.starves
            why = f"its recv function on {names[peer]} {' and '.join(facts)}"
        parts.append(f"{names[rank]} waits for the gradient of send function {show_id(message)}: {why}")
    if len(waiting) > MOST_WAITING:
        parts.append(f"{len(waiting) - MOST_WAITING} more wait likewise")
    times_out = any(a.waiting and a.engaged for a in answers.values())
    outcome = "PyTorch would fail after its RPC time-out of 60 s" if times_out else "PyTorch would wait here for ever"
    error = BackwardStalled(
        f"FAST mode waits for gradients that cannot come. {'; '.join(parts) or 'no worker says for what'}. {outcome}.",
        hint="run it with `agrad dist --mode smart`, which finds out what takes part before it starts; "
        "or drop the unused call, or use its result: in FAST every tensor that was sent must take part in the loss",
    )
    error.node = next(iter(run.waiting), None)
    return error
