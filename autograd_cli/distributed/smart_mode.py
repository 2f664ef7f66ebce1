"""SMART mode: before a pass starts, its caller finds out what the roots reach, and only that takes part.

FAST takes it for granted that every send function takes part, because a worker cannot see from its own graph which of them the roots
on another worker reach. SMART asks. The caller sends a question to every other worker (Collect); each answers with the ways through
its own graph: from each tensor that a send function sent to the inputs of recv functions (Summary). The caller starts from its own
roots, follows these ways from worker to worker, and tells each worker that has live send functions which of their tensors are live
(Plan). That is one round trip, however often the ways cross from worker to worker: rings of workers need no care, since the graph of
nodes has none.

A pass then counts dependencies from what is live alone. A dead send function is not waited for, what only it leads to does not run
and keeps its saved tensors, and a recv function sends no gradient for an input that nothing reached.

Source of the idea: https://github.com/pytorch/pytorch/issues/23110, whose SMART mode PyTorch does not have; the round is ours.

Note [A gradient may overtake the plan]
    The caller starts as soon as its plans are on their way, so a worker may hear of the pass from another one first. The task of such a
    gradient waits for the plan. Plans come before an Abort of their pass, from the same worker, so none is waited for in vain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import AgradError, BadArgument, WorkerDied
from .functions import RecvRpcBackward
from .messages import WORKER_BITS, Collect, Plan, Summary, show_id
from .tasks import Future

if TYPE_CHECKING:
    from .context import DistAutogradContext
    from .dist_engine import DistPass
    from .worker import Worker

Input = tuple[int, int, int]  # of a recv function: message, number of the input, the worker that sent the message
Outputs = dict[int, list[int]]  # by message, the tensors of a send function that are live


class Ways:
    """The ways through the graph of one worker to the inputs of the recv functions of a context.

    Attributes
    ----------
    inputs : list of Input
        In the order in which they were met; a set of them is an int with a bit for each.
    sends : dict of message to list
        For each tensor that a send function sent, the numbers of the inputs that a way leads to.
    """

    def __init__(self, context: DistAutogradContext) -> None:
        self.context = context
        self.inputs: list[Input] = []
        self.sends: dict[int, list[list[int]]] = {}
        self._numbers: dict[Input, int] = {}
        self._behind: dict[Any, int] = {}  # for each node that was met, the inputs behind it

    def add_sends(self) -> None:
        """Look at the send functions that came since the last time: what was recorded does not change."""
        for message, send in self.context.sends.items():
            if message not in self.sends:
                self.sends[message] = [self.numbers(self.behind(edge)) for edge in send.edges]

    def behind(self, edge: Any) -> int:
        """The inputs that a way leads to from `edge`."""
        if edge.function.__class__ is RecvRpcBackward:
            return self._input(edge)
        self._visit(edge.function)
        return self._behind[edge.function]

    @staticmethod
    def numbers(inputs: int) -> list[int]:
        """A set of inputs as a list."""
        found = []
        while inputs:
            lowest = inputs & -inputs
            found.append(lowest.bit_length() - 1)
            inputs ^= lowest
        return found

    def _input(self, edge: Any) -> int:
        """The set of one input; empty for another context's, which says so itself when it runs."""
        recv = edge.function
        if recv.context is not self.context:
            return 0
        key = (recv.message_id, edge.input_nr, recv.peer)
        number = self._numbers.setdefault(key, len(self.inputs))
        if number == len(self.inputs):
            self.inputs.append(key)
        return 1 << number

    def _visit(self, start: Any) -> None:
        """Fill ``_behind`` for a node and all it leads to, each once."""
        found, stack = self._behind, [start]
        while stack:
            node = stack[-1]
            edges = [edge for edge in node.next_edges if edge is not None]
            inner = [edge.function for edge in edges if edge.function.__class__ is not RecvRpcBackward]
            missing = [] if node in found else [n for n in inner if n not in found]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if node not in found:
                behind = 0
                for edge in edges:
                    behind |= self._input(edge) if edge.function.__class__ is RecvRpcBackward else found[edge.function]
                found[node] = behind


