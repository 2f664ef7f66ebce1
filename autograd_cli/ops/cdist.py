"""Distances between all rows of two matrices (``torch.cdist``), or of one (``F.pdist``)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
# mypy: disable-error-code="index,arg-type,attr-defined"
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module, broadcast_shapes
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch
from .compare import masked_fill_scalar
from .linalg import matmul
from .reduce import sum_dim
from .shape import m_t, view_to
from .sizes import expand
from .support import data_of, no_derivative, refuse_halves, want_tensor

MANY = 25  # rows from which on PyTorch takes Euclidean distances from a product of matrices


def distances(away: Any, p: float) -> Any:
    """The p-norm of differences along the last dimension."""
    xp, size = array_module(away), abs(away)
    if p == 0:
        return (away != 0).sum(axis=-1).astype(away.dtype)
    if p == math.inf:
        return size.max(axis=-1) if away.shape[-1] else xp.zeros(away.shape[:-1], away.dtype)
    if p == 1:
        return size.sum(axis=-1)
    if p == 2:
        return xp.sqrt((size * size).sum(axis=-1))
    return (size**p).sum(axis=-1) ** (1 / p)


def slopes(away: Any, distance: Any, p: float) -> Any:
    """The derivative of a distance by each difference; 0 where the distance is 0."""
    xp, size, d = array_module(away), abs(away), distance[..., None]
    nothing = away.dtype.type(0)
    if p == 0:
        return xp.zeros_like(away)
    if p == 1:
        return xp.sign(away)
    if p == math.inf:
        return xp.where(size == d, xp.sign(away), nothing)
    safe = xp.where(d == 0, away.dtype.type(1), d)
    if p == 2:
        return xp.where(d == 0, nothing, away / safe)
    power = xp.where((size == 0) & (p < 1), nothing, xp.where(size == 0, away.dtype.type(1), size) ** (p - 1))
    return xp.where((d == 0) | (size == 0), nothing, xp.sign(away) * power / safe ** (p - 1))


def turned(x: Any) -> Any:
    """An array or a Tensor with its last two dimensions exchanged."""
    return m_t(x) if isinstance(x, Tensor) else x.swapaxes(-1, -2)


@op(
    "CdistBackward0",
    real_only=True,
    x1=lambda grad, x1, x2, p, result: cdist_backward(grad, x1, x2, p, result),
    x2=lambda grad, x1, x2, p, result: cdist_backward(turned(grad), x2, x1, p, turned(result)),
)
def cdist_forward(x1, x2, p):
    """The distance of each row of x1 from each row of x2."""
    return distances(x1[..., :, None, :] - x2[..., None, :, :], p)


@op("CdistBackwardBackward0", grad_output=lambda grad: no_derivative("_cdist_backward"))
def cdist_backward(grad_output, x1: Tensor, x2: Tensor, p, cdist: Tensor):
    """The gradient of cdist by x1."""
    away = x1[..., :, None, :] - x2[..., None, :, :]
    return (grad_output[..., None] * slopes(away, cdist, p)).sum(axis=-2)


@op(
    "EuclideanDistBackward0",
    real_only=True,
    x1=lambda grad, x1, x2, result: euclidean_backward(grad, x1, x2, result),
    x2=lambda grad, x1, x2, result: euclidean_backward(turned(grad), x2, x1, turned(result)),
)
def euclidean_dist(xp, x1, x2):
    """Euclidean distances of many rows: |a|**2 + |b|**2 - 2 a·b, without the differences."""
    squares = (x1 * x1).sum(axis=-1)[..., :, None] + (x2 * x2).sum(axis=-1)[..., None, :]
    return xp.sqrt(xp.maximum(squares - 2 * (x1 @ x2.swapaxes(-1, -2)), 0))


def euclidean_backward(grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    """The gradient of euclidean_dist by x1, in operations that can be differentiated again."""
    ratio = masked_fill_scalar(grad / result, result == 0, 0)
    total = sum_dim(ratio, (data_of(ratio).ndim - 1,), True)
    return x1 * total - matmul(ratio, x2)


@op("PdistBackward0", real_only=True, self=lambda grad, self, p, result: pdist_backward(grad, self, p, result))
def pdist_forward(xp, self, p):
    """The distances of all pairs of rows, each once."""
    first, second = xp.triu_indices(len(self), 1)
    return distances(self[first] - self[second], p)


@op("PdistBackwardBackward0", grad_output=lambda grad: no_derivative("_pdist_backward"))
def pdist_backward(xp, grad_output, self: Tensor, p, pdist: Tensor):
    """The gradient of pdist."""
    first, second = xp.triu_indices(len(self), 1)
    part = grad_output[:, None] * slopes(self[first] - self[second], pdist, p)
    out = xp.zeros(self.shape, self.dtype)
    xp.add.at(out, first, part)
    xp.add.at(out, second, -part)
    return out


def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Any:
    """The p-norm distance of each row of x1 (…, P, M) from each row of x2 (…, R, M), as (…, P, R)."""
    a, b = want_tensor(x1, "cdist", "x1")._data, want_tensor(x2, "cdist", "x2")._data
    modes = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": True, "donot_use_mm_for_euclid_dist": False}
    if compute_mode not in modes:
        raise BadArgument(f"compute_mode of cdist() is one of {', '.join(modes)}, not {compute_mode!r}")
    if a.dtype.kind not in "fV" or b.dtype.kind not in "fV":
        raise DtypeMismatch("cdist() takes floating-point tensors", hint="convert first: x.float()")
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-1]:
        raise BadArgument(
            f"cdist() takes rows of one length, (…, P, M) and (…, R, M), not shapes {list(a.shape)} and {list(b.shape)}"
        )
    if p < 0:
        raise BadArgument(f"p of cdist() is 0 or more, not {p}")
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x1, x2 = (x if x._data.shape[:-2] == lead else expand(x, (*lead, *x._data.shape[-2:])) for x in (x1, x2))
    by_product = modes[compute_mode]
    if p == 2 and (by_product or (by_product is None and max(a.shape[-2], b.shape[-2]) > MANY)):
        return view_to(euclidean_dist(x1, x2), (*lead, a.shape[-2], b.shape[-2]))
    refuse_halves("cdist", a)
    return cdist_forward(x1, x2, float(p))


def pdist(input: Any, p: float = 2.0) -> Any:
    """The p-norm distances of all pairs of rows of a matrix."""
    refuse_halves("pdist", want_tensor(input, "pdist")._data)
    shape = want_tensor(input, "pdist")._data.shape
    if len(shape) != 2:
        raise BadArgument(f"pdist() takes a matrix, not shape {list(shape)}")
    if p < 0:
        raise BadArgument(f"p of pdist() is 0 or more, not {p}")
    return pdist_forward(input, float(p))
