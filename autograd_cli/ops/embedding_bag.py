"""``F.embedding_bag``: the sum, mean or maximum of rows of a matrix, bag by bag, without making the rows."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
# mypy: disable-error-code="index,arg-type,attr-defined"
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import add_at, array_module
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue, DtypeMismatch, Unsupported
from .embedding import _renormalize, add_rows
from .support import no_derivative, want_tensor

MODES = ("sum", "mean", "max")


@op(
    "EmbeddingBagBackward0",
    real_only=True,
    weight=lambda grad, weight, indices, bags, mode, per_sample_weights, padding_idx: bag_backward(
        grad, weight, indices, bags, mode, per_sample_weights, padding_idx
    ),
    per_sample_weights=lambda grad, weight, indices, bags, padding_idx: sample_products(grad, weight, indices, bags, padding_idx),
)
def bag_forward(xp, weight, per_sample_weights, indices: Tensor, bags, count, mode, padding_idx):
    """One row for each of `count` bags; `bags` says which bag each index belongs to."""
    places = kept_places(indices, padding_idx)
    rows, bags = weight[indices[places]], bags[places]
    out = xp.zeros((count, weight.shape[1]), weight.dtype)
    if mode == "max":
        lowest = xp.full(out.shape, -np.inf, weight.dtype)
        xp.maximum.at(lowest, bags, rows)
        filled = xp.bincount(bags, minlength=count) > 0
        out[filled] = lowest[filled]
        return out
    if mode == "sum":
        rows = rows * per_sample_weights[places][:, None]
    add_rows(out, bags, rows)
    return out / sizes_of(bags, count)[:, None].astype(out.dtype) if mode == "mean" else out


def kept_places(indices: Any, padding_idx: int) -> Any:
    """Where the indices are that are no padding."""
    return array_module(indices).flatnonzero(indices != padding_idx)


def sizes_of(bags: Any, count: int) -> Any:
    """How many rows each bag has; 1 where none."""
    xp = array_module(bags)
    return xp.maximum(xp.bincount(bags, minlength=count), 1)


@op("EmbeddingBagBackwardBackward0", grad_output=lambda grad: no_derivative("embedding_bag's backward"))
def bag_backward(xp, grad_output, weight: Tensor, indices: Tensor, bags, mode, per_sample_weights: Tensor, padding_idx):
    """The gradient of embedding_bag by the matrix."""
    out = xp.zeros(weight.shape, grad_output.dtype)
    places = kept_places(indices, padding_idx)
    used, bags = indices[places], bags[places]
    if mode == "max":
        rows = weight[used]
        first = xp.zeros(grad_output.shape, np.int64)
        best = xp.full(grad_output.shape, -np.inf, weight.dtype)
        for place, (bag, row) in enumerate(
            zip(bags.tolist(), rows, strict=True)
        ):  # the first of equal elements gets the gradient
            better = row > best[bag]
            best[bag][better], first[bag][better] = row[better], place
        filled = xp.bincount(bags, minlength=len(grad_output)) > 0
        columns = xp.arange(weight.shape[1])
        for bag in xp.flatnonzero(filled).tolist():
            add_at(out, (used[first[bag]], columns), grad_output[bag])
        return out
    rows = grad_output[bags]
    if mode == "mean":
        rows = rows / sizes_of(bags, len(grad_output))[bags][:, None].astype(rows.dtype)
    if mode == "sum":
        rows = rows * per_sample_weights[places][:, None]
    add_rows(out, used, rows)
    return out


@op("EmbeddingBagPerSampleWeightsBackwardBackward0", grad=lambda grad: no_derivative("embedding_bag's backward"))
def sample_products(grad, weight: Tensor, indices: Tensor, bags, padding_idx):
    """For each sample the product of its row with its bag's gradient."""
    found = (grad[bags] * weight[indices]).sum(axis=1)
    return found * (indices != padding_idx)


def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """The sum, mean or maximum of the rows of `weight` that each bag of numbers names.

    Parameters
    ----------
    input : Tensor of int
        (bags, numbers in each), or all numbers in one row with `offsets`, where each bag begins.
    mode : str
        ``sum``, ``mean`` or ``max``.
    per_sample_weights : Tensor, optional
        What each row counts in a sum.
    """
    numbers, table = want_tensor(input, "embedding_bag"), want_tensor(weight, "embedding_bag", "weight")
    if scale_grad_by_freq:
        raise Unsupported(
            "embedding_bag(scale_grad_by_freq=True) is not supported: PyTorch divides by other numbers than it documents",
            hint="use embedding(..., scale_grad_by_freq=True) and sum the rows",
        )
    if mode not in MODES:
        raise BadArgumentValue(f"mode of embedding_bag() is 'sum', 'mean' or 'max', not {mode!r}")
    if numbers._data.dtype.kind not in "iu":
        raise DtypeMismatch(f"embedding_bag() looks up int64 numbers, not {numbers.dtype.name}", hint="convert them with .long()")
    if per_sample_weights is not None:
        if mode != "sum":
            raise BadArgument("per_sample_weights of embedding_bag() go with mode='sum' only")
        if per_sample_weights.shape != numbers.shape:
            raise BadArgumentValue("per_sample_weights of embedding_bag() have the shape of the numbers")
        per_sample_weights = per_sample_weights.reshape(-1)
    starts, count = _bags(numbers._data, offsets, include_last_offset)
    flat = numbers.reshape(-1)
    data, rows = flat._data, len(table._data)
    if data.size and not (data.min() >= 0 and data.max() < rows):
        raise BadArgument(f"embedding_bag() got a number that is no row from 0 to {rows - 1}")
    if max_norm is not None:
        _renormalize(table, data, max_norm, norm_type)
    xp = array_module(data)
    if per_sample_weights is None:
        per_sample_weights = fresh(xp.ones(data.shape, table._data.dtype))
    bags = xp.searchsorted(starts, xp.arange(data.size), side="right") - 1
    skip = -1 if padding_idx is None else padding_idx % rows
    return bag_forward(table, per_sample_weights, flat, bags, count, mode, skip)


def _bags(numbers: Any, offsets: Any, include_last_offset: bool) -> tuple[Any, int]:
    """(where each bag begins, how many there are)."""
    xp = array_module(numbers)
    if numbers.ndim == 2:
        if offsets is not None:
            raise BadArgumentValue("embedding_bag() takes no offsets with numbers in two dimensions: each row is a bag")
        return xp.arange(numbers.shape[0]) * numbers.shape[1], numbers.shape[0]
    if numbers.ndim != 1:
        raise BadArgumentValue(f"embedding_bag() takes numbers in one or two dimensions, not {numbers.ndim}")
    if offsets is None:
        raise BadArgumentValue("embedding_bag() of numbers in one dimension needs offsets", hint="say where each bag begins")
    starts = want_tensor(offsets, "embedding_bag", "offsets")._data
    if starts.ndim != 1 or not starts.size or starts[0] != 0 or (xp.diff(starts) < 0).any() or starts[-1] > numbers.size:
        raise BadArgumentValue(f"offsets of embedding_bag() rise from 0 to at most {numbers.size}, not {starts.tolist()}")
    if include_last_offset:
        starts = starts[:-1]
    return starts, len(starts)
