"""Elementary functions, elementwise."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import HOST, special_functions
from ..core.basic_ops import conj
from ..core.op import op, pointwise_float
from .arithmetic import add_scalar, mul_scalar, reciprocal, sub, sub_scalar
from .compare import where_self
from .masks import masked_fill_scalar
from .power import pow_scalar
from .support import data_of, on_device_of, zeros_like

# ---- roots, exponentials, logarithms ----


@op("AbsBackward0", self=lambda grad, self: grad * sgn(self))
def abs(xp, self):
    """Absolute value; its gradient at 0 is 0."""
    return xp.abs(self)


@op("SgnBackward0", self=lambda grad, self, result: sgn_backward(grad, self, result))
def sgn(xp, self):
    """The sign: -1, 0 or 1; of a complex number, the number of its direction with absolute value 1."""
    return xp.sign(self) if self.dtype.kind == "c" else sign_of(self)


def sgn_backward(grad: Any, self: Any, result: Any) -> Any:
    """PyTorch's sgn_backward: nothing for real numbers, the turning part of the gradient for complex ones. It is computed on Tensors."""
    if data_of(grad).dtype.kind != "c":
        return zeros_like(grad)
    twice = mul_scalar(abs(self), 2)  # See Note [Right operand first]
    back = conj(grad)
    return masked_fill_scalar((grad - result * result * back) / twice, twice == 0, 0)


@op("SignBackward0", real_only=True, self=lambda grad: zeros_like(grad))
def sign(xp, self):
    """The sign: -1, 0 or 1."""
    return sign_of(self)


def sign_of(data: Any) -> Any:
    """-1, 0 or 1 for real numbers; 0 for nan, as in PyTorch."""
    if data.dtype.kind == "b":
        return data.copy()
    return ((data > 0).view("int8") - (data < 0).view("int8")).astype(data.dtype)


@pointwise_float("SqrtBackward0", self=lambda grad, result: grad / mul_scalar(conj(result), 2))
def sqrt(xp, self):
    """Square root."""
    return xp.sqrt(self)


@pointwise_float("RsqrtBackward0", self=lambda grad, result: rsqrt_backward(grad, result))
def rsqrt(xp, self):
    """One over the square root."""
    return xp.reciprocal(xp.sqrt(self))


def rsqrt_backward(grad: Any, result: Any) -> Any:
    """The gradient of rsqrt from its result. See Note [Right operand first]."""
    cube = conj(pow_scalar(result, 3))
    return mul_scalar(grad, -0.5) * cube


@pointwise_float("ExpBackward0", self=lambda grad, result: grad * conj(result))
def exp(xp, self):
    """Exponential."""
    return xp.exp(self)


@pointwise_float("Exp2Backward0", self=lambda grad, result: mul_scalar(grad * conj(result), 0.6931471805599453))
def exp2(xp, self):
    """Two to the power of self."""
    return xp.exp2(self) if self.dtype.kind != "c" else xp.exp(self * 0.6931471805599453)


@pointwise_float("Expm1Backward0", self=lambda grad, result: grad * add_scalar(conj(result), 1))
def expm1(xp, self):
    """Exponential minus one."""
    return xp.expm1(self)


@pointwise_float("LogBackward0", self=lambda grad, self: grad / conj(self))
def log(xp, self):
    """Natural logarithm."""
    return xp.log(self)


@pointwise_float("Log1PBackward0", self=lambda grad, self: grad / conj(add_scalar(self, 1)))
def log1p(xp, self):
    """Natural logarithm of one plus self."""
    return xp.log1p(self)


@pointwise_float("Log2Backward0", self=lambda grad, self: grad / mul_scalar(conj(self), 0.6931471805599453))
def log2(xp, self):
    """Logarithm to base 2."""
    return xp.log2(self)


@pointwise_float("Log10Backward0", self=lambda grad, self: grad / mul_scalar(conj(self), 2.3025850929940456))
def log10(xp, self):
    """Logarithm to base 10."""
    return xp.log10(self)


# ---- trigonometric and hyperbolic ----


@pointwise_float("SinBackward0", self=lambda grad, self: grad * conj(cos(self)))
def sin(xp, self):
    """Sine."""
    return xp.sin(self)


@pointwise_float("CosBackward0", self=lambda grad, self: grad * -conj(sin(self)))
def cos(xp, self):
    """Cosine."""
    return xp.cos(self)


@pointwise_float("TanBackward0", self=lambda grad, result: grad * conj(add_scalar(pow_scalar(result, 2), 1)))
def tan(xp, self):
    """Tangent."""
    return xp.tan(self)


@pointwise_float("AsinBackward0", self=lambda grad, self: grad * conj(rsqrt(add_scalar(-self * self, 1))))
def asin(xp, self):
    """Arc sine."""
    return xp.arcsin(self)


@pointwise_float("AcosBackward0", self=lambda grad, self: grad * -conj(rsqrt(add_scalar(-self * self, 1))))
def acos(xp, self):
    """Arc cosine."""
    return xp.arccos(self)


@pointwise_float("AtanBackward0", self=lambda grad, self: grad / conj(add_scalar(self * self, 1)))
def atan(xp, self):
    """Arc tangent."""
    return xp.arctan(self)


@pointwise_float("SinhBackward0", self=lambda grad, self: grad * conj(cosh(self)))
def sinh(xp, self):
    """Hyperbolic sine."""
    return xp.sinh(self)


@pointwise_float("CoshBackward0", self=lambda grad, self: grad * conj(sinh(self)))
def cosh(xp, self):
    """Hyperbolic cosine."""
    return xp.cosh(self)


@pointwise_float("AsinhBackward0", self=lambda grad, self: grad * conj(rsqrt(add_scalar(pow_scalar(self, 2), 1))))
def asinh(xp, self):
    """Inverse hyperbolic sine."""
    return xp.arcsinh(self)


