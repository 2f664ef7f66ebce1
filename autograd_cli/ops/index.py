"""``x[...]``: what PyTorch makes of each kind of index, in its order.

A number is ``select``, a slice ``slice``, None ``unsqueeze``; what is left, tensors, lists and masks, is one ``index``.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import add_at, device_of, put_on
from ..core.device_operands import mismatch
from ..core.given import LAST, given
from ..core.modes import modes
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue, IndexOutOfRange, ShapeMismatch
from .gather import blank
from .parts import select_checked, slice_at
from .shape import alias
from .sizes import unsqueeze_at
from .support import as_int

Tensors = tuple[Any, ...]  # for each dimension an index Tensor, or None where all of it is taken


@op(
    "IndexBackward0",
    contiguous=True,
    self=lambda grad, self_sizes, indices: index_put_onto(blank(grad, self_sizes), grad, indices),
)
def index_at(self, indices: Tensors):
    """The elements at places given by tensors."""
    return scalar(self[numpy_index(indices, self)])


@op("IndexPutImplBackward0", self=lambda grad: grad, values=lambda grad, indices: index_at(grad, indices))
def index_put_onto(self, values, indices: Tensors):
    """Self with values added at places given by tensors."""
    out = self.copy()
    if len(indices) == 1 and indices[0]._data.dtype.kind == "b":
        out[numpy_index(indices, out)] += values  # a mask names no place twice
    else:
        add_at(out, numpy_index(indices, out), values)
    return out


@op(
    "IndexPutBackward0",
    broadcasts=("values",),
    self=lambda grad, values_sizes, indices: index_put_replaced(grad, blank(grad, values_sizes), indices),
    values=lambda grad, indices: index_at(grad, indices),
)
def index_put_replaced(self, values, indices: Tensors):
    """Self with values put at places given by tensors."""
    out = self.copy()
    put_values(out, numpy_index(indices, out), values)
    return out


def put_values(target: Any, place: Any, values: Any) -> None:
    """``target[place] = values``, of arrays."""
    try:
        target[place] = values
    except ValueError:
        raise ShapeMismatch(
            f"a value of shape {list(values.shape)} cannot be put into a part of shape {list(target[place].shape)}",
            hint="the value must broadcast to the part that is assigned",
        ) from None


def numpy_index(indices: Tensors, data: Any) -> tuple[Any, ...]:
    """The index tuple that NumPy needs, checked."""
    found: list[Any] = []
    dim = 0
    for index in indices:
        array = None if index is None else index._data
        if array is not None and not modes.host_only:
            array = _beside(array, data, device_of(data))
        if array is None:
            found.append(slice(None))
        elif array.dtype.kind == "b":
            if array.shape != data.shape[dim : dim + array.ndim]:
                raise IndexOutOfRange(
                    f"a mask of shape {list(array.shape)} does not fit the shape {list(data.shape)} at dimension {dim}",
                    hint="a mask has the shape of the dimensions it stands for",
                )
            found.append(array)
            dim += array.ndim - 1
        else:
            _check_range(array, data, dim)
            found.append(array)
        dim += 1
    return tuple(found)


def _beside(index: Any, data: Any, place: str) -> Any:
    """An index on the device of the data: as in PyTorch one on the CPU is brought there, any other must be there."""
    if device_of(index) not in ("cpu", place):
        raise mismatch("index", ("self", data), ("index", index))
    return put_on(index, place)


def _check_range(array: Any, data: Any, dim: int) -> None:
    size = data.shape[dim] if dim < data.ndim else 0
    if dim >= data.ndim:
        raise IndexOutOfRange(f"too many indices for a tensor with {data.ndim} dimension(s)")
    if array.size and not (array.min() >= -size and array.max() < size):
        bad = array.min() if array.min() < -size else array.max()
        raise IndexOutOfRange(f"index {bad} is out of range for dimension {dim} with size {size}")


def getitem(self: Tensor, item: Any) -> Any:
    """``self[item]``."""
    kind = item.__class__
    if kind is int:
        return select_checked(self, 0, item)
    if kind is slice:
        return _slice(self, 0, item, ensure_view=True)
    if item is Ellipsis:
        return alias(self)
    view, indices = viewed(self, as_items(item))
    if any(index is not None for index in indices):
        return index_at(view, trimmed(indices))
    return alias(view) if view is self else view


def as_items(item: Any) -> list[Any]:
    """The parts of an index: a tuple's, or the index alone. A list of numbers is one index."""
    if isinstance(item, tuple):
        return list(item)
    if (
        isinstance(item, list)
        and len(item) < 32
        and any(isinstance(i, (list, tuple, Tensor, slice)) or i in (None, ...) for i in item)
    ):
        return list(item)  # as PyTorch: a list with sequences in it is taken for a tuple
    return [item]


