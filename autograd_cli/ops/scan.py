"""Products, and running sums and products."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.basic_ops import conj
from ..core.halves import one_kernel
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from .gather import blank
from .lists import cat
from .overwrite import copy_
from .parts import narrow, select, slice_at
from .rearrange import flip
from .reduce import sum, typed
from .shape import reshape_to
from .sizes import expand, unsqueeze_multiple
from .support import axis_of, data_of, want_tensor, wrap_dim, zeros_like


@op("ProdBackward0", self=lambda grad, self, result: prod_backward(grad, self, result))
def prod_all(self):
    """The product of all elements."""
    return self.prod()


@op(
    "ProdBackward1",
    as_given="all",
    contiguous=True,
    self=lambda grad, self, result, dim, keepdim: prod_dim_backward(grad, self, result, dim, keepdim),
)
def prod_dim(self, dim, keepdim):
    """The products along a dimension."""
    return self.prod(axis=dim, keepdims=keepdim) if self.ndim else scalar(self)


def prod_backward(grad: Any, self: Any, result: Any) -> Any:
    """PyTorch's prod_backward: result / self where no element is zero, the product of all others where one is."""
    data = data_of(self)
    if not data.ndim:
        return grad
    if data.all():
        return grad * conj(result / self)
    if grad.__class__ is not Tensor and (data == 0).sum() > 1:  # with grad mode on, PyTorch records the long way
        return zeros_like(self)
    flat = reshape_to(self, (data.size,))
    return reshape_to(products_of_others(grad, flat, 0), data.shape)


def prod_dim_backward(grad: Any, self: Any, result: Any, dim: int, keepdim: bool) -> Any:
    """As prod_backward, along a dimension."""
    data = data_of(self)
    if not data.ndim:
        return grad
    if not keepdim:
        grad, result = unsqueeze_multiple(grad, (dim,)), unsqueeze_multiple(result, (dim,))
    return grad * conj(result / self) if data.all() else products_of_others(grad, self, dim)


def products_of_others(grad: Any, values: Any, dim: int) -> Any:
    """PyTorch's prod_safe_zeros_backward: for each element the product before it times the product after it."""
    if values.__class__ is not Tensor:
        return products_of_others(fresh(grad), fresh(values), dim)._data
    size = values._data.shape[dim]
    if size == 1:
        return grad
    shape = list(values._data.shape)
    shape[dim] = 1
    ones = fresh(array_module(values._data).ones(shape, values._data.dtype))
    before = cumprod_at(cat([ones, narrow(values, dim, 0, size - 1)], dim), dim)
    after = flip(cumprod_at(cat([ones, flip(narrow(values, dim, 1, size - 1), dim)], dim), dim), dim)
    return grad * conj(before * after)


@op("CumsumBackward0", contiguous=True, self=lambda grad, dim: cumsum_backward(grad, dim))
def cumsum_at(self, dim):
    """Running sums along a dimension."""
    return self.cumsum(axis=dim) if self.ndim else scalar(self.sum())


@op("CumprodBackward0", contiguous=True, self=lambda grad, self, dim, result: cumprod_backward(grad, self, dim, result))
def cumprod_at(self, dim):
    """Running products along a dimension."""
    return self.cumprod(axis=dim) if self.ndim else scalar(self.prod())


@one_kernel
def cumsum_backward(grad: Any, dim: int) -> Any:
    """The running sums of a gradient from the end."""
    if grad.__class__ is not Tensor:
        if not grad.ndim:
            return grad
        lead = (slice(None),) * dim + (slice(None, None, -1),)
        return grad[lead].cumsum(axis=dim)[lead]
    return grad if grad._data.size <= 1 else flip(cumsum_at(flip(grad, dim), dim), dim)


def cumprod_backward(grad: Any, self: Any, dim: int, result: Any) -> Any:
    """The gradient of running products; elements that are zero take a slower way that does not divide."""
    data = data_of(self)
    if not data.ndim or data.size <= 1 or data.shape[dim] == 1:
        return grad
    if data.all():
        below = conj(self)  # See Note [Right operand first]
        return cumsum_backward(conj(result) * grad, dim) / below
    return _cumprod_with_zeros(grad, self, dim)


def _cumprod_with_zeros(grad: Any, self: Any, dim: int) -> Any:
    """For each element the gradients from it on, times the products without it: written into zeros slice by slice, as PyTorch does."""
    if self.__class__ is not Tensor:
        return _cumprod_with_zeros(fresh(grad), fresh(self), dim)._data
    values, size = conj(self), self._data.shape[dim]
    shape = list(self._data.shape)
    shape[dim] = 1
    without = fresh(array_module(self._data).ones(shape, self._data.dtype))
    out = blank(grad, self._data.shape)
    for k in range(size):
        if k:
            without = prod_dim(slice_at(values, dim, 0, k, 1), dim, True)
        if k < size - 1:
            after = cumprod_at(slice_at(values, dim, k + 1, size, 1), dim)
            without = cat([without, expand(without, after._data.shape) * after if k else after], dim)
        found = sum(slice_at(grad, dim, k, size, 1) * without, dim)
        copy_(select(out, dim, k), found)
    return out


def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product of all elements, or along one dimension; integers multiply as int64."""
    input = typed(want_tensor(input, "prod"), dtype)
    return prod_all(input) if dim is None else prod_dim(input, wrap_dim(dim, input._data.ndim), keepdim)


def cumsum(input: Any, dim: Any = None, *, dtype: Any = None, axis: Any = None) -> Any:
    """Running sums along `dim`."""
    input = typed(want_tensor(input, "cumsum"), dtype)
    return cumsum_at(input, wrap_dim(axis_of(dim, axis), input._data.ndim))


def cumprod(input: Any, dim: Any = None, *, dtype: Any = None, axis: Any = None) -> Any:
    """Running products along `dim`."""
    input = typed(want_tensor(input, "cumprod"), dtype)
    return cumprod_at(input, wrap_dim(axis_of(dim, axis), input._data.ndim))
