"""More activation functions: hardswish, hardsigmoid, mish, prelu, celu, glu, threshold and what is composed of others."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.halves import one_kernel
from ..core.op import op, pointwise_float
from ..core.tensor import Tensor
from ..errors import BadArgument, ShapeMismatch
from .activation import elu_backward, sigmoid, tanh
from .arithmetic import div_scalar, mul_scalar, sub
from .compare import where_self
from .lists import cat, chunk
from .pointwise import abs, exp, log1p
from .shape import reshape_to
from .support import as_kind_of, check_same_dtype, data_of, want_tensor, wrap_dim, zeros_like


def where_mask(mask: Any, grad: Any, other: Any) -> Any:
    """`grad` where an array mask holds, else `other`."""
    return where_self(as_kind_of(grad, mask), grad, other)


@op("HardswishBackward0", real_only=True, self=lambda grad, self: hardswish_backward(grad, self))
def hardswish_(xp, self):
    """Self times a third line of a sigmoid: self * min(max(self + 3, 0), 6) / 6."""
    number = self.dtype.type
    return self * xp.minimum(xp.maximum(self + number(3), number(0)), number(6)) / number(6)


@op(
    "HardswishBackwardBackward0",
    grad_output=lambda grad, self: hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: where_mask(inside(self), div_scalar(grad * grad_output, 3), 0),
)
def hardswish_backward(xp, grad_output, self):
    """The gradient of hardswish: 0 up to -3, self / 3 + 1/2 between, 1 from 3 on."""
    number = self.dtype.type
    inner = xp.where(self >= 3, grad_output, grad_output * (self / number(3) + number(0.5)))
    return xp.where(self <= -3, number(0), inner)[()]


SIXTH = float(np.float32(1) / np.float32(6))  # PyTorch's kernel has it in float32 for every dtype


@op("HardsigmoidBackward0", real_only=True, self=lambda grad, self: where_mask(inside(self), mul_scalar(grad, SIXTH), 0))
def hardsigmoid_(xp, self):
    """A sigmoid of three lines: min(max(self + 3, 0), 6) / 6."""
    number = self.dtype.type
    return xp.minimum(xp.maximum(self + number(3), number(0)), number(6)) / number(6)


def inside(self: Any) -> Any:
    """Where hardsigmoid is not constant."""
    x = data_of(self)
    return (x > -3) & (x < 3)


@pointwise_float("MishBackward0", real_only=True, self=lambda grad, self: mish_backward(grad, self))
def mish_(xp, self):
    """Self times tanh(softplus(self))."""
    return self * xp.tanh(xp.logaddexp(self, self.dtype.type(0)))


@one_kernel
def mish_backward(grad: Any, self: Any) -> Any:
    """The gradient of mish; on Tensors in PyTorch's infinitely differentiable form."""
    s = sigmoid(self)
    if isinstance(grad, Tensor):
        t = tanh(log1p(exp(self)))
    else:
        t = tanh(log1p(exp(-abs(self))) + where_mask(self > 0, self, 0))
    slope = sub(1, t * t)  # See Note [Right operand first]
    return grad * (t + self * s * slope)


@op("CeluBackward0", real_only=True, self=lambda grad, self, alpha: elu_backward(grad, self, alpha, 1, 1 / alpha, False))
def celu_(xp, self, alpha):
    """Self where it is positive, else alpha * (exp(self / alpha) - 1)."""
    return xp.where(self > 0, self, self.dtype.type(alpha) * xp.expm1(self / self.dtype.type(alpha)))[()]


@op("ThresholdBackward0", real_only=True, self=lambda grad, self, threshold: threshold_backward_above(grad, self, threshold))
def threshold_(xp, self, threshold, value):
    """Self where it is above the threshold (or nan), else a value."""
    return xp.where(self <= threshold, self.dtype.type(value), self)[()]


@op(
    "PreluKernelBackward0",
    real_only=True,
    broadcasts=("weight",),
    self=lambda grad, self, weight: where_mask(data_of(self) > 0, grad, weight * grad),
    weight=lambda grad, self, weight: where_mask(data_of(self) > 0, zeros_like(grad), self * grad),
)
def prelu_kernel(xp, self, weight):
    """Self where it is positive, else weight * self."""
    return xp.where(self > 0, self, weight * self)[()]


