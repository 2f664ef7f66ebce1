"""Inverses of matrices, and systems of linear equations."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module
from ..core.basic_ops import conj
from ..core.op import op
from ..core.op_support import scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, LinAlgError, NoHalf, ShapeMismatch
from .factor import by_columns, lu_factor, lu_solve, solve_triangle
from .linalg import matmul, tril, triu
from .named import named
from .shape import transpose_dims
from .sizes import squeeze_dim, unsqueeze_at
from .support import data_of, want_tensor


def mt(x: Any) -> Any:
    """Matrices with rows and columns exchanged; of an array or a Tensor."""
    ndim = data_of(x).ndim
    return transpose_dims(x, ndim - 2, ndim - 1)


def mh(x: Any) -> Any:
    """As ``mt``, and complex numbers conjugated."""
    return conj(mt(x))


# Functions that say by a RuntimeError that they are not for 2-byte floats; others have no kernel for them, a NotImplementedError.
_LOW_PRECISION = frozenset(
    [
        "linalg.inv",
        "linalg.inv_ex",
        "linalg.slogdet",
        "slogdet",
        "logdet",
        "linalg.pinv",
        "linalg.lstsq",
        "linalg.matrix_rank",
        "linalg.matrix_norm",
    ]
)


def matrices(value: Any, name: str, square: bool = False, argument: str = "A", halves: bool = False) -> Tensor:
    """A tensor of floating-point matrices, square where that is asked for."""
    found = want_tensor(value, name, argument)
    shape = found._data.shape
    if len(shape) < 2:
        raise BadArgument(f"{name}() takes a matrix or a batch of them, not a tensor of shape {list(shape)}")
    if square and shape[-1] != shape[-2]:
        raise BadArgument(f"{name}() takes square matrices, and these have {shape[-2]} rows and {shape[-1]} columns")
    kind = found._data.dtype
    if not (halves and kind in dt.HALVES) and (kind.kind not in "fc" or kind.itemsize < 4):
        kind_of_error = NoHalf if kind in dt.HALVES and name not in _LOW_PRECISION else DtypeMismatch
        raise kind_of_error(f"{name}() is not defined for {found.dtype.name}", hint="convert first: x.float()")
    return found


def check_factored(info: Any, name: str, problem: str) -> None:
    """Raise LinAlgError where a factorization found that it cannot be done.

    `info` is 0 for a matrix that can, else the row, counted from 1, that showed it.
    """
    flat = np.asarray(info.get() if hasattr(info, "get") else info).reshape(-1)
    if flat.any():
        which = int(np.flatnonzero(flat)[0])
        where = f"matrix {which} of the batch" if info.ndim else "the matrix"
        raise LinAlgError(
            f"{name}(): {where} {problem} (found at row {int(flat[which]) - 1})", hint="look at it with torch.linalg.cond"
        )


# ---- inverse ----


@op("LinalgInvExBackward0", outputs=("inverse", "info"), A=lambda grad, inverse: inverse_backward(grad, inverse))
def inverse_of(A):
    """The inverse of square matrices, and which of them have none."""
    xp = array_module(A)
    info = lu_factor(A)[2]
    if not info.any():
        return by_columns(xp.linalg.inv(A) if A.size else A.copy()), scalar(info)
    found = xp.full_like(A, math.inf)
    if info.ndim:
        found[info == 0] = xp.linalg.inv(A[info == 0])
    return by_columns(found), scalar(info)


def inverse_backward(grad: Any, inverse: Any) -> Any:
    """``-inverse.T @ grad @ inverse.T``. See Note [Right operand first]."""
    right = matmul(grad, mh(inverse))
    return -matmul(mh(inverse), right)


def inv(A: Any) -> Any:
    """The inverse of a square matrix, or of each in a batch."""
    inverse, info = inverse_of(matrices(A, "linalg.inv", square=True))
    check_factored(info._data, "linalg.inv", "is singular: it has no inverse")
    return inverse


def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """(inverse, info): as inv, and instead of an error info says which matrices have no inverse."""
    inverse, info = inverse_of(matrices(A, "linalg.inv_ex", square=True))
    if check_errors:
        check_factored(info._data, "linalg.inv_ex", "is singular: it has no inverse")
    return named("linalg_inv_ex", inverse=inverse, info=info)


def inverse(input: Any) -> Any:
    """The inverse of a square matrix, or of each in a batch."""
    return inv(input)


# ---- linear equations ----


@op(
    "LinalgSolveExBackward0",
    broadcasts=("A", "B"),
    outputs=("result", "LU", "pivots", "info"),
    common=lambda grad, result, A, LU, pivots, left: solve_backward(grad, result, A, LU, pivots, left),
    A=lambda grad, common, result, LU, left: solve_backward_A(common, result, LU, left),
    B=lambda grad, common, result, LU: solve_backward_B(common, result, LU),
)
def solve_of(A, B, left):
    """The solution of linear equations, and the LU factorization of their matrices."""
    xp = array_module(A)
    turned = not left
    lu, pivots, info = lu_factor(A.swapaxes(-1, -2) if turned else A)
    vector = is_vector(A, B)
    b = B[..., None] if vector else B.swapaxes(-1, -2) if turned else B
    if not info.any() and A.size:
        found = xp.linalg.solve(A.swapaxes(-1, -2) if turned else A, b)
    else:
        found = lu_solve(lu, pivots, b)
    if vector:
        found = by_columns(found[..., 0]) if found.ndim > 2 else found[..., 0]
    else:
        found = by_columns(found).swapaxes(-1, -2) if turned else by_columns(found)
    return found, lu, pivots, scalar(info)


def is_vector(A: Any, B: Any) -> bool:
    """PyTorch's linalg_solve_is_vector_rhs: whether B is a vector for each matrix."""
    a, b = data_of(A).shape, data_of(B).shape
    return len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])


