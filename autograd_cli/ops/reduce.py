"""Reductions: sums, means, extremes."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module
from ..core.basic_ops import broadcast_array, expand_to, recording, to_dtype
from ..core.device_operands import at_device
from ..core.op import op
from ..core.op_support import fresh, refuse_complex, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, IndexOutOfRange
from .arithmetic import div, div_scalar, mul
from .compare import maximum, minimum
from .gather import blank, scatter_src
from .masks import masked_fill_tensor
from .named import named_pair
from .shape import reshape_to, view_to
from .sizes import unsqueeze_multiple
from .support import (
    as_dtype,
    axis_of,
    data_of,
    on_device_of,
    reduced_dims,
    want_tensor,
    where_array,
    wrap_dim,
    wrap_dims,
    zeros_like,
)

# ---- sums ----


@op("SumBackward0", self=lambda grad, self_sizes: expand_to(grad, self_sizes))
def sum_all(self):
    """The sum of all elements."""
    return self.sum() if self.dtype.itemsize != 2 else self.sum(dtype="float32").astype(self.dtype)


@op("SumBackward0", as_given="all", broadcasts=("self",), self=lambda grad, self_sizes: expand_to(grad, self_sizes))
def sum_all_as(self, dtype):
    """The sum of all elements, added in another dtype."""
    return self.astype(dtype).sum(dtype=dtype)


@op(
    "SumBackward1",
    as_given="all",
    broadcasts=("self",),
    self=lambda grad, self_sizes, dim, keepdim: sum_backward(grad, self_sizes, dim, keepdim),
)
def sum_dim_as(self, dim, keepdim, dtype):
    """The sums along some dimensions, added in another dtype."""
    return self.astype(dtype).sum(axis=dim, keepdims=keepdim, dtype=dtype)


@op("SumBackward1", contiguous=True, self=lambda grad, self_sizes, dim, keepdim: sum_backward(grad, self_sizes, dim, keepdim))
def sum_dim(self, dim, keepdim):
    """The sums along some dimensions."""
    if self.dtype.itemsize == 2 and self.dtype.kind in "fV":
        return scalar(self.astype("float32").sum(axis=dim, keepdims=keepdim).astype(self.dtype))
    return self.sum(axis=dim, keepdims=keepdim)


def sum_to_shape(grad: Any, shape: tuple[int, ...]) -> Any:
    """PyTorch's sum_to, on Tensors: how a broadcast is undone in a recorded pass."""
    if not shape:
        return sum_all(grad)
    have = grad._data.shape
    lead = len(have) - len(shape)
    summed = (*range(lead), *(i + lead for i, n in enumerate(shape) if n == 1 != have[i + lead]))
    grad = sum_dim(grad, summed, True)
    return view_to(grad, shape) if lead else grad


recording.sum_to = sum_to_shape