@op("GluBackward0", real_only=True, self=lambda grad, self, dim: glu_backward(grad, self, dim))
def glu_(self, dim):
    """The first half of a dimension times the sigmoid of the second."""
    xp = array_module(self)
    a, b = xp.split(self, 2, axis=dim)
    return a / (1 + xp.exp(-b))


@one_kernel
def glu_backward(grad: Any, self: Any, dim: int) -> Any:
    """The gradient of glu: that of the first half, and that of the second."""
    if grad.__class__ is not Tensor:
        xp = array_module(self)
        a, b = xp.split(self, 2, axis=dim)
        gate = 1 / (1 + xp.exp(-b))
        return xp.concatenate([grad * gate, grad * a * gate * (1 - gate)], axis=dim)
    halves: Any = chunk(self, 2, dim)
    gate = sigmoid(halves[1])
    return cat([grad * gate, grad * halves[0] * gate * sub(1, gate)], dim)


@op(
    "ThresholdBackwardBackward0",
    grad_output=lambda grad, self, threshold: threshold_backward_above(grad, self, threshold),
    self=lambda grad: zeros_like(grad),
)
def threshold_backward_above(xp, grad_output, self, threshold):
    """grad_output where self is above the threshold, else 0."""
    return xp.where(self <= threshold, grad_output.dtype.type(0), grad_output)[()]


# ---- what scripts call ----


def prelu(input: Any, weight: Any) -> Any:
    """Input where it is positive, else weight * input; one weight, or one for each channel (dimension 1)."""
    x, w = want_tensor(input, "prelu")._data, want_tensor(weight, "prelu", "weight")._data
    check_same_dtype("prelu()", input, weight=weight)
    channels = x.shape[1] if x.ndim > 1 else 1
    if w.size not in (1, channels):
        raise ShapeMismatch(f"prelu() takes one weight or {channels}, one for each channel, not {w.size}")
    if w.ndim != x.ndim:
        weight = reshape_to(weight, tuple(w.size if d == 1 else 1 for d in range(x.ndim)) if x.ndim > 1 else (1,) * x.ndim)
    return prelu_kernel(input, weight)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half of a dimension times the sigmoid of the second."""
    shape = want_tensor(input, "glu")._data.shape
    if not shape:
        raise BadArgument("glu() needs a tensor with at least one dimension")
    dim = wrap_dim(dim, len(shape))
    if shape[dim] % 2:
        raise BadArgument(f"glu() halves dimension {dim}, and its size {shape[dim]} is odd")
    return glu_(input, dim)


def softsign(input: Any) -> Any:
    """input / (1 + abs(input))."""
    return input / (abs(input) + 1)


def tanhshrink(input: Any) -> Any:
    """Input minus its tanh."""
    return input - tanh(input)


# ---- shrinking ----


@op("HardshrinkBackward0", real_only=True, self=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd))
def hardshrink_(xp, self, lambd):
    """Self, and 0 from -lambd to lambd."""
    return xp.where(xp.abs(self) <= lambd, self.dtype.type(0), self)[()]


@op(
    "HardshrinkBackwardBackward0",
    grad_out=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_like(grad),
)
def hardshrink_backward(xp, grad_out, self, lambd):
    """The gradient of hardshrink and softshrink."""
    return xp.where(xp.abs(self) > lambd, grad_out, grad_out.dtype.type(0))[()]


@op("SoftshrinkBackward0", real_only=True, self=lambda grad, self, lambd: softshrink_backward(grad, self, lambd))
def softshrink_(xp, self, lambd):
    """Self moved towards 0 by lambd, and 0 from -lambd to lambd."""
    number = self.dtype.type
    return xp.where(xp.isnan(self), self, xp.maximum(self - number(lambd), 0) + xp.minimum(self + number(lambd), 0))[()]


@op(
    "SoftshrinkBackwardBackward0",
    grad_output=lambda grad, self, lambd: softshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_like(grad),
)
def softshrink_backward(xp, grad_output, self, lambd):
    """The gradient of softshrink."""
    return xp.where(xp.abs(self) > lambd, grad_output, grad_output.dtype.type(0))[()]


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """Input, and 0 from -lambd to lambd."""
    return hardshrink_(want_tensor(input, "hardshrink"), lambd)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """Input moved towards 0 by lambd, and 0 from -lambd to lambd."""
    if lambd < 0:
        raise BadArgument(f"lambd of softshrink() is 0 or more, not {lambd}")
    return softshrink_(want_tensor(input, "softshrink"), lambd)
