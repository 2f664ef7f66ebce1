"""Where values belong in an order, and which values there are: searchsorted, bucketize, unique, isin, bincount, histc."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, DtypeMismatch, ShapeMismatch
from .support import as_int, no_derivative, want_tensor, wrap_dim


def _side(right: bool, side: Any) -> str:
    if side not in (None, "left", "right"):
        raise BadArgument(f"side is 'left' or 'right', not {side!r}")
    if side == "left" and right:
        raise BadArgument("side='left' and right=True say opposite things: give one of them")
    return side or ("right" if right else "left")


def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: Any = None, sorter: Any = None
) -> Any:
    """Where the values of input belong in a sorted sequence, or each row of them in a row of a batch of sequences."""
    data = want_tensor(sorted_sequence, "searchsorted", "sorted_sequence")._data
    if sorter is not None:
        data = array_module(data).take_along_axis(data, want_tensor(sorter, "searchsorted", "sorter")._data, -1)
    if not data.ndim:
        raise BadArgument("searchsorted() takes a sequence with one dimension or more")
    xp = array_module(data)
    values = input._data if isinstance(input, Tensor) else data.dtype.type(input)
    where = _side(right, side)
    if data.ndim == 1:
        found = xp.searchsorted(data, values, where)
    elif values.shape[:-1] != data.shape[:-1] or not values.ndim:
        raise ShapeMismatch(
            f"searchsorted() takes rows of values for rows of sequences, not {list(values.shape)} for {list(data.shape)}"
        )
    else:
        rows = zip(data.reshape(-1, data.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        found = xp.stack([xp.searchsorted(row, v, where) for row, v in rows]).reshape(values.shape)
    return fresh(scalar(xp.asarray(found).astype("int32" if out_int32 else "int64")))


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """The number of the bucket that each value falls into; `boundaries` rise."""
    limits = want_tensor(boundaries, "bucketize", "boundaries")
    if limits._data.ndim != 1:
        raise BadArgument(f"bucketize() takes a vector of boundaries, not {limits._data.ndim} dimensions")
    return searchsorted(limits, input, out_int32=out_int32, right=right)


# ---- which values there are ----


@op("NotImplemented", outputs=("output", "inverse", "counts"), self=lambda grad: no_derivative("unique"))
def unique_of(xp, self, dim):
    """The different values, or slices along a dimension, in order; where each came from, and how often each occurs."""
    values, inverse, counts = xp.unique(self, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    shape = self.shape if dim is None else (self.shape[dim],)
    return values, inverse.reshape(shape).astype("int64"), counts.astype("int64")


@op("NotImplemented", outputs=("output", "inverse", "counts"), self=lambda grad: no_derivative("unique_consecutive"))
def unique_runs(xp, self, dim):
    """One of each run of equal values, or slices along a dimension; which run each is in, and how long each is."""
    rows = self.reshape(-1) if dim is None else xp.moveaxis(self, dim, 0)
    shape = self.shape if dim is None else (self.shape[dim],)
    differs = (rows[1:] != rows[:-1]).reshape(max(len(rows) - 1, 0), -1).any(axis=1)
    starts = xp.concatenate([xp.ones(min(len(rows), 1), bool), differs])
    run = xp.cumsum(starts) - 1
    values = rows[starts]
    counts = xp.bincount(run, minlength=len(values)) if len(rows) else xp.zeros(0, "int64")
    return values if dim is None else xp.moveaxis(values, 0, dim), run.reshape(shape).astype("int64"), counts.astype("int64")


def _chosen(found: tuple[Any, ...], return_inverse: bool, return_counts: bool) -> Any:
    output, inverse, counts = found
    wanted = (output, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return wanted if len(wanted) > 1 else output


def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """The different values in order, or the different slices along `dim`; with them, if asked, the inverse and the counts."""
    tensor = want_tensor(input, "unique")
    return _chosen(unique_of(tensor, None if dim is None else wrap_dim(dim, tensor._data.ndim)), return_inverse, return_counts)


def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """One of each run of equal values, or of equal slices along `dim`."""
    tensor = want_tensor(input, "unique_consecutive")
    return _chosen(unique_runs(tensor, None if dim is None else wrap_dim(dim, tensor._data.ndim)), return_inverse, return_counts)


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether each of `elements` is among `test_elements`; one of the two may be a number."""
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise BadArgumentType("isin() takes a tensor for `elements` or `test_elements`")
    xp = array_module((elements if isinstance(elements, Tensor) else test_elements)._data)
    a, b = (v._data if isinstance(v, Tensor) else xp.asarray(v) for v in (elements, test_elements))
    return fresh(scalar(xp.isin(a, b, invert=invert)))


# ---- counts ----


def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each number from 0 on occurs in a vector; with `weights`, the sum of those of its places."""
    data = want_tensor(input, "bincount")._data
    least = as_int(minlength, "minlength")
    if data.dtype.kind not in "iu":
        raise DtypeMismatch(f"bincount() counts integers, not {input.dtype.name}", hint="convert them with .long()")
    if data.ndim != 1 or least < 0 or (data.size and data.min() < 0):
        raise BadArgument("bincount() takes a vector of numbers from 0 on, and a minlength from 0 on")
    xp = array_module(data)
    if weights is None:
        return fresh(xp.bincount(data, minlength=least).astype("int64"))
    factor = want_tensor(weights, "bincount", "weights")._data
    if factor.shape != data.shape:
        raise ShapeMismatch(f"bincount() takes a weight for each number, not {list(factor.shape)} for {list(data.shape)}")
    found = xp.bincount(data, factor.astype("float64"), least)
    return fresh(found.astype("float32" if factor.dtype == np.float32 else "float64"))


def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0) -> Any:
    """How many elements fall into each of `bins` equal parts from min to max (of the input's, where both are equal)."""
    data = want_tensor(input, "histc")._data
    count = as_int(bins, "bins")
    if count <= 0:
        raise BadArgument(f"histc() takes a number of bins from 1 on, not {count}")
    if data.dtype.kind not in "fV":
        raise DtypeMismatch(f"histc() is not defined for {input.dtype.name}", hint="convert first: x.float()")
    low, high = float(min), float(max)
    if low == high and data.size:
        low, high = float(data.min()), float(data.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise BadArgument(f"histc() cannot divide the range from {low} to {high}")
    if low > high:
        raise BadArgument(f"histc() takes a min up to max, not {low} and {high}")
    inside = data[(data >= low) & (data <= high)]
    place = ((inside - data.dtype.type(low)) * data.dtype.type(count) / data.dtype.type(high - low)).astype("int64")
    xp = array_module(data)
    return fresh(xp.bincount(xp.minimum(place, count - 1), minlength=count).astype(data.dtype))
