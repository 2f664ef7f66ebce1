"""Products of matrices and vectors. ``ndarray.dot`` costs a third of ``@`` on small matrices, so 2-D products go through it."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module
from ..core.basic_ops import add, conj
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, ShapeMismatch
from .arithmetic import maybe_multiply, mul
from .gather import blank
from .index_write import index_fill_tensor
from .parts import diagonal, diagonal_at, diagonal_backward
from .shape import clone_contiguous, is_contiguous, m_t, reshape_to, t, transpose_dims, unsafe_view, view_to
from .sizes import expand, squeeze, squeeze_result, unsqueeze_at
from .support import data_of, want_tensor, wrap_dim


@op(
    "MmBackward0",
    self=lambda grad, mat2, self_sizes, self_strides: mat1_backward(grad, mat2, self_sizes, self_strides),
    mat2=lambda grad, self, mat2_sizes, mat2_strides: mat2_backward(grad, self, mat2_sizes, mat2_strides),
)
def mm(self, mat2):
    """Product of two matrices."""
    return (
        self.dot(mat2)
        if self.ndim == 2 == mat2.ndim and self.dtype is mat2.dtype and self.shape[1] == mat2.shape[0]
        else refuse_product("mm", self, mat2, 2, 2)
    )


@op("MvBackward0", self=lambda grad, vec: outer(grad, conj(vec)), vec=lambda grad, self: mv(t(conj(self)), grad))
def mv(self, vec):
    """Product of a matrix and a vector."""
    try:
        if self.ndim == 2 and vec.ndim == 1 and self.dtype is vec.dtype:
            return self.dot(vec)
    except ValueError:
        pass
    return refuse_product("mv", self, vec, 2, 1)


@op("DotBackward0", self=lambda grad, tensor: grad * conj(tensor), tensor=lambda grad, self: grad * conj(self))
def dot(self, tensor):
    """Product of two vectors: a 0-d tensor."""
    try:
        if self.ndim == 1 == tensor.ndim and self.dtype is tensor.dtype:
            return self.dot(tensor)
    except ValueError:
        pass
    return refuse_product("dot", self, tensor, 1, 1)


@op("VdotBackward0", self=lambda grad, other: conj(grad) * other, other=lambda grad, self: grad * self)
def vdot_of(xp, self, other):
    """Product of two vectors, the first conjugated: a 0-d tensor."""
    return xp.vdot(self, other)


def vdot(input: Any, other: Any) -> Any:
    """Product of two vectors, the first conjugated."""
    a, b = want_tensor(input, "vdot")._data, want_tensor(other, "vdot", "other")._data
    if a.ndim != 1 or b.ndim != 1 or a.dtype != b.dtype or a.shape != b.shape:
        refuse_product("vdot", a, b, 1, 1)
    return vdot_of(input, other)


@op(
    "BmmBackward0",
    self=lambda grad, mat2: bmm(grad, conj(transpose_dims(mat2, 1, 2))),
    mat2=lambda grad, self: bmm(conj(transpose_dims(self, 1, 2)), grad),
)
def bmm(self, mat2):
    """Products of two batches of matrices."""
    if (
        self.ndim == 3 == mat2.ndim
        and self.dtype == mat2.dtype
        and self.shape[0] == mat2.shape[0]
        and self.shape[2] == mat2.shape[1]
    ):
        return self @ mat2
    return refuse_product("bmm", self, mat2, 3, 3)


def refuse_product(name: str, a: Any, b: Any, a_dim: int, b_dim: int) -> Any:
    """The product where dtypes are equal after all; else say what does not fit."""
    if a.ndim != a_dim or b.ndim != b_dim:
        kinds = {1: "a vector", 2: "a matrix", 3: "a batch of matrices"}
        raise ShapeMismatch(
            f"{name}() multiplies {kinds[a_dim]} and {kinds[b_dim]}, not tensors of shapes {list(a.shape)} and {list(b.shape)}",
            hint="use a @ b, which takes every number of dimensions",
        )
    if a.dtype != b.dtype:
        raise DtypeMismatch(
            f"{name}() takes two tensors of one dtype, not {a.dtype} and {b.dtype}", hint="convert one: x.to(y.dtype)"
        )
    inner = a.shape[-1], b.shape[-2 if b_dim > 1 else -1]
    if inner[0] != inner[1] or a.shape[: a_dim - 2] != b.shape[: a_dim - 2]:
        raise ShapeMismatch(
            f"{name}() cannot multiply the shapes {list(a.shape)} and {list(b.shape)}: {inner[0]} columns meet {inner[1]} rows",
            hint="the last size of the first must equal the rows of the second; transpose one with .t() if that is what you mean",
        )
    return a.dot(b)


def mat1_backward(grad: Any, mat2: Any, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """PyTorch's mm_mat1_backward: the gradient gets the memory order of the matrix it belongs to."""
    if grad.__class__ is not Tensor:
        if strides[0] > strides[1] or not in_columns(grad, sizes, strides):
            return grad.dot(mat2.T)
        return mat2.dot(grad.T).T
    if in_columns(grad._data, sizes, strides):
        return t(mm(conj(mat2), t(grad)))
    return mm(grad, conj(t(mat2)))