class SmartMode:
    """What one worker does of SMART's round.

    Attributes
    ----------
    plans : dict of pass to Future
        Of those that are under way here, what is live on this worker. See Note [A gradient may overtake the plan].
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.plans: dict[int, Future] = {}

    # ---- the caller ----

    def discover(self, run: DistPass, roots: Iterable[Any]) -> Outputs:
        """Ask all workers, tell those that take part; what is live on this worker. `roots` are edges."""
        worker, context = self.worker, run.context
        asked = {rank: self._ask(rank, run) for rank in range(len(worker.names)) if rank != worker.rank}
        summaries: dict[int, Summary] = {rank: future.wait() for rank, future in asked.items()}
        summaries[worker.rank] = self.summary(Collect(0, context.context_id, run.number))
        own = Ways(context)
        reached = 0
        for edge in roots:
            reached |= own.behind(edge)
        live = self._close([own.inputs[n] for n in own.numbers(reached)], summaries)
        for rank, outputs in live.items():
            if rank != worker.rank:
                run.sent_on = True
                worker.post(rank, Plan(context.context_id, run.number, list(outputs.items())))
        return live.get(worker.rank, {})

    def _ask(self, rank: int, run: DistPass) -> Future:
        request, future = self.worker.new_request(rank, "the question what takes part in the pass")
        if rank not in self.worker.gone:
            self.worker.post(rank, Collect(request, run.context.context_id, run.number))
        return future

    def _close(self, reached: list[Input], summaries: Mapping[int, Summary]) -> dict[int, Outputs]:
        """Follow the ways from worker to worker: what is live on each."""
        ways = {rank: (summary.inputs, dict(summary.sends)) for rank, summary in summaries.items()}
        live: dict[int, Outputs] = {}
        seen, todo = set(reached), list(reached)
        while todo:
            message, output, peer = todo.pop()
            inputs, sends = ways[peer]
            if message not in sends:
                raise BadArgument(
                    f"{self.worker.names[peer]} has no send function for message {show_id(message)}, which the pass reaches",
                    hint="the message was sent under no_grad, or its context was released on that worker",
                )
            live.setdefault(peer, {}).setdefault(message, []).append(output)
            for number in sends[message][output]:
                if inputs[number] not in seen:
                    seen.add(inputs[number])
                    todo.append(inputs[number])
        return live

    # ---- the others ----

    def on_collect(self, source: int, message: Collect) -> None:
        """Say what leads where on this worker; nothing, where the context is not known."""
        try:
            self.worker.post(source, self.summary(message))
        except AgradError as error:
            self.worker.post(source, self.worker.failure(message.request, error))

    def summary(self, asked: Collect) -> Summary:
        """The ways through this worker's graph."""
        context = self.worker.contexts.contexts.get(asked.context)
        if context is None:
            return Summary(asked.request, asked.context, asked.run, [], [])
        self.worker.engine.refuse_other_passes(context, asked.run)
        if context.ways is None:
            context.ways = Ways(context)
        context.ways.add_sends()
        ways = context.ways
        return Summary(asked.request, asked.context, asked.run, ways.inputs, list(ways.sends.items()))

    def on_plan(self, message: Plan) -> None:
        """What is live here in a pass."""
        self._plan(message.run).set_result(dict(message.live))

    def plan_of(self, number: int) -> Outputs:
        """What is live here in a pass, once the plan has come."""
        live: Outputs = self._plan(number).wait()
        return live

    def _plan(self, number: int) -> Future:
        return self.plans.setdefault(number, Future(self.worker.tasks))

    def give_up(self, number: int) -> None:
        """The pass is given up."""
        self.plans.pop(number, None)

    def lost(self, rank: int, why: str) -> None:
        """Worker `rank` is gone: plans that it has not sent will not come."""
        for number, future in self.plans.items():
            if number >> WORKER_BITS == rank and not future.done:
                future.set_error(WorkerDied(f"{self.worker.names[rank]} is gone: {why}; its pass was not carried out"))
