"""``torch.linalg`` beyond the factorizations: norms and ranks of matrices, powers, chains of products, pseudo-inverses, least squares."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.basic_ops import conj, to_dtype
from ..core.op import op, pointwise
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, ShapeMismatch
from .creation import eye
from .decompositions import svdvals
from .elementary import nan_to_num
from .inplace import in_place
from .linalg import matmul, mm, vdot
from .lists import tensor_list
from .masks import masked_fill
from .matrices import inv, inverse_of, is_vector, matrices, mh
from .named import named
from .norms import vector_norm
from .parts import slice_at
from .reduce import amax, amin, sum, sum_dim
from .shape import clone, permute_dims, view_to
from .sizes import expand, squeeze, squeeze_dim, unsqueeze_at
from .support import as_int, data_of, want_tensor, wrap_dim, wrap_dims

# ---- norms ----


def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of matrices: ``fro``, ``nuc``, 1, -1, 2, -2, inf or -inf."""
    ndim = want_tensor(A, "linalg.matrix_norm", "A")._data.ndim
    if ndim < 2:
        raise BadArgument("linalg.matrix_norm() takes a tensor with 2 dimensions or more", hint="use linalg.vector_norm")
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise BadArgument(f"linalg.matrix_norm() takes two dimensions, not dim={dim!r}")
    rows, columns = wrap_dims(dim, ndim)
    if ord == "fro":
        return vector_norm(A, 2, (int(rows), int(columns)), keepdim, dtype=dtype)
    if dtype is not None:
        A = to_dtype(A, dtype.numpy)
    if ord in ("nuc", 2, -2, 2.0, -2.0):
        return _of_singular_values(A, ord, rows, columns, keepdim)
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise BadArgument(
            f"linalg.matrix_norm() has no norm of order {ord!r}", hint="take 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        )
    if abs(ord) == math.inf:
        rows, columns = columns, rows
    extreme = amax if ord > 0 else amin
    summed = vector_norm(A, 1.0, rows, keepdim)
    return extreme(summed, columns - 1 if columns > rows and not keepdim else columns, keepdim)


def _of_singular_values(A: Tensor, ord: Any, rows: int, columns: int, keepdim: bool) -> Any:
    """The sum, the largest or the smallest of the singular values."""
    ndim = A._data.ndim
    order = (*(d for d in range(ndim) if d not in (rows, columns)), rows, columns)
    values = svdvals(matrices(permute_dims(A, order), "linalg.matrix_norm"))
    if ord == "nuc":
        found = sum(values, -1, keepdim)
    else:
        found = (amax if ord > 0 else amin)(values, -1, keepdim)
    if not keepdim:
        return found
    back = [0] * ndim
    for place, d in enumerate(order):
        back[d] = place
    return permute_dims(unsqueeze_at(found, ndim - 1), tuple(back))


def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """``torch.linalg.norm``: of a matrix, or of two dimensions, the matrix norm; else that of vectors."""
    ndim = want_tensor(A, "linalg.norm", "A")._data.ndim
    if ord is not None:
        if dim is None and ndim not in (1, 2):
            raise BadArgument(f"linalg.norm() with an order needs `dim` for a tensor with {ndim} dimensions")
        if isinstance(ord, str) or (dim is None and ndim == 2) or (isinstance(dim, (tuple, list)) and len(dim) == 2):
            return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, 2.0 if ord is None else ord, dim, keepdim, dtype=dtype)


