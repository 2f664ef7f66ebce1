"""Changes in place: ``op_`` for every op, derived in one way.

Note [In place]
    The operation computes out of place on an alias of the tensor, which has its data, its edge and its version counter, so that the node
    saves the old state. Then the result is written into the tensor's storage, the version moves, and the tensor takes the new edge. What
    the node saved as its ``result`` is the tensor's storage at the new version, as in PyTorch.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import SCALARS, broadcast_shapes, device_of
from ..core.basic_ops import moved, recording
from ..core.copy_slices import rebase_view
from ..core.device_operands import at_device, carried, together
from ..core.modes import modes
from ..core.op import op
from ..core.op_support import fresh, lift
from ..core.packed import pack_node
from ..core.tensor import Tensor
from ..core.view import rebase, refuse
from ..errors import BadArgument, BadArgumentType, DeviceMismatch, DtypeMismatch, LeafInplace, ShapeMismatch
from .arithmetic import mul, torch_add, torch_sub
from .index import as_items, index_put_replaced, numpy_index, put_values, trimmed, viewed
from .reduce import sum_all
from .shape import clone_data, view_to
from .sizes import expand
from .support import zeros_like


def in_place(self: Tensor, name: str, function: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Make `self` the result of ``function(self, *args)``. See Note [In place]."""
    check_leaf(self, name)
    check_overlap(self, name)
    if modes.grad_enabled and self.requires_grad:
        check_creation(self, name)
    counter = self._ensure_counter()
    before = fresh(self._data, self._edge, counter)
    hooks, modes.saved_hooks = modes.saved_hooks, ()  # what the node saves is packed when it is complete
    try:
        result = function(before, *args, **kwargs)
    finally:
        modes.saved_hooks = hooks
    check_fits(self, name, result._data)
    node = result._edge if modes.grad_enabled else None
    if node is not None:
        check_creation(self, name)
        keep_old(node, before)
    write(self, result._data)
    self._written(name, node)
    if node is not None:
        if getattr(node, "c_result", None) is not None:
            node.s_result, node.c_result, node.v_result = self._data, counter, counter.version
        if self._meta is not None and self._meta.base is not None:
            rebase_view(self, node)
        else:
            rebase(self, node)
        if hooks and hooks[-1][0] is not None:
            pack_node(node, self)
    return self


def keep_old(node: Any, before: Tensor) -> None:
    """Where the node saved the tensor itself, let it have a clone with the old values, recorded after it, as PyTorch does."""
    for name in node.saved_names:
        if getattr(node, f"s_{name}", None) is before:
            setattr(node, f"s_{name}", clone_data(before))
            setattr(node, f"v_{name}", 0)


def write(self: Tensor, data: Any) -> None:
    """Put `data` into the tensor's storage."""
    own = self._data
    if own.__class__ in SCALARS:
        self._set_data(own.dtype.type(data))
    else:
        if not modes.host_only:
            at_device(own)
        own[...] = data


def called(name: str) -> str:
    """An operation as the script writes it."""
    return "assigning to x[...]" if name == "__setitem__" else f"{name}()"


def check_leaf(self: Tensor, name: str) -> None:
    """A leaf that requires grad may be changed under no_grad only."""
    if not modes.grad_enabled:
        return
    if self._edge is not None and self.is_leaf:
        raise LeafInplace(
            f"{called(name)} would change this tensor, a leaf that requires grad. A leaf is where gradients end, so its values must stay "
            "those that the graph was computed from",
            hint="change it under torch.no_grad(), or compute a new tensor: x = x + 1",
        ).about(self)
    base = None if self._meta is None else self._meta.base
    if base is not None and base._edge is not None and base.is_leaf:
        raise LeafInplace(
            f"{called(name)} would change this tensor, which is a view of a leaf that requires grad: it shares the leaf's memory",
            hint="change it under torch.no_grad(), or work on a clone()",
        ).about(self)


def check_creation(self: Tensor, name: str) -> None:
    """Views that PyTorch lets nobody change in place while recording: see TensorMeta.creation."""
    if self._meta is not None and self._meta.creation is not None:
        refuse(self, self._meta.creation, f"{called(name)} would change this tensor,")


def check_overlap(self: Tensor, name: str) -> None:
    """An expanded tensor has several elements in one place of memory."""
    data = self._data
    if (
        data.__class__ not in SCALARS
        and 0 in data.strides
        and any(s == 0 and n > 1 for s, n in zip(data.strides, data.shape, strict=True))
    ):
        raise BadArgument(
            f"{called(name)} would change several elements of this tensor at once: it was expanded, and they share one place in memory",
            hint="use x.clone() first",
        ).about(self)


