"""Decompositions with several differentiable results: singular values, QR, eigenvalues of symmetric matrices, LU."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, NotDifferentiable
from .arithmetic import mul_scalar
from .factor import by_columns
from .gather import blank
from .inplace import in_place
from .linalg import diag_embed_at, matmul, tril, triu
from .lists import cat
from .matrices import matrices, mh, solve_triangular_of
from .named import named
from .overwrite import copy_, fill_
from .parts import diagonal_at, narrow
from .sizes import unsqueeze_at
from .support import data_of


def row(x: Any) -> Any:
    """Vectors as matrices with one row."""
    return unsqueeze_at(x, data_of(x).ndim - 1)


def column(x: Any) -> Any:
    """Vectors as matrices with one column."""
    return unsqueeze_at(x, data_of(x).ndim)


def change_diagonal(x: Any, change: Any, value: Any) -> Any:
    """`x` with its diagonal changed in place, as PyTorch's formulas do: recorded on a Tensor, and done on an array."""
    ndim = data_of(x).ndim
    if isinstance(x, Tensor):
        change(diagonal_at(x, 0, ndim - 2, ndim - 1), value)
        return x
    n = x.shape[-1]
    places = array_module(x).arange(min(n, x.shape[-2]))
    x[..., places, places] = x[..., places, places] * value if change is halve_ else value
    return x


def halve_(x: Any, factor: float) -> Any:
    """x times a number, in place."""
    return in_place(x, "mul_", mul_scalar, factor)


def differences(values: Any) -> Any:
    """``values[j] - values[i]`` as matrices, with ones where i is j: what is divided by them is zero there."""
    other = column(values)  # See Note [Right operand first]
    return change_diagonal(row(values) - other, fill_, 1)


# ---- singular values ----


@op(
    "LinalgSvdBackward0",
    real_only=True,
    outputs=("U", "S", "Vh"),
    num_grads=3,
    A=lambda grads, U, S, Vh, full_matrices: svd_backward(grads, U, S, Vh, full_matrices),
)
def svd_of(xp, A, full_matrices, compute_uv):
    """The singular values of matrices, and their singular vectors."""
    if not compute_uv:
        return A[..., :0], xp.linalg.svd(A, compute_uv=False), A[..., :0]
    U, S, Vh = xp.linalg.svd(A, full_matrices=full_matrices)
    return by_columns(U), S, by_columns(Vh)


