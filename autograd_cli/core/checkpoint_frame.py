"""One checkpoint that is not reentrant: what its forward would have saved, and how it is computed again.

Note [Computing again]
    While the forward runs, a pack hook puts an empty Holder in the place of every saved tensor, in order. When a backward pass unpacks
    the first Holder, the function runs again under another pack hook, which puts the n-th tensor that is saved now where the n-th Holder
    can find it, and stops the run when the last Holder is served. The frame refers to Holders weakly: what the graph has let go is not
    computed for. Each pass (``modes.graph_task``) computes for itself, so that a graph that is kept can be passed twice.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

from ..errors import BadArgument, InplaceModified, ScriptError
from .modes import modes
from .saved_hooks import saved_tensors_hooks
from .tensor import Tensor

_once = count(-1, -1).__next__  # numbers for unpacking outside of any pass


class CheckpointError(ScriptError, RuntimeError):
    """The function did something else the second time."""

    kind_name, type_name = "BadArgument", "CheckpointError"


class Stop(Exception):
    """All that is needed was computed again."""


class Holder:
    """Stands in the graph where a saved tensor was.

    Attributes
    ----------
    found : dict
        By pass, the tensor that was computed again; None once it was used.
    like : tuple
        Shape, dtype and device of the tensor of the forward.
    """

    __slots__ = ("__weakref__", "found", "like")

    def __init__(self, like: tuple[Any, ...]) -> None:
        self.like = like
        self.found: dict[int, Tensor | None] = {}


def _like(tensor: Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.dtype, tensor.device


class GraphExecGroup:
    """Inside the block, passes over parts of the graph that do not overlap share what checkpoints compute again: each does so once."""

    current: ClassVar[GraphExecGroup | None] = None

    def __init__(self) -> None:
        self.number = _once()

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup.current is not None:
            raise BadArgument("a GraphExecGroup stands inside another", hint="one around both is enough")
        GraphExecGroup.current = self
        return self

    def __exit__(self, *error: object) -> None:
        GraphExecGroup.current = None


def _pass_number() -> int:
    """What the tensors that are computed again belong to: the group of passes, this pass, or this one look from outside."""
    if GraphExecGroup.current is not None:
        return GraphExecGroup.current.number
    return modes.graph_task[0] if modes.graph_task is not None else _once()


class CheckpointFrame:
    """See Note [Computing again].

    Parameters
    ----------
    run_again : callable
        Runs the function on inputs.
    inputs : tuple
    stop_early : bool
        Stop as soon as the last Holder is served.
    check : bool
        Compare shapes and dtypes with those of the forward.
    """

    def __init__(self, run_again: Callable[..., None], inputs: tuple[Any, ...], *, stop_early: bool, check: bool) -> None:
        self.run_again = run_again
        self.inputs = inputs
        self.versions = [i._version if isinstance(i, Tensor) else 0 for i in inputs]
        self.stop_early = stop_early
        self.check = check
        self.holders: list[weakref.ref[Holder]] = []
        self.forward_completed = False
        self.done: set[int] = set()  # passes that have computed again

    def hooks(self) -> saved_tensors_hooks:
        """What the forward runs under."""

        def pack(tensor: Tensor) -> Holder:
            holder = Holder(_like(tensor))
            self.holders.append(weakref.ref(holder))
            return holder

        return saved_tensors_hooks(pack, self._unpack)

    def _unpack(self, holder: Holder) -> Tensor:
        number = _pass_number()
        if number not in self.done:
            self._compute_again(number)
            self.done.add(number)
        found = holder.found.get(number)
        if found is None:
            raise CheckpointError(
                "a tensor saved inside a checkpoint was asked for twice in one backward pass",
                hint="read ctx.saved_tensors only once in a custom backward; passes in one GraphExecGroup may not overlap",
            )
        holder.found[number] = None
        return found

    def _compute_again(self, number: int) -> None:
        for position, (value, version) in enumerate(zip(self.inputs, self.versions, strict=True)):
            if isinstance(value, Tensor) and value._version != version:
                raise InplaceModified(
                    f"input {position} of a checkpoint was changed in place after the forward, so that it cannot be computed again",
                    hint="give the checkpoint a clone(), or do not change its inputs before backward()",
                )
        seen = self._run(number)
        if len(seen) != len(self.holders) and self.forward_completed:
            raise CheckpointError(
                f"the function of a checkpoint saved {len(self.holders)} tensors in the forward and {len(seen)} when it was computed again",
                hint="a checkpointed function has to do the same each time it is called",
            )
        if self.check:
            self._compare(seen)

    def _run(self, number: int) -> list[tuple[Any, ...]]:
        """Run the function again for the pass `number`; what the tensors that it saved are like."""
        seen: list[tuple[Any, ...]] = []

        def pack(tensor: Tensor) -> Any:
            position = len(seen)
            seen.append(_like(tensor))
            # A tensor with history would keep the graph of this run alive; one without is the tensor itself, as in PyTorch.
            kept = tensor.detach() if tensor.requires_grad else tensor
            if position >= len(self.holders):
                if self.forward_completed:
                    raise CheckpointError(
                        f"the function of a checkpoint saved {len(self.holders)} tensors in the forward and more when computed again",
                        hint="a checkpointed function has to do the same each time it is called",
                    )
                return kept
            holder = self.holders[position]()
            if holder is not None:
                holder.found[number] = kept
            if self.stop_early and len(seen) == len(self.holders):
                raise Stop
            return kept

        try:
            with saved_tensors_hooks(pack, lambda tensor: tensor):
                self.run_again(*self.inputs)
        except Stop:
            pass
        return seen

    def _compare(self, seen: list[tuple[Any, ...]]) -> None:
        for position, (ref, now_like) in enumerate(zip(self.holders, seen, strict=False)):
            holder = ref()
            if holder is not None and holder.like != now_like:
                (was, kind, where), (now, kind_now, where_now) = holder.like, now_like
                raise CheckpointError(
                    f"the function of a checkpoint saved a tensor of shape {list(was)}, {kind}, {where} at position {position} in the "
                    f"forward, and one of shape {list(now)}, {kind_now}, {where_now} when it was computed again",
                    hint="a checkpointed function has to do the same each time it is called",
                )
