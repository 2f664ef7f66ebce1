"""The distributed engine: PyTorch's own algorithm, for what is live in a pass.

FAST, PyTorch's mode, assumes that every send function of a context takes part in the pass; SMART asks first which of them do
(``smart_mode.py``). Each worker counts dependencies from its own roots and its live send functions. A worker is engaged by the first
gradient that reaches it; its answer to that message is withheld until its own part is complete and everything it sent on was
answered. These withheld answers form a tree whose root is the caller, so the caller knows when all is done (the pattern of Dijkstra
and Scholten).

Source: https://docs.pytorch.org/docs/stable/rpc/distributed_autograd.html, "FAST mode algorithm".

Note [A failed pass leaves nothing]
    Gradients are staged in the pass and count only when the pass completes on a worker. When it fails at its caller, the caller tells
    every worker to give it up (Abort) and waits for their answers: who still takes part stops, who was done takes its gradients back,
    and what still comes of the pass is refused by its number. So a failed pass leaves the context as it was and nothing running.
    (PyTorch keeps half-filled maps, and workers that were not told wait on.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.array import SCALARS
from ..core.engine import run_ready, start_roots
from ..core.graph_task import GraphTask
from ..core.modes import modes
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, NoGraph, NonScalarRoot, RemoteError
from .context import DistAutogradContext
from .functions import RecvRpcBackward, SendRpcBackward
from .messages import Abort, Done, Gradient, show_id
from .smart_mode import Outputs, SmartMode
from .tasks import Future

if TYPE_CHECKING:
    from .worker import Worker


class DistPass:
    """One pass on one worker.

    Attributes
    ----------
    task : GraphTask
    waiting : dict of SendRpcBackward to None
        Send functions whose gradients have not come.
    unanswered : int
        Gradient messages sent from here that were not answered.
    staged : dict
        Gradients so far. See Note [A failed pass leaves nothing].
    done : callable
        Called once with None, or with the error that ended the pass.
    number : int
        The same on all workers; the caller of backward() gave it.
    mode : {"fast", "smart"}
    roots : list of Node
        Those of the caller; none on other workers.
    engaged_by : int or None
        The worker whose message engaged this one; None on the caller of backward().
    """

    def __init__(
        self,
        context: DistAutogradContext,
        number: int,
        retain_graph: bool,
        done: Callable[[BaseException | None], None],
        roots: list[Any],
        mode: str,
    ) -> None:
        self.context = context
        self.number = number
        self.roots = roots
        self.mode = mode
        self.sent_on = False  # whether another worker has heard of the pass
        self.retain_graph = retain_graph
        self.staged: dict[Any, tuple[Tensor, Tensor]] = {}
        self.task = GraphTask(keep_graph=retain_graph, create_graph=False, accumulate=self.accumulate)
        self.waiting: dict[SendRpcBackward, None] = {}
        self.dead_edges: list[tuple[SendRpcBackward, tuple[Any, ...]]] = []  # send functions with dead ones, and all their edges
        self.unanswered = 0
        self.done = done
        self.engaged_by: int | None = None
        self.root_waits = True  # until the roots have run here; stays False where there are none
        self.token: Any = None  # the listener's name for this pass
        self.depth = 0  # loops over the ready queue that are under way: a hook may wait in one

    def accumulate(self, node: Any, grad: Any) -> None:
        """What a leaf does in a distributed pass."""
        self.context.accumulate(node, grad, self.staged)
        if modes.instrument is not None:
            modes.instrument.accumulate(node, "context")

    def count(self, live: Outputs | None) -> None:
        """Count dependencies from the roots and the live send functions; all are where `live` is None."""
        sends = self.context.sends
        found = list(sends.values()) if live is None else [sends[message] for message in live]
        if live is not None:
            self._hide_dead_edges(found, live)
        self.waiting = dict.fromkeys(found)
        self.task.compute_dependencies([*self.roots, *found])
        for send in found:
            self.task.dependencies[send] += 1

    def _hide_dead_edges(self, sends: list[SendRpcBackward], live: Outputs) -> None:
        """Edges of dead tensors are hidden as long as the pass runs: no gradient goes there, and none is counted."""
        for send in sends:
            outputs = set(live[send.message_id])
            if len(outputs) < len(send.edges):
                self.dead_edges.append((send, send.edges))
                send.edges = tuple(edge if i in outputs else None for i, edge in enumerate(send.edges))

    def show_all_edges(self) -> None:
        """The pass is over: the send functions have all their edges again."""
        for send, edges in self.dead_edges:
            send.edges = edges

    @property
    def is_complete(self) -> bool:
        """Whether everything on this worker has run and everything sent on was answered."""
        return not (self.root_waits or self.waiting or self.unanswered or self.depth)


class DistEngine:
    """Passes of one worker."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.smart = SmartMode(worker)

    # ---- the caller ----

    def backward(self, context_id: Any, roots: Any, retain_graph: bool = False, mode: str | None = None) -> None:
        """Run a pass over all workers that took part in the context; waits until it is complete.

        Parameters
        ----------
        context_id : int
        roots : list of Tensor
            Scalars that require grad, computed on this worker.
        mode : {"fast", "smart"}, optional
            Instead of the worker's.
        """
        context = self.worker.contexts.get(context_id)
        edges, grads = check_roots(roots)
        if context.running is not None:
            raise BadArgument(
                f"a backward pass of context {show_id(context_id)} is running on this worker already",
                hint="let it end before you start another",
            )
        future = Future(self.worker.tasks)

        def done(error: BaseException | None) -> None:
            future.set_result(None) if error is None else future.set_error(error)

        number = self.worker.contexts.new_pass_number()
        run = self._begin(context, number, retain_graph, done, [e.function for e in edges], mode or self.worker.mode)
        try:
            live = self.smart.discover(run, edges) if run.mode == "smart" else None
            if context.running is run:  # else it ended while it asked, and `future` has the error
                self._count(run, live)
                self.worker.watch_for_stall(run if live is None else None)
                self._run(run, lambda: self._start_roots(run, edges, grads))
            future.wait()
        except BaseException as error:
            self.worker.watch_for_stall(None)
            self.fail(run, error)  # where it has not ended by itself
            if isinstance(error, Exception):  # else the whole run is over
                self._abort_everywhere(run)
            raise
        finally:
            self.worker.watch_for_stall(None)

    def _abort_everywhere(self, run: DistPass) -> None:
        """See Note [A failed pass leaves nothing]."""
        worker, context = self.worker, run.context.context_id
        worker.contexts.aborted.add(run.number)
        if not run.sent_on:
            return
        futures = []
        for rank in range(len(worker.names)):
            if rank != worker.rank and rank not in worker.gone:
                request, future = worker.new_request(rank, "giving up a pass")
                worker.post(rank, Abort(request, context, run.number))
                futures.append(future)
        for future in futures:
            future.wait_for_end()

    def _start_roots(self, run: DistPass, edges: list[Any], grads: list[Any]) -> None:
        start_roots(run.task, edges, grads)
        run.root_waits = False

    # ---- a worker that a gradient reaches ----

    def on_gradient(self, source: int, message: Gradient, grads: list[Any]) -> None:
        """A Gradient message: run the send function it is for. Called in a task, since hooks are user code."""
        context = self.worker.contexts.get(message.context)
        send = context.sends.get(message.message)
        if send is None:
            raise BadArgument(f"there is no send function for message {message.message} in this context")
        self.refuse_other_passes(context, message.run)
        live: Outputs | None = None
        if message.smart and context.running is None:
            live = self.smart.plan_of(message.run)
            self.worker.contexts.get(message.context)  # it may have been released
            self.refuse_other_passes(context, message.run)
        run: DistPass | None = context.running
        engaging = run is None
        if run is None:
            request = message.request

            def done(error: BaseException | None) -> None:
                answer = Done(request) if error is None else self.worker.failure(request, error)
                self.worker.post(source, answer)

            run = self._begin(context, message.run, message.retain_graph, done, [], "smart" if message.smart else "fast")
            run.root_waits, run.engaged_by = False, source
            self._count(run, live)
        current = run

        def start() -> None:
            current.waiting.pop(send, None)
            current.task.dependencies[send] = 0
            current.task.not_ready[send] = [*grads, *[None] * send.num_inputs][: send.num_inputs]
            current.task.ready.push(send)

        if not engaging:
            # As in PyTorch before it runs: who engaged this worker hears of a failure. So the answer goes out with the next message.
            self.worker.post_soon(source, Done(message.request))
        self._run(run, start)

    def refuse_other_passes(self, context: DistAutogradContext, number: int) -> None:
        """Raise unless what comes of pass `number` has its place here now."""
        if number in self.worker.contexts.aborted:
            raise given_up()
        if context.running is not None and context.running.number != number:
            raise BadArgument(
                f"two backward passes of context {show_id(context.context_id)} run at the same time",
                hint="let one worker start a pass, and the next when it has ended",
            )

    def on_abort(self, source: int, message: Abort) -> None:
        """Give a pass up: nothing of it is left here, and nothing that still comes of it is taken."""
        self.worker.contexts.aborted.add(message.run)
        self.smart.give_up(message.run)
        context = self.worker.contexts.contexts.get(message.context)
        if context is not None:
            if context.running is not None and context.running.number == message.run:
                self.fail(context.running, given_up())
            context.undo(message.run)
        self.worker.post(source, Done(message.request))

    # ---- both ----

    def _begin(
        self,
        context: DistAutogradContext,
        number: int,
        retain: bool,
        done: Callable[[BaseException | None], None],
        roots: list[Any],
        mode: str,
    ) -> DistPass:
        context.running = run = DistPass(context, number, retain, done, roots, mode)
        context.on_gradients = lambda node, grads: self._send_on(run, node, grads)
        if modes.instrument is not None:
            modes.instrument.pass_start("backward", list(dict.fromkeys(roots)))
            run.token = modes.instrument.current_pass()
        self.worker.pass_began(run, roots)
        return run

    def _count(self, run: DistPass, live: Outputs | None) -> None:
        """Count dependencies, from what is live."""
        run.count(live)
        if modes.instrument is not None:
            modes.instrument.set_pass(run.token)
            modes.instrument.dependencies(run.task.dependencies, restricted=False)

    def _run(self, run: DistPass, start: Callable[[], None]) -> None:
        """Make nodes ready and run what is ready; then see whether the pass is complete here."""
        before = modes.grad_enabled
        modes.grad_enabled = False
        run.depth += 1
        if modes.instrument is not None:
            modes.instrument.set_pass(run.token)
        self.worker.computing(run, True)
        try:
            start()
            if run.depth == 1:
                run_ready(run.task)
        except BaseException as error:
            run.depth -= 1
            self.fail(run, error)
            return
        finally:
            modes.grad_enabled = before
            self.worker.computing(run, False)
        run.depth -= 1
        self.finish_if_complete(run)

    def _send_on(self, run: DistPass, node: RecvRpcBackward, grads: list[Any]) -> None:
        """A recv function runs: its gradients go to the worker the tensors came from; in FAST zeros for missing ones, as in PyTorch."""
        if run.mode == "fast":
            grads = [node.zeros(i) if g is None else g for i, g in enumerate(grads)]
        future = self.worker.send_gradient(node, grads, run)
        run.unanswered += 1
        run.sent_on = True

        def answered(answer: Future) -> None:
            run.unanswered -= 1
            if answer.error is not None:
                self.fail(run, answer.error)
            else:
                self.finish_if_complete(run)

        future.when_done(answered)

    def finish_if_complete(self, run: DistPass) -> None:
        """End the pass here once nothing is left to do."""
        if run.context.running is run and run.is_complete:
            self._end(run, None)

    def fail(self, run: DistPass, error: BaseException) -> None:
        """Stop the pass here; what was staged is dropped."""
        if run.context.running is run:
            self._end(run, error)

    def stop(self, error: BaseException) -> None:
        """This worker stops: the passes that run here are over, and nobody is told any more."""
        for context in self.worker.contexts.contexts.values():
            if context.running is not None:
                self._close(context.running, error)

    def _end(self, run: DistPass, error: BaseException | None) -> None:
        if error is None:
            run.context.commit(run.staged, None if run.engaged_by is None else run.number)
        self._close(run, error)
        run.done(error)

    def _close(self, run: DistPass, error: BaseException | None) -> None:
        """Nothing of the pass runs here any more: let the listeners know."""
        run.context.running = None
        run.context.on_gradients = None
        run.show_all_edges()
        if error is None:
            self.smart.plans.pop(run.number, None)  # else with the Abort: until then something may come of the pass
        if modes.instrument is not None:
            modes.instrument.set_pass(run.token)
            modes.instrument.pass_end(error)
        self.worker.pass_ended(run, error)