def svd_backward(grads: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:
    """PyTorch's svd_backward, of real matrices with different singular values."""
    gU, gS, gVh = grads
    k = data_of(S).shape[-1]
    if full_matrices:
        U, Vh = part(U, -1, k), part(Vh, -2, k)
        gU, gVh = None if gU is None else part(gU, -1, k), None if gVh is None else part(gVh, -2, k)
    m, n = data_of(U).shape[-2], data_of(Vh).shape[-1]
    if gU is None and gVh is None:
        return matmul(U, column(gS) * Vh) if m >= n else matmul(U * row(gS), Vh)
    left = None if gU is None else skew(matmul(mh(U), gU))
    right = None if gVh is None else skew(matmul(Vh, mh(gVh)))
    gA = _between(left, right, S)
    if gS is not None:
        gA = gA + embedded(gS)
    if m > n and gU is not None:
        gA = matmul(U, gA)
        scaled = gU / row(S)
        other = matmul(U, matmul(mh(U), scaled))
        gA = gA + scaled - other
        return matmul(gA, Vh)
    if m < n and gVh is not None:
        gA = matmul(gA, Vh)
        scaled = gVh / column(S)
        other = matmul(matmul(scaled, mh(Vh)), Vh)
        gA = gA + scaled - other
        return matmul(U, gA)
    return matmul(U, matmul(gA, Vh)) if m >= n else matmul(matmul(U, gA), Vh)


def _between(left: Any, right: Any, S: Any) -> Any:
    """What the singular vectors give, without the diagonal."""
    E = differences(S * S)
    if right is None:
        scale = row(S)  # See Note [Right operand first]
        return (left / E) * scale
    if left is None:
        shared = right / E
        return column(S) * shared
    other = column(S) * right
    return (left * row(S) + other) / E


def skew(x: Any) -> Any:
    """``x - x.T``."""
    return x - mh(x)


def embedded(x: Any) -> Any:
    """Vectors as diagonal matrices."""
    return diag_embed_at(x, 0, -2, -1)


def part(x: Any, dim: int, size: int) -> Any:
    """The first `size` elements of a dimension counted from the end."""
    if isinstance(x, Tensor):
        return narrow(x, dim, 0, size)
    return x[..., :size] if dim == -1 else x[..., :size, :]


def linalg_svd(A: Any, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """(U, S, Vh) with ``A == U @ diag(S) @ Vh``; S falls."""
    U, S, Vh = svd_of(matrices(A, "linalg.svd"), bool(full_matrices), True)
    return named("linalg_svd", U=U, S=S, Vh=Vh)


def reduced_svd(A: Any) -> Any:
    """(U, S, Vh) as formulas need them."""
    return svd_of(A, False, True)


def svdvals(A: Any, *, driver: Any = None) -> Any:
    """The singular values, falling."""
    A = matrices(A, "linalg.svdvals")
    return svd_of(A, False, A.requires_grad)[1]


def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """(U, S, V) with ``input == U @ diag(S) @ V.T``; ``torch.linalg.svd`` is its successor."""
    A = matrices(input, "svd", argument="input")
    if not compute_uv:
        shape = A._data.shape
        zeros = (blank(A, (*shape[:-2], n, n)) for n in shape[-2:])
        return named("svd", U=next(zeros), S=svdvals(A), V=next(zeros))
    U, S, Vh = svd_of(A, not some, True)
    return named("svd", U=U, S=S, V=mh(Vh))


# ---- QR ----


@op(
    "LinalgQrBackward0",
    real_only=True,
    outputs=("Q", "R"),
    num_grads=2,
    A=lambda grads, Q, R, mode: qr_backward(grads, Q, R, mode),
)
def qr_of(xp, A, mode):
    """An orthogonal and an upper triangular matrix whose product is A."""
    if mode == "r":
        return A[..., :0].reshape(0), xp.linalg.qr(A, "r")
    return tuple(by_columns(part) for part in xp.linalg.qr(A, mode))


def qr_backward(grads: Any, Q: Any, R: Any, mode: str) -> Any:
    """PyTorch's linalg_qr_backward, of real matrices."""
    gQ, gR = grads
    if mode == "r":
        raise NotDifferentiable("the derivative of qr() needs Q, and mode='r' does not compute it", hint="use mode='reduced'")
    m, n = data_of(Q).shape[-2], data_of(R).shape[-1]
    if mode == "complete" and m > n:
        raise NotDifferentiable(
            "qr() with mode='complete' has no derivative for more rows than columns", hint="use mode='reduced'"
        )
    if gQ is None:
        gA = matmul(gR, mh(R))
    else:
        left = matmul(mh(Q), gQ)
        gA = -left if gR is None else matmul(gR, mh(R)) - left
    if m >= n:
        half = triu(gA)
        both = change_diagonal(half + mh(half), halve_, 0.5)
        gA = matmul(Q, both)
        gA = gA if gQ is None else gA + gQ
        return solve_triangular_of(mh(R), gA, False, False, False)
    half = -gA
    gA = matmul(Q, tril(half - mh(half)))
    gA = solve_triangular_of(mh(part(R, -1, m)), gA, False, False, False)
    rest = blank(gA, (*data_of(R).shape[:-1], n - m))
    gA = cat([gA, rest], -1) if isinstance(gA, Tensor) else array_module(gA).concatenate([gA, rest], -1)
    return gA if gR is None else gA + matmul(Q, gR)


def linalg_qr(A: Any, mode: str = "reduced") -> Any:
    """(Q, R) with ``A == Q @ R``, Q orthogonal and R upper triangular."""
    if mode not in ("reduced", "complete", "r"):
        raise BadArgument(f"the mode of qr() is 'reduced', 'complete' or 'r', not {mode!r}")
    Q, R = qr_of(matrices(A, "linalg.qr"), mode)
    return named("linalg_qr", Q=Q, R=R)


def qr(input: Any, some: bool = True) -> Any:
    """(Q, R) with ``input == Q @ R``; ``torch.linalg.qr`` is its successor."""
    Q, R = qr_of(matrices(input, "qr", argument="input"), "reduced" if some else "complete")
    return named("qr", Q=Q, R=R)


# ---- eigenvalues of symmetric matrices ----


@op(
    "LinalgEighBackward0",
    real_only=True,
    outputs=("eigenvalues", "eigenvectors"),
    num_grads=2,
    A=lambda grads, eigenvalues, eigenvectors: eigh_backward(grads, eigenvalues, eigenvectors),
)
def eigh_of(xp, A, UPLO, compute_v):
    """The eigenvalues of symmetric matrices, and their eigenvectors."""
    if not compute_v:
        return xp.linalg.eigvalsh(A, UPLO), A[..., :0]
    values, vectors = xp.linalg.eigh(A, UPLO)
    return values, by_columns(vectors)


def eigh_backward(grads: Any, L: Any, V: Any) -> Any:
    """PyTorch's linalg_eig_backward, of symmetric matrices with different eigenvalues."""
    gL, gV = grads
    if gV is None:
        right = mh(V)
        return matmul(V * row(gL), right)
    both = matmul(mh(V), gV)
    gA = mul_scalar(skew(both), 0.5) / differences(L)
    if gL is not None:
        gA = change_diagonal(gA, copy_, gL)
    right = matmul(gA, mh(V))
    return matmul(V, right)


def _triangle(UPLO: Any) -> str:
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise BadArgument(f"UPLO is 'L' or 'U': the triangle of the matrix that is read, not {UPLO!r}")
    return UPLO.upper()


def eigh(A: Any, UPLO: str = "L") -> Any:
    """(eigenvalues, eigenvectors) of a symmetric matrix; the values rise."""
    values, vectors = eigh_of(matrices(A, "linalg.eigh", square=True), _triangle(UPLO), True)
    return named("linalg_eigh", eigenvalues=values, eigenvectors=vectors)


def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric matrix, rising."""
    A = matrices(A, "linalg.eigvalsh", square=True)
    return eigh_of(A, _triangle(UPLO), A.requires_grad)[0]
