"""Activation functions. Their gradients are operations of their own, as in PyTorch: second-order graphs show ``TanhBackwardBackward0``."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.basic_ops import conj, to_dtype
from ..core.dtype import HALVES
from ..core.halves import one_kernel
from ..core.modes import modes
from ..core.op import op, pointwise_float
from ..core.tensor import Tensor
from ..errors import BadArgumentValue, DtypeMismatch
from .arithmetic import add_scalar, mul_scalar, neg, sub
from .pointwise import erf_array, exp
from .power import pow_scalar
from .reduce import sum_dim
from .support import as_kind_of, data_of, zeros_like

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946

# ---- tanh, sigmoid ----


@pointwise_float("TanhBackward0", self=lambda grad, result: tanh_backward(grad, result))
def tanh(xp, self):
    """Hyperbolic tangent."""
    return xp.tanh(self)


@op(
    "TanhBackwardBackward0",
    grad_output=lambda grad, output: tanh_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: tanh_by_output(grad, mul_scalar(conj(output), -2) * grad_output),
)
def tanh_backward(grad_output, output):
    """The gradient of tanh from its result: grad_output * (1 - output**2)."""
    y = output * output
    y *= grad_output
    if modes.complex_seen and output.dtype.kind == "c":
        return grad_output * (1 - output * output).conj()
    return np.subtract(grad_output, y, y) if y.__class__ is np.ndarray else grad_output - y


@pointwise_float("SigmoidBackward0", self=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(xp, self):
    """1 / (1 + exp(-self))."""
    return 1 / (1 + xp.exp(-self))


@op(
    "SigmoidBackwardBackward0",
    as_given="float16",
    grad_output=lambda grad, output: sigmoid_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: sigmoid_by_output(grad, grad_output, add_scalar(mul_scalar(conj(output), -2), 1)),
)
def sigmoid_backward(grad_output, output):
    """The gradient of sigmoid from its result: grad_output * output * (1 - output)."""
    if modes.complex_seen and output.dtype.kind == "c":
        return grad_output * (output * (1 - output)).conj()
    if output.dtype in HALVES:
        return grad_output * (1 - output) * output
    y = output * output
    y = np.subtract(output, y, y) if y.__class__ is np.ndarray else output - y
    y *= grad_output
    return y


def tanh_by_output(grad: Any, slope: Any) -> Any:
    """The gradient of tanh_backward by `output`. See Note [Right operand first]."""
    return conj(grad) * slope


def sigmoid_by_output(grad: Any, grad_output: Any, slope: Any) -> Any:
    """The gradient of sigmoid_backward by `output`. See Note [Right operand first]."""
    return conj(grad) * grad_output * slope


# ---- relu and its kin ----


@op("ReluBackward0", real_only=True, self=lambda grad, result: threshold_backward(grad, result))
def relu(xp, self):
    """The positive part; its gradient at 0 is 0."""
    if self.dtype.kind == "b":
        raise DtypeMismatch("relu() is not defined for bool tensors", hint="convert first: x.float()")
    return xp.maximum(0, self)  # in this order -0 stays -0, as in PyTorch


@op(
    "ThresholdBackwardBackward0",
    grad_output=lambda grad, self: threshold_backward(grad, self),
    self=lambda grad: zeros_like(grad),
)
def threshold_backward(grad_output, self):
    """grad_output where self, a result of relu, is not 0: positive, or nan."""
    return keep_where(self != 0, grad_output) if self.shape else grad_output if not self <= 0 else zeros_like(grad_output)


BITS: dict[int, Any] = {2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def keep_where(mask: Any, grad: Any) -> Any:
    """`grad` where the mask holds, else 0, as ``where(mask, grad, 0)``.

    The bits are multiplied as integers by 0 or 1: several times faster than a choice for every element, and right for inf and nan too.
    """
    if grad.__class__ is not np.ndarray or grad.shape != mask.shape:
        return array_module(grad).where(mask, grad, grad.dtype.type(0))
    return (grad.view(BITS[grad.dtype.itemsize]) * mask).view(grad.dtype)


@op("LeakyReluBackward0", real_only=True, self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope))
def leaky_relu_(xp, self, negative_slope):
    """Self where it is positive, else negative_slope * self."""
    return xp.where(self > 0, self, self * negative_slope)[()]


@op(
    "LeakyReluBackwardBackward0",
    grad_output=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
    self=lambda grad: zeros_like(grad),
)
def leaky_relu_backward(xp, grad_output, self, negative_slope):
    """The gradient of leaky_relu."""
    return xp.where(self > 0, grad_output, grad_output * negative_slope)[()]


@op("EluBackward0", real_only=True, self=lambda grad, self, alpha, scale: elu_backward(grad, self, alpha, scale, 1, False))
def elu_(xp, self, alpha, scale):
    """Scale times self where it is positive, else times alpha * (exp(self) - 1)."""
    return xp.where(self > 0, self * scale, xp.expm1(self) * (alpha * scale))[()]


@op(
    "EluBackwardBackward0",
    grad_output=lambda grad, self_or_result, alpha, scale, input_scale, is_result: elu_backward(
        grad, self_or_result, alpha, scale, input_scale, is_result
    ),
    self_or_result=lambda grad, grad_output, self_or_result, alpha, scale, input_scale, is_result: elu_double_backward(
        grad, grad_output, self_or_result, alpha, scale, input_scale, is_result
    ),
)
def elu_backward(xp, grad_output, self_or_result, alpha, scale, input_scale, is_result):
    """The gradient of elu and celu from their input or, after the in-place forms, from their result."""
    low = alpha * scale
    slope = (self_or_result + low) * input_scale if is_result else xp.exp(self_or_result * input_scale) * (low * input_scale)
    return xp.where(self_or_result > 0, grad_output * scale, grad_output * slope)[()]


def elu_double_backward(
    grad: Any, grad_output: Any, self_or_result: Any, alpha: float, scale: float, input_scale: float, is_result: bool
) -> Any:
    """The derivative of elu_backward by self_or_result."""
    both = mul_scalar(grad * grad_output, input_scale)
    slope = both if is_result else elu_backward(both, self_or_result, alpha, scale, input_scale, is_result)
    return slope * to_dtype(self_or_result < 0, data_of(grad).dtype)


@op(
    "HardtanhBackward0", real_only=True, self=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val)
)
def hardtanh_(xp, self, min_val, max_val):
    """Self, at least min_val and at most max_val."""
    return xp.minimum(max_val, xp.maximum(min_val, self))


@op(
    "HardtanhBackwardBackward0",
    grad_output=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val),
    self=lambda grad: zeros_like(grad),
)
def hardtanh_backward(xp, grad_output, self, min_val, max_val):
    """The gradient of hardtanh: nothing at the bounds and beyond."""
    return xp.where((self > min_val) & (self < max_val), grad_output, grad_output.dtype.type(0))[()]


# ---- smooth ones ----


@op("GeluBackward0", real_only=True, self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))
def gelu_(self, approximate):
    """Self times the normal distribution's probability of a smaller number."""
    return gelu_parts(self, approximate)[0]


