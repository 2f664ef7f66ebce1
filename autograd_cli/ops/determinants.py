"""Determinants, from the LU factorization of the matrices."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.basic_ops import conj
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from .compare import where
from .factor import lu_factor, lu_solve
from .index import getitem, index_put_replaced
from .linalg import diag_embed_at, matmul
from .matrices import matrices, mh, mt, solve
from .named import named
from .scan import products_of_others
from .sizes import expand, unsqueeze_at
from .support import data_of, zeros_like


def _factored(A: Any) -> tuple[Any, Any, Any]:
    """(sign of the row exchanges, LU, pivots); of the transpose where that lies in memory as LAPACK wants it, as PyTorch does."""
    xp = array_module(A)
    turned = A.flags.c_contiguous and A.dtype.kind != "c"
    lu, pivots, _ = lu_factor(A.swapaxes(-1, -2) if turned else A)
    exchanges = (pivots != xp.arange(1, A.shape[-1] + 1)).sum(axis=-1)
    return xp.where(exchanges % 2 == 1, -1, 1).astype(A.dtype), lu, pivots


@op(
    "LinalgDetBackward0",
    outputs=("result", "LU", "pivots"),
    A=lambda grad, result, A, LU, pivots: det_backward(grad, result, A, LU, pivots),
)
def det_of(A):
    """The determinant of square matrices, and their LU factorization."""
    sign, lu, pivots = _factored(A)
    return scalar(sign * lu.diagonal(0, -2, -1).prod(axis=-1)), lu, pivots


def diagonal_matrices(value: Any, pivots: Any) -> Any:
    """One number a matrix, all along its diagonal."""
    n, ndim = data_of(pivots).shape, data_of(value).ndim
    if isinstance(value, Tensor):
        return mt(diag_embed_at(expand(unsqueeze_at(value, ndim), n), 0, -2, -1))
    xp = array_module(pivots)
    return xp.eye(n[-1], dtype=value.dtype) * value[..., None, None]


def lu_solve_array(A: Any, LU: Any, pivots: Any, d: Any) -> Any:
    """``A.T`` solved with the LU factorization of ``_factored``."""
    return lu_solve(LU, pivots, d, adjoint=not (A.flags.c_contiguous and A.dtype.kind != "c"))


def det_backward(grad: Any, result: Any, A: Any, LU: Any, pivots: Any) -> Any:
    """PyTorch's linalg_det_backward: the determinant times the inverse, also where there is none."""
    shape = data_of(A).shape
    if not data_of(A).size:
        return zeros_like(A)
    if shape[-1] == 1:
        grown = (
            grad[..., None, None]
            if not isinstance(grad, Tensor)
            else unsqueeze_at(unsqueeze_at(grad, len(shape) - 2), len(shape) - 1)
        )
        return expand(grown, shape) if isinstance(grad, Tensor) else grown
    d = diagonal_matrices(grad * conj(result), pivots)
    eps = float(np.finfo(data_of(A).dtype).eps)
    if not isinstance(grad, Tensor):
        xp = array_module(A)
        diagonal = LU.diagonal(0, -2, -1)
        nudged = LU + xp.eye(shape[-1], dtype=LU.dtype) * xp.where(diagonal == 0, LU.dtype.type(eps), 0)[..., None, :]
        return lu_solve_array(A, nudged, pivots, d)
    small = data_of(result)
    small = fresh(scalar(array_module(small).abs(small) < 100 * eps))
    if not small._data.any():
        return solve(mh(A), d)
    if small._data.all():
        return det_backward_singular(A, grad)
    regular = fresh(~small._data)
    out = zeros_like(A)
    out = index_put_replaced(out, det_backward_singular(getitem(A, small), getitem(grad, small)), (small,))
    return index_put_replaced(out, solve(mh(getitem(A, regular)), getitem(d, regular)), (regular,))


def det_backward_singular(A: Any, grad: Any) -> Any:
    """The gradient of the determinant by the singular values, which does not divide by them."""
    from .decompositions import reduced_svd

    U, S, Vh = reduced_svd(A)
    alpha = (det(U) * det(Vh)) * grad
    D = products_of_others(unsqueeze_at(alpha, alpha._data.ndim), S, S._data.ndim - 1)
    return matmul(U * unsqueeze_at(D, D._data.ndim - 1), Vh)


def det(A: Any) -> Any:
    """The determinant of a square matrix, or of each in a batch."""
    return det_of(matrices(A, "linalg.det", square=True))[0]


@op(
    "LinalgSlogdetBackward0",
    real_only=True,
    outputs=("sign", "logabsdet", "LU", "pivots"),
    num_grads=2,
    A=lambda grads, A, sign, LU, pivots: slogdet_backward(grads, A, LU, pivots),
)
def slogdet_of(A):
    """The sign of the determinant and the logarithm of its absolute value, and the LU factorization."""
    xp = array_module(A)
    sign, lu, pivots = _factored(A)
    diagonal = lu.diagonal(0, -2, -1)
    sizes = xp.abs(diagonal)
    sign = sign * (diagonal / sizes if A.dtype.kind == "c" else xp.sign(diagonal)).prod(axis=-1)
    return scalar(sign), scalar(xp.log(sizes).sum(axis=-1)), lu, pivots


def slogdet_backward(grads: Any, A: Any, LU: Any, pivots: Any) -> Any:
    """PyTorch's slogdet_backward of real matrices: the sign has no gradient."""
    grad = grads[1]
    if grad is None:
        return None
    d = diagonal_matrices(grad, pivots)
    return solve(mh(A), d) if isinstance(grad, Tensor) else lu_solve_array(A, LU, pivots, d)


def linalg_slogdet(A: Any) -> Any:
    """(sign, logabsdet) of the determinant of a square matrix, or of each in a batch."""
    sign, logabsdet, *_ = slogdet_of(matrices(A, "linalg.slogdet", square=True))
    return named("linalg_slogdet", sign=sign, logabsdet=logabsdet)


def slogdet(input: Any) -> Any:
    """(sign, logabsdet) of the determinant of a square matrix, or of each in a batch."""
    sign, logabsdet, *_ = slogdet_of(matrices(input, "slogdet", square=True))
    return named("slogdet", sign=sign, logabsdet=logabsdet)


def logdet(input: Any) -> Any:
    """The logarithm of the determinant of a square matrix; nan where it is negative."""
    sign, logabsdet, *_ = slogdet_of(matrices(input, "logdet", square=True))
    return where(sign == -1.0, math.nan, logabsdet)
