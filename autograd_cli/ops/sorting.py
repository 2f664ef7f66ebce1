"""Sorting and selection along a dimension: sort, topk, kthvalue, median, mode, running extremes."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import HOST, array_module
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, IndexOutOfRange
from . import selection
from .gather import blank, scatter_add_onto
from .named import named_pair
from .reduce import first_place, indices_along, pick_backward, share_evenly
from .support import as_int, on_device_of, want_tensor, wrap_dim


def order_of(data: Any, dim: int, descending: bool = False) -> Any:
    """The indices that sort an array; equal elements keep their order, and nan counts as the largest."""
    if data.__class__ is not np.ndarray:  # CuPy's sort is stable
        order = array_module(data).argsort(array_module(data).flip(data, dim) if descending else data, axis=dim)
    else:
        order = np.argsort(np.flip(data, dim) if descending else data, axis=dim, kind="stable")
    if not descending:
        return order
    return data.shape[dim] - 1 - array_module(data).flip(order, dim)


def _sorted(data: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    """(values, indices) of a sort."""
    if not data.ndim:
        return scalar(data), first_place(data)
    order = order_of(data, dim, descending)
    return array_module(data).take_along_axis(data, order, dim), order.astype("int64")


@op(
    "SortBackward0",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes: pick_backward(grad, dim, indices, self_sizes, True),
)
def sort_dim(self, dim, descending):
    """The elements in order along a dimension, and where they were."""
    return _sorted(self, dim, descending)


@op(
    "SortBackward1",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes: pick_backward(grad, dim, indices, self_sizes, True),
)
def sort_stable(self, dim, descending):
    """The elements in order along a dimension, equal ones as they were, and where they were."""
    return _sorted(self, dim, descending)


def sort(input: Any, dim: Any = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along `dim`; nan counts as the largest."""
    input = _no_complex(input, "sort")
    run = sort_dim if stable is None else sort_stable
    return named_pair("sort", *run(input, wrap_dim(dim, input._data.ndim), bool(descending)))