@op(
    "GeluBackwardBackward0",
    grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
    self=lambda grad, grad_output, self, approximate: gelu_double_backward(grad, grad_output, self, approximate),
)
def gelu_backward(grad_output, self, approximate):
    """The gradient of gelu."""
    return grad_output * gelu_parts(self, approximate)[1]


def gelu_parts(x: Any, approximate: str) -> tuple[Any, Any, Any]:
    """gelu of an array, its derivative and its second derivative."""
    xp = array_module(x)
    number = x.dtype.type
    if approximate == "none":
        cdf = (1 + erf_array(x * number(math.sqrt(0.5)))) * number(0.5)
        pdf = xp.exp(x * x * number(-0.5)) * number(1 / math.sqrt(2 * math.pi))
        return x * cdf, cdf + x * pdf, pdf * (2 - x * x)
    beta, kappa = number(math.sqrt(2 / math.pi)), number(0.044715)
    inner, slope, bend = beta * (x + kappa * x * x * x), beta * (1 + 3 * kappa * x * x), 6 * beta * kappa * x
    th = xp.tanh(inner)
    sech = 1 - th * th
    half = number(0.5)
    first = half * (1 + th) + half * x * sech * slope
    second = sech * slope + half * x * (sech * bend - 2 * th * sech * slope * slope)
    return half * x * (1 + th), first, second


def gelu_double_backward(grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    """The derivative of gelu_backward by self."""
    if approximate != "none" or not isinstance(self, Tensor):
        return grad * grad_output * as_kind_of(grad, gelu_parts(data_of(self), approximate)[2])
    pdf = mul_scalar(exp(mul_scalar(pow_scalar(self, 2), -0.5)), 1 / math.sqrt(2 * math.pi))
    return grad * grad_output * (pdf * sub(2, pow_scalar(self, 2)))


@pointwise_float("SiluBackward0", real_only=True, self=lambda grad, self: silu_backward(grad, self))
def silu_(xp, self):
    """Self times its sigmoid."""
    return self / (1 + xp.exp(-self))


@one_kernel
def silu_backward(grad: Any, self: Any) -> Any:
    """PyTorch's infinitely_differentiable_silu_backward."""
    if grad.__class__ is not Tensor:
        s = 1 / (1 + array_module(self).exp(-self))
        return grad * s * (1 + self * (1 - s))
    s = sigmoid(self)
    slope = add_scalar(self * sub(1, s), 1)
    return grad * s * slope  # See Note [Right operand first]


@op("SoftplusBackward0", real_only=True, self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))
def softplus_(xp, self, beta, threshold):
    """log(1 + exp(beta * self)) / beta; self itself above the threshold."""
    z = self * beta
    return xp.where(z > threshold, self, xp.log1p(xp.exp(z)) / beta)[()]


