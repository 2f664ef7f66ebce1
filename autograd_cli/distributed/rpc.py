"""Remote procedure calls: what a call and its answer carry, and what is recorded of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.modes import modes
from ..core.tensor import Tensor
from ..errors import AgradError, BadArgumentType, UnknownFunction, UnknownWorker
from . import functions
from .context import DistAutogradContext
from .functions import SendRpcBackward
from .futures import Future
from .messages import Call, Reply
from .tasks import Future as Arrival
from .values import Packer, Unpacker, array_specs, tensors_from

if TYPE_CHECKING:
    from .worker import Worker


class RpcAgent:
    """Calls from and to one worker."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    # ---- calling ----

    def rpc_async(self, to: Any, func: Any, args: Any = None, kwargs: Any = None, timeout: float = -1.0) -> Future:
        """Start a call of `func` on worker `to` (a name, a rank or a WorkerInfo); ``wait()`` on what this returns gives its result."""
        return Future(self._call(to, func, args, kwargs))

    def _call(self, to: Any, func: Any, args: Any, kwargs: Any) -> Arrival:
        worker = self.worker
        target = worker.rank_of(to)
        name = self.name_of_target(func)
        args, kwargs = tuple(args or ()), dict(kwargs or {})
        request, future = worker.new_request(target, f"{name}() on {worker.names[target]}")
        line = worker.line()
        future.line, future.records = line, modes.grad_enabled
        value, payload = self._pack([args, kwargs], target, not name.startswith("torch."), line)
        specs, flags, records, context, message, arrays = payload
        call = Call(request, name, value, specs, flags, records, context, message, line)
        worker.post(target, call, arrays, function=name)
        return future

    def rpc_sync(self, to: Any, func: Any, args: Any = None, kwargs: Any = None, timeout: float = -1.0) -> Any:
        """Call `func` on worker `to` and wait for its result."""
        return self._call(to, func, args, kwargs).wait()

    def name_of_target(self, func: Any) -> str:
        """The name by which every worker knows `func`."""
        name = self.worker.functions.name_of(func)
        if name is None:
            shown = getattr(func, "__name__", repr(func))
            raise UnknownFunction(
                f"{shown} cannot be called on another worker: it has no name that every worker knows",
                hint="the target of a call is a torch function or a top-level `def` or `class` of the scenario",
            )
        return name

    # ---- being called ----

    def on_call(self, source: int, call: Call, buffers: list[Any]) -> None:
        """Run a call and answer it. Runs in a task."""
        worker = self.worker
        try:
            context = None if call.context is None else worker.contexts.get_or_create(call.context)
            worker.tasks.current_context = call.context
            args, kwargs = self._unpack(source, call, buffers, context, call.line)
            function = worker.functions.find(call.function)
            result = function(*args, **kwargs)
            value, payload = self._pack(result, source, False, call.line)
            worker.post(source, Reply(call.request, value, *payload[:-1]), payload[-1], function=call.function)
        except worker.fatal:
            raise
        except BaseException as error:
            worker.post(source, worker.failure(call.request, error))

    def on_reply(self, source: int, reply: Reply, buffers: list[Any], future: Arrival) -> None:
        """The answer to a call of this worker."""
        try:
            recorded = reply.context is not None and future.records
            context = self.worker.contexts.get(reply.context) if recorded else None
            future.set_result(self._unpack(source, reply, buffers, context, future.line))
        except AgradError as error:
            future.set_error(error)

    # ---- what both directions do ----

    def _pack(self, value: Any, peer: int, always: bool, line: int | None) -> tuple[Any, tuple[Any, ...]]:
        """Tree and payload of what goes to `peer`; inside a context, the tensors that require grad get a send function.

        Note [Which messages carry autograd metadata]
            As in PyTorch: every call of a Python function, since its result may need it; every other call and every answer when a
            tensor of the message is recorded. Only these make the peer a known worker and take a message id.
        """
        worker = self.worker
        packer = Packer(worker.functions.name_of)
        tree = packer.pack(value)
        specs, arrays = array_specs(packer.tensors)
        flags = [i for i, t in enumerate(packer.tensors) if t._edge is not None]
        context_id = worker.tasks.current_context
        if context_id is None:
            return tree, (specs, flags, [], None, None, arrays)
        recording = modes.grad_enabled and bool(flags)
        if not recording and not always:
            return tree, (specs, flags, [], None, None, arrays)
        context = worker.contexts.get(context_id)
        message_id = worker.contexts.new_message_id()
        context.known_workers.setdefault(peer)
        if recording:
            tensors = [packer.tensors[i] for i in flags]
            send = SendRpcBackward(context_id, message_id, peer, tensors)
            context.sends[message_id] = send
            worker.recorded(send, tensors, line)
        # The receiver records what requires grad also where the sender, under no_grad, did not: as PyTorch does.
        return tree, (specs, flags, flags, context_id, message_id, arrays)

    def _unpack(
        self, source: int, message: Call | Reply, buffers: list[Any], context: DistAutogradContext | None, line: int | None
    ) -> Any:
        tensors = tensors_from(message.arrays, buffers)
        recorded = [tensors[i] for i in message.records]
        if context is not None and message.message is not None and recorded:
            node = functions.receive(context, message.message, source, recorded)
            context.recvs[message.message] = node
            self.worker.recorded(node, recorded, line)
        for i in message.requires_grad:
            if tensors[i]._edge is None:
                tensors[i].requires_grad_()
        return Unpacker(tensors, self.worker.functions.find).unpack(message.value)


def check_worker(to: Any, names: list[str]) -> int:
    """The rank of worker `to`, given by name, rank or anything with a ``name``."""
    if isinstance(to, bool) or not isinstance(to, (int, str)):
        to = getattr(to, "name", to)
    if isinstance(to, int) and 0 <= to < len(names):
        return to
    if isinstance(to, str) and to in names:
        return names.index(to)
    if not isinstance(to, (int, str)):
        raise BadArgumentType(f"a worker is given by its name or rank, not by a {type(to).__name__}")
    raise UnknownWorker(f"there is no worker {to!r} in this run", hint=f"the workers are {', '.join(names)}")


def shown_result(value: Any) -> str:
    """A short text of a value, for messages."""
    return f"a tensor of shape {list(value.shape)}" if isinstance(value, Tensor) else repr(value)[:60]
