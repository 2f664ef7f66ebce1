"""Variance, standard deviation, norms and logsumexp."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module
from ..core.basic_ops import conj
from ..core.given import given
from ..core.op import op
from ..core.op_support import scalar
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, DtypeMismatch, IndexOutOfRange
from .arithmetic import mul_scalar
from .masks import masked_fill_scalar
from .pointwise import abs, exp, sgn
from .power import pow_scalar
from .reduce import mean_all, mean_dim, sum_dim, typed
from .sizes import unsqueeze_multiple
from .support import axis_of, data_of, reduced_dims, want_tensor, wrap_dims

Dims = tuple[int, ...] | None  # None: all, given without dim


@op(
    "VarBackward0",
    contiguous=True,
    self=lambda grad, self, dim, correction, keepdim: var_backward(grad, self, dim, correction, keepdim),
)
def var_of(self, dim, correction, keepdim):
    """The variance: the mean squared distance from the mean, with a corrected count."""
    return variance(self, dim, correction, keepdim)


@op(
    "StdBackward0",
    self=lambda grad, self, dim, correction, keepdim, result: std_backward(grad, self, dim, correction, keepdim, result),
)
def std_of(xp, self, dim, correction, keepdim):
    """The standard deviation."""
    return xp.sqrt(variance(self, dim, correction, keepdim))


def variance(data: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    """The variance of an array; infinite or nan where the corrected count is not positive."""
    axes = tuple(range(data.ndim)) if dim is None else dim if data.ndim else ()
    count = data.dtype.type(count_of(data.shape, dim))
    away = data - data.sum(axis=axes, keepdims=True) / count
    if away.dtype.kind == "c":
        away = away.real**2 + away.imag**2
    else:
        away *= away
    total = away.sum(axis=axes, keepdims=keepdim)
    return total / total.dtype.type(max(count_of(data.shape, dim) - correction, 0))


def count_of(sizes: tuple[int, ...], dim: Dims) -> int:
    """How many elements are reduced to one."""
    return math.prod(sizes if dim is None or not sizes else (sizes[d] for d in dim))


def var_backward(grad: Any, self: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    """PyTorch's var_backward."""
    sizes = data_of(self).shape
    if not keepdim and dim is not None and len(sizes) > 1:
        grad = unsqueeze_multiple(grad, dim)
    away = count_of(sizes, dim) - correction
    distance = self - (mean_all(self) if dim is None or not sizes else mean_dim(self, dim, True))
    return mul_scalar(grad, 2 / away if away else math.inf) * distance  # See Note [Right operand first]


def std_backward(grad: Any, self: Any, dim: Dims, correction: float, keepdim: bool, result: Any) -> Any:
    """PyTorch's std_backward: no gradient where the deviation is 0."""
    scaled = masked_fill_scalar(grad / mul_scalar(result, 2), result == 0, 0)
    return var_backward(scaled, self, dim, correction, keepdim)


def _moment(name: str, operation: Any, doc: str) -> Any:
    def moment(
        input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None, axis: Any = None
    ) -> Any:
        input = want_tensor(input, name)
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if input._data.dtype.kind in "biu":
            raise DtypeMismatch(f"{name}() takes floating-point tensors, not {input.dtype.name}", hint="convert first: x.float()")
        if correction is None:
            correction = 1 if unbiased is None else int(unbiased)
            if dim is None and axis is None and unbiased is None:
                correction = given(1, None)  # what PyTorch saves then
        dim = axis_of(dim, axis)
        dims = None if dim is None and not keepdim else wrap_dims(dim, input._data.ndim)
        if count_of(input._data.shape, dims) <= correction:
            warn("NoDegreesOfFreedom", op=name, correction=correction)
        return operation(input, dims, correction, keepdim)

    moment.__name__ = moment.__qualname__ = name
    moment.__doc__ = doc
    return moment


var = _moment("var", var_of, "The variance of all elements, or along `dim`; divided by n - correction (1 by default).")
std = _moment("std", std_of, "The standard deviation of all elements, or along `dim`; divided by n - correction (1 by default).")


@op(
    "LinalgVectorNormBackward0",
    self=lambda grad, self, ord, dim, keepdim, result: norm_backward(grad, self, ord, dim, keepdim, result),
)
def vector_norm_of(self, ord, dim, keepdim):
    """The norm of vectors: (sum of abs(self)**ord)**(1/ord)."""
    return norm_of_array(self, ord, dim, keepdim)


