"""Embedding: rows of a matrix looked up by number."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import add_at, array_module
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue, DtypeMismatch, IndexOutOfRange
from .gather import flat
from .masks import masked_fill_scalar
from .support import as_kind_of, data_of, want_tensor


@op(
    "EmbeddingBackward0",
    weight=lambda grad, indices, weight_sizes, padding_idx, scale_grad_by_freq: embedding_dense_backward(
        grad, indices, weight_sizes, padding_idx, scale_grad_by_freq
    ),
)
def embedding_rows(weight, indices: Tensor, padding_idx, scale_grad_by_freq):
    """The rows of weight that the indices name."""
    return weight[indices]


@op(
    "EmbeddingDenseBackwardBackward0",
    grad_output=lambda grad, indices, padding_idx: embedding_backward_backward(grad, indices, padding_idx),
)
def embedding_dense_backward(xp, grad_output, indices: Tensor, sizes, padding_idx, scale_grad_by_freq):
    """The gradient of embedding: for each row the sum over the places where it was used."""
    out = xp.zeros(sizes, grad_output.dtype)
    places, rows = flat(indices), grad_output.reshape(-1, sizes[1])
    if padding_idx >= 0:
        kept = places != padding_idx
        places, rows = places[kept], rows[kept]
    if scale_grad_by_freq:
        rows = rows / xp.bincount(places, minlength=sizes[0])[places][:, None].astype(rows.dtype)
    add_rows(out, places, rows)
    return out


def add_rows(out: Any, places: Any, rows: Any) -> None:
    """``out[places] += rows`` where a place may come several times: sorted, then summed in runs."""
    if not places.size:
        return
    if out.__class__ is not np.ndarray:
        add_at(out, places, rows)
        return
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_places[1:] != sorted_places[:-1])))
    out[sorted_places[starts]] = np.add.reduceat(rows[order], starts, axis=0)


def embedding_backward_backward(grad: Any, indices: Any, padding_idx: int) -> Any:
    """PyTorch's embedding_dense_double_backward: the rows again, without the padding's."""
    rows = embedding_rows(grad, indices, padding_idx, False)
    if padding_idx < 0:
        return rows
    return masked_fill_scalar(rows, as_kind_of(grad, (data_of(indices) == padding_idx)[..., None]), 0)


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Rows of `weight` looked up by the numbers in `input`.

    Parameters
    ----------
    input : Tensor of int64 or int32
    weight : Tensor
        (number of rows, size of a row).
    padding_idx : int, optional
        A row that gets no gradient.
    max_norm : float, optional
        Rows that are used and longer than this are shortened first, in place.
    """
    indices, table = want_tensor(input, "embedding"), want_tensor(weight, "embedding", "weight")
    numbers, rows = indices._data, table._data
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 4:
        raise DtypeMismatch(f"embedding() looks up int64 numbers, not {indices.dtype.name}", hint="convert them with .long()")
    if rows.ndim != 2:
        raise BadArgument(f"embedding() takes a matrix of weights, not {rows.ndim} dimensions")
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < len(rows)):
        bad = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise IndexOutOfRange(
            f"embedding() got the number {bad}, and there are {len(rows)} rows", hint=f"numbers go from 0 to {len(rows) - 1}"
        )
    if padding_idx is not None:
        if not -len(rows) <= padding_idx < len(rows):
            raise BadArgumentValue(f"padding_idx {padding_idx} is outside of the {len(rows)} rows")
        padding_idx %= len(rows)
    if max_norm is not None:
        _renormalize(table, numbers, max_norm, norm_type)
    return embedding_rows(table, indices, -1 if padding_idx is None else padding_idx, scale_grad_by_freq)


def _renormalize(weight: Tensor, numbers: Any, max_norm: float, norm_type: float) -> None:
    """Shorten the rows that are used to max_norm, in place, without recording."""
    data, xp = weight._storage(), array_module(weight._data)
    used = xp.unique(numbers)
    norms = xp.linalg.norm(data[used], ord=norm_type, axis=1)
    long = norms > max_norm
    data[used[long]] *= (max_norm / (norms[long] + 1e-7))[:, None].astype(data.dtype)
    weight._written("embedding_renorm_")
