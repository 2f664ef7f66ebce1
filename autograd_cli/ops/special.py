"""Special functions: logarithms of gamma and their derivatives, the inverse error function, sinc."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module
from ..core.basic_ops import conj
from ..core.op import pointwise_float
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument
from .arithmetic import mul_scalar
from .compare import where_self
from .masks import masked_fill_scalar
from .pointwise import cos, each, exp, sin
from .power import pow_scalar
from .reduce import sum_dim
from .sizes import unsqueeze_at
from .support import as_int, data_of, want_tensor

# Bernoulli numbers B(2), B(4), … of the asymptotic series of digamma and of the Hurwitz zeta function (Abramowitz and Stegun 6.3.18, 23.1).
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
FAR = 12.0  # from where on the series are exact to the last digits


# ---- gamma ----


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except ValueError:  # a pole
        return math.inf


def _digamma(x: float) -> float:
    """The derivative of lgamma: the reflection formula below 0, the recurrence up to where the asymptotic series holds."""
    if x == 0:
        return math.copysign(math.inf, -x)
    if x != x or x == -math.inf:
        return math.nan
    if x == math.inf:
        return math.inf
    if x < 0:
        if x == math.floor(x):
            return math.nan
        fraction = math.fmod(x, 1.0)
        return _digamma(1 - x) - math.pi / math.tan(math.pi * fraction)
    before = 0.0
    while x < FAR:
        before += 1 / x
        x += 1
    square = 1 / (x * x)
    series, power = 0.0, square
    for k, b in enumerate(BERNOULLI, 1):
        series += b / (2 * k) * power
        power *= square
    return math.log(x) - 0.5 / x - series - before


def _zeta(s: int, x: float) -> float:
    """The Hurwitz zeta function by Euler and Maclaurin's formula, for whole s above 1."""
    if x != x or x == -math.inf:
        return math.nan
    if x == math.inf:
        return 0.0
    if x <= 0 and x == math.floor(x):
        return math.inf
    total = 0.0
    while x < FAR + s:
        total += x ** -float(s)
        x += 1
    total += x ** (1.0 - s) / (s - 1) + 0.5 * x ** -float(s)
    factor, power = float(s), x ** -(s + 1.0)
    for k, b in enumerate(BERNOULLI, 1):
        term = b / math.factorial(2 * k) * factor * power
        total += term
        factor *= (s + 2 * k - 1) * (s + 2 * k)
        power /= x * x
    return float(total)


def _trigamma(x: float) -> float:
    """The derivative of digamma at one point; below 1/2 by the reflection formula, as PyTorch has it, whose poles are merely huge."""
    if x >= 0.5 or x != x:
        return _zeta(2, x)
    if x == -math.inf:
        return math.nan
    sine = math.sin(math.pi * x)
    return (math.pi / sine) ** 2 - _zeta(2, 1 - x) if sine else math.inf


def _polygamma(n: int) -> Any:
    """The n-th derivative of digamma at one point."""
    if n == 0:
        return _digamma
    if n == 1:
        return _trigamma
    scale = math.factorial(n) * (1.0 if n % 2 else -1.0)
    return lambda x: scale * _zeta(n + 1, x)


@pointwise_float("LgammaBackward0", real_only=True, self=lambda grad, self: grad * digamma(self))
def lgamma(self):
    """The logarithm of the absolute value of gamma."""
    return each(_lgamma, self, "gammaln")


@pointwise_float("DigammaBackward0", real_only=True, self=lambda grad, self: grad * polygamma_of(self, 1))
def digamma(self):
    """The derivative of lgamma."""
    return each(_digamma, self, "digamma")


@pointwise_float("PolygammaBackward0", real_only=True, self=lambda grad, self, order: grad * polygamma_of(self, order + 1))
def polygamma_of(self, order):
    """The derivative of digamma of an order."""
    return each(_polygamma(order), self, "polygamma", order)


def polygamma(n: Any, input: Any) -> Any:
    """The n-th derivative of digamma."""
    order = as_int(n, "n")
    if order < 0:
        raise BadArgument(f"polygamma() takes an order from 0 on, not {order}")
    return polygamma_of(want_tensor(input, "polygamma"), order)


def polygamma_method(self: Any, n: Any) -> Any:
    """The n-th derivative of digamma."""
    return polygamma(n, self)


@pointwise_float("MvlgammaBackward0", real_only=True, self=lambda grad, self, p: mvlgamma_backward(grad, self, p))
def mvlgamma_of(self, p):
    """The logarithm of the multivariate gamma function of dimension p."""
    shifts = (-0.5 * k for k in range(p))
    total = sum((each(_lgamma, self + self.dtype.type(shift), "gammaln") for shift in shifts), self.dtype.type(0))
    return total + self.dtype.type(p * (p - 1) / 4 * math.log(math.pi))


