"""The context of a custom Function, which is the node that it records.

Note [The context is the node]
    As in PyTorch, ``ctx`` in forward and backward is the very object that ``grad_fn`` shows, so what a forward sets on it can be read
    there. Each Function class has a node class of its own, named ``<class>Backward``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..errors import BadArgument, BadArgumentType
from .array import module_of_device
from .device_operands import fits_of
from .modes import modes
from .node import Node, edge_to
from .op_support import freed, fresh, modified
from .packed import Packed
from .tensor import Tensor

if TYPE_CHECKING:
    from .function import Function

_PACKAGE = __name__.partition(".")[0]


class FunctionCtx(Node):
    """The context of one call. See Note [The context is the node].

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of the forward, whether it requires grad.
    """

    saved_names = ("saved_tensors",)
    takes_none = True  # a user's backward is called even when no gradient came: it gets zeros, or None
    materialize_grads = True
    needs_input_grad: tuple[bool, ...]
    more_edges = ()

    def __init__(self, function: type[Function], args: tuple[Any, ...], record: bool) -> None:
        self.hooks = None
        self._function = function
        self._tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self._count = len(args)
        self._edges = tuple(args[i]._edge if record else None for i in self._tensors)
        operands = [args[i]._data for i in self._tensors]
        self._fits: Any = tuple((a.shape, a.dtype) for a in operands) if modes.host_only else fits_of(*operands)
        self._to_save: tuple[Any, ...] = ()
        self._saved: list[Any] | None = []
        self._dirty: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Any, ...] = ()
        self._outputs: list[tuple[Any, ...]] = []  # (shape, dtype, device) of each, () for what is no tensor
        self.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        self.sequence_nr = 0

    def __setattr__(self, name: str, value: Any) -> None:
        """Attributes of a context are the user's, except those that make it a node."""
        if name in RESERVED and not str(sys._getframe(1).f_globals.get("__name__")).startswith(_PACKAGE):
            raise BadArgument(
                f"ctx.{name} belongs to the node that the context is, and cannot be set",
                hint=f"call it ctx.my_{name}, for example",
            )
        object.__setattr__(self, name, value)

    # ---- what a forward may say ----

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for the backward; only inputs and outputs belong here, and what is None."""
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for forward mode, which agrad does not have: nothing happens."""

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs the forward changes in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients come to the backward as zeros (the default) or as None."""
        self.materialize_grads = value

    # ---- what a backward reads ----

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved.

        Raises
        ------
        GraphFreed, InplaceModified
        """
        if self._saved is None:
            freed(self)
        return tuple(self._saved_tensor(entry) for entry in self._saved)

    def _saved_tensor(self, entry: Any) -> Any:
        if entry is None:
            return None
        if entry.__class__ is Packed:
            return entry.unpack(self)
        tensor, version, output_nr = entry
        if tensor._version != version:
            modified(self, "saved_tensors", tensor._version, version)
        # An output was kept without its history, which would be a reference cycle: it gets it back here.
        return tensor if output_nr is None else fresh(tensor._data, edge_to(self, output_nr), tensor._counter)

    # ---- the node ----

    @property
    def next_edges(self) -> tuple[Any, ...]:
        return self._edges

    def name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {self._address():#x}>"

    def saved(self) -> list[tuple[str, Any, int]]:
        return [("saved_tensors", entry[0], entry[1]) for entry in self._saved or () if entry.__class__ is tuple]

    def held(self) -> list[tuple[str, Tensor | None, int]]:
        packed = [("saved_tensors", None, 0) for entry in self._saved or () if entry.__class__ is Packed]
        return [*self.saved(), *packed]

    def describe(self) -> Any:
        known = [e if e.__class__ is Packed else e[0]._data for e in self._saved or () if e is not None]
        return tuple(item for k in known for item in ("saved_tensors", k.shape, k.dtype, 0))

    def release(self) -> None:
        self._saved = None

    def apply(self, grad: Any) -> Any:
        grads = self._listed(grad)
        results = self._run([None if g is None else fresh(g) for g in grads])
        return tuple(None if r is None else r._data for r in results)

    def apply_release(self, grad: Any) -> Any:
        results = self.apply(grad)
        self.release()
        return results

    def apply_tensor(self, grad: Any) -> Any:
        return self._run(self._listed(grad))

    def _listed(self, grad: Any) -> list[Any]:
        if self.num_inputs == 1:
            return [grad]
        return [None] * self.num_inputs if grad is None else list(grad)

    def _run(self, grads: list[Any]) -> tuple[Any, ...]:
        """Call the user's backward and check what it returned."""
        if self.materialize_grads:
            grads = [_zeros(*self._outputs[i]) if g is None and self._outputs[i] else g for i, g in enumerate(grads)]
        returned = self._function._user_backward()(self, *grads)
        if not isinstance(returned, tuple):
            returned = (returned,)
        while len(returned) > self._count and returned[-1] is None:
            returned = returned[:-1]
        name = self._function.__name__
        if len(returned) != self._count:
            raise BadArgument(
                f"{name}.backward returned {len(returned)} gradients, and its forward has {self._count} arguments",
                hint="return one gradient for each argument of the forward, None for those without",
            )
        for i, gradient in enumerate(returned):
            if gradient is not None and i not in self._tensors:
                raise BadArgument(
                    f"{name}.backward returned a gradient for argument {i}, which is no tensor", hint="return None for it"
                )
            if gradient is not None and not isinstance(gradient, Tensor):
                raise BadArgument(
                    f"{name}.backward returned {type(gradient).__name__} for argument {i}; a gradient is a tensor or None"
                )
        return tuple(returned[i] for i in self._tensors)

    @property
    def fits(self) -> Any:
        """Shapes and dtypes (and devices) of the tensor arguments that require grad, for validate_outputs."""
        known = zip(self._edges, self._fits, strict=True)
        return type(self._fits)(None if edge is None else fit for edge, fit in known)

    # ---- after the forward ----

    def keep(self, outputs: list[Any], made: list[Any]) -> None:
        """Keep what the forward asked to save; `made` are the `outputs` with their history."""
        for position, tensor in enumerate(self._to_save):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise BadArgumentType(
                    f"save_for_backward() takes tensors and None, and argument {position} is {type(tensor).__name__}",
                    hint="keep other things as ctx.name = value",
                )
        self._saved = [None if t is None else _entry(t, outputs, made) for t in self._to_save]
        self._to_save = ()


def _entry(tensor: Tensor, outputs: list[Any], made: list[Any]) -> Any:
    """What is kept of a saved tensor: (tensor, version, which output it is or None), or what a hook packed."""
    hooked = modes.packs_saved
    for i, (output, result) in enumerate(zip(outputs, made, strict=True)):
        if tensor is output and result._edge is not None:
            if hooked:
                return Packed(result, i)
            return fresh(result._data, None, result._ensure_counter()), result._version, i
    return Packed(tensor) if hooked else (tensor, tensor._version, None)


def _zeros(shape: tuple[int, ...], dtype: Any, device: str) -> Tensor:
    return fresh(module_of_device(device).zeros(shape, dtype)[()])


# What makes a context a node; what a user may not set.
RESERVED = frozenset(name for name in dir(FunctionCtx) if not name.startswith("__")) | {"hooks", "sequence_nr"}
RESERVED -= {"needs_input_grad", "materialize_grads", "metadata"}