def solve_backward(grad: Any, result: Any, A: Any, LU: Any, pivots: Any, left: bool) -> Any:
    """What both gradients of a solution rest on: the transposed equations, solved for the gradient; vectors as columns."""
    if is_vector(LU, result):
        grad = unsqueeze_at(grad, data_of(grad).ndim)
    if isinstance(grad, Tensor):
        return solve(mh(A), grad, left=left)
    found = lu_solve(LU, pivots, grad if left else grad.swapaxes(-1, -2), adjoint=True)
    return found if left else found.swapaxes(-1, -2)


def solve_backward_B(common: Any, result: Any, LU: Any) -> Any:
    """The gradient of a solution by the right-hand side."""
    return squeeze_dim(common, data_of(common).ndim - 1) if is_vector(LU, result) else common


def solve_backward_A(common: Any, result: Any, LU: Any, left: bool) -> Any:
    """The gradient of a solution by the matrices."""
    if is_vector(LU, result):
        result = unsqueeze_at(result, data_of(result).ndim)
    return -matmul(common, mh(result)) if left else -matmul(mh(result), common)


def solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """x with ``A @ x == B``, or with ``x @ A == B``; both may be batches."""
    return _solved(A, B, left, "linalg.solve", True)[0]


def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """(result, info): as solve, and instead of an error info says which matrices are singular."""
    result, info = _solved(A, B, left, "linalg.solve_ex", check_errors)
    return named("linalg_solve_ex", result=result, info=info)


def _solved(A: Any, B: Any, left: bool, name: str, check: bool) -> tuple[Any, Any]:
    A = matrices(A, name, square=True)
    B = want_tensor(B, name, "B")
    a, b = A._data.shape, B._data.shape
    if A._data.dtype != B._data.dtype:
        raise DtypeMismatch(f"{name}() takes two tensors of one dtype, not {A.dtype.name} and {B.dtype.name}")
    if is_vector(A, B):
        fits = left and b[-1] == a[-1]
    else:
        fits = len(b) > 1 and b[-2 if left else -1] == a[-1]
    if not fits:
        raise ShapeMismatch(
            f"{name}() cannot solve equations with matrices of shape {list(a)} for a right side of shape {list(b)}"
        )
    check_batches(A, B, name)
    result, _, _, info = solve_of(A, B, left)
    if check:
        check_factored(info._data, name, "is singular: the equations have no single solution")
    return result, info


def check_batches(A: Tensor, B: Tensor, name: str) -> None:
    """Raise where two batches of matrices do not broadcast; B may be a vector for each."""
    a, b = A._data.shape, B._data.shape
    try:
        np.broadcast_shapes(a[:-2], b[: -1 if is_vector(A, B) else -2])
    except ValueError:
        raise ShapeMismatch(f"{name}() cannot bring the batches of the shapes {list(a)} and {list(b)} together") from None


@op(
    "LinalgSolveTriangularBackward0",
    broadcasts=("self", "B"),
    common=lambda grad, self, upper, left, unitriangular: triangular_backward_B(grad, self, upper, left, unitriangular),
    self=lambda grad, common, result, upper, left, unitriangular: triangular_backward_A(
        common, result, upper, left, unitriangular
    ),
    B=lambda grad, common: common,
)
def solve_triangular_of(self, B, upper, left, unitriangular):
    """The solution of linear equations with triangular matrices."""
    if left:
        return by_columns(solve_triangle(self, B, upper, unitriangular))
    return by_columns(solve_triangle(self.swapaxes(-1, -2), B.swapaxes(-1, -2), not upper, unitriangular).swapaxes(-1, -2))


def triangular_backward_B(grad: Any, A: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """The gradient by the right-hand side: the transposed equations, solved."""
    return solve_triangular_of(mh(A), grad, not upper, left, unitriangular)


def triangular_backward_A(common: Any, result: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """The gradient by the matrices, of which one half counts."""
    other = mh(result)
    slope = -matmul(common, other) if left else -matmul(other, common)
    return triu(slope, int(unitriangular)) if upper else tril(slope, -int(unitriangular))


def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """x with ``A @ x == B`` (or ``x @ A == B``), where A is triangular; its other half is not looked at."""
    A, B = matrices(A, "linalg.solve_triangular", square=True), matrices(B, "linalg.solve_triangular", argument="B")
    if B._data.shape[-2 if left else -1] != A._data.shape[-1] or A._data.dtype != B._data.dtype:
        raise ShapeMismatch(
            f"linalg.solve_triangular() cannot solve equations with matrices of shape {list(A._data.shape)} for a right side of shape "
            f"{list(B._data.shape)}"
        )
    check_batches(A, B, "linalg.solve_triangular")
    return solve_triangular_of(A, B, bool(upper), bool(left), bool(unitriangular))
