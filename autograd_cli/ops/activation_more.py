"""More activation functions: hardswish, hardsigmoid, mish, prelu, celu, glu, threshold and what is composed of others."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op, pointwise_float
from ..core.tensor import Tensor
from ..errors import BadArgument, ShapeMismatch
from .activation import sigmoid, tanh
from .arithmetic import add_scalar, div_scalar, mul_scalar, sub
from .compare import where_self
from .lists import cat, chunk
from .pointwise import abs, exp, log1p
from .shape import reshape_to
from .support import as_kind_of, data_of, want_tensor, wrap_dim, zeros_like


def where_mask(mask: Any, grad: Any, other: Any) -> Any:
    """`grad` where an array mask holds, else `other`."""
    return where_self(as_kind_of(grad, mask), grad, other)


@op("HardswishBackward0", real_only=True, self=lambda grad, self: hardswish_backward(grad, self))
def hardswish_(xp, self):
    """Self times a third line of a sigmoid: self * min(max(self + 3, 0), 6) / 6."""
    number = self.dtype.type
    return self * xp.minimum(xp.maximum(self + number(3), number(0)), number(6)) / number(6)


def hardswish_backward(grad: Any, self: Any) -> Any:
    """PyTorch's hardswish_backward: 0 up to -3, self / 3 + 1/2 between, 1 from 3 on."""
    x = data_of(self)
    inner = where_mask(x < 3, grad * add_scalar(div_scalar(self, 3), 0.5), grad)
    return where_mask(x > -3, inner, 0)


@op("HardsigmoidBackward0", real_only=True, self=lambda grad, self: where_mask(inside(self), mul_scalar(grad, 1 / 6), 0))
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


def mish_backward(grad: Any, self: Any) -> Any:
    """The gradient of mish, in operations that can be differentiated again."""
    soft = log1p(exp(-abs(self))) + where_mask(data_of(self) > 0, self, 0)
    t, s = tanh(soft), sigmoid(self)
    return grad * (t + self * s * sub(1, t * t))


@op("CeluBackward0", real_only=True, self=lambda grad, self, alpha: celu_backward(grad, self, alpha))
def celu_(xp, self, alpha):
    """Self where it is positive, else alpha * (exp(self / alpha) - 1)."""
    return xp.where(self > 0, self, self.dtype.type(alpha) * xp.expm1(self / self.dtype.type(alpha)))[()]


def celu_backward(grad: Any, self: Any, alpha: float) -> Any:
    """The gradient of celu."""
    return where_mask(data_of(self) > 0, grad, grad * exp(div_scalar(self, alpha)))


@op("ThresholdBackward0", real_only=True, self=lambda grad, self, threshold: where_mask(data_of(self) > threshold, grad, 0))
def threshold_(xp, self, threshold, value):
    """Self where it is above the threshold, else a value."""
    return xp.where(self > threshold, self, self.dtype.type(value))[()]


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


@op("GluBackward0", self=lambda grad, self, dim: glu_backward(grad, self, dim))
def glu_(self, dim):
    """The first half of a dimension times the sigmoid of the second."""
    xp = array_module(self)
    a, b = xp.split(self, 2, axis=dim)
    return a / (1 + xp.exp(-b))


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


# ---- what scripts call ----


def prelu(input: Any, weight: Any) -> Any:
    """Input where it is positive, else weight * input; one weight, or one for each channel (dimension 1)."""
    x, w = want_tensor(input, "prelu")._data, want_tensor(weight, "prelu", "weight")._data
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
