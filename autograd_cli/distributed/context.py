"""DistAutogradContext: what one worker knows of one distributed forward and backward.

Source of the model: https://docs.pytorch.org/docs/stable/rpc/distributed_autograd.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import engine
from ..core.array import SCALARS
from ..core.op_support import fresh
from ..core.run_hooks import as_tensor
from ..core.tensor import Tensor
from ..errors import ContextReleased, NoContext
from .functions import RecvRpcBackward, SendRpcBackward
from .messages import make_id, show_id


class DistAutogradContext:
    """The context of one id on one worker.

    Attributes
    ----------
    sends, recvs : dict of message id to node
    gradients : dict of AccumulateGrad to (leaf, gradient)
        In order of first accumulation; never in ``.grad``.
    known_workers : dict of rank to None
        Everybody this worker sent a message of this context to, in that order.
    running : object or None
        The pass that runs here.
    ways : object or None
        The ways from send to recv functions, where a SMART pass has asked for them.
    """

    def __init__(self, context_id: int) -> None:
        self.context_id = context_id
        self.sends: dict[int, SendRpcBackward] = {}
        self.recvs: dict[int, RecvRpcBackward] = {}
        self.gradients: dict[Any, tuple[Tensor, Tensor]] = {}
        self.known_workers: dict[int, None] = {}
        self.running: Any = None
        self.ways: Any = None
        self.released = False
        self.on_gradients: Callable[[RecvRpcBackward, list[Any]], None] | None = None
        self._undo: tuple[int, list[tuple[Any, Any]]] | None = None  # the last pass that was committed, and what it met

    def send_gradients(self, node: RecvRpcBackward, grads: list[Any]) -> None:
        """Called by a recv function that runs: the pass sends the gradients."""
        if self.on_gradients is None or self.released:
            raise ContextReleased(
                f"a gradient reached the recv function of message {show_id(node.message_id)} outside a distributed backward pass",
                hint="inside a context call dist_autograd.backward(context_id, [loss]) instead of loss.backward()",
            )
        self.on_gradients(node, grads)

    def accumulate(self, node: Any, grad: Any, into: dict[Any, Any]) -> None:
        """Add `grad` for a leaf to `into`, the staged gradients of a pass."""
        leaf = node.variable
        held = into.get(node)
        if held is None:
            into[node] = (leaf, fresh(engine.own(grad)))
        else:
            engine.add_in_place(held[1], grad)

    def commit(self, staged: dict[Any, tuple[Tensor, Tensor]], run: int | None) -> None:
        """The pass is complete here: its gradients count. Earlier ones are added to in place, so aliases see it.

        With `run`, the pass may still fail elsewhere, and ``undo(run)`` takes the gradients back.
        """
        before: list[tuple[Any, Any]] = []
        for node, (leaf, grad) in staged.items():
            held = self.gradients.get(node)
            if run is not None:
                before.append((node, None if held is None else engine.own(held[1]._data)))
            if held is None:
                self.gradients[node] = (leaf, grad)
            else:
                engine.add_in_place(held[1], grad._data)
        self._undo = None if run is None else (run, before)

    def undo(self, run: int) -> None:
        """Take back what pass `run` accumulated, if it was the last to do so."""
        if self._undo is None or self._undo[0] != run:
            return
        for node, data in self._undo[1]:
            if data is None:
                del self.gradients[node]
            else:
                held = self.gradients[node][1]
                if data.__class__ in SCALARS:
                    held._set_data(data)
                else:
                    held._data[...] = data
        self._undo = None

    def get_gradients(self) -> dict[Tensor, Tensor]:
        """Gradients by leaf, on this worker."""
        return {leaf: as_tensor(grad) for leaf, grad in self.gradients.values()}


class DistAutogradContainer:
    """All contexts of one worker, and its two counters."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.contexts: dict[int, DistAutogradContext] = {}
        self.ended: dict[int, DistAutogradContext] = {}  # released ones, for the report
        self.aborted: set[int] = set()  # passes that were given up: what still comes of them is refused
        self._next_context = 0
        self._next_message = 0
        self._next_pass = 0

    def new_context(self) -> DistAutogradContext:
        """A context of this worker's own."""
        made = self.get_or_create(make_id(self.rank, self._next_context))
        self._next_context += 1
        return made

    def new_message_id(self) -> int:
        """The id of the next message that carries autograd metadata."""
        number = make_id(self.rank, self._next_message)
        self._next_message += 1
        return number

    def new_pass_number(self) -> int:
        """The number of the next pass whose caller is this worker."""
        number = make_id(self.rank, self._next_pass)
        self._next_pass += 1
        return number

    def get_or_create(self, context_id: int) -> DistAutogradContext:
        """The context of that id, made here when a message brings it."""
        return self.contexts.setdefault(context_id, DistAutogradContext(context_id))

    def get(self, context_id: Any) -> DistAutogradContext:
        """The context of that id.

        Raises
        ------
        ContextReleased, NoContext
        """
        found = self.contexts.get(context_id)
        if found is not None:
            return found
        name = show_id(context_id) if isinstance(context_id, int) and context_id >= 0 else repr(context_id)
        if context_id in self.ended:
            raise self.released(context_id)
        raise NoContext(
            f"there is no distributed autograd context {name} on this worker",
            hint="use the id that `with dist_autograd.context() as context_id:` gives",
        )

    @staticmethod
    def released(context_id: int) -> ContextReleased:
        """The error for what is asked of a context that was released."""
        return ContextReleased(
            f"the distributed autograd context {show_id(context_id)} was released when its `with` block ended",
            hint="call backward() and get_gradients() inside `with dist_autograd.context() as context_id:`",
        )

    def release(self, context_id: int) -> list[int]:
        """Forget a context; returns the workers to tell."""
        found = self.contexts.pop(context_id, None)
        if found is None:
            return []
        found.released, found.ways = True, None
        self.ended[context_id] = found
        return list(found.known_workers)
