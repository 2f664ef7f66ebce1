"""The Cholesky factor of symmetric, positive definite matrices."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import scalar
from .arithmetic import mul_scalar
from .factor import by_columns
from .linalg import matmul, tril
from .matrices import check_factored, matrices, mh, solve_triangular_of
from .named import named


def _cholesky(data: Any, upper: bool) -> tuple[Any, Any]:
    """(L, info): the factor of matrices, and which row shows that one is not positive definite."""
    xp = array_module(data)
    source = data.swapaxes(-1, -2) if upper else data
    info = xp.zeros(data.shape[:-2], "int32")
    try:
        found = xp.linalg.cholesky(source) if data.size else source.copy()
    except np.linalg.LinAlgError:
        found = xp.zeros_like(source)
        for place in np.ndindex(*data.shape[:-2]):
            found[place], info[place] = _cholesky_of_one(source[place])
    return by_columns(found.swapaxes(-1, -2) if upper else found), info


def _cholesky_of_one(matrix: Any) -> tuple[Any, int]:
    """The factor of the largest leading part of a matrix that has one, and which row ended it, counted from 1."""
    xp = array_module(matrix)
    found = xp.tril(matrix)
    for size in range(1, len(matrix) + 1):
        try:
            found[:size, :size] = xp.linalg.cholesky(matrix[:size, :size])
        except np.linalg.LinAlgError:
            return found, size
    return found, 0


@op("LinalgCholeskyExBackward0", outputs=("L", "info"), self=lambda grad, upper, L: cholesky_backward(grad, upper, L))
def cholesky_of(self, upper):
    """The Cholesky factor of matrices, and which have none."""
    found, info = _cholesky(self, upper)
    return found, scalar(info)


@op("CholeskyBackward0", self=lambda grad, upper, result: cholesky_backward(grad, upper, result))
def cholesky_checked(self, upper):
    """The Cholesky factor of matrices."""
    found, info = _cholesky(self, upper)
    check_factored(info, "cholesky", "is not positive definite")
    return found


def cholesky_backward(grad: Any, upper: bool, L: Any) -> Any:
    """PyTorch's cholesky_backward: symmetric, with the sum of both halves shared."""
    factor = mh(L) if upper else L
    g = mh(grad) if upper else grad
    half = tril(matmul(mh(factor), g))
    both = mul_scalar(half + mh(tril(half, -1)), 0.5)
    both = solve_triangular_of(mh(factor), both, True, True, False)
    return solve_triangular_of(factor, both, False, False, False)


def linalg_cholesky(A: Any, *, upper: bool = False) -> Any:
    """L with ``L @ L.T == A``, lower triangular, or its transpose; A is symmetric and positive definite."""
    found, info = cholesky_of(matrices(A, "linalg.cholesky", square=True), bool(upper))
    check_factored(info._data, "linalg.cholesky", "is not positive definite")
    return found


def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """(L, info): as cholesky, and instead of an error info says which matrices have no factor."""
    found, info = cholesky_of(matrices(A, "linalg.cholesky_ex", square=True), bool(upper))
    if check_errors:
        check_factored(info._data, "linalg.cholesky_ex", "is not positive definite")
    return named("linalg_cholesky_ex", L=found, info=info)


def cholesky(input: Any, upper: bool = False) -> Any:
    """The Cholesky factor of a symmetric, positive definite matrix; ``torch.linalg.cholesky`` is its successor."""
    return cholesky_checked(matrices(input, "cholesky", square=True), bool(upper))