def sum_backward(grad: Any, sizes: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of a sum: the same for every element that was added."""
    if not keepdim and sizes:
        grad = unsqueeze_multiple(grad, dim)
    return expand_to(grad, sizes) if grad.__class__ is Tensor else broadcast_array(grad, sizes)


@op("MeanBackward0", self=lambda grad, self_sizes: mean_backward(grad, self_sizes))
def mean_all(self):
    """The mean of all elements."""
    return scalar(array_module(self).true_divide(self.sum(), self.size, dtype=self.dtype))


@op(
    "MeanBackward1",
    contiguous=True,
    self=lambda grad, self_sizes, dim, keepdim: mean_dim_backward(grad, self_sizes, dim, keepdim),
)
def mean_dim(self, dim, keepdim):
    """The means along some dimensions."""
    return self.mean(axis=dim, keepdims=keepdim)


def mean_backward(grad: Any, sizes: tuple[int, ...]) -> Any:
    """The gradient of a mean: an equal share for every element."""
    count = math.prod(sizes)
    if grad.__class__ is Tensor:
        return div_scalar(expand_to(grad, sizes), count)
    return broadcast_array(grad / count if count else grad, sizes)


def mean_dim_backward(grad: Any, sizes: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of means: an equal share for every element."""
    count = math.prod(sizes[d] for d in dim) if sizes else 1
    if grad.__class__ is Tensor:
        return div_scalar(sum_backward(grad, sizes, dim, keepdim), count)
    return sum_backward(grad / count if count else grad, sizes, dim, keepdim)


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Any:
    """The sum of all elements, or along `dim`; integers add up as int64."""
    input = want_tensor(input, "sum")
    if dtype is not None and as_dtype(dtype) is not input.dtype:
        return _sum_as(input, axis_of(dim, axis), keepdim, as_dtype(dtype).numpy)  # type: ignore[union-attr]
    if dim is None and axis is None and not keepdim:
        return sum_all(input)
    return sum_dim(input, reduced_dims(axis_of(dim, axis), input._data.ndim), keepdim)


def typed(input: Tensor, dtype: Any) -> Tensor:
    """Input in the dtype that a reduction was asked to work in."""
    wanted = as_dtype(dtype)
    if wanted is None or wanted.numpy == input._data.dtype:
        return input
    return to_dtype(input, wanted.numpy) if wanted.category >= dt.FLOATING else fresh(input._data.astype(wanted.numpy))


def _sum_as(input: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """``sum`` in another dtype."""
    if dim is None and not keepdim:
        return sum_all_as(input, dtype)
    return sum_dim_as(input, reduced_dims(dim, input._data.ndim), keepdim, dtype)


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Any:
    """The mean of all elements, or along `dim`."""
    input = want_tensor(input, "mean")
    if dtype is not None:
        input = typed(input, dtype)
    if input._data.dtype.kind in "biu":
        raise DtypeMismatch(
            f"mean() takes floating-point tensors, not {input.dtype.name}",
            hint="convert first: x.float().mean(), or dtype=torch.float32",
        )
    dim = axis_of(dim, axis)
    if dim is None and not keepdim:
        return mean_all(input)
    return mean_dim(input, reduced_dims(dim, input._data.ndim), keepdim)


# ---- extremes ----


def indices_along(data: Any, chosen: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The values at `chosen`, one index for each row along `dim`, and the indices as int64."""
    if not data.shape:
        return scalar(data), first_place(data)
    xp = array_module(data)
    kept = xp.expand_dims(chosen, dim)
    values = xp.take_along_axis(data, kept, dim)
    if not keepdim:
        return scalar(values.squeeze(dim)), scalar(chosen.astype("int64"))
    return values, kept.astype("int64")


def first_place(data: Any) -> Any:
    """The index of the only element, beside an array without dimensions."""
    return on_device_of(data, np.int64(0))


def first_extreme(data: Any, dim: int, largest: bool) -> Any:
    """The index of the extreme along `dim`; a nan counts as extreme, and of several the first is taken."""
    if not data.shape:
        return first_place(data)
    return data.argmax(axis=dim) if largest else data.argmin(axis=dim)


@op(
    "MaxBackward0",
    real_only=True,
    outputs=("values", "indices"),
    self=lambda grad, self_sizes, dim, indices, keepdim: pick_backward(grad, dim, indices, self_sizes, keepdim),
)
def max_dim(self, dim, keepdim):
    """The largest elements along a dimension, and where they are."""
    return indices_along(self, first_extreme(self, dim, True), dim, keepdim)


@op(
    "MinBackward0",
    real_only=True,
    outputs=("values", "indices"),
    self=lambda grad, self_sizes, dim, indices, keepdim: pick_backward(grad, dim, indices, self_sizes, keepdim),
)
def min_dim(self, dim, keepdim):
    """The smallest elements along a dimension, and where they are."""
    return indices_along(self, first_extreme(self, dim, False), dim, keepdim)


def pick_backward(grad: Any, dim: int, indices: Any, sizes: tuple[int, ...], keepdim: bool) -> Any:
    """PyTorch's value_selecting_reduction_backward: each gradient goes to the element that was picked."""
    if not keepdim and sizes:
        grad, indices = unsqueeze_multiple(grad, (dim,)), unsqueeze_multiple(indices, (dim,))
    if grad.__class__ is Tensor:
        return scatter_src(blank(grad, sizes), grad, indices, dim)
    if not sizes:
        return grad
    zeros = blank(grad, sizes)
    array_module(grad).put_along_axis(zeros, indices, grad, dim)
    return zeros


@op("MaxBackward1", real_only=True, self=lambda grad, self, result: share_evenly(grad, self, result))
def max_all(self):
    """The largest element."""
    return self.max()


@op("MinBackward1", real_only=True, self=lambda grad, self, result: share_evenly(grad, self, result))
def min_all(self):
    """The smallest element."""
    return self.min()


def share_evenly(grad: Any, self: Any, result: Any) -> Any:
    """PyTorch's evenly_distribute_backward: all elements equal to the result share its gradient."""
    value, data = data_of(result), data_of(self)
    mask = data == value if value == value else data != data
    if grad.__class__ is Tensor:
        count = fresh(mask.sum())
        return masked_fill_tensor(zeros_like(self), fresh(mask), div(grad, count))
    return where_array(mask, (grad / mask.sum()).astype(data.dtype), data.dtype.type(0))


@op(
    "AmaxBackward0",
    real_only=True,
    contiguous=True,
    broadcasts=("self",),  # of a 0-d tensor whose dimension was named there is one dimension more
    self=lambda grad, self, result, dim, keepdim: scale_by_count(grad, self, result, dim, keepdim),
)
def amax_dim(self, dim, keepdim):
    """The largest elements along some dimensions; equal ones share the gradient."""
    return self.max(axis=dim if dim and self.ndim else None, keepdims=keepdim)


@op(
    "AminBackward0",
    real_only=True,
    contiguous=True,
    broadcasts=("self",),  # of a 0-d tensor whose dimension was named there is one dimension more
    self=lambda grad, self, result, dim, keepdim: scale_by_count(grad, self, result, dim, keepdim),
)
def amin_dim(self, dim, keepdim):
    """The smallest elements along some dimensions; equal ones share the gradient."""
    return self.min(axis=dim if dim and self.ndim else None, keepdims=keepdim)


def scale_by_count(grad: Any, self: Any, result: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    """PyTorch's scale_grad_by_count over restore_reduced_dims."""
    data, value = data_of(self), data_of(result)
    shape = data.shape or (1,)
    kept = tuple(1 if d in dim else n for d, n in enumerate(shape)) if dim else ()  # without dims everything was reduced
    value = value if keepdim else value.reshape(kept)
    mask = data == value
    count = mask.sum(axis=dim if dim and mask.ndim else None, keepdims=True)
    grad = grad if keepdim else reshape_to(grad, kept)
    if grad.__class__ is Tensor:
        return mul(div(grad, fresh(scalar(count))), fresh(mask))
    return scalar((grad / count.astype(grad.dtype)) * mask)


def check_not_empty(input: Tensor, name: str, dim: Any = None) -> None:
    data = input._data
    if dim is None:
        if not data.size:
            raise BadArgument(
                f"{name}() of a tensor without elements has no value", hint="give `dim` a dimension that is not empty"
            )
        return
    for d in wrap_dims(dim, data.ndim):
        if data.shape and not data.shape[d]:
            raise IndexOutOfRange(f"{name}() along dimension {d}, whose size is 0, has no value")


def _extreme(name: str, whole: Any, along: Any, pairwise: Any) -> Any:
    def extreme(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, axis: Any = None) -> Any:
        input = want_tensor(input, name)
        dim = axis_of(dim, axis)
        if isinstance(dim, Tensor) or other is not None:
            return pairwise(input, dim if other is None else other)
        check_not_empty(input, name, dim)
        if dim is None:
            return whole(input)
        return named_pair(name, *along(input, wrap_dim(dim, input._data.ndim), keepdim))

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = (
        f"The {name} of all elements; with `dim`, (values, indices) along it; with a tensor, the elementwise {pairwise.__name__}."
    )
    return extreme


max = _extreme("max", max_all, max_dim, maximum)
min = _extreme("min", min_all, min_dim, minimum)


def _reduced(input: Tensor, dim: Any) -> tuple[int, ...]:
    """The dims that amax reduces; () stands for all."""
    return () if dim in ((), []) else wrap_dims(dim, input._data.ndim)


def amax(input: Any, dim: Any = (), keepdim: bool = False, *, axis: Any = None) -> Any:
    """The largest elements along `dim`, or of all; equal ones share the gradient."""
    input = want_tensor(input, "amax")
    dim = axis_of(dim or None, axis) if axis is not None else dim
    check_not_empty(input, "amax", dim if dim != () else None)
    return amax_dim(input, _reduced(input, dim), keepdim)


def amin(input: Any, dim: Any = (), keepdim: bool = False, *, axis: Any = None) -> Any:
    """The smallest elements along `dim`, or of all; equal ones share the gradient."""
    input = want_tensor(input, "amin")
    dim = axis_of(dim or None, axis) if axis is not None else dim
    check_not_empty(input, "amin", dim if dim != () else None)
    return amin_dim(input, _reduced(input, dim), keepdim)


def _arg(name: str) -> Any:
    def arg(input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Any:
        input = want_tensor(input, name)
        dim = axis_of(dim, axis)
        data = input._data
        refuse_complex(name, data)
        if dim is None and not data.size:
            raise IndexOutOfRange(f"{name}() of a tensor without elements has no value")
        check_not_empty(input, name, dim)
        if data.dtype.kind == "b":
            raise DtypeMismatch(f"{name}() is not defined for bool tensors", hint="convert first: x.int()")
        if dim is None or not data.shape:
            index = getattr(at_device(data), name)().astype(np.int64) if data.shape else first_place(data)
            return fresh(index.reshape((1,) * data.ndim) if keepdim and data.shape else index)
        wrapped = wrap_dim(dim, data.ndim)
        return fresh(scalar(getattr(at_device(data), name)(axis=wrapped, keepdims=keepdim).astype("int64")))

    arg.__name__ = arg.__qualname__ = name
    arg.__doc__ = f"The index of the {name[3:]}imum, among all elements or along `dim`; of equal ones the first."
    return arg


argmax, argmin = _arg("argmax"), _arg("argmin")


def _truth(name: str) -> Any:
    def truth(input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Any:
        input = want_tensor(input, name)
        data, dim = input._data, axis_of(dim, axis)
        axes = None if dim is None else reduced_dims(dim, data.ndim)
        return fresh(scalar(getattr(array_module(data), name)(data, axis=axes, keepdims=keepdim)))

    truth.__name__ = truth.__qualname__ = name
    truth.__doc__ = f"Whether {name} of the elements is true, of all or along `dim`."
    return truth


any, all = _truth("any"), _truth("all")