def check_fits(self: Tensor, name: str, data: Any) -> None:
    """The result must have the tensor's shape, and a dtype that can become the tensor's."""
    own = self._data
    if data.shape != own.shape:
        raise ShapeMismatch(
            f"{called(name)} cannot put a result of shape {list(data.shape)} into this tensor, whose shape is {list(own.shape)}",
            hint="a change in place keeps the shape; write x = x + y instead",
        ).about(self)
    if not modes.host_only and device_of(data) != device_of(own):
        raise DeviceMismatch(
            f"{called(name)} cannot put a result on {device_of(data)} into this tensor, which is on {device_of(own)}",
            hint="move the operands to the tensor's device first, or the tensor to theirs",
        ).about(self)
    if dt.of(data).category > dt.of(own).category:
        raise DtypeMismatch(
            f"{called(name)} cannot put a result of dtype {dt.of(data).name} into this tensor, whose dtype is {dt.of(own).name}",
            hint="convert the tensor first: x = x.float()",
        ).about(self)


# ---- quick ways for what optimizers do ----


def _direct(self: Tensor, other: Any) -> Any:
    """The operand as an array, where nothing has to be recorded, promoted or broadcast to a larger shape; else None."""
    own = self._data
    if own.__class__ is not np.ndarray or not own.flags.writeable or 0 in own.strides:
        return None
    kind = other.__class__
    if kind is Tensor:
        if modes.grad_enabled and (self.requires_grad or other._edge is not None):
            return None
        data = other._data
        return data if data.dtype is own.dtype and (data.shape == own.shape or not data.shape) else None
    if (kind is float or kind is int) and own.dtype.kind == "f" and not (modes.grad_enabled and self.requires_grad):
        return other
    return None


def add_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self += alpha * other``."""
    data = _direct(self, other)
    if data is None:
        return in_place(self, "add_", torch_add, other, alpha=alpha)
    np.add(self._data, data if alpha == 1 else data * alpha, out=self._data)
    self._written("add_")
    return self


def sub_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self -= alpha * other``."""
    data = _direct(self, other)
    if data is None:
        return in_place(self, "sub_", torch_sub, other, alpha=alpha)
    np.subtract(self._data, data if alpha == 1 else data * alpha, out=self._data)
    self._written("sub_")
    return self


def mul_(self: Tensor, other: Any) -> Tensor:
    """``self *= other``."""
    data = _direct(self, other)
    if data is None:
        return in_place(self, "mul_", mul, other)
    np.multiply(self._data, data, out=self._data)
    self._written("mul_")
    return self


# ---- fill and copy ----


@op("ZeroBackward0", self=lambda grad: zeros_like(grad))
def zeroed(xp, self):
    """Zeros in place of self."""
    return xp.zeros(self.shape, self.dtype)[()]


@op("FillBackward2", self=lambda grad: zeros_like(grad))
def filled(xp, self, value):
    """A number in place of every element."""
    return xp.full(self.shape, value, self.dtype)[()]


@op("FillBackward3", self=lambda grad: zeros_like(grad), value=lambda grad: sum_all(grad))
def filled_with(xp, self, value):
    """A 0-d tensor's value in place of every element."""
    return xp.full(self.shape, value, self.dtype)[()]


@op(
    "torch::autograd::CopyBackwards",
    broadcasts=("src",),
    anywhere=True,
    self=lambda grad: zeros_like(grad),
    src=lambda grad, src_device: moved(grad, src_device),
)
def copied(xp, self, src):
    """The elements of src in place of self's, in self's dtype and on its device."""
    src = src if xp is np else xp.asarray(carried(self, src))
    return xp.broadcast_to(src, self.shape).astype(self.dtype)[()]


def _overwritten(self: Tensor, name: str, value: Any) -> Tensor | None:
    """Write where nothing has to be recorded; None where it has."""
    if modes.grad_enabled and (
        self._edge is not None or (self._meta is not None and self._meta.base is not None and self._meta.base._edge is not None)
    ):
        return None
    check_overlap(self, name)
    write(self, value)
    self._written(name)
    return self


def zero_(self: Tensor) -> Tensor:
    """Make every element 0."""
    done = _overwritten(self, "zero_", 0)
    return in_place(self, "zero_", zeroed) if done is None else done


