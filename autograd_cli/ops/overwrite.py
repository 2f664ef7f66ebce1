"""Other values in place of a tensor's: ``zero_``, ``fill_``, ``copy_``, ``x[i] = v``."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import broadcast_shapes, cast_array
from ..core.basic_ops import cast_back, moved, recording
from ..core.device_operands import carried, together
from ..core.modes import modes
from ..core.op import op
from ..core.op_support import fresh, lift
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, ShapeMismatch
from .index import as_items, index_put_replaced, numpy_index, put_values, trimmed, viewed
from .inplace import check_leaf, check_overlap, in_place, writable, write
from .overlap import check_operand, check_operands
from .reduce import sum_all
from .shape import view_to
from .sizes import expand
from .support import check_same_dtype, zeros_like


@op("ZeroBackward0", self=lambda grad: zeros_like(grad))
def zeroed(xp, self):
    """Zeros in place of self."""
    return xp.zeros(self.shape, self.dtype)[()]


@op("FillBackward2", self=lambda grad: zeros_like(grad))
def filled(xp, self, value):
    """A number in place of every element."""
    return xp.full(self.shape, value, self.dtype)[()]


@op("FillBackward3", broadcasts=("value",), self=lambda grad: zeros_like(grad), value=lambda grad: sum_all(grad))
def filled_with(xp, self, value):
    """A 0-d tensor's value in place of every element."""
    return xp.full(self.shape, value, self.dtype)[()]


@op(
    "torch::autograd::CopyBackwards",
    broadcasts=("src",),
    anywhere=True,
    self=lambda grad: zeros_like(grad),
    src=lambda grad, src_dtype, src_device: moved(cast_back(grad, src_dtype), src_device),
)
def copied(xp, self, src):
    """The elements of src in place of self's, in self's dtype and on its device."""
    src = src if xp is np else xp.asarray(carried(self, src))
    return cast_array(xp.broadcast_to(src, self.shape), self.dtype)[()]


def _overwritten(self: Tensor, name: str, value: Any) -> Tensor | None:
    """Write where nothing has to be recorded; None where it has."""
    if modes.grad_enabled and self.requires_grad:
        return None
    check_leaf(self, name)
    write(self, value)
    self._written(name)
    return self


def zero_(self: Tensor) -> Tensor:
    """Make every element 0."""
    done = _overwritten(self, "zero_", 0)
    return in_place(self, "zero_", zeroed, overlaps=True) if done is None else done


def fill_(self: Tensor, value: Any) -> Tensor:
    """Make every element `value`."""
    if isinstance(value, Tensor):
        if value._data.ndim:
            raise BadArgument(f"fill_() takes a number or a 0-d tensor, not one of shape {list(value._data.shape)}")
        check_overlap(self, "fill_")
        done = _overwritten(self, "fill_", value._data) if value._edge is None or not modes.grad_enabled else None
        return in_place(self, "fill_", filled_with, value) if done is None else done
    if not isinstance(value, (int, float, complex)):
        raise BadArgumentType(f"fill_() takes a number, not {type(value).__name__}")
    if isinstance(value, complex) and self._data.dtype.kind != "c":
        raise BadArgument("a complex number cannot be put into a real tensor")
    done = _overwritten(self, "fill_", self._data.dtype.type(value))
    return in_place(self, "fill_", filled, value, overlaps=True) if done is None else done


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
    check_overlap(self, "copy_")
    check_operands(self, "copy_", (src,))
    if src._edge is None or not modes.grad_enabled:
        data = src._data if modes.host_only else carried(self._data, src._data)
        done = _overwritten(self, "copy_", data.real if data.dtype.kind == "c" != self._data.dtype.kind else data)
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
    if self._meta is None or not self._meta.stale:  # the part that is written is checked again
        check_leaf(self, "__setitem__")
    if item is True or item is False:  # alone, a bool says whether anything is written
        if not item:
            return
        item = None
    source = value if isinstance(value, Tensor) else lift_value(value, self)
    recorded = modes.grad_enabled and (self.requires_grad or source._edge is not None)
    before, modes.grad_enabled = modes.grad_enabled, recorded
    try:
        view, indices = viewed(self, as_items(item))
    finally:
        modes.grad_enabled = before
    masks = any(index is not None for index in indices)
    if recorded:
        if masks:
            left = without_leading_ones(source._data.shape)
            source = source if left == source._data.shape else view_to(source, left)
            check_put(view, source, indices)
            in_place(view, "__setitem__", index_put_replaced, source, trimmed(indices), overlaps=True)
        else:
            assign(view, source)
        return
    if masks:
        check_put(view, source, indices)
    else:
        check_overlap(view, "__setitem__")
        if source._data.ndim:
            check_operand(view, "__setitem__", source, by_index=False)
    target = writable(view._storage())
    place = numpy_index(trimmed(indices), target) if masks else Ellipsis
    data = source._data
    if not modes.host_only:
        if masks and data.shape:
            together("__setitem__", ("self", "value"), target, data, scalars=False)
        data = carried(target, data)
    if data.dtype.kind == "c" != target.dtype.kind:
        data = data.real
    put_values(target, place, np.asarray(data) if target.__class__ is np.ndarray else data)
    self._written("__setitem__")


def check_put(view: Tensor, source: Tensor, indices: list[Any]) -> None:
    """What is put at places given by tensors is not converted and shares no memory; but one value for a mask fills it."""
    masks = [index for index in indices if index is not None]
    if source._data.size != 1 or len(masks) > 1 or masks[0]._data.dtype.kind != "b":
        check_same_dtype("assigning to x[...]", view, value=source)
        check_operand(view, "__setitem__", source, by_index=True)


def assign(view: Tensor, source: Tensor) -> None:
    """Put `source` into a view, recording what PyTorch records of it."""
    shape = view._data.shape
    if source._data.ndim:
        check_operand(view, "__setitem__", source, by_index=False)
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
