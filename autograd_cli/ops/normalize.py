"""Normalisation over some dimensions, with a scale and a shift: layer, group, batch and instance norm, and their gradients.

Note [One normalisation]
    All of them do the same: ``(x - mean) * rstd`` over some axes of x seen in some shape, times a weight, plus a bias. They differ in
    the axes and in how weight and bias lie along the dimensions; ``Layout`` says both. The gradient by x is
    ``rstd * (g - mean(g) - xhat * mean(g * xhat))`` with ``g = grad * weight``.

Note [One formula for all]
    PyTorch computes the gradients of input, weight and bias by one formula, so a node saves all that it reads, whichever of them is
    wanted. Here a value is saved for the gradients that name it: those of input and weight name the same.

Note [Absent weight]
    A node has three edges in PyTorch, with or without weight and bias. Where there is none, a 0-d tensor that requires no grad stands in
    its place.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.array import array_module
from ..core.dtype import HALVES
from ..core.halves import one_kernel
from ..core.op import op
from ..core.op_support import ABSENT, fresh, rows
from ..core.tensor import Tensor
from .arithmetic import add_scalar, mul
from .power import pow_scalar
from .reduce import mean_dim, sum_dim
from .shape import reshape_to
from .support import data_of


class Layout(NamedTuple):
    """How the input is seen: `view` is the shape, `axes` are normalised, `scale` is the shape of weight and bias beside the input.

    `kept` is the shape in which PyTorch keeps the statistics.
    """

    view: tuple[int, ...]
    axes: tuple[int, ...]
    scale: tuple[int, ...]
    summed: tuple[int, ...]  # the input's axes along which weight and bias are repeated
    kept: tuple[int, ...]

    def beside(self, statistic: Any) -> Any:
        """A statistic in the shape in which it stands beside the input's view."""
        return statistic.reshape(tuple(1 if i in self.axes else n for i, n in enumerate(self.view)))


def absent(like: Tensor) -> Tensor:
    """What stands for a weight or bias that is not there. See Note [One formula for all]
        PyTorch computes the gradients of input, weight and bias by one formula, so a node saves all that it reads, whichever of them is
        wanted. Here a value is saved for the gradients that name it: those of input and weight name the same.

    Note [Absent weight]."""
    stands_for_it = fresh(like._data.dtype.type(1))
    stands_for_it._meta = ABSENT
    return stands_for_it


def or_absent(given: Tensor | None, like: Tensor) -> Tensor:
    """A weight or bias, or what stands for it."""
    return absent(like) if given is None else given


# ---- with the statistics of the input ----


def normalized(input: Any, weight: Any, bias: Any, layout: Layout, eps: float) -> tuple[Any, Any, Any]:
    """(result, mean, rstd) of arrays, the statistics as they are kept."""
    xp = array_module(input)
    x = input.reshape(layout.view)
    mean = x.mean(axis=layout.axes, keepdims=True, dtype=accurate(x))
    away = x - mean.astype(x.dtype)
    rstd = 1 / xp.sqrt((away * away).mean(axis=layout.axes, keepdims=True, dtype=accurate(x)) + eps)
    away *= rstd.astype(x.dtype)
    mean, rstd = (statistic.reshape(layout.kept).astype(x.dtype) for statistic in (mean, rstd))
    return affine(rows(away.reshape(input.shape)), weight, bias, layout), mean, rstd


def accurate(x: Any) -> Any:
    """The dtype in which statistics are added up: float32 for half types."""
    return np.float32 if x.dtype.itemsize == 2 else None


def affine(y: Any, weight: Any, bias: Any, layout: Layout) -> Any:
    """``y * weight + bias``, in y's memory."""
    if weight.shape:
        y *= weight.reshape(layout.scale)
    if bias.shape:
        y += bias.reshape(layout.scale)
    return y


