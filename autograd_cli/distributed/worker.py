"""Worker: one participant. Messages in, messages out; what carries them is not known here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from greenlet import GreenletExit

from ..core.modes import modes
from ..errors import AgradError, RemoteError, RemoteFailure, RemoteTypeError, RemoteValueError, WorkerDied
from .context import DistAutogradContainer
from .dist_engine import DistEngine, DistPass
from .function_table import FunctionTable
from .functions import RecvRpcBackward
from .messages import (
    PROBES,
    Abort,
    AnyMessage,
    Barrier,
    Call,
    Cleanup,
    Collect,
    Done,
    Failure,
    Finished,
    Gradient,
    Plan,
    Probe,
    ProbeReply,
    Reply,
    Summary,
)
from .quiescence import StallWatch, probe_reply
from .rpc import RpcAgent, check_worker
from .tasks import Future, Tasks
from .values import arrays_from, scalar_if_0d

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.node import Node
    from ..core.tensor import Tensor


class Listener(Protocol):
    """Who is told what a worker does, for the report and the live view."""

    def sent(self, to: int, message: AnyMessage, size: int, function: str | None) -> None: ...

    def received(self, source: int, message: AnyMessage, size: int) -> None: ...

    def pass_began(self, run: DistPass, roots: Sequence[Node]) -> None: ...

    def pass_ended(self, run: DistPass, error: BaseException | None) -> None: ...

    def computing(self, run: DistPass, starts: bool) -> None: ...


class Worker:
    """One worker of a run.

    Parameters
    ----------
    rank : int
    names : list of str
        The names of all workers, by rank.
    send : callable
        ``send(rank, message, buffers)``: takes a message on its way; must not block, keeps the order for each receiver.
    functions : FunctionTable
    listener : Listener, optional
    describe_error : callable, optional
        Turns an exception of the script into an AgradError with a place.
    send_soon : callable, optional
        ``send_soon(rank, message)``: as `send`, for what may go out with the next message to that worker.
    mode : {"fast", "smart"}
        Of the passes that do not choose.
    """

    stopped: tuple[type[BaseException], ...] = (GreenletExit,)  # what ends a task that waits when the run is over
    fatal: tuple[type[BaseException], ...] = (KeyboardInterrupt, SystemExit, GreenletExit)

    def __init__(
        self,
        rank: int,
        names: list[str],
        send: Callable[[int, AnyMessage, Sequence[Any]], None],
        functions: FunctionTable,
        listener: Listener | None = None,
        describe_error: Callable[[BaseException], AgradError] | None = None,
        send_soon: Callable[[int, AnyMessage], None] | None = None,
        mode: str = "fast",
    ) -> None:
        self.rank, self.names, self.mode = rank, names, mode
        self.functions = functions
        self.listener = listener
        self.describe_error = describe_error
        self.tasks = Tasks()
        self.contexts = DistAutogradContainer(rank)
        self.rpc = RpcAgent(self)
        self.engine = DistEngine(self)
        self.sent_count = self.received_count = 0
        self.barriers: dict[int, list[tuple[int, int]]] = {}  # on worker 0: who waits at which barrier
        self.barrier_count = 0
        self.finished: set[int] = set()
        self.gone: dict[int, str] = {}
        self._send = send
        self._send_soon = send_soon
        self._requests: dict[int, tuple[int, Future, str]] = {}
        self._next_request = 0
        self._watch: StallWatch | None = None

    # ---- out ----

    def post(self, to: int, message: AnyMessage, buffers: Sequence[Any] = (), function: str | None = None) -> None:
        """Send a message."""
        if not isinstance(message, PROBES):
            self.sent_count += 1
        if self.listener is not None:
            self.listener.sent(to, message, sum(b.nbytes for b in buffers), function)
        self._send(to, message, buffers)

    def post_soon(self, to: int, message: AnyMessage) -> None:
        """Send a message that nobody is in a hurry for."""
        if self._send_soon is None:
            self.post(to, message)
            return
        self.sent_count += 1
        if self.listener is not None:
            self.listener.sent(to, message, 0, None)
        self._send_soon(to, message)

    def new_request(self, to: int, what: str) -> tuple[int, Future]:
        """The number of a request to worker `to`, and the future of its answer."""
        number = self._next_request
        self._next_request += 1
        future = Future(self.tasks)
        if to in self.gone:
            future.set_error(WorkerDied(f"{self.names[to]} is gone: {self.gone[to]}; {what} cannot be carried out"))
        else:
            self._requests[number] = (to, future, what)
        return number, future

    def send_gradient(self, node: RecvRpcBackward, grads: list[Any], run: DistPass) -> Future:
        """Send the gradients of a recv function to the worker its tensors came from."""
        present = [i for i, g in enumerate(grads) if g is not None]
        arrays = [np.ascontiguousarray(grads[i]) for i in present]
        specs = [(_dtype_name(a), list(np.shape(grads[i]))) for i, a in zip(present, arrays, strict=True)]
        request, future = self.new_request(node.peer, "the gradient message")
        context, message = node.context.context_id, node.message_id
        smart = run.mode == "smart"
        self.post(node.peer, Gradient(request, context, message, run.number, run.retain_graph, specs, present, smart), arrays)
        return future

    def release(self, context_id: int) -> None:
        """Release a context here and tell the workers that know it. A pass that still runs in it can't get on: it fails."""
        context = self.contexts.contexts.get(context_id)
        if context is not None and context.running is not None:
            self.engine.fail(context.running, self.contexts.released(context_id))
        for rank in self.contexts.release(context_id):
            if rank not in self.gone and rank != self.rank:
                self.post(rank, Cleanup(context_id))

    def failure(self, request: int, error: BaseException) -> Failure:
        """The answer to a request that failed with `error`."""
        if isinstance(error, RemoteFailure):
            path = [self.rank, *error.path]
            line = error.place.line if error.place else None
            return Failure(request, error.kind, error.original_type, error.message, path, line, error.hint)
        known = error if isinstance(error, AgradError) else None
        if known is None and self.describe_error is not None:
            known = self.describe_error(error)
        if known is None:
            return Failure(request, "ScriptRaised", type(error).__name__, str(error), [self.rank], None, None)
        if known.place is None and self.describe_error is not None:
            known = self.describe_error(error)
        line = known.place.line if known.place else None
        return Failure(request, known.kind, known.type, known.message, [self.rank], line, known.hint)

    # ---- in ----

    def receive(self, source: int, message: AnyMessage, buffers: list[Any]) -> None:
        """Take a message from worker `source`."""
        if not isinstance(message, PROBES):
            self.received_count += 1
        if self.listener is not None:
            self.listener.received(source, message, sum(len(b) for b in buffers))
        if isinstance(message, Call):
            self.tasks.start(self.rpc.on_call, source, message, buffers, context=message.context)
        elif isinstance(message, Gradient):
            self.tasks.start(self._on_gradient, source, message, buffers, context=message.context)
        elif isinstance(message, Reply):
            self.rpc.on_reply(source, message, buffers, self._answered(message.request))
        elif isinstance(message, (Done, ProbeReply, Summary)):
            self._answered(message.request).set_result(message)
        elif isinstance(message, Failure):
            self._answered(message.request).set_error(self._remote_error(message))
        elif isinstance(message, Collect):
            self.engine.smart.on_collect(source, message)
        elif isinstance(message, Plan):
            self.engine.smart.on_plan(message)
        elif isinstance(message, Abort):
            self.engine.on_abort(source, message)
        elif isinstance(message, Cleanup):
            self.release(message.context)
        elif isinstance(message, Probe):
            self.post(source, probe_reply(self, message))
        elif isinstance(message, Barrier):
            self._on_barrier(source, message)
        elif isinstance(message, Finished):
            self.finished.add(source)

    def _answered(self, request: int) -> Future:
        found = self._requests.pop(request, None)
        return Future(self.tasks) if found is None else found[1]  # an answer nobody waits for is dropped

    def _on_gradient(self, source: int, message: Gradient, buffers: list[Any]) -> None:
        try:
            grads: list[Any] = [None] * (max(message.present, default=-1) + 1)
            for i, array in zip(message.present, arrays_from(message.arrays, buffers), strict=True):
                grads[i] = scalar_if_0d(array)
            self.engine.on_gradient(source, message, grads)
        except self.fatal:
            raise
        except BaseException as error:
            self.post(source, self.failure(message.request, error))

    def _remote_error(self, failure: Failure) -> RemoteFailure:
        cls = {"ValueError": RemoteValueError, "TypeError": RemoteTypeError}.get(failure.type, RemoteError)
        where = self.names[failure.path[-1]]
        line = "" if failure.line is None else f", line {failure.line}"
        text = failure.text if failure.text.startswith("on ") else f"on {where}{line}: {failure.type}: {failure.text}"
        return cls(text, failure.type, failure.path, hint=failure.hint)

    def lost(self, rank: int, why: str) -> None:
        """Worker `rank` is gone: whatever waits for it fails."""
        self.gone[rank] = why
        for number, (to, future, what) in list(self._requests.items()):
            if to == rank:
                del self._requests[number]
                future.set_error(WorkerDied(f"{self.names[rank]} is gone: {why}; {what} was not answered"))
        self.engine.smart.lost(rank, why)

    # ---- barriers ----

    def barrier(self) -> None:
        """Wait until every worker has come to its barrier of this number."""
        request, future = self.new_request(0, "the barrier")
        self.post(0, Barrier(request, self.barrier_count))
        self.barrier_count += 1
        future.wait()

    def _on_barrier(self, source: int, message: Barrier) -> None:
        there = self.barriers.setdefault(message.count, [])
        there.append((source, message.request))
        if len(there) == len(self.names):
            for rank, request in self.barriers.pop(message.count):
                self.post(rank, Done(request))

    # ---- passes ----

    def watch_for_stall(self, run: DistPass | None) -> None:
        """The pass whose caller this worker is."""
        self._watch = None if run is None else StallWatch(self, run)

    def on_idle(self) -> None:
        """Nothing has come for a while: see whether anything still can."""
        if self._watch is not None:
            self._watch.ask()

    def pass_began(self, run: DistPass, roots: Sequence[Any]) -> None:
        if self.listener is not None:
            self.listener.pass_began(run, roots)

    def pass_ended(self, run: DistPass, error: BaseException | None) -> None:
        if self.listener is not None:
            self.listener.pass_ended(run, error)

    def computing(self, run: DistPass, starts: bool) -> None:
        if self.listener is not None:
            self.listener.computing(run, starts)

    # ---- for the RPC agent ----

    def rank_of(self, to: Any) -> int:
        """The rank of a worker."""
        return check_worker(to, self.names)

    def recorded(self, node: Any, tensors: Sequence[Tensor], line: int | None) -> None:
        """A send or recv function was recorded, for the call at `line` of the caller."""
        if modes.instrument is not None and tensors:
            modes.instrument.record(node, tensors[0], line)

    def line(self) -> int | None:
        """The line of the script that is running."""
        return None if modes.instrument is None else modes.instrument.here()


def _dtype_name(array: Any) -> str:
    from ..core import dtype as dt

    return dt.of(array).name
