"""``torch.linalg`` of tensors seen as matrices, the matrix exponential, and factories that stand alone: logspace, asarray."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, ShapeMismatch
from .creation import as_tensor, linspace, tensor
from .gather import blank
from .grids import vander
from .matrices import inv, matrices, mh, solve
from .parts import narrow
from .shape import clone, flatten, movedim, reshape_to
from .support import as_int, data_of, want_tensor


def tensorinv(A: Any, ind: Any = 2) -> Any:
    """The inverse of a tensor as ``tensordot`` multiplies: its first `ind` dimensions are rows, the others columns."""
    data, rows = want_tensor(A, "linalg.tensorinv", "A")._data, as_int(ind, "ind")
    if rows <= 0:
        raise BadArgument(f"linalg.tensorinv() takes ind from 1 on, not {rows}")
    first, rest = data.shape[:rows], data.shape[rows:]
    if math.prod(first) != math.prod(rest):
        raise ShapeMismatch(f"linalg.tensorinv() takes as many rows as columns, not {math.prod(first)} and {math.prod(rest)}")
    return reshape_to(inv(reshape_to(A, (math.prod(first), math.prod(rest)))), (*rest, *first))


def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """x with ``tensordot(A, x, x.ndim) == B``; the dimensions `dims` of A are moved to its end first."""
    left, right = want_tensor(A, "linalg.tensorsolve", "A"), want_tensor(B, "linalg.tensorsolve", "B")
    if dims is not None:
        left = movedim(left, tuple(dims), tuple(range(left._data.ndim - len(dims), left._data.ndim)))
    shape = left._data.shape[right._data.ndim :]
    size = math.prod(shape)
    if left._data.size != size * size or right._data.size != size:
        raise ShapeMismatch(
            f"linalg.tensorsolve() cannot solve equations of shape {list(left._data.shape)} for {list(right._data.shape)}"
        )
    return reshape_to(solve(reshape_to(left, (size, size)), flatten(right)), shape)


def linalg_vander(x: Any, *, N: Any = None) -> Any:
    """The powers of the elements of a vector as rows, rising from 0 to N - 1."""
    return vander(x, N, increasing=True)


# ---- the exponential ----


@op("LinalgMatrixExpBackward0", self=lambda grad, self: matrix_exp_backward(grad, self))
def matrix_exp_of(xp, self):
    """The exponential of square matrices, by Taylor's series of a part small enough, squared back."""
    if not self.size:
        return self.copy()
    size = float(xp.abs(self).sum(axis=-2).max())
    squarings = max(0, math.ceil(math.log2(size / 0.5))) if math.isfinite(size) and size > 0.5 else 0
    part = self.astype("complex128" if self.dtype.kind == "c" else "float64") / 2.0**squarings
    term = total = xp.broadcast_to(xp.eye(self.shape[-1]), self.shape)
    for k in range(1, 19):
        term = term @ part / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return total.astype(self.dtype)


def matrix_exp_backward(grad: Any, self: Any) -> Any:
    """PyTorch's linalg_matrix_exp_differential: a corner of the exponential of a matrix twice as large."""
    n = data_of(self).shape[-1]
    turned = mh(self)
    if not isinstance(grad, Tensor):
        xp = array_module(grad)
        both = xp.concatenate([xp.concatenate([turned, grad], -1), xp.concatenate([xp.zeros_like(turned), turned], -1)], axis=-2)
        return matrix_exp_of._info.plain(both)[..., :n, n:]
    from .overwrite import copy_

    shape = (*grad._data.shape[:-2], 2 * n, 2 * n)
    whole = blank(grad, shape)
    for row, column, value in ((0, 0, turned), (n, n, turned), (0, n, grad)):
        copy_(narrow(narrow(whole, -2, row, n), -1, column, n), value)
    return narrow(narrow(matrix_exp_of(whole), -2, 0, n), -1, n, n)


def matrix_exp(A: Any) -> Any:
    """The exponential of a square matrix, or of each in a batch."""
    return matrix_exp_of(matrices(A, "linalg.matrix_exp", square=True, halves=True))


# ---- factories ----


def logspace(
    start: Any, end: Any, steps: Any, base: float = 10.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers from base**start to base**end, whose logarithms are evenly apart."""
    places = linspace(start, end, steps, dtype=dtype, device=device)
    xp = array_module(places._data)
    made = fresh(xp.power(float(base), places._data.astype("float64")).astype(places._data.dtype))
    return made.requires_grad_() if requires_grad else made


def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of `obj`, which shares its memory where it can; `copy=True` makes a new one."""
    if isinstance(obj, Tensor):
        made = obj if dtype is None and device is None else obj.to(dtype=dtype, device=device)  # type: ignore[attr-defined]
        if copy and made is obj:
            made = clone(obj)
        return made.detach().requires_grad_(requires_grad) if requires_grad and not made.requires_grad else made
    made = tensor(obj, dtype=dtype, device=device) if copy else as_tensor(obj, dtype=dtype, device=device)
    return made.requires_grad_() if requires_grad else made