@op(
    "SoftplusBackwardBackward0",
    grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
    self=lambda grad, grad_output, self, beta, threshold: softplus_double_backward(grad * grad_output, self, beta, threshold),
)
def softplus_backward(xp, grad_output, self, beta, threshold):
    """The gradient of softplus."""
    z = self * beta
    return xp.where(z > threshold, grad_output, grad_output / (1 + xp.exp(-z)))[()]


def softplus_double_backward(grad: Any, self: Any, beta: float, threshold: float) -> Any:
    """The derivative of softplus_backward by self."""
    x = mul_scalar(self, beta)
    below = to_dtype(x < threshold, data_of(grad).dtype)
    return mul_scalar(sigmoid_backward(grad, sigmoid(x)) * below, beta)


@op(
    "LogSigmoidBackward0",
    real_only=True,
    outputs=("output", "buffer"),
    self=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
)
def log_sigmoid_forward(xp, self):
    """(the logarithm of sigmoid, exp(-|self|)), the latter kept for the gradient."""
    buffer = xp.exp(-xp.abs(self))
    return xp.minimum(self, 0) - xp.log1p(buffer), buffer


def logsigmoid(input: Any) -> Any:
    """The logarithm of sigmoid."""
    return log_sigmoid_forward(input)[0]


@op(
    "LogSigmoidBackwardBackward0",
    grad_output=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
    self=lambda grad, grad_output, self: grad * grad_output * neg(sigmoid(self) * sub(1, sigmoid(self))),
)
def log_sigmoid_backward(xp, grad_output, self, buffer: Tensor):
    """The gradient of logsigmoid."""
    return grad_output * xp.where(self < 0, 1, buffer) / xp.add(buffer, 1)


# ---- softmax ----


@op("SoftmaxBackward0", real_only=True, contiguous=True, self=lambda grad, result, dim: softmax_backward_data(grad, result, dim))
def softmax_at(xp, self, dim):
    """Exponentials along a dimension, divided by their sum."""
    if not self.ndim or not self.size:
        return self - self + 1
    y = xp.exp(self - self.max(axis=dim, keepdims=True))
    y /= y.sum(axis=dim, keepdims=True)
    return y


@op(
    "SoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: softmax_backward_data(grad, output, dim),
    output=lambda grad, grad_output, output, dim: softmax_double_backward(grad, grad_output, output, dim),
)
def softmax_backward_data(grad_output, output, dim):
    """The gradient of softmax from its result."""
    y = grad_output * output
    if not output.shape:
        return y - output * y
    y -= output * y.sum(axis=dim, keepdims=True)
    return y


def softmax_double_backward(grad: Any, grad_output: Any, output: Any, dim: int) -> Any:
    """PyTorch's softmax_double_backward. See Note [Right operand first]."""
    by_output = grad_output * along_dim(output * grad, dim)
    by_sum = along_dim(output * grad_output, dim) * grad
    return grad_output * grad - by_sum - by_output


@op(
    "LogSoftmaxBackward0",
    as_given="all",
    real_only=True,
    contiguous=True,
    self=lambda grad, result, dim: log_softmax_backward_data(grad, result, dim),
)
def log_softmax_at(xp, self, dim):
    """The logarithm of softmax."""
    if not self.ndim or not self.size:
        return self - self
    if self.dtype in HALVES:
        return _log_softmax_of_halves(xp, self, dim)
    y = self - self.max(axis=dim, keepdims=True)
    y -= xp.log(xp.exp(y).sum(axis=dim, keepdims=True))
    return y


def _log_softmax_of_halves(xp: Any, data: Any, dim: int) -> Any:
    """As PyTorch's kernels of 2-byte floats: that for the last dimension keeps the sum and its logarithm in their dtype."""
    wide = data.astype(np.float32)
    wide -= wide.max(axis=dim, keepdims=True)
    sums = xp.exp(wide).sum(axis=dim, keepdims=True)
    if dim % data.ndim == data.ndim - 1:
        logs = xp.log(sums.astype(data.dtype).astype(np.float32)).astype(data.dtype).astype(np.float32)
    else:
        logs = xp.log(sums)
    return (wide - logs).astype(data.dtype)


@op(
    "LogSoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: grad - along_dim(grad * exp(output), dim),
    output=lambda grad, grad_output, output, dim: -along_dim(grad_output, dim) * exp(output) * grad,
)
def log_softmax_backward_data(xp, grad_output, output, dim):
    """The gradient of log_softmax from its result."""
    y = xp.exp(output)
    if not output.shape:
        return grad_output - y * grad_output
    y *= grad_output.sum(axis=dim, keepdims=True)
    return xp.subtract(grad_output, y, y)


def along_dim(value: Any, dim: int) -> Any:
    """The sum along a dimension, kept with size 1."""
    return sum_dim(value, (dim,) if data_of(value).shape else (), True)


# ---- what scripts call ----


def gelu(input: Any, approximate: str = "none") -> Any:
    """Input times the normal distribution's probability of a smaller number."""
    if approximate not in ("none", "tanh"):
        raise BadArgumentValue(f"approximate of gelu() is 'none' or 'tanh', not {approximate!r}")
    return gelu_(input, approximate)


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input is above the threshold."""
    return softplus_(input, beta, threshold)