def trimmed(indices: list[Any]) -> Tensors:
    """Without the Nones at the end."""
    while indices and indices[-1] is None:
        indices.pop()
    return tuple(indices)


def viewed(self: Tensor, items: list[Any]) -> tuple[Tensor, list[Any]]:
    """Apply the parts that are views, from left to right; also what is left for ``index``, by dimension of the view."""
    items = [_converted(i) for i in items]
    used = sum(_dims_used(i) for i in items)
    ndim = self._data.ndim
    if used > ndim:
        raise IndexOutOfRange(
            f"{used} indices for a tensor with {ndim} dimension(s)", hint=f"its shape is {list(self._data.shape)}"
        )
    dim, view = 0, self
    indices: list[Any] = []
    for item in items:
        if item is Ellipsis:
            skipped = ndim - used
            dim += skipped
            indices += [None] * skipped
            ndim = used  # a second Ellipsis stands for nothing
        elif item is None or item is True or item is False:
            view = unsqueeze_at(view, dim)
            indices.append(None if item is None else fresh(np.zeros(int(item), np.int64)))
            dim += 1
        elif item.__class__ is int:
            view = select_checked(view, dim, item, original=self)
        elif isinstance(item, slice):
            view = _slice(view, dim, item)
            indices.append(None)
            dim += 1
        else:
            indices.append(item)
            dim += item._data.ndim if item._data.dtype.kind == "b" else 1
    return view, indices


def _dims_used(item: Any) -> int:
    if item is None or item is Ellipsis or item is True or item is False:
        return 0
    return int(item._data.ndim) if isinstance(item, Tensor) and item._data.dtype.kind == "b" else 1


def _converted(item: Any) -> Any:
    """One part of an index as None, Ellipsis, a bool, an int, a slice, or a Tensor with dimensions."""
    if item is None or item is Ellipsis or isinstance(item, (bool, slice)):
        return item
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, Tensor):
        if item._data.ndim == 0 and item._data.dtype.kind in "iu":
            return int(item._data)
        if item._data.ndim == 0 and item._data.dtype.kind == "b":
            return bool(item._data)
        if item._data.dtype.kind not in "biu":
            raise IndexOutOfRange(f"tensors used as indices must be integers or bools, not {item.dtype.name}", hint="use .long()")
        return item
    if isinstance(item, (list, tuple, range, np.ndarray)):
        array = np.asarray([i._data if isinstance(i, Tensor) else i for i in item] if not isinstance(item, np.ndarray) else item)
        if not array.size:
            array = array.astype(np.int64)
        if array.dtype.kind not in "biu":
            raise IndexOutOfRange("lists used as indices hold integers or bools", hint="x[1, 2] takes one index a dimension")
        return fresh(array)
    kind = BadArgumentType if isinstance(item, str) else IndexOutOfRange
    raise kind(
        f"an index is a number, a slice, None, ..., a tensor or a list, not {type(item).__name__}", hint="convert it with int()"
    )


def _bound(value: Any) -> int:
    """A bound of a slice as an int; bools are, as everywhere in Python's slices."""
    return int(value) if isinstance(value, bool) else as_int(value, "slice bound")


def _slice(self: Tensor, dim: int, item: slice, ensure_view: bool = False) -> Any:
    shape = self._data.shape
    if not shape:
        raise IndexOutOfRange("a 0-d tensor cannot be sliced", hint="use x[None] to give it a dimension")
    step = 1 if item.step is None else as_int(item.step, "step")
    if step <= 0:
        raise BadArgumentValue("the step of a slice must be greater than 0", hint="use x.flip(dim) to reverse a tensor")
    bounds = [None if b is None else _bound(b) for b in (item.start, item.stop)]
    start, stop, _ = slice(bounds[0], bounds[1]).indices(shape[dim])
    # PyTorch compares the bounds as they are written: x[-n:] is a new view even where it shows everything.
    if not ensure_view and bounds[0] in (None, 0) and stop == shape[dim] and step == 1:
        return self
    end = max(start, stop)
    if bounds[0] is not None and bounds[0] != start:
        start = given(start, bounds[0])
    if bounds[1] != end:
        end = given(end, LAST if bounds[1] is None else bounds[1])
    return slice_at(self, dim, start, end, step)