def cond(A: Any, p: Any = None) -> Any:
    """The condition number of matrices: how much their inverse magnifies an error."""
    spectral = p in (None, 2, -2)
    A = matrices(A, "linalg.cond" if spectral else "linalg.inv", square=not spectral)
    if p in (None, 2, -2):
        values = svdvals(A)
        last = values._data.ndim - 1
        largest, smallest = (
            slice_at(values, last, 0, 1, 1),
            slice_at(values, last, values._data.shape[last] - 1, values._data.shape[last], 1),
        )
        return squeeze(smallest / largest if p == -2 else largest / smallest, -1)
    inverse, info = inverse_of(A)
    singular = fresh(info._data[..., None, None] > 0)
    size = matrix_norm(A, p)
    # In place, as PyTorch does it: the inverse that the node saved is changed, so a backward pass through this is refused there too.
    product = size * matrix_norm(in_place(inverse, "masked_fill_", masked_fill, singular, math.inf), p)
    return in_place(product, "nan_to_num_", nan_to_num, math.inf, math.inf, -math.inf)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """How many singular values are larger than a tolerance: max(atol, rtol * the largest)."""
    A = matrices(A, "linalg.matrix_rank")
    xp, data = array_module(A._data), A._data
    sizes = xp.abs(xp.linalg.eigvalsh(data)) if hermitian else xp.linalg.svd(data, compute_uv=False)
    largest = sizes.max(axis=-1, keepdims=True) if sizes.shape[-1] else xp.zeros((*sizes.shape[:-1], 1), sizes.dtype)
    limit = _tolerance(data, largest, atol if tol is None else tol, rtol)
    return fresh(scalar((sizes > limit).sum(axis=-1).astype("int64")))


def _tolerance(data: Any, largest: Any, atol: Any, rtol: Any) -> Any:
    """Below which singular values count as 0: max(atol, rtol * the largest); by default rtol is that of the dtype for the size."""
    if rtol is None:
        given = atol is not None and bool(np.any(np.asarray(data_of(atol)) > 0))
        rtol = 0.0 if given else float(np.finfo(data.dtype).eps) * max(data.shape[-2:])
    absolute, relative = (_as_column(v, largest) for v in (0.0 if atol is None else atol, rtol))
    return array_module(data).maximum(absolute, relative * largest)


def _as_column(value: Any, like: Any) -> Any:
    data = data_of(value)
    return data[..., None].astype(like.dtype) if getattr(data, "ndim", 0) else like.dtype.type(data)


# ---- powers and chains of products ----


def matrix_power(A: Any, n: Any) -> Any:
    """A square matrix times itself, n times; a negative n is a power of the inverse."""
    A, n = matrices(A, "linalg.matrix_power", square=True, halves=True), as_int(n, "n")
    if n == 0:
        one = eye(A._data.shape[-1], dtype=A.dtype)
        return clone(expand(one, A._data.shape))
    if n == 1:
        return clone(A)
    base = inv(A) if n < 0 else A
    n = abs(n)
    if n == 1:
        return base
    if n == 3:
        return matmul(matmul(base, base), base)
    result = square = None
    while n:
        square = base if square is None else matmul(square, square)
        if n % 2:
            result = square if result is None else matmul(result, square)
        n //= 2
    return result


def multi_dot(tensors: Any) -> Any:
    """The product of several matrices, in the order that takes the fewest multiplications; the first and last may be vectors."""
    given = tensor_list(tensors, "linalg.multi_dot")
    if len(given) < 2:
        raise BadArgument("linalg.multi_dot() takes two tensors or more")
    ndims = [t._data.ndim for t in given]
    if any(n != 2 for n in ndims[1:-1]) or ndims[0] not in (1, 2) or ndims[-1] not in (1, 2):
        raise BadArgument("linalg.multi_dot() takes matrices; the first and the last may be vectors")
    shape = []
    if ndims[0] == 1:
        given[0] = unsqueeze_at(given[0], 0)
    else:
        shape.append(given[0]._data.shape[0])
    if ndims[-1] == 1:
        given[-1] = unsqueeze_at(given[-1], 1)
    else:
        shape.append(given[-1]._data.shape[1])
    sizes = [given[0]._data.shape[0], *(t._data.shape[1] for t in given)]
    for place, t in enumerate(given):
        if t._data.shape[0] != sizes[place]:
            raise ShapeMismatch(
                f"linalg.multi_dot() cannot multiply: tensor {place} has {t._data.shape[0]} rows, and {sizes[place]} are needed"
            )
    product = _chain(given, _splits(sizes), 0, len(given) - 1)
    return view_to(product, tuple(shape))


def chain_matmul(*matrices: Any) -> Any:
    """The product of several matrices; ``torch.linalg.multi_dot`` is its successor."""
    return matrices[0] if len(matrices) == 1 else multi_dot(list(matrices))