@op(
    "NativeLayerNormBackward0",
    real_only=True,
    outputs=("output", "result1", "result2"),
    input=lambda grad, input, weight, bias, result1, result2, layout, eps: by_input(
        grad, input, weight, result1, result2, layout, eps
    ),
    weight=lambda grad, input, weight, bias, result1, result2, layout, eps: by_weight(
        grad, input, weight, result1, result2, layout, eps
    ),
    bias=lambda grad, layout, bias: by_bias(grad, layout, data_of(bias).shape),
)
def native_layer_norm(input, weight, bias, layout, eps):
    """Input normalised over its last dimensions, times weight, plus bias."""
    return normalized(input, weight, bias, layout, eps)


@op(
    "NativeGroupNormBackward0",
    real_only=True,
    outputs=("output", "result1", "result2"),
    input=lambda grad, input, weight, result1, result2, layout, eps: by_input(grad, input, weight, result1, result2, layout, eps),
    weight=lambda grad, input, weight, result1, result2, layout, eps: by_weight(
        grad, input, weight, result1, result2, layout, eps
    ),
    bias=lambda grad, layout, bias_sizes: by_bias(grad, layout, bias_sizes),
)
def native_group_norm(input, weight, bias, layout, eps):
    """Input normalised over groups of channels, times weight, plus bias."""
    return normalized(input, weight, bias, layout, eps)


@op(
    "NativeBatchNormBackward0",
    as_given="all",
    real_only=True,
    outputs=("output", "result1", "result2"),
    input=lambda grad, input, weight, running_mean, running_var, result1, result2, layout, eps, training: (
        by_input(grad, input, weight, result1, result2, layout, eps)
        if training
        else by_input_with(grad, weight, running_var, layout, eps)
    ),
    weight=lambda grad, input, weight, running_mean, running_var, result1, result2, layout, eps, training: (
        by_weight(grad, input, weight, result1, result2, layout, eps)
        if training
        else by_weight_with(grad, input, weight, running_mean, running_var, layout, eps)
    ),
    bias=lambda grad, layout, bias_sizes: by_bias(grad, layout, bias_sizes),
)
def native_batch_norm(input, weight, bias, running_mean: Tensor, running_var: Tensor, layout, eps, training):
    """Input normalised over the batch (or with running statistics), times weight, plus bias."""
    if input.dtype in HALVES:
        return _batch_norm_of_halves(input, (weight, bias, running_mean, running_var), layout, eps, training)
    if training:
        return normalized(input, weight, bias, layout, eps)
    none = array_module(input).empty(0, input.dtype)
    away = input - layout.beside(running_mean)
    return affine(away * rstd_of(running_var, layout, eps, input.dtype), weight, bias, layout), none, none.copy()


def _batch_norm_of_halves(input: Any, given: tuple[Any, ...], layout: Layout, eps: float, training: bool) -> tuple[Any, Any, Any]:
    """As PyTorch's kernel: the statistics are rounded, to the dtype of the weights where there are some, before they are used."""
    xp, half = array_module(input), input.dtype
    wide = input.astype(np.float32)
    weight, bias, running_mean, running_var = (value.astype(np.float32) for value in given)
    none = xp.empty(0, half)
    if not training:
        away = wide - layout.beside(running_mean)
        found = affine(away * rstd_of(running_var, layout, eps, wide.dtype), weight, bias, layout)
        return found.astype(half), none, none.copy()
    kept = given[0].dtype if given[0].shape else half
    _, mean, rstd = normalized(wide, wide.dtype.type(0), wide.dtype.type(0), layout, eps)
    mean, rstd = mean.astype(kept), rstd.astype(kept)
    y = (wide.reshape(layout.view) - layout.beside(mean.astype(np.float32))) * layout.beside(rstd.astype(np.float32))
    return affine(rows(y.reshape(input.shape)), weight, bias, layout).astype(half), mean, rstd


def rstd_of(running_var: Any, layout: Layout, eps: float, dtype: Any) -> Any:
    """One over the square root of a running variance, beside the input."""
    return (1 / array_module(running_var).sqrt(layout.beside(running_var) + eps)).astype(dtype)


