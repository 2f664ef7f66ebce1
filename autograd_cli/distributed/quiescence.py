"""Finding out that a pass can never end.

Note [Nothing moves]
    FAST waits for a gradient for every send function of the context, also for one that the roots do not reach; PyTorch then hangs, or its
    call runs into a time-out. Here the caller of backward(), when nothing has come for a while, asks every worker how many messages it has
    sent and received. When all that was sent has been received, and a second round gives the same counts, no message is in flight and no
    worker is at work (a busy one does not answer until it is done). Nothing can ever change: the pass is stalled, and what the workers
    said they wait for explains why. Probes are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import BackwardStalled
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
        me = self.worker.rank
        for rank in range(len(self.worker.names)):
            if rank != me:
                request, future = self.worker.new_request(rank, "probe")
                future.when_done(lambda f, rank=rank: self._answer(rank, f))  # type: ignore[misc]
                self.worker.post(rank, Probe(request))
        self.answers[me] = self.worker.probe_reply(0)
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


def explain(worker: Worker, run: DistPass, answers: dict[int, ProbeReply]) -> BackwardStalled:
    """The error of a stalled pass, from what the workers wait for."""
    names, context = worker.names, run.context.context_id
    waiting = [(rank, m, engaged) for rank, a in sorted(answers.items()) for c, m, engaged in a.waiting if c == context]
    recvs = {m: (rank, a) for rank, a in sorted(answers.items()) for c, m, _ in a.recvs if c == context}
    # The dead ones are those whose recv function exists and never ran; the others starve behind them.
    parts = []
    for rank, message, _ in waiting:
        there = recvs.get(message)
        where = (
            f"its recv function on {names[there[0]]} is not reached from the roots" if there else "its message was never received"
        )
        parts.append(f"{names[rank]} waits for the gradient of send function {show_id(message)}: {where}")
    times_out = any(engaged for _, _, engaged in waiting)
    outcome = "PyTorch would fail after its RPC time-out of 60 s" if times_out else "PyTorch would wait here for ever"
    error = BackwardStalled(
        f"FAST mode waits for gradients that cannot come. {'; '.join(parts) or 'no worker says for what'}. {outcome}.",
        hint="every tensor that was sent must take part in the loss; drop the unused call, or use its result",
    )
    mine = [s for s in run.waiting if (worker.rank, s.message_id, False) in waiting]
    error.node = mine[0] if mine else None
    return error
