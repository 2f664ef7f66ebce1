"""Tensors with a part replaced, as new tensors: select_scatter, slice_scatter, diagonal_scatter; and scatter_reduce."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, IndexOutOfRange, ShapeMismatch
from .compare import where_self
from .gather import along, blank, check_index, gather_at, scatter_add_onto, scatter_value
from .masks import masked_fill_scalar
from .parts import diagonal_at, select_at, slice_at
from .support import as_int, as_kind_of, data_of, want_tensor, wrap_dim, zeros_like


@op(
    "SelectScatterBackward0",
    self=lambda grad, src_sizes, dim, index: select_scatter_at(grad, blank(grad, src_sizes), dim, index),
    src=lambda grad, dim, index: select_at(grad, dim, index),
)
def select_scatter_at(self, src, dim, index):
    """Self with src in the place of the slice at one index of a dimension."""
    out = self.copy()
    out[(slice(None),) * dim + (index,)] = src
    return out


@op(
    "SliceScatterBackward0",
    self=lambda grad, src_sizes, dim, start, end, step: slice_scatter_at(grad, blank(grad, src_sizes), dim, start, end, step),
    src=lambda grad, dim, start, end, step: slice_at(grad, dim, start, end, step),
)
def slice_scatter_at(self, src, dim, start, end, step):
    """Self with src in the place of some slices of a dimension."""
    out = self.copy()
    out[(slice(None),) * dim + (slice(start, end, step),)] = src
    return out


@op(
    "DiagonalScatterBackward0",
    self=lambda grad, src_sizes, offset, dim1, dim2: diagonal_scatter_at(grad, blank(grad, src_sizes), offset, dim1, dim2),
    src=lambda grad, offset, dim1, dim2: diagonal_at(grad, offset, dim1, dim2),
)
def diagonal_scatter_at(self, src, offset, dim1, dim2):
    """Self with src in the place of a diagonal."""
    out = self.copy()
    view = out.diagonal(offset, dim1, dim2)
    view.flags.writeable = True
    view[...] = src
    return out


def _fits(name: str, part: tuple[int, ...], src: Any) -> None:
    shape = want_tensor(src, name, "src")._data.shape
    if shape != part:
        raise ShapeMismatch(f"{name}() puts a part of shape {list(part)}, and src has the shape {list(shape)}")


def select_scatter(input: Any, src: Any, dim: Any, index: Any) -> Any:
    """Input with src in the place of the slice at `index` of dimension `dim`."""
    shape = want_tensor(input, "select_scatter")._data.shape
    dim, index = wrap_dim(dim, len(shape)), as_int(index, "index")
    if not shape or not -shape[dim] <= index < shape[dim]:
        raise IndexOutOfRange(f"select_scatter() got the index {index} for a tensor of shape {list(shape)}")
    _fits("select_scatter", (*shape[:dim], *shape[dim + 1 :]), src)
    return select_scatter_at(input, src, dim, index % shape[dim])


def slice_scatter(input: Any, src: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    """Input with src in the place of the slices from start to end of dimension `dim`."""
    shape = want_tensor(input, "slice_scatter")._data.shape
    dim, step = wrap_dim(dim, len(shape)), as_int(step, "step")
    if step <= 0:
        raise BadArgument(f"slice_scatter() takes a step from 1 on, not {step}")
    first, last, _ = slice(start, end).indices(shape[dim])
    _fits("slice_scatter", (*shape[:dim], len(range(first, last, step)), *shape[dim + 1 :]), src)
    return slice_scatter_at(input, src, dim, first, max(first, last), step)


def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Input with src in the place of a diagonal."""
    data = want_tensor(input, "diagonal_scatter")._data
    first, second = wrap_dim(dim1, data.ndim), wrap_dim(dim2, data.ndim)
    _fits("diagonal_scatter", data.diagonal(offset, first, second).shape, src)
    return diagonal_scatter_at(input, src, offset, first, second)


# ---- scatter_reduce ----


@op(
    "ScatterReduceBackward0",
    common=lambda grad, self, dim, index, src, reduce, include_self, result: reduce_backward(
        grad, self, dim, index, src, reduce, include_self, result
    ),
    self=lambda grad, common, dim, index, include_self: without(common[0], dim, index, include_self),
    src=lambda grad, common: common[1],
)
def scatter_reduce_onto(xp, self, src, index: Tensor, dim, reduce, include_self):
    """Self with the elements of src added, multiplied, … at `index` along a dimension."""
    out = (self if self.ndim else self.reshape(1)).copy()
    places, added = (at_least_1d_array(a) for a in (index, src))
    where, values = along(places, dim, out), added[tuple(slice(0, n) for n in places.shape)]
    if not include_self:
        out[where] = _neutral(reduce, out.dtype)
    function = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[reduce]
    if xp is np:
        function.at(out, where, values)
    elif reduce == "prod" or out.dtype.kind in "biu":  # CuPy has no products at indices, nor extremes of int64
        host = out.get()
        function.at(host, tuple(w.get() for w in where), values.get())
        out = xp.asarray(host)
    else:
        getattr(xp, function.__name__).at(out, where, values)
    if reduce == "mean":
        count = counts_of(out, dim, places, include_self)
        out = out / count if out.dtype.kind in "fc" else out // count
    return scalar(out.reshape(self.shape))