# ---- gradients ----


@one_kernel
def by_input(grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, layout: Layout, eps: float) -> Any:
    """The gradient by the input. See Note [One normalisation]."""
    if grad.__class__ is Tensor:
        return recorded_by_input(grad, input, weight, layout, eps)
    g = grad * weight.reshape(layout.scale) if weight.shape else grad
    g = g.reshape(layout.view)
    rstd = layout.beside(rstd)
    xhat = (input.reshape(layout.view) - layout.beside(mean)) * rstd
    middle = (g * xhat).mean(axis=layout.axes, keepdims=True)
    xhat *= middle
    found = g - g.mean(axis=layout.axes, keepdims=True)
    found -= xhat
    found *= rstd
    return found.reshape(input.shape)


@one_kernel
def by_weight(grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, layout: Layout, eps: float) -> Any:
    """The gradient by the weight: that of the result times the normalised input, summed."""
    sizes = data_of(weight).shape
    if grad.__class__ is Tensor:
        xhat = reshape_to(recorded_normalized(input, layout, eps)[0], input._data.shape)
        return reshape_to(sum_dim(grad * xhat, layout.summed, False), sizes)
    xhat = (input.reshape(layout.view) - layout.beside(mean)) * layout.beside(rstd)
    return (grad * xhat.reshape(input.shape)).sum(axis=layout.summed).reshape(sizes)


@one_kernel
def by_input_with(grad: Any, weight: Any, running_var: Any, layout: Layout, eps: float) -> Any:
    """The gradient by the input where the statistics are given."""
    if grad.__class__ is Tensor:
        g: Any = mul(grad, reshape_to(weight, layout.scale)) if weight._data.shape else grad
        return mul(g, fresh(rstd_of(running_var._data, layout, eps, grad._data.dtype)))
    g = grad * weight.reshape(layout.scale) if weight.shape else grad
    return g * rstd_of(running_var, layout, eps, grad.dtype)


@one_kernel
def by_weight_with(grad: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, layout: Layout, eps: float) -> Any:
    """The gradient by the weight where the statistics are given."""
    sizes = data_of(weight).shape
    if grad.__class__ is Tensor:
        away = input - fresh(layout.beside(running_mean._data))
        xhat = mul(away, fresh(rstd_of(running_var._data, layout, eps, input._data.dtype)))
        return reshape_to(sum_dim(grad * xhat, layout.summed, False), sizes)
    xhat = (input - layout.beside(running_mean)) * rstd_of(running_var, layout, eps, input.dtype)
    return (grad * xhat).sum(axis=layout.summed).reshape(sizes)


@one_kernel
def by_bias(grad: Any, layout: Layout, sizes: tuple[int, ...]) -> Any:
    """The gradient by the bias: that of the result, summed."""
    if grad.__class__ is Tensor:
        return reshape_to(sum_dim(grad, layout.summed, False), sizes)
    return grad.sum(axis=layout.summed).reshape(sizes)


def recorded_normalized(input: Tensor, layout: Layout, eps: float) -> tuple[Any, Any]:
    """(xhat in the layout's view, rstd), recorded: in a second derivative the statistics depend on the input."""
    x = reshape_to(input, layout.view)
    away = x - mean_dim(x, layout.axes, True)
    rstd = pow_scalar(add_scalar(mean_dim(away * away, layout.axes, True), eps), -0.5)
    return away * rstd, rstd


def recorded_by_input(grad: Tensor, input: Tensor, weight: Tensor, layout: Layout, eps: float) -> Any:
    """``by_input`` on Tensors, recorded."""
    g: Any = mul(grad, reshape_to(weight, layout.scale)) if weight._data.shape else grad
    g = reshape_to(g, layout.view)
    xhat, spread = recorded_normalized(input, layout, eps)
    found = (g - mean_dim(g, layout.axes, True) - xhat * mean_dim(g * xhat, layout.axes, True)) * spread
    return reshape_to(found, input._data.shape)