@pointwise_float("AcoshBackward0", self=lambda grad, self: grad * conj(acosh_slope(self)))
def acosh(xp, self):
    """Inverse hyperbolic cosine."""
    return xp.arccosh(self)


def acosh_slope(self: Any) -> Any:
    """The derivative of acosh; of complex numbers with the branch cuts of two roots. See Note [Right operand first]."""
    if data_of(self).dtype.kind != "c":
        return rsqrt(sub_scalar(self * self, 1))
    below = rsqrt(sub_scalar(self, 1))
    return rsqrt(add_scalar(self, 1)) * below


@pointwise_float("AtanhBackward0", self=lambda grad, self: atanh_backward(grad, self))
def atanh(xp, self):
    """Inverse hyperbolic tangent."""
    return xp.arctanh(self)


def atanh_backward(grad: Any, self: Any) -> Any:
    """The gradient of atanh; PyTorch writes ``grad * 1 / (1 - self.pow(2))``. See Note [Right operand first]."""
    rest = conj(sub(1, pow_scalar(self, 2)))
    return mul_scalar(grad, 1) / rest


@pointwise_float(
    "Atan2Backward0",
    real_only=True,
    common=lambda grad, self, other: atan2_scale(self, other),
    self=lambda grad, common, other: grad * other * common,
    other=lambda grad, common, self: grad * -self * common,
)
def atan2(xp, self, other):
    """The angle of the point (other, self)."""
    return xp.arctan2(self, other)


def atan2_scale(y: Any, x: Any) -> Any:
    """1 / (y*y + x*x), and 0 at the origin, as PyTorch's atan2_backward."""
    return masked_fill_scalar(reciprocal(y * y + x * x), (y == 0) & (x == 0), 0)


@pointwise_float(
    "HypotBackward0",
    real_only=True,
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(xp, self, other):
    """The square root of self**2 + other**2."""
    return xp.hypot(self, other)


@pointwise_float("LogitBackward0", as_given="all", real_only=True, self=lambda grad, self, eps: logit_backward(grad, self, eps))
def logit_of(xp, self, eps):
    """The logarithm of self / (1 - self)."""
    if eps is not None:
        self = xp.clip(self, eps, 1 - eps)
    return xp.log(self / (1 - self))


def logit_backward(grad: Any, self: Any, eps: float | None) -> Any:
    """PyTorch's infinitely_differentiable_logit_backward: nan outside (0, 1), or 0 where eps clamps."""
    low, high, outside = (0.0, 1.0, math.nan) if eps is None else (eps, 1 - eps, 0.0)
    return where_self((self >= low) & (self <= high), grad / (self * sub(1, self)), outside)


def logit(input: Any, eps: float | None = None) -> Any:
    """The logarithm of input / (1 - input); with eps, input is clamped to [eps, 1 - eps] first."""
    return logit_of(input, eps)


# ---- the error function ----


@pointwise_float(
    "ErfBackward0", real_only=True, self=lambda grad, self: mul_scalar(exp(-pow_scalar(self, 2)), 2 / math.sqrt(math.pi)) * grad
)
def erf(self):
    """Error function."""
    return erf_array(self)


@pointwise_float(
    "ErfcBackward0", real_only=True, self=lambda grad, self: mul_scalar(exp(-pow_scalar(self, 2)), -2 / math.sqrt(math.pi)) * grad
)
def erfc(self):
    """One minus the error function."""
    return each(math.erfc, self)


def erf_array(data: Any) -> Any:
    """The error function of an array."""
    return each(math.erf, data)


def each(function: Any, data: Any, name: str = "", *first: Any) -> Any:
    """A function of one number at every element: NumPy has no error function, and Python's is exact to the last digit.

    On a device it is the function of CuPy's ``special`` called `name`, by default by the name of the function; it may take what is `first`.
    """
    if data.__class__ not in HOST:
        return getattr(special_functions(data), name or function.__name__)(*first, data)
    if not data.shape:
        return data.dtype.type(function(data))
    values = np.fromiter(map(function, data.ravel().tolist()), np.float64, data.size)
    return on_device_of(data, values.astype(data.dtype).reshape(data.shape))


# ---- rounding ----


@op("FloorBackward0", real_only=True, self=lambda grad: zeros_like(grad))
def floor(xp, self):
    """The next integer below."""
    return self.copy() if self.dtype.kind in "iu" else xp.floor(self)


@op("CeilBackward0", real_only=True, self=lambda grad: zeros_like(grad))
def ceil(xp, self):
    """The next integer above."""
    return self.copy() if self.dtype.kind in "iu" else xp.ceil(self)


@op("TruncBackward0", real_only=True, self=lambda grad: zeros_like(grad))
def trunc(xp, self):
    """The next integer towards zero."""
    return self.copy() if self.dtype.kind in "iu" else xp.trunc(self)


@op("RoundBackward0", real_only=True, self=lambda grad: zeros_like(grad))
def round_whole(xp, self):
    """The nearest integer; halves go to the even one."""
    return self.copy() if self.dtype.kind in "iu" else xp.rint(self)


@op("RoundBackward1", real_only=True, self=lambda grad: zeros_like(grad))
def round_decimals(xp, self, decimals):
    """Rounded to some decimals."""
    return xp.round(self, decimals)


@op("FracBackward0", real_only=True, self=lambda grad: grad)
def frac(xp, self):
    """The part behind the decimal point."""
    return self - xp.trunc(self)


def round(input: Any, *, decimals: int = 0) -> Any:
    """The nearest integer, or the nearest number with some decimals; halves go to the even one."""
    return round_whole(input) if decimals == 0 else round_decimals(input, decimals)