def given_up() -> RemoteError:
    """What a worker answers of a pass that its caller has given up; nobody waits for it."""
    return RemoteError("the pass was given up, because it failed on another worker")


def check_roots(roots: Any) -> tuple[list[Any], list[Any]]:
    """The edges of `roots` and a gradient of one for each."""
    if not isinstance(roots, (list, tuple)) or not all(isinstance(r, Tensor) for r in roots):
        raise BadArgumentType(
            "dist_autograd.backward() takes a context id and a list of tensors", hint="write backward(context_id, [loss])"
        )
    if not roots:
        raise BadArgument("dist_autograd.backward() was given no roots", hint="write backward(context_id, [loss])")
    grads = []
    for root in roots:
        data = root._data
        if root._edge is None:
            raise NoGraph(
                "a root of dist_autograd.backward() does not require grad", hint="compute it from tensors that require grad"
            )
        if data.size != 1:
            raise NonScalarRoot(
                f"the roots of dist_autograd.backward() are scalars, and one has shape {list(data.shape)}",
                hint="reduce it with sum() or mean()",
            )
        if root.is_leaf:
            raise NoGraph(
                "a root of dist_autograd.backward() is a leaf: nothing was computed", hint="pass the loss, not a parameter"
            )
        grads.append(data.dtype.type(1) if data.__class__ in SCALARS else np.ones(data.shape, data.dtype))
    return [root._edge for root in roots], grads
