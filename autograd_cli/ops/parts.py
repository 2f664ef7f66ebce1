"""Views of parts of a tensor: one index, a slice, a diagonal."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.as_strided import Geometry, geometry, storage_of, window
from ..core.given import given
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, IndexOutOfRange
from .support import as_int, want_tensor, wrap_dim


@op("SelectBackward0", view=True, self=lambda grad, self_sizes, dim, index: select_backward(grad, self_sizes, dim, index))
def select_at(self, dim, index):
    """The slice at one index of a dimension, which is removed."""
    return self[(slice(None),) * dim + (index, ...)]


@op("SelectBackwardBackward0", grad_output=lambda grad, dim, index: select_at(grad, dim, index))
def select_backward(xp, grad_output, input_sizes, dim, index):
    """The gradient of select: zeros but for one slice."""
    out = xp.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * dim + (index,)] = grad_output
    return out


@op(
    "SliceBackward0",
    view=True,
    self=lambda grad, self_sizes, dim, start, end, step: slice_backward(grad, self_sizes, dim, start, end, step),
)
def slice_at(self, dim, start, end, step):
    """The elements start, start + step, … before end of a dimension."""
    return self[(slice(None),) * dim + (slice(start, end, step), ...)]


@op("SliceBackwardBackward0", grad_output=lambda grad, dim, start, end, step: slice_at(grad, dim, start, end, step))
def slice_backward(xp, grad_output, input_sizes, dim, start, end, step):
    """The gradient of a slice: zeros around it."""
    out = xp.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * dim + (slice(start, end, step),)] = grad_output
    return out


def select(input: Any, dim: Any, index: Any) -> Any:
    """The slice at `index` of dimension `dim`, which is removed."""
    ndim = want_tensor(input, "select")._data.ndim
    if ndim:
        dim, index = wrap_dim(dim, ndim), as_int(index, "index")
    return select_checked(input, dim, index)


def select_checked(input: Tensor, dim: int, index: int, original: Tensor | None = None) -> Any:
    """``select_at`` where there is such an index; `original` is what the script indexed."""
    shape = input._data.shape
    if not shape:
        raise IndexOutOfRange("a 0-d tensor cannot be indexed with a number", hint="use x.item() to get its value")
    size = shape[dim]
    if not -size <= index < size:
        where = "" if original is None or original is input else f" of {list(original._data.shape)}"
        raise IndexOutOfRange(
            f"index {index} is out of range for dimension {dim} with size {size}{where}",
            hint=f"indices go from {-size} to {size - 1}" if size else "the dimension is empty",
        )
    return select_at(input, dim, given(index + size, index) if index < 0 else index)


def narrow(input: Any, dim: Any, start: Any, length: Any) -> Any:
    """`length` elements of dimension `dim` from `start` on."""
    shape = want_tensor(input, "narrow")._data.shape
    dim = wrap_dim(dim, len(shape))
    start, length = as_int(start, "start"), as_int(length, "length")
    if not -shape[dim] <= start <= shape[dim]:
        raise IndexOutOfRange(f"narrow() starts at {start}, and dimension {dim} has size {shape[dim]}")
    start = start + shape[dim] if start < 0 else start
    if length < 0 or start + length > shape[dim]:
        raise BadArgument(f"narrow() from {start} over {length} elements goes beyond dimension {dim} with size {shape[dim]}")
    return slice_at(input, dim, start, start + length, 1)


# ---- diagonals ----


@op(
    "DiagonalBackward0",
    view=True,
    self=lambda grad, self_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sizes, offset, dim1, dim2),
)
def diagonal_at(self, offset, dim1, dim2):
    """The diagonal of two dimensions, as the last dimension."""
    return diagonal_view(self, offset, dim1, dim2)


def diagonal_view(data: Any, offset: int, dim1: int, dim2: int) -> Any:
    """The diagonal of an array, as writeable as the array: NumPy gives it read-only, and PyTorch's is a view like any other."""
    view = data.diagonal(offset, dim1, dim2)
    if view.__class__ is np.ndarray and data.flags.writeable:
        view.flags.writeable = True
    return view


@op("DiagonalBackwardBackward0", grad_output=lambda grad, offset, dim1, dim2: diagonal_at(grad, offset, dim1, dim2))
def diagonal_backward(xp, grad_output, input_sizes, offset, dim1, dim2):
    """The gradient of a diagonal: zeros beside it."""
    out = xp.zeros(input_sizes, grad_output.dtype)
    diagonal_view(out, offset, dim1, dim2)[...] = grad_output
    return out


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as the last dimension of a view."""
    ndim = want_tensor(input, "diagonal")._data.ndim
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise BadArgument("diagonal() takes two different dimensions")
    return diagonal_at(input, offset, first, second)


# ---- windows ----


@op(
    "UnfoldBackward0",
    view=True,
    self=lambda grad, self_sizes, dimension, size, step: unfold_backward(grad, self_sizes, dimension, size, step),
)
def unfold_at(self, dimension, size, step):
    """Windows of `size` elements, `step` apart, of a dimension; the elements of a window are the last dimension."""
    own = geometry(self)
    sizes, strides = list(own.sizes), list(own.strides)
    if self.ndim:
        stride = strides[dimension]
        sizes[dimension], strides[dimension] = (sizes[dimension] - size) // step + 1, stride * step
    else:
        stride = 1
    return window(storage_of(self), Geometry((*sizes, size), (*strides, stride), own.offset))


@op("UnfoldBackwardBackward0", grad_in=lambda grad, dim, size, step: unfold_at(grad, dim, size, step))
def unfold_backward(xp, grad_in, input_sizes, dim, size, step):
    """The gradient of unfold: each element gets the sum of those of the windows that it is in."""
    out = xp.zeros(input_sizes, grad_in.dtype)
    if not out.ndim:
        return grad_in.sum()
    grads, into = xp.moveaxis(grad_in, (dim, -1), (0, 1)), xp.moveaxis(out, dim, 0)
    for i in range(grads.shape[0]):
        into[i * step : i * step + size] += grads[i]
    return out


def unfold(input: Any, dimension: Any, size: Any, step: Any) -> Any:
    """A view of all windows of `size` elements of a dimension, `step` apart."""
    shape = want_tensor(input, "unfold")._data.shape
    dim = wrap_dim(dimension, len(shape))
    size, step = as_int(size, "size"), as_int(step, "step")
    there = shape[dim] if shape else 1
    if not 0 <= size <= there:
        raise BadArgument(f"unfold() got windows of size {size}, and dimension {dim} has size {there}")
    if step <= 0:
        raise BadArgument(f"unfold() takes a step greater than 0, not {step}")
    return unfold_at(input, dim, size, step)