def _splits(sizes: list[int]) -> list[list[int]]:
    """For each part of a chain, after which matrix to split it: the cheapest way (Cormen et al., matrix-chain multiplication)."""
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            ways = [(cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i][j], split[i][j] = min(ways)
    if n == 3:  # of two equal ways PyTorch takes the one from the left
        first = sizes[0] * sizes[2] * (sizes[1] + sizes[3])
        second = sizes[1] * sizes[3] * (sizes[0] + sizes[2])
        split[0][2] = 1 if first <= second else 0
    return split


def _chain(given: list[Tensor], split: list[list[int]], i: int, j: int) -> Any:
    if i == j:
        return given[i]
    k = split[i][j]
    right = _chain(given, split, k + 1, j)  # See Note [Right operand first]
    return mm(_chain(given, split, i, k), right)


# ---- pseudo-inverse and least squares ----


@op("LinalgPinvBackward0", real_only=True, self=lambda grad, result, self: pinv_backward(grad, result, self))
def pinv_of(self, atol, rtol, hermitian):
    """The pseudo-inverse: singular values up to a tolerance count as 0."""
    xp = array_module(self)
    if not self.size:
        return self.swapaxes(-1, -2).copy()
    if hermitian:
        values, vectors = xp.linalg.eigh(self)
        sizes = xp.abs(values)
        limit = _tolerance(self, sizes.max(axis=-1, keepdims=True), atol, rtol)
        inverted = xp.where(sizes > limit, 1 / values, 0).astype(self.dtype)
        return (vectors * inverted[..., None, :]) @ vectors.swapaxes(-1, -2)
    U, S, Vh = xp.linalg.svd(self, full_matrices=False)
    limit = _tolerance(self, S[..., :1], atol, rtol)
    inverted = xp.where(limit < S, 1 / S, 0).astype(self.dtype)
    return (Vh.swapaxes(-1, -2) * inverted[..., None, :]) @ U.swapaxes(-1, -2)


def pinv_backward(grad: Any, inverse: Any, A: Any) -> Any:
    """PyTorch's pinv_backward."""
    m, n = data_of(A).shape[-2:]
    turned, gradh = mh(inverse), mh(grad)
    if m <= n:
        K = matmul(gradh, inverse)
        KT = matmul(K, turned)
        last = matmul(matmul(turned, inverse), gradh - matmul(K, A))
        middle = matmul(matmul(A, inverse), KT)  # See Note [Right operand first]
        return -mh(matmul(inverse, K)) + KT - middle + last
    K = matmul(inverse, gradh)
    TK = matmul(turned, K)
    last = matmul(matmul(TK, inverse), A)
    middle = matmul(matmul(gradh - matmul(A, K), inverse), turned)
    return -mh(matmul(K, inverse)) + middle + TK - last


def pinv(A: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """The pseudo-inverse of matrices of any shape."""
    found = matrices(A, "linalg.pinv", square=bool(hermitian))
    return pinv_of(found, atol, rcond if rtol is None else rtol, bool(hermitian))


def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """The pseudo-inverse; ``torch.linalg.pinv`` is its successor."""
    return pinv(input, rcond)


@op(
    "LinalgLstsqBackward0",
    real_only=True,
    outputs=("solution", "residuals", "rank", "singular_values"),
    num_grads=2,
    common=lambda grads, self: _pinv(self),
    self=lambda grads, common, self, b, solution: lstsq_backward_A(grads[0], common, self, b),  # of the residuals' gradient
    b=lambda grads, common, self: lstsq_backward_b(grads[0], common, self),
)
def lstsq_of(xp, self, b, rcond):
    """The least-squares solution of linear equations."""
    xp = array_module(self)
    vector = is_vector(self, b)
    right = b[..., None] if vector else b
    U, S, Vh = xp.linalg.svd(self, full_matrices=False)
    limit = rcond * S[..., :1]
    inverted = xp.where(limit < S, 1 / S, 0).astype(self.dtype)
    found = Vh.swapaxes(-1, -2) @ (inverted[..., None] * (U.swapaxes(-1, -2) @ right))
    rank = scalar((limit < S).sum(axis=-1).astype("int64"))
    return found[..., 0] if vector else found, xp.zeros(0, self.dtype), rank, xp.zeros(0, self.dtype)


def lstsq_backward_A(grad: Any, inverse: Any, A: Any, b: Any) -> Any:
    """The gradient of a least-squares solution by the matrices: that of the pseudo-inverse."""
    if is_vector(A, b):
        last = data_of(b).ndim
        grad, b = unsqueeze_at(grad, data_of(grad).ndim), unsqueeze_at(b, last)
    return pinv_backward(matmul(grad, mh(b)), inverse, A)


def lstsq_backward_b(grad: Any, inverse: Any, A: Any) -> Any:
    """The gradient of a least-squares solution by the right-hand side."""
    last = data_of(grad).ndim
    if last >= data_of(A).ndim:
        return matmul(mh(inverse), grad)
    return squeeze_dim(matmul(mh(inverse), unsqueeze_at(grad, last)), last)


def _pinv(A: Any) -> Any:
    return pinv_of(A, None, None, False)


def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """(solution, residuals, rank, singular_values) of the least-squares problem ``A @ x == B``."""
    A, B = matrices(A, "linalg.lstsq"), want_tensor(B, "linalg.lstsq", "B")
    rows = B._data.shape[-1] if is_vector(A, B) else B._data.shape[-2] if B._data.ndim > 1 else -1
    if rows != A._data.shape[-2]:
        raise ShapeMismatch(
            f"linalg.lstsq() cannot solve for a right side of shape {list(B._data.shape)} with {list(A._data.shape)}"
        )
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise BadArgument(f"the driver of linalg.lstsq() is 'gels', 'gelsy', 'gelsd' or 'gelss', not {driver!r}")
    if A._data.dtype != B._data.dtype:
        raise DtypeMismatch(f"linalg.lstsq() takes two tensors of one dtype, not {A.dtype.name} and {B.dtype.name}")
    limit = float(np.finfo(A._data.dtype).eps) * max(A._data.shape[-2:]) if rcond is None else float(rcond)
    solution, residuals, rank, values = lstsq_of(A, B, limit)
    return named("linalg_lstsq", solution=solution, residuals=residuals, rank=rank, singular_values=values)


# ---- products of vectors ----


@pointwise(
    "LinalgCrossBackward0",
    as_given="all",
    self=lambda grad, other, dim: cross_of(conj(other), grad, dim),
    other=lambda grad, self, dim: cross_of(grad, conj(self), dim),
)
def cross_of(xp, self, other, dim):
    """The cross product of vectors of three elements."""
    a, b = xp.broadcast_arrays(self, other)
    return xp.cross(a, b, axis=dim)


def linalg_cross(input: Any, other: Any, *, dim: Any = -1) -> Any:
    """The cross product of the vectors along `dim`, which has size 3."""
    a, b = want_tensor(input, "linalg.cross")._data, want_tensor(other, "linalg.cross", "other")._data
    if a.ndim != b.ndim:
        raise BadArgument(f"linalg.cross() takes tensors with as many dimensions, not {a.ndim} and {b.ndim}")
    place = wrap_dim(dim, a.ndim)
    if a.shape[place] != 3 or b.shape[place] != 3:
        raise BadArgument(f"linalg.cross() takes vectors of 3 elements, not {a.shape[place]} and {b.shape[place]}")
    return cross_of(input, other, place)


def cross(input: Any, other: Any, dim: Any = None) -> Any:
    """The cross product of the vectors along `dim`; by default the first dimension of size 3."""
    if dim is None:
        shape = want_tensor(input, "cross")._data.shape
        if 3 not in shape:
            raise BadArgument(f"cross() needs a dimension of size 3, and the shape is {list(shape)}")
        dim = shape.index(3)
    return linalg_cross(input, other, dim=dim)


def vecdot(x: Any, y: Any, *, dim: Any = -1) -> Any:
    """The dot products of the vectors along `dim`."""
    ndim = max(want_tensor(x, "linalg.vecdot", "x")._data.ndim, want_tensor(y, "linalg.vecdot", "y")._data.ndim)
    if x._data.ndim == 1 and y._data.ndim == 1:
        return vdot(x, y)
    product = conj(x) * y
    return sum_dim(product, (wrap_dim(dim, ndim),), False)