def mat2_backward(grad: Any, mat1: Any, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """PyTorch's mm_mat2_backward."""
    if grad.__class__ is not Tensor:
        if strides[0] > strides[1] or not in_columns(grad, sizes, strides):
            return mat1.T.dot(grad)
        return grad.T.dot(mat1).T
    if in_columns(grad._data, sizes, strides):
        return t(mm(t(grad), conj(mat1)))
    return mm(conj(t(mat1)), grad)


def in_columns(like: Any, sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether a matrix of these sizes and strides lies in memory column after column."""
    return strides[0] == like.dtype.itemsize and strides[1] == strides[0] * sizes[0]


@op(
    "AddmmBackward0",
    broadcasts=("self",),
    self=lambda grad, beta: maybe_multiply(grad, conj(beta)),
    mat1=lambda grad, mat2, mat1_sizes, mat1_strides, alpha: maybe_multiply(
        mat1_backward(grad, mat2, mat1_sizes, mat1_strides), conj(alpha)
    ),
    mat2=lambda grad, mat1, mat2_sizes, mat2_strides, alpha: maybe_multiply(
        mat2_backward(grad, mat1, mat2_sizes, mat2_strides), conj(alpha)
    ),
)
def addmm(self, mat1, mat2, beta=1, alpha=1):
    """beta * self + alpha * (mat1 @ mat2); self is broadcast."""
    if mat1.ndim != 2 or mat2.ndim != 2 or mat1.shape[1] != mat2.shape[0] or not (self.dtype == mat1.dtype == mat2.dtype):
        refuse_product("addmm", mat1, mat2, 2, 2)
    out = mat1.dot(mat2)
    if alpha != 1:
        out *= alpha
    term = self if beta == 1 else beta * self
    if self.dtype != out.dtype:
        raise DtypeMismatch(
            f"addmm() takes tensors of one dtype, not {self.dtype} and {out.dtype}", hint="convert one: x.to(y.dtype)"
        )
    try:
        out += term
    except ValueError:
        raise ShapeMismatch(
            f"addmm() cannot add the shape {list(self.shape)} to the product's {list(out.shape)}",
            hint="it must broadcast to the product",
        ) from None
    return out


@op(
    "BaddbmmBackward0",
    broadcasts=("self",),
    self=lambda grad, beta: maybe_multiply(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: maybe_multiply(bmm(grad, conj(transpose_dims(batch2, 1, 2))), conj(alpha)),
    batch2=lambda grad, batch1, alpha: maybe_multiply(bmm(conj(transpose_dims(batch1, 1, 2)), grad), conj(alpha)),
)
def baddbmm(self, batch1, batch2, beta=1, alpha=1):
    """beta * self + alpha * bmm(batch1, batch2)."""
    if batch1.ndim != 3 or batch2.ndim != 3 or batch1.shape[2] != batch2.shape[1] or batch1.dtype != batch2.dtype:
        refuse_product("baddbmm", batch1, batch2, 3, 3)
    if self.dtype != batch1.dtype:
        raise DtypeMismatch(
            f"baddbmm() takes tensors of one dtype, not {self.dtype} and {batch1.dtype}", hint="convert one: x.to(y.dtype)"
        )
    return beta * self + alpha * (batch1 @ batch2)


def outer(input: Any, vec2: Any) -> Any:
    """The product of every element of one vector with every element of another."""
    if not isinstance(input, Tensor):
        return input[:, None] * vec2
    if input._data.ndim != 1 or want_tensor(vec2, "outer", "vec2")._data.ndim != 1:
        raise ShapeMismatch(f"outer() takes two vectors, not shapes {list(input._data.shape)} and {list(vec2._data.shape)}")
    return mul(reshape_to(input, (input._data.size, 1)), vec2)


ger = outer


def matmul(input: Any, other: Any) -> Any:
    """``input @ other`` for every number of dimensions, recorded as the products that PyTorch makes of it."""
    if not (input.__class__ is Tensor and other.__class__ is Tensor):
        if not isinstance(input, Tensor) and hasattr(input, "dtype"):
            return input @ other
        want_tensor(input, "matmul")
        want_tensor(other, "matmul", "other")
    a, b = input._data.ndim, other._data.ndim
    if a == 2 and b == 2:
        return mm(input, other)
    if a == 0 or b == 0:
        raise ShapeMismatch(
            "matmul() takes tensors with one dimension or more, and one of these has none", hint="multiply with * instead"
        )
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        row = squeeze_result(mm(unsqueeze_at(input, 0), other), 0)
        row._ensure_counter().bump()  # PyTorch squeezes in place, which counts as a change
        return row
    if should_fold(input, other):
        return _folded(input, other)
    return _batched(input, other)


def should_fold(input: Tensor, other: Tensor) -> bool:
    """PyTorch's rule: fold the batch into the rows of one 2-D product where that saves copies."""
    first, second = (input, other) if input._data.ndim >= other._data.ndim else (other, input)
    if not (first._data.ndim >= 3 and second._data.ndim <= 2):
        return False
    if second.requires_grad:  # its edge is not asked for: a stale view's is made by the operation that uses it
        return True
    if input._data.ndim == 2:
        return False  # the product would have to be transposed and copied
    if first._data.size == 0:
        return True
    data = first._data if first is input else first._data.swapaxes(-1, -2)
    shape, strides = data.shape, data.strides
    return all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(len(shape) - 2))


def _folded(input: Tensor, other: Tensor) -> Any:
    flipped = other._data.ndim > input._data.ndim
    a, b = (m_t(other), t(input) if input._data.ndim == 2 else input) if flipped else (input, other)
    shape = a._data.shape
    rows = math.prod(shape[:-1])
    folded = reshape_to(a, (rows, shape[-1]))
    if b._data.ndim == 1:
        return unsafe_view(mv(folded, b), shape[:-1])
    product = unsafe_view(mm(folded, b), (*shape[:-1], b._data.shape[1]))
    return clone_contiguous(m_t(product)) if flipped else product


def _batched(input: Tensor, other: Tensor) -> Any:
    a, b = input._data.shape, other._data.shape
    n, m1 = (a[-2] if len(a) > 1 else 1), a[-1]
    m2, p = (b[-2] if len(b) > 1 else b[-1]), (b[-1] if len(b) > 1 else 1)
    try:
        batch = array_module(input._data).broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        raise ShapeMismatch(f"matmul() cannot bring the batches of the shapes {list(a)} and {list(b)} together") from None
    count = math.prod(batch)
    if m1 != m2:
        refuse_product("bmm", input._data.reshape(-1, n, m1), other._data.reshape(-1, m2, p), 3, 3)
        raise ShapeMismatch(f"matmul() cannot multiply the shapes {list(a)} and {list(b)}: {m1} columns meet {m2} rows")
    left = reshape_to(expand(input, (*batch, n, m1)), (count, n, m1))
    right_shape = (*batch, m2, p) if len(b) > 1 else (*batch, m2)
    right = reshape_to(expand(other, right_shape), (count, m2, p) if len(b) > 1 else (count, m2, 1))
    shape = (*batch, n, p)
    if len(a) == 1:
        shape = (*batch, p)
    elif len(b) == 1:
        shape = (*batch, n)
    product = bmm(left, right)
    return unsafe_view(squeeze(product, -1) if len(b) == 1 else product, shape)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """``input @ weight.T + bias``, recorded as PyTorch records it for each number of dimensions."""
    ndim = want_tensor(input, "linear")._data.ndim
    want_tensor(weight, "linear", "weight")
    _check_linear(input._data, weight._data)
    if bias is None:
        return matmul(input, t(weight))
    want_tensor(bias, "linear", "bias")
    if ndim == 2:
        return addmm(bias, input, t(weight))
    shape = input._data.shape
    if bias._data.ndim and is_contiguous(bias) and is_contiguous(input):
        flat = reshape_to(input, (math.prod(shape[:-1]), shape[-1]))
        return view_to(addmm(bias, flat, t(weight)), (*shape[:-1], weight._data.shape[0]))
    product = matmul(input, t(weight))
    result = add(product, bias)
    if result._data.shape != product._data.shape:
        raise ShapeMismatch(
            f"linear() cannot add a bias of shape {list(bias._data.shape)} to a product of shape {list(product._data.shape)}"
        )
    result._ensure_counter().version = product._version + 1  # PyTorch adds the bias in place
    return result


def _check_linear(x: Any, weight: Any) -> None:
    if not x.ndim or x.shape[-1] != weight.shape[-1]:
        raise ShapeMismatch(
            f"linear() cannot multiply an input of shape {list(x.shape)} with a weight of shape {list(weight.shape)}",
            hint=f"the input's last size must be {weight.shape[-1]}, the weight's last",
        )
    if x.dtype != weight.dtype:
        raise DtypeMismatch(
            f"linear() takes tensors of one dtype, not {x.dtype} and {weight.dtype}", hint="convert one: x.to(y.dtype)"
        )


@op("TrilBackward0", contiguous=True, self=lambda grad, diagonal: tril(grad, diagonal))
def tril(xp, self, diagonal=0):
    """The lower triangle; zeros above."""
    if self.ndim < 2:
        raise BadArgument("tril() takes tensors with 2 dimensions or more, not " + str(self.ndim))
    return xp.tril(self, diagonal)


@op("TriuBackward0", contiguous=True, self=lambda grad, diagonal: triu(grad, diagonal))
def triu(xp, self, diagonal=0):
    """The upper triangle; zeros below."""
    if self.ndim < 2:
        raise BadArgument("triu() takes tensors with 2 dimensions or more, not " + str(self.ndim))
    return xp.triu(self, diagonal)


@op("DiagEmbedBackward0", self=lambda grad, offset, dim1, dim2: diagonal_at(grad, offset, dim1, dim2))
def diag_embed_at(self, offset, dim1, dim2):
    """Matrices with the vectors self on a diagonal; their rows and columns are the dimensions dim1 and dim2."""
    xp = array_module(self)
    size = self.shape[-1] + (offset if offset > 0 else -offset)
    out = xp.zeros((*self.shape[:-1], size, size), self.dtype)
    places = xp.arange(self.shape[-1])
    out[..., places + max(-offset, 0), places + max(offset, 0)] = self
    return xp.moveaxis(out, (-2, -1), (dim1, dim2))


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last dimension of input on a diagonal."""
    ndim = want_tensor(input, "diag_embed")._data.ndim + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise BadArgument("diag_embed() takes two different dimensions")
    if not input._data.ndim:
        raise BadArgument("diag_embed() takes a tensor with one dimension or more")
    return diag_embed_at(input, offset, dim1, dim2)


@op("DiagonalBackward0_copy", self=lambda grad, self_sizes, offset: diagonal_backward(grad, self_sizes, offset, 0, 1))
def diagonal_copy(self, offset):
    """The diagonal of a matrix, copied."""
    return self.diagonal(offset).copy()


def diag(input: Any, diagonal: int = 0) -> Any:
    """A vector as a diagonal matrix, or the diagonal of a matrix."""
    ndim = want_tensor(input, "diag")._data.ndim
    if ndim == 1:
        return diag_embed_at(input, diagonal, -2, -1)
    if ndim != 2:
        raise BadArgument(f"diag() takes a vector or a matrix, not {ndim} dimensions")
    return diagonal_copy(input, diagonal)


def last_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """``torch.linalg.diagonal``: that of the last two dimensions."""
    return diagonal(A, offset, dim1, dim2)


@op("TraceBackward0", self=lambda grad, self_sizes: trace_backward(grad, self_sizes))
def trace(self):
    """The sum of the diagonal of a matrix."""
    if self.ndim != 2:
        raise BadArgument(f"trace() takes a matrix, not {self.ndim} dimensions")
    return scalar(self.trace())


def trace_backward(grad: Any, sizes: tuple[int, ...]) -> Any:
    """The gradient of a trace: the same for every element of the diagonal."""
    xp, (rows, columns) = array_module(data_of(grad)), sizes
    places = xp.arange(min(sizes)) * (columns + 1)
    zeros = blank(grad, (rows * columns,))
    if grad.__class__ is Tensor:
        return view_to(index_fill_tensor(zeros, grad, 0, fresh(places)), sizes)
    zeros[places] = grad
    return zeros.reshape(sizes)