def fill_(self: Tensor, value: Any) -> Tensor:
    """Make every element `value`."""
    if isinstance(value, Tensor):
        if value._data.ndim:
            raise BadArgument(f"fill_() takes a number or a 0-d tensor, not one of shape {list(value._data.shape)}")
        done = _overwritten(self, "fill_", value._data) if value._edge is None else None
        return in_place(self, "fill_", filled_with, value) if done is None else done
    if not isinstance(value, (int, float, complex)):
        raise BadArgumentType(f"fill_() takes a number, not {type(value).__name__}")
    if isinstance(value, complex) and self._data.dtype.kind != "c":
        raise BadArgument("a complex number cannot be put into a real tensor")
    done = _overwritten(self, "fill_", self._data.dtype.type(value))
    return in_place(self, "fill_", filled, value) if done is None else done


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Take over the elements of src, which may broadcast; the dtype stays."""
    if not isinstance(src, Tensor):
        src = lift(src, self, "copy_", "src")
    if broadcast_shapes(self._data.shape, src._data.shape) != self._data.shape:
        raise ShapeMismatch(
            f"copy_() cannot put the shape {list(src._data.shape)} into this tensor, whose shape is {list(self._data.shape)}",
            hint="the shape of the source must broadcast to that of the tensor",
        ).about(self)
    check_leaf(self, "copy_")
    if src._edge is None or not modes.grad_enabled:
        done = _overwritten(self, "copy_", src._data if modes.host_only else carried(self._data, src._data))
        if done is not None:
            return done
    return in_place(self, "copy_", copied, src)


recording.copy_ = copy_


def detach_(self: Tensor) -> Tensor:
    """Cut this tensor off the graph, in place."""
    if self._meta is not None and self._meta.base is not None:
        raise BadArgument("a view cannot be detached in place", hint="use detach()")
    self._edge = None
    return self


# ---- x[i] = value ----


def setitem(self: Tensor, item: Any, value: Any) -> None:
    """``self[item] = value``."""
    check_leaf(self, "__setitem__")
    source = value if isinstance(value, Tensor) else lift_value(value, self)
    recording = modes.grad_enabled and (self._edge is not None or source._edge is not None)
    before, modes.grad_enabled = modes.grad_enabled, recording
    try:
        view, indices = viewed(self, as_items(item))
    finally:
        modes.grad_enabled = before
    masks = any(index is not None for index in indices)
    if recording:
        if masks:
            left = without_leading_ones(source._data.shape)
            source = source if left == source._data.shape else view_to(source, left)
            in_place(view, "__setitem__", index_put_replaced, source, trimmed(indices))
        else:
            assign(view, source)
        return
    check_overlap(view, "__setitem__")
    target = view._storage()
    place = numpy_index(trimmed(indices), target) if masks else Ellipsis
    data = source._data
    if not modes.host_only:
        if masks and data.shape:
            together("__setitem__", ("self", "value"), target, data, scalars=False)
        data = carried(target, data)
    put_values(target, place, np.asarray(data) if target.__class__ is np.ndarray else data)
    self._written("__setitem__")


def assign(view: Tensor, source: Tensor) -> None:
    """Put `source` into a view, recording what PyTorch records of it."""
    shape = view._data.shape
    if source._data.shape == shape:
        in_place(view, "__setitem__", copied, source)
    elif not source._data.ndim:
        in_place(view, "__setitem__", filled_with, source)
    else:
        source = view_to(source, without_leading_ones(source._data.shape))  # recorded also where there are none
        in_place(view, "__setitem__", copied, source if source._data.shape == shape else expand(source, shape))


def without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The value of an assignment may have more dimensions than its place: leading ones go."""
    while shape and shape[0] == 1:
        shape = shape[1:]
    return shape


def lift_value(value: Any, like: Tensor) -> Tensor:
    """What is assigned, as a tensor: a number, an array or a list of numbers."""
    if isinstance(value, (int, float, complex)):
        if isinstance(value, complex) and like._data.dtype.kind != "c":
            raise BadArgument("a complex number cannot be put into a real tensor")
        return fresh(like._data.dtype.type(value))
    if isinstance(value, np.ndarray):
        return fresh(value)
    raise BadArgumentType(
        f"a tensor's elements are set to a number or a tensor, not to {type(value).__name__}", hint="use torch.tensor(...)"
    )


# ---- every op_ ----


def derived(name: str, function: Any) -> Any:
    """The in-place form of an out-of-place function."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return in_place(self, name, function, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"``{name[:-1]}``, in place."
    return method