def norm_of_array(self: Any, ord: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The norm of an array along dimensions."""
    xp = array_module(self)
    size = xp.abs(self)
    if ord == math.inf:
        return size.max(axis=dim, keepdims=keepdim)
    if ord == -math.inf:
        return size.min(axis=dim, keepdims=keepdim)
    if ord == 0:
        return scalar((self != 0).sum(axis=dim, keepdims=keepdim).astype(size.dtype))
    if ord == 1:
        return size.sum(axis=dim, keepdims=keepdim)
    if ord == 2:
        return xp.sqrt((size * size).sum(axis=dim, keepdims=keepdim))
    return (size**ord).sum(axis=dim, keepdims=keepdim) ** (1 / ord)


@op(
    "NormBackward1",
    self=lambda grad, self, p, dim, keepdim, result: norm_backward(grad, self, p, dim, keepdim, result),
)
def norm_along(self, p, dim, keepdim):
    """vector_norm, as PyTorch's own functions call it: a node of its own."""
    return norm_of_array(self, p, dim, keepdim)


def is_largest(self: Any, result: Any) -> Any:
    """Where an element's absolute value is the norm's, which may be nan."""
    mask = abs(self) == result
    return mask | ((self != self) & (result != result)) if (result != result).any() else mask


def norm_backward(grad: Any, self: Any, ord: float, dim: Dims, keepdim: bool, result: Any) -> Any:
    """PyTorch's norm_backward, with its subgradients at 0; `dim` is None where all dimensions are reduced without being named."""
    if not keepdim and data_of(self).ndim and dim is not None:
        grad, result = unsqueeze_multiple(grad, dim), unsqueeze_multiple(result, dim)
    if ord == 0:
        return None
    if ord == 1:
        return sgn(self) * grad
    if ord == 2:
        return grad * masked_fill_scalar(self / result, result == 0, 0)
    if ord in (math.inf, -math.inf):
        mask = is_largest(self, result)
        count = sum_dim(mask, tuple(range(data_of(self).ndim)) if dim is None else dim, True)
        count = count if count.__class__ is Tensor else count.astype(grad.dtype)
        share = (grad / count) * mask
        return sgn(self) * share
    if ord < 1:
        slope = masked_fill_scalar(pow_scalar(abs(self), ord - 1), self == 0, 0)
        scaled = sgn(self) * slope
        rest = pow_scalar(result, 1 - ord)  # See Note [Right operand first]
        return scaled * grad * rest
    slope = pow_scalar(abs(self), ord - 1 if ord < 2 else ord - 2)  # See Note [Right operand first]
    scaled = sgn(self) * slope if ord < 2 else self * slope
    return scaled * masked_fill_scalar(grad / pow_scalar(result, ord - 1), result == 0, 0)


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of a tensor seen as a vector, or of the vectors along `dim`."""
    x = typed(want_tensor(x, "vector_norm", "x"), dtype)
    data = x._data
    if data.dtype.kind in "biu":
        raise DtypeMismatch(f"norm() takes floating-point tensors, not {x.dtype.name}", hint="convert first: x.float()")
    dims = None if dim is None else reduced_dims(dim, data.ndim)
    if not data.size and (ord == math.inf or ord < 0):
        raise IndexOutOfRange(f"a norm of order {ord} of no elements has no value")
    return vector_norm_of(x, ord, dims, keepdim)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The p-norm of all elements, or along `dim`; ``fro`` is 2."""
    if isinstance(p, str) and p != "fro":
        raise BadArgument(f"norm() of order {p!r} is not supported", hint="use a number, inf or 'fro'")
    return vector_norm(want_tensor(input, "norm"), 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


@op(
    "LogsumexpBackward0",
    contiguous=True,
    self=lambda grad, self, result, dim, keepdim: logsumexp_backward(grad, self, result, dim, keepdim),
)
def logsumexp_of(xp, self, dim, keepdim):
    """The logarithm of the sum of exponentials, without overflow."""
    if not self.size:
        return xp.log(xp.exp(self).sum(axis=dim, keepdims=keepdim))
    top = self.max(axis=dim, keepdims=True)
    top = xp.where(xp.isinf(top), self.dtype.type(0), top)
    found = xp.log(xp.exp(self - top).sum(axis=dim, keepdims=keepdim))
    return found + (top if keepdim or not self.ndim else top.squeeze(dim))


def logsumexp_backward(grad: Any, self: Any, result: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """PyTorch's logsumexp_backward: the softmax."""
    if not keepdim and data_of(self).ndim:
        grad, result = unsqueeze_multiple(grad, dim), unsqueeze_multiple(result, dim)
    return grad * conj(exp(self - result))


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials along `dim`."""
    input = want_tensor(input, "logsumexp")
    return logsumexp_of(input, reduced_dims(dim, input._data.ndim), keepdim)