def argsort(input: Any, dim: Any = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """The indices that sort input along `dim`."""
    data = _no_complex(input, "argsort")._data
    return fresh(_sorted(data, wrap_dim(dim, data.ndim), bool(descending))[1])


def msort(input: Any) -> Any:
    """The elements in order along the first dimension."""
    return sort(input, 0)[0]


def _no_complex(value: Any, name: str) -> Tensor:
    input = want_tensor(value, name)
    if input._data.dtype.kind == "c":
        raise DtypeMismatch(f"{name}() puts numbers in order, and complex numbers have none", hint="sort x.abs()")
    return input


# ---- some of the elements ----


def _rows(data: Any, dim: int) -> Any:
    """The rows along a dimension of an array, on the CPU."""
    moved = np.moveaxis(data if data.__class__ in HOST else data.get(), dim, -1)
    return moved.reshape(-1, moved.shape[-1])


def _has_ties(data: Any, dim: int) -> bool:
    """Whether elements along a dimension are equal (or nan), so that it matters which of them is taken."""
    ordered = array_module(data).sort(data, axis=dim)
    size = ordered.shape[dim]
    lead = (slice(None),) * dim
    before, after = ordered[(*lead, slice(0, size - 1))], ordered[(*lead, slice(1, size))]
    return bool(((before == after) | (after != after)).any())


def _by_rows(data: Any, dim: int, select: Any, count: int) -> Any:
    """The indices that `select` takes of each row, `count` of them, in the place of the dimension."""
    chosen = [select([(value, i) for i, value in enumerate(row.tolist())]) for row in _rows(data, dim)]
    shape = (*data.shape[:dim], *data.shape[dim + 1 :], count)
    found = np.array(chosen, np.int64).reshape(shape)
    return array_module(data).asarray(np.ascontiguousarray(np.moveaxis(found, -1, dim)))


def _top_of_row(k: int, largest: bool, in_order: bool) -> Any:
    """How PyTorch selects k elements of a row: by a heap where they are few, else by partition."""
    before = selection.larger if largest else selection.smaller

    def select(items: selection.Items) -> list[int]:
        if k * 64 <= len(items):
            selection.partial_sort(items, 0, k, len(items), before)
        elif k:
            selection.nth_element(items, k - 1, before)
            if in_order:
                selection.sort(items, k - 1, before)
        return [i for _, i in items[:k]]

    return select


@op(
    "TopkBackward0",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes: pick_backward(grad, dim, indices, self_sizes, True),
)
def topk_dim(self, k, dim, largest, sorted):
    """The k largest or smallest elements along a dimension, and where they are."""
    if not self.ndim:
        return (scalar(self), first_place(self)) if k else (self.reshape(1)[:0], on_device_of(self, np.zeros(0, np.int64)))
    if _has_ties(self, dim) or not sorted:
        order = _by_rows(self, dim, _top_of_row(k, largest, sorted), k)
    else:
        order = order_of(self, dim, largest)[(slice(None),) * dim + (slice(0, k),)].astype("int64")
    return array_module(self).take_along_axis(self, order, dim), order


def topk(input: Any, k: Any, dim: Any = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the k largest elements along `dim`, or of the smallest."""
    input = _no_complex(input, "topk")
    if input._data.dtype.kind == "b":
        raise DtypeMismatch("topk() is not defined for bool tensors", hint="convert first: x.int()")
    dim, k = wrap_dim(dim, input._data.ndim), as_int(k, "k")
    size = input._data.shape[dim] if input._data.ndim else 1
    if not 0 <= k <= size:
        raise BadArgument(f"topk() cannot take {k} of the {size} elements along dimension {dim}")
    return named_pair("topk", *topk_dim(input, k, dim, bool(largest), bool(sorted)))


@op(
    "KthvalueBackward0",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes, keepdim: pick_backward(grad, dim, indices, self_sizes, keepdim),
)
def kth_dim(self, k, dim, keepdim):
    """The k-th smallest elements along a dimension, and where they are."""
    if not self.ndim:
        return scalar(self), first_place(self)

    def select(items):
        selection.quick_select(items, k - 1)
        return [items[k - 1][1]]

    return indices_along(self, _by_rows(self, dim, select, 1).squeeze(dim), dim, keepdim)


def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the k-th smallest element along `dim`."""
    input = _no_complex(input, "kthvalue")
    dim, k = wrap_dim(dim, input._data.ndim), as_int(k, "k")
    size = input._data.shape[dim] if input._data.ndim else 1
    if not size:
        raise IndexOutOfRange(f"kthvalue() along dimension {dim}, whose size is 0, has no value")
    if not 0 < k <= size:
        raise BadArgument(f"kthvalue() cannot take element {k} of the {size} along dimension {dim}", hint="k counts from 1")
    return named_pair("kthvalue", *kth_dim(input, k, dim, keepdim))


def _middle(data: Any, dim: int, ignore_nan: bool) -> Any:
    """The indices of the medians along a dimension: of two middle elements the smaller, of equal ones the first."""
    xp = array_module(data)
    nan = data != data
    order = order_of(data, dim)
    size = data.shape[dim]
    place = xp.expand_dims(
        xp.maximum(size - nan.sum(axis=dim) - 1, 0) // 2 if ignore_nan else xp.full_like(nan.sum(axis=dim), (size - 1) // 2), dim
    )
    chosen = xp.take_along_axis(order, place, dim).squeeze(dim)
    return chosen if ignore_nan else xp.where(nan.any(axis=dim), nan.argmax(axis=dim), chosen)


def _median_of(data: Any, ignore_nan: bool) -> Any:
    """The median of all elements."""
    flat = data.reshape(-1)
    return flat[_middle(flat, 0, ignore_nan)] if data.size else on_device_of(data, data.dtype.type(np.nan))


@op("MedianBackward0", self=lambda grad, self, result: share_evenly(grad, self, result))
def median_all(self):
    """The median of all elements."""
    return _median_of(self, False)


@op("NanmedianBackward0", self=lambda grad, self, result: share_evenly(grad, self, result))
def nanmedian_all(self):
    """The median of all elements that are not nan."""
    return _median_of(self, True)


@op(
    "MedianBackward1",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes, keepdim: pick_backward(grad, dim, indices, self_sizes, keepdim),
)
def median_dim(self, dim, keepdim):
    """The medians along a dimension, and where they are."""
    return indices_along(self, _middle(self, dim, False) if self.ndim else 0, dim, keepdim)


@op(
    "NanmedianBackward1",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes, keepdim: pick_backward(grad, dim, indices, self_sizes, keepdim),
)
def nanmedian_dim(self, dim, keepdim):
    """The medians along a dimension of what is not nan, and where they are."""
    return indices_along(self, _middle(self, dim, True) if self.ndim else 0, dim, keepdim)


def _median(name: str, whole: Any, along: Any, doc: str) -> Any:
    def median(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        input = _no_complex(input, name)
        if input._data.dtype.kind == "b":
            raise DtypeMismatch(f"{name}() is not defined for bool tensors", hint="convert first: x.int()")
        if dim is None:
            return whole(input)
        dim = wrap_dim(dim, input._data.ndim)
        if input._data.ndim and not input._data.shape[dim]:
            raise IndexOutOfRange(f"{name}() along dimension {dim}, whose size is 0, has no value")
        return named_pair(name, *along(input, dim, keepdim))

    median.__name__ = median.__qualname__ = name
    median.__doc__ = doc
    return median


median = _median(
    "median", median_all, median_dim, "The median, of two middle elements the smaller; with `dim`, (values, indices) along it."
)
nanmedian = _median("nanmedian", nanmedian_all, nanmedian_dim, "As median, without the elements that are nan.")


# ---- the most frequent element ----


def _mode_of_row(row: Any) -> int:
    """The index of the last of the most frequent elements; of several such values the smallest."""
    values, counts = np.unique(row, return_counts=True, equal_nan=False)
    best = values[counts.argmax()]
    return int(np.flatnonzero(row == best)[-1]) if best == best else int(order_of(row, 0)[0])


@op(
    "ModeBackward0",
    outputs=("values", "indices"),
    self=lambda grad, dim, indices, self_sizes, keepdim: pick_backward(grad, dim, indices, self_sizes, keepdim),
)
def mode_dim(self, dim, keepdim):
    """The most frequent elements along a dimension, and where the last of each is."""
    if not self.ndim:
        return scalar(self), first_place(self)
    shape = (*self.shape[:dim], *self.shape[dim + 1 :])
    chosen = np.array([_mode_of_row(row) for row in _rows(self, dim)], np.int64).reshape(shape)
    return indices_along(self, array_module(self).asarray(chosen), dim, keepdim)


def mode(input: Any, dim: Any = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the most frequent element along `dim`."""
    input = _no_complex(input, "mode")
    dim = wrap_dim(dim, input._data.ndim)
    if input._data.ndim and not input._data.shape[dim]:
        raise IndexOutOfRange(f"mode() along dimension {dim}, whose size is 0, has no value")
    return named_pair("mode", *mode_dim(input, dim, keepdim))


# ---- running extremes ----


def _accumulated(ufunc: Any, data: Any, dim: int) -> Any:
    """``ufunc.accumulate``, which CuPy has for sums and products only: there each step doubles how far an element looks back."""
    if data.__class__ is np.ndarray:
        return ufunc.accumulate(data, axis=dim)
    data, back, lead = data.copy(), 1, (slice(None),) * dim
    while back < data.shape[dim]:
        data[(*lead, slice(back, None))] = ufunc(data[(*lead, slice(back, None))], data[(*lead, slice(None, -back))])
        back *= 2
    return data


def _running(data: Any, dim: int, largest: bool) -> tuple[Any, Any]:
    """The largest (or smallest) element so far, and the index of the last that is as large; once nan, always nan."""
    if not data.ndim:
        return scalar(data), first_place(data)
    xp = array_module(data)
    values = _accumulated(xp.maximum if largest else xp.minimum, data, dim)
    reached = (data == values) | (data != data)
    shape = [1] * data.ndim
    shape[dim] = data.shape[dim]
    places = xp.where(reached, xp.arange(data.shape[dim]).reshape(shape), 0)
    return values, _accumulated(xp.maximum, places, dim).astype("int64")


@op(
    "CummaxBackward0",
    outputs=("values", "indices"),
    self=lambda grad, self, indices, dim: running_backward(grad, self, indices, dim),
)
def cummax_dim(self, dim):
    """The largest elements so far along a dimension, and where they are."""
    return _running(self, dim, True)


@op(
    "CumminBackward0",
    outputs=("values", "indices"),
    self=lambda grad, self, indices, dim: running_backward(grad, self, indices, dim),
)
def cummin_dim(self, dim):
    """The smallest elements so far along a dimension, and where they are."""
    return _running(self, dim, False)


def running_backward(grad: Any, self: Any, indices: Any, dim: int) -> Any:
    """PyTorch's cummaxmin_backward: each gradient goes to the element that was the extreme."""
    sizes = (self._data if isinstance(self, Tensor) else self).shape
    return scatter_add_onto(blank(grad, sizes), grad, indices, dim)


def cummax(input: Any, dim: Any) -> Any:
    """(values, indices) of the largest element so far along `dim`."""
    input = _no_complex(input, "cummax")
    return named_pair("cummax", *cummax_dim(input, wrap_dim(dim, input._data.ndim)))


def cummin(input: Any, dim: Any) -> Any:
    """(values, indices) of the smallest element so far along `dim`."""
    input = _no_complex(input, "cummin")
    return named_pair("cummin", *cummin_dim(input, wrap_dim(dim, input._data.ndim)))
