"""Elements chosen by their place in the tensor made flat, and where the elements are that are not zero."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, IndexOutOfRange, ShapeMismatch
from .convert import truth
from .gather import flat, index_select_at
from .overwrite import fill_
from .shape import clone_contiguous, flatten, reshape_to, storage_offset, stride
from .sizes import expand, unsqueeze_at
from .strided import as_strided
from .support import as_int, data_of, reduced_dims, want_tensor, wrap_dim, zeros_like

# ---- where elements are not zero ----


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The places of the elements that are not zero: one row for each, or, `as_tuple`, one vector for each dimension."""
    data = want_tensor(input, "nonzero")._data
    xp = array_module(data)
    if as_tuple:
        return tuple(fresh(a) for a in xp.nonzero(data if data.shape else data.reshape(1)))
    if not data.shape:
        return fresh(xp.zeros((int(bool(data)), 0), "int64"))
    return fresh(xp.stack(xp.nonzero(data), axis=1))


def argwhere(input: Any) -> Any:
    """The places of the elements that are not zero, one row for each."""
    return nonzero(input)


def count_nonzero(input: Any, dim: Any = None) -> Any:
    """How many elements are not zero, of all or along `dim`."""
    data = want_tensor(input, "count_nonzero")._data
    axes = None if dim is None else reduced_dims(dim, data.ndim)
    return fresh(scalar((data != 0).sum(axis=axes).astype("int64")))


def is_nonzero(input: Any) -> bool:
    """Whether the only element is not zero."""
    return truth(want_tensor(input, "is_nonzero"))


# ---- by the place in the tensor made flat ----


def _flat_index(index: Any, op: str, data: Any) -> Any:
    """An int64 index tensor whose elements exist, counted from 0."""
    index = want_tensor(index, op, "index")
    places, size = index._data, data.size
    if places.dtype != np.int64:
        raise DtypeMismatch(f"{op}() takes int64 indices, not {index.dtype.name}", hint="convert them with .long()")
    if places.size and not (places.min() >= -size and places.max() < size):
        bad = places.min() if places.min() < -size else places.max()
        raise IndexOutOfRange(f"{op}() got the index {bad}, and the tensor has {size} elements")
    return index


@op("TakeBackward0", self=lambda grad, self, index: put_at(zeros_like(self), grad, index, True))
def take_at(self, index: Tensor):
    """The elements of self, made flat, at `index`."""
    return scalar(self.reshape(-1)[index])


@op(
    "PutBackward0",
    self=lambda grad, index, source, accumulate: put_self_backward(grad, index, source, accumulate),
    source=lambda grad, index, source: reshape_to(take_at(grad, index), data_of(source).shape),
)
def put_at(self, source, index: Tensor, accumulate):
    """Self with the elements of source put, or added, at `index` of self made flat."""
    out = self.reshape(-1).copy()
    if accumulate:
        array_module(out).add.at(out, flat(index), source.reshape(-1))
    else:
        out[flat(index)] = source.reshape(-1)
    return scalar(out.reshape(self.shape))


def put_self_backward(grad: Any, index: Any, source: Any, accumulate: bool) -> Any:
    """The gradient of put by what was put into."""
    return grad if accumulate else put_at(grad, zeros_like(source), index, False)


def take(input: Any, index: Any) -> Any:
    """The elements of input, made flat, at `index`; the result has the shape of index."""
    data = want_tensor(input, "take")._data
    return take_at(input, _flat_index(index, "take", data))


def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Input with the elements of source put, or added, at `index` of input made flat."""
    tensor, source = want_tensor(input, "put"), want_tensor(source, "put", "source")
    index = _flat_index(index, "put", tensor._data)
    if index._data.size != source._data.size:
        raise IndexOutOfRange(f"put() got {index._data.size} indices for {source._data.size} elements")
    if tensor._data.dtype != source._data.dtype:
        raise DtypeMismatch(f"put() takes tensors of one dtype, not {tensor.dtype.name} and {source.dtype.name}")
    return put_at(tensor, source, index, bool(accumulate))


# ---- repeated elements ----


def repeat_interleave(input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Any:
    """Each element of input, or slice along `dim`, `repeats` times: a number, or a tensor with one for each."""
    if repeats is None:
        return fresh(_places(want_tensor(input, "repeat_interleave", "repeats")))
    tensor = want_tensor(input, "repeat_interleave")
    if dim is None:
        tensor, dim = flatten(tensor), 0
    dim = wrap_dim(dim, tensor._data.ndim)
    if not isinstance(repeats, Tensor):
        times = as_int(repeats, "repeats")
        if times < 0:
            raise BadArgument("repeat_interleave() cannot repeat a negative number of times")
        wide = unsqueeze_at(tensor, dim + 1)
        shape = list(wide._data.shape)
        shape[dim + 1] = times
        return flatten(clone_contiguous(expand(wide, tuple(shape))), dim, dim + 1)
    size = tensor._data.shape[dim]
    if repeats._data.size == 1 and repeats._data.ndim < 2:
        repeats = expand(reshape_to(repeats, (1,)), (size,))
    if repeats._data.shape != (size,):
        raise ShapeMismatch(
            f"repeat_interleave() takes one number or {size}, one for each slice, not {list(repeats._data.shape)}"
        )
    return index_select_at(tensor, dim, fresh(_places(repeats)))


def _places(repeats: Tensor) -> Any:
    """The numbers 0, 1, …, each as often as `repeats` says."""
    data = repeats._data
    if data.dtype.kind != "i" or data.dtype.itemsize < 4:
        raise DtypeMismatch(f"repeat_interleave() takes int32 or int64 repeats, not {repeats.dtype.name}")
    if data.ndim != 1:
        raise BadArgument(f"repeat_interleave() takes a vector of repeats, not {data.ndim} dimensions")
    if (data < 0).any():
        raise BadArgument("repeat_interleave() cannot repeat a negative number of times")
    xp = array_module(data)
    return xp.repeat(xp.arange(data.size, dtype="int64"), data if xp is np else data.tolist())


# ---- diagonals ----


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Any:
    """Make the elements whose indices are all equal `fill_value`, in place; with `wrap` also those below, in a tall matrix."""
    shape = want_tensor(self, "fill_diagonal_")._data.shape
    if len(shape) < 2:
        raise BadArgument(f"fill_diagonal_() takes a tensor with 2 dimensions or more, not {len(shape)}")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise BadArgument(f"fill_diagonal_() takes equal sizes for more than two dimensions, not {list(shape)}")
    steps, start = stride(self), storage_offset(self)
    size = min(shape)
    fill_(as_strided(self, (size,), (sum(steps),), start), fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        below = -(-math.prod(shape) // (shape[1] + 1)) - size
        fill_(as_strided(self, (below,), (sum(steps),), start + steps[0] * (shape[1] + 1)), fill_value)
    return self