def mvlgamma_backward(grad: Any, self: Any, p: int) -> Any:
    """PyTorch's mvlgamma_backward: digamma at p points, summed."""
    data = data_of(self)
    shifts = array_module(data).arange(-p + 1, 1, dtype=data.dtype) / 2
    points = (fresh(shifts) if isinstance(self, Tensor) else shifts) + unsqueeze_at(self, data.ndim)
    return grad * sum_dim(digamma(points), (data.ndim,), False)


def mvlgamma(input: Any, p: Any) -> Any:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    size = as_int(p, "p")
    if size < 1:
        raise BadArgument(f"mvlgamma() takes a dimension p from 1 on, not {size}")
    return mvlgamma_of(want_tensor(input, "mvlgamma"), size)


# ---- the inverse of the error function ----


def _erfinv(y: float) -> float:
    """Winitzki's approximation, made exact by Newton's method on erf, or near 1 on erfc."""
    if y != y or abs(y) > 1:
        return math.nan
    if abs(y) == 1 or y == 0:
        return math.copysign(math.inf, y) if y else y
    size = abs(y)
    log = math.log1p(-size) + math.log1p(size)
    middle = 2 / (math.pi * 0.147) + log / 2
    x = math.sqrt(math.sqrt(middle * middle - log / 0.147) - middle)
    for _ in range(4):
        error = math.erf(x) - size if size < 0.5 else (1 - size) - math.erfc(x)
        x -= error / (2 / math.sqrt(math.pi) * math.exp(-x * x))
    return math.copysign(x, y)


@pointwise_float(
    "ErfinvBackward0",
    real_only=True,
    self=lambda grad, self: mul_scalar(exp(pow_scalar(erfinv(self), 2)), 0.5 * math.sqrt(math.pi)) * grad,
)
def erfinv(self):
    """The inverse of the error function."""
    return each(_erfinv, self, "erfinv")


# ---- sinc ----


@pointwise_float("SincBackward0", self=lambda grad, self: sinc_backward(grad, self))
def sinc(xp, self):
    """sin(pi * x) / (pi * x), and 1 at 0."""
    scaled = self * self.dtype.type(math.pi)
    return xp.where(self == 0, self.dtype.type(1), xp.sin(scaled) / xp.where(self == 0, self.dtype.type(1), scaled))[()]


def sinc_backward(grad: Any, self: Any) -> Any:
    """PyTorch's sinc_backward: no gradient at 0."""
    scaled = mul_scalar(self, math.pi)
    square = mul_scalar(self * self, math.pi)
    other = sin(scaled)  # See Note [Right operand first]
    slope = (scaled * cos(scaled) - other) / square
    return where_self(square == 0, 0, grad * conj(slope))


# ---- x * log(y) ----


@pointwise_float(
    "XlogyBackward0",
    real_only=True,
    self=lambda grad, self, other: masked_fill_scalar(xlogy_tensor(grad, other), (self == 0) & (other <= 0), 0),
    other=lambda grad, self, other: grad * self / other,
)
def xlogy_tensor(xp, self, other):
    """self * log(other), and 0 where self is 0."""
    return xlogy_array(self, other)


@pointwise_float("XlogyBackward1", real_only=True, other=lambda grad, self, other: mul_scalar(grad, self) / other)
def xlogy_of_number(other, self):
    """A number times log(other), and 0 where the number is 0."""
    return xlogy_array(other.dtype.type(self), other)


@pointwise_float("XlogyBackward2", real_only=True, self=lambda grad, self, other: xlogy_number_backward(grad, self, other))
def xlogy_number(self, other):
    """self * log(a number), and 0 where self is 0."""
    return xlogy_array(self, self.dtype.type(other))


def xlogy_array(a: Any, b: Any) -> Any:
    """a * log(b) of arrays, of which one may be a number."""
    xp = array_module(a if getattr(a, "ndim", 0) else b)
    return xp.where(b != b, b, xp.where(a == 0, xp.zeros_like(a), a * xp.log(b)))[()]


def xlogy_number_backward(grad: Any, self: Any, other: float) -> Any:
    """PyTorch's formula for a number as the second operand."""
    slope = xlogy_number(grad, other)
    return slope if other > 0 else masked_fill_scalar(slope, self == 0, 0)


def xlogy(input: Any, other: Any) -> Any:
    """input * log(other), and 0 where input is 0; either may be a number."""
    if not isinstance(input, Tensor) and isinstance(other, Tensor):
        return xlogy_of_number(other, input)
    if isinstance(input, Tensor) and not isinstance(other, Tensor):
        return xlogy_number(input, other)
    return xlogy_tensor(input, other)