def at_least_1d_array(data: Any) -> Any:
    """An array with one dimension or more."""
    return data if data.ndim else data.reshape(1)


def _neutral(reduce: str, dtype: Any) -> Any:
    """What changes nothing in a reduction."""
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if dtype.kind == "f":
        return -float("inf") if reduce == "amax" else float("inf")
    limits = np.iinfo(dtype)
    return limits.min if reduce == "amax" else limits.max


def without(grad: Any, dim: int, index: Any, include_self: bool) -> Any:
    """The gradient of self; none where self was not included."""
    return grad if include_self else scatter_value(grad, index, dim, 0)


def reduce_backward(
    grad: Any, self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool, result: Any
) -> tuple[Any, Any]:
    """PyTorch's scatter_reduce_backward: the gradients of self and of src."""
    if reduce == "sum":
        return grad, gather_at(grad, dim, index)
    if reduce == "mean":
        count = _counts(self, dim, index, include_self)
        by_self = grad / count
        shares = gather_at(count, dim, index)
        return by_self, gather_at(grad, dim, index) / shares
    if reduce == "prod":
        return _prod_backward(grad, self, dim, index, src, include_self, result)
    return _extreme_backward(grad, self, dim, index, src, result)


def _counts(self: Any, dim: int, index: Any, include_self: bool) -> Any:
    """How many elements each mean is of, beside self."""
    data = data_of(self)
    places = at_least_1d_array(data_of(index))
    return as_kind_of(self, scalar(counts_of(at_least_1d_array(data), dim, places, include_self).reshape(data.shape)))


def counts_of(data: Any, dim: int, places: Any, include_self: bool) -> Any:
    """How many elements each mean is of, in the dtype of the data."""
    xp = array_module(data)
    count = xp.full(data.shape, float(include_self), "float64")
    xp.add.at(count, along(places, dim, data), xp.ones(places.shape, "float64"))
    return xp.maximum(count, 1).astype(data.dtype)


def _numbers(mask: Any, like: Any) -> Any:
    """A mask as zeros and ones."""
    return as_kind_of(like, scalar(data_of(mask).astype(data_of(like).dtype)))


def _extreme_backward(grad: Any, self: Any, dim: int, index: Any, src: Any, result: Any) -> tuple[Any, Any]:
    """All elements that are the extreme share its gradient."""
    value = gather_at(result, dim, index)
    mine, theirs = _numbers(self == result, self), _numbers(src == value, self)
    share = grad / scatter_add_onto(mine, theirs, index, dim)
    by_self = mine * share
    return by_self, theirs * gather_at(share, dim, index)


def _prod_backward(grad: Any, self: Any, dim: int, index: Any, src: Any, include_self: bool, result: Any) -> tuple[Any, Any]:
    """The product without the element: for elements that are zero the product with one in their place."""
    ones_for_zeros = masked_fill_scalar(self, self == 0, 1)
    by_self = grad * scatter_reduce_onto(ones_for_zeros, src, index, dim, "prod", include_self) / ones_for_zeros
    zero = src == 0
    zeros = gather_at(scatter_add_onto(zeros_like(self), _numbers(zero, self), index, dim), dim, index)
    single = zero & (zeros == 1)
    without_it = scatter_reduce_onto(self, masked_fill_scalar(src, single, 1), index, dim, "prod", include_self)
    divisor = masked_fill_scalar(src, zero, 1)  # See Note [Right operand first]
    others = gather_at(grad * result, dim, index) / divisor
    return by_self, where_self(single, gather_at(grad * without_it, dim, index), others)


def scatter_reduce(input: Any, dim: Any, index: Any, src: Any, reduce: Any, *, include_self: bool = True) -> Any:
    """Input with the elements of src reduced into it at `index` along `dim`: ``sum prod mean amax amin``."""
    tensor, src = want_tensor(input, "scatter_reduce"), want_tensor(src, "scatter_reduce", "src")
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise BadArgument(f"scatter_reduce() reduces by 'sum', 'prod', 'mean', 'amax' or 'amin', not {reduce!r}")
    dim = wrap_dim(dim, tensor._data.ndim)
    shape = tensor._data.shape
    index = check_index(index, "scatter_reduce", shape[dim] if shape else 1, dim)
    if tensor._data.dtype != src._data.dtype:
        raise DtypeMismatch(f"scatter_reduce() takes tensors of one dtype, not {tensor.dtype.name} and {src.dtype.name}")
    if tensor._data.dtype.kind == "c" and reduce != "sum":
        raise DtypeMismatch(f"scatter_reduce() by {reduce!r} is not defined for complex numbers")
    if len(index._data.shape or (1,)) != len(shape or (1,)):
        raise ShapeMismatch(f"scatter_reduce() takes an index with as many dimensions as the tensor, not {index._data.ndim}")
    return scatter_reduce_onto(tensor, src, index, dim, reduce, bool(include_self))
