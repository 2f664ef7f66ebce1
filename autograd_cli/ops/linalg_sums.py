"""Products that are added to something: matrix and vector, two vectors, the sum of several matrices' products."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.basic_ops import conj, expand_to
from ..core.op import op
from ..errors import DtypeMismatch, ShapeMismatch
from .arithmetic import maybe_multiply
from .linalg import bmm, mv, outer, refuse_product
from .shape import t, transpose_dims
from .sizes import unsqueeze_at
from .support import data_of


def check_term(name: str, term: Any, product: Any) -> None:
    """What is added must have the product's dtype and broadcast to its shape."""
    if term.dtype != product.dtype:
        raise DtypeMismatch(
            f"{name}() takes tensors of one dtype, not {term.dtype} and {product.dtype}", hint="convert one: x.to(y.dtype)"
        )
    shape = product.shape
    if term.ndim > len(shape) or any(n not in (1, m) for n, m in zip(term.shape[::-1], shape[::-1], strict=False)):
        raise ShapeMismatch(
            f"{name}() cannot add the shape {list(term.shape)} to the product's {list(shape)}",
            hint="it must broadcast to the product",
        )


def with_term(name: str, term: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta * term + alpha * product; with beta 0 the term says nothing, not even nan."""
    check_term(name, term, product)
    product = product if alpha == 1 else alpha * product
    return product if beta == 0 else (term if beta == 1 else beta * term) + product


@op(
    "AddmvBackward0",
    broadcasts=("self",),
    self=lambda grad, beta: maybe_multiply(grad, conj(beta)),
    mat=lambda grad, vec, alpha: maybe_multiply(outer(grad, conj(vec)), conj(alpha)),
    vec=lambda grad, mat, alpha: maybe_multiply(mv(conj(t(mat)), grad), conj(alpha)),
)
def addmv(self, mat, vec, beta=1, alpha=1):
    """beta * self + alpha * (mat @ vec)."""
    if mat.ndim != 2 or vec.ndim != 1 or mat.shape[1] != vec.shape[0] or mat.dtype != vec.dtype:
        refuse_product("addmv", mat, vec, 2, 1)
    return with_term("addmv", self, mat.dot(vec), beta, alpha)


@op(
    "AddrBackward0",
    broadcasts=("self",),
    self=lambda grad, beta: maybe_multiply(grad, conj(beta)),
    vec1=lambda grad, vec2, alpha: maybe_multiply(mv(grad, conj(vec2)), conj(alpha)),
    vec2=lambda grad, vec1, alpha: maybe_multiply(mv(t(grad), conj(vec1)), conj(alpha)),
)
def addr(self, vec1, vec2, beta=1, alpha=1):
    """beta * self + alpha * outer(vec1, vec2)."""
    if vec1.ndim != 1 or vec2.ndim != 1:
        raise ShapeMismatch(f"addr() takes two vectors, not shapes {list(vec1.shape)} and {list(vec2.shape)}")
    return with_term("addr", self, vec1[:, None] * vec2, beta, alpha)


def over_batch(grad: Any, batch: Any) -> Any:
    """The gradient of a sum of products, for each of them."""
    shape = data_of(grad).shape
    return expand_to(unsqueeze_at(grad, 0), (data_of(batch).shape[0], *shape))


@op(
    "AddbmmBackward0",
    broadcasts=("self",),
    self=lambda grad, beta: maybe_multiply(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: maybe_multiply(
        bmm(over_batch(grad, batch2), conj(transpose_dims(batch2, 1, 2))), conj(alpha)
    ),
    batch2=lambda grad, batch1, alpha: maybe_multiply(
        bmm(conj(transpose_dims(batch1, 1, 2)), over_batch(grad, batch1)), conj(alpha)
    ),
)
def addbmm(self, batch1, batch2, beta=1, alpha=1):
    """beta * self + alpha * the sum of the products of the matrices of two batches."""
    if batch1.ndim != 3 or batch2.ndim != 3 or batch1.shape[::2] != batch2.shape[:2] or batch1.dtype != batch2.dtype:
        refuse_product("addbmm", batch1, batch2, 3, 3)
    return with_term("addbmm", self, (batch1 @ batch2).sum(axis=0), beta, alpha)
