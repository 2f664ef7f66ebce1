"""Arithmetic: the operators ``+ - * / // % **`` and what belongs to them.

PyTorch has two nodes for most of these: one where the other operand is a tensor (a Python number in ``x * 2`` is made one), and one for a
number as its own C++ code uses it (``MulBackward1``). The latter show in second-order graphs only.

Note [Right operand first]
    In C++ an operator is a call, and the compilers that PyTorch is built with evaluate the arguments of a call from right to left. So in
    ``-grad * ((self / other) / other)`` PyTorch records the quotients before the negation. Python goes from left to right: where
    both operands of a gradient record nodes, the right one is computed first and given a name.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core import dtype as dt
from ..core.array import array_module
from ..core.basic_ops import add, cast_back, conj
from ..core.op import op, pointwise, pointwise_float
from ..core.op_support import fresh, lift
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch
from .support import no_derivative, where_array, zeros_like

# ---- plus, minus, times, divided by ----


@pointwise("AddBackward0", rounds=("alpha",), self=lambda grad: grad, other=lambda grad, alpha: maybe_multiply(grad, conj(alpha)))
def add_scaled(self, other, alpha):
    """Sum with a factor: self + alpha * other."""
    return self + alpha * other


@pointwise("SubBackward0", self=lambda grad: grad, other=lambda grad: -grad)
def sub(self, other):
    """Difference: self - other."""
    try:
        return self - other
    except TypeError:
        raise DtypeMismatch("the minus sign is not defined for bool tensors", hint="use x ^ y, or logical_xor(x, y)") from None


@pointwise(
    "SubBackward0", rounds=("alpha",), self=lambda grad: grad, other=lambda grad, alpha: maybe_multiply(-grad, conj(alpha))
)
def sub_scaled(self, other, alpha):
    """Difference with a factor: self - alpha * other."""
    return self - alpha * other


@pointwise(
    "RsubBackward0", rounds=("alpha",), self=lambda grad, alpha: maybe_multiply(-grad, conj(alpha)), other=lambda grad: grad
)
def rsub_tensor(self, other, alpha):
    """Reversed difference: other - alpha * self."""
    return other - alpha * self


@op("RsubBackward1", rounds=("other",), self=lambda grad: -grad)
def rsub_scalar(self, other):
    """Reversed difference with a number: other - self."""
    return other - self


@op("RsubBackward1", self=lambda grad, self_dtype: cast_back(-grad, self_dtype))
def rsub_complex(self, other):
    """Reversed difference of a real tensor to a complex number: other - self."""
    return lift(other, fresh(self), "rsub", "other")._data - self


@pointwise("MulBackward0", self=lambda grad, other: grad * conj(other), other=lambda grad, self: grad * conj(self))
def mul(self, other):
    """Product: self * other."""
    return self * other


@pointwise_float(
    "DivBackward0",
    self=lambda grad, other: grad / conj(other),
    other=lambda grad, self, other: div_other_backward(grad, self, other),
)
def div(self, other):
    """Quotient: self / other."""
    return self / other


def div_other_backward(grad: Any, self: Any, other: Any) -> Any:
    """PyTorch's div_tensor_other_backward. See Note [Right operand first]."""
    slope = conj((self / other) / other)
    return -grad * slope


@op("NegBackward0", self=lambda grad: -grad)
def neg(self):
    """Negation: -self."""
    if self.dtype.kind == "b":
        raise DtypeMismatch("the minus sign is not defined for bool tensors", hint="use ~x or logical_not(x)")
    return -self


# ---- with a number, as formulas use them ----


@op("AddBackward1", rounds=("other",), self=lambda grad: grad)
def add_scalar(self, other):
    """Sum with a number."""
    return self + other


@op("SubBackward1", rounds=("other",), self=lambda grad: grad)
def sub_scalar(self, other):
    """Difference to a number."""
    return self - other


@op("MulBackward1", self=lambda grad, other: mul_scalar(grad, conj(other)))
def mul_scalar(self, other):
    """Product with a number."""
    return self * other


@op("DivBackward1", self=lambda grad, other: div_scalar(grad, conj(other)))
def div_scalar(self, other):
    """Quotient by a number."""
    return self / other


def maybe_multiply(grad: Any, factor: Any) -> Any:
    """PyTorch's maybe_multiply: nothing is recorded for a factor of one."""
    return grad if factor == 1 else mul_scalar(grad, factor)


# ---- quotients and remainders ----


@pointwise_float("ReciprocalBackward0", self=lambda grad, result: reciprocal_backward(grad, result))
def reciprocal(xp, self):
    """One over: 1 / self."""
    return xp.reciprocal(self)


def reciprocal_backward(grad: Any, result: Any) -> Any:
    """The gradient of reciprocal from its result. See Note [Right operand first]."""
    slope = conj(result * result)
    return -grad * slope


@pointwise_float(
    "DivBackward2",
    self=lambda grad, other: grad / conj(other),
    other=lambda grad, self, other: div_other_backward(grad, self, other),
)
def div_no_mode(self, other):
    """Quotient, asked for with ``rounding_mode=None``."""
    return self / other


@pointwise(
    "DivBackward2",
    real_only=True,
    self=lambda grad, other, rounding_mode: zeros_like(grad),
    other=lambda grad, self, other: zeros_like(grad),
)
def div_mode(self, other, rounding_mode):
    """Quotient rounded down (``floor``) or towards zero (``trunc``)."""
    return divide_rounded(self, other, rounding_mode)


@pointwise(
    "NotImplemented",
    real_only=True,
    self=lambda grad: no_derivative("floor_divide"),
    other=lambda grad: no_derivative("floor_divide"),
)
def floor_divide_tensor(self, other):
    """Quotient rounded down: self // other."""
    return divide_rounded(self, other, "floor")


@op("NotImplemented", real_only=True, self=lambda grad: no_derivative("floor_divide"))
def floor_divide_scalar(self, other):
    """Quotient by a number, rounded down."""
    return divide_rounded(self, other, "floor")


@op("NotImplemented", real_only=True, self=lambda grad: no_derivative("floor_divide"))
def floor_divide_of_number(self, other):
    """A number divided by self, rounded down."""
    return divide_rounded(array_module(self).full_like(self, other), self, "floor")


@op("NotImplemented", real_only=True, self=lambda grad: no_derivative("remainder"))
def remainder_of_number(self, other):
    """The remainder of a number divided by self."""
    check_divisor(self, self)
    return floored(other % self, other)


@pointwise(
    "RemainderBackward1",
    real_only=True,
    self=lambda grad: grad,
    other=lambda grad, self, other: remainder_backward(grad, self, other, "floor"),
)
def remainder_tensor(self, other):
    """Remainder with the sign of the divisor: self % other."""
    check_divisor(self, other)
    return floored(self % other, self)


@op("RemainderBackward0", rounds=("other",), real_only=True, self=lambda grad: grad)
def remainder_scalar(self, other):
    """Remainder by a number."""
    check_divisor(self, other)
    return floored(self % other, self)


@op("FmodBackward0", rounds=("other",), real_only=True, self=lambda grad: grad)
def fmod_scalar(xp, self, other):
    """Remainder by a number, with the sign of the dividend."""
    check_divisor(self, other)
    return xp.fmod(self, other)


@pointwise(
    "FmodBackward1",
    real_only=True,
    self=lambda grad: grad,
    other=lambda grad, self, other: remainder_backward(grad, self, other, "trunc"),
)
def fmod_tensor(xp, self, other):
    """Remainder with the sign of the dividend."""
    check_divisor(self, other)
    return xp.fmod(self, other)


def floored(remainder: Any, dividend: Any) -> Any:
    """A remainder whose zeros have the sign of the dividend, as in PyTorch (NumPy gives them the divisor's)."""
    if remainder.dtype.kind != "f":
        return remainder
    zero = remainder == 0
    xp = array_module(remainder)
    return xp.where(zero, xp.copysign(remainder, dividend), remainder)[()] if zero.any() else remainder


def remainder_backward(grad: Any, self: Any, other: Any, rounding_mode: str) -> Any:
    """The gradient of a remainder by its divisor. See Note [Right operand first]."""
    quotient = div_mode(self, other, rounding_mode)
    return -grad * quotient


def check_divisor(data: Any, divisor: Any) -> None:
    """Integers divided by zero are an error in PyTorch, not a wrong number."""
    if data.dtype.kind in "iu" and not (divisor.all() if hasattr(divisor, "all") else divisor):
        raise BadArgument("an integer tensor was divided by zero", hint="use a float tensor, or avoid zeros in the divisor")


def divide_rounded(data: Any, divisor: Any, rounding_mode: str) -> Any:
    """The rounded quotient of two arrays."""
    check_divisor(data, divisor)
    xp = array_module(data)
    if rounding_mode == "floor":
        if data.dtype.kind in "iu":
            return data // divisor
        quotient = data // divisor
        return where_array(
            xp.equal(divisor, 0), xp.true_divide(data, divisor), quotient
        )  # PyTorch gives inf where NumPy gives nan
    if data.dtype.kind in "iu":
        return (data - xp.fmod(data, divisor)) // divisor
    return xp.trunc(data / divisor)


# ---- what scripts call: numbers and options sorted out ----

LEFT_OUT: Any = object()  # an option that was not written, where None is one


def torch_add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``torch.add(input, other, alpha=1)``."""
    return add(input, other) if alpha == 1 else add_scaled(input, other, check_alpha(alpha, input, other))


def torch_sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``torch.sub(input, other, alpha=1)``."""
    return sub(input, other) if alpha == 1 else sub_scaled(input, other, check_alpha(alpha, input, other))


def check_alpha(alpha: Any, *operands: Any) -> Any:
    """A float factor needs a float result, a complex one a complex one."""
    if isinstance(alpha, complex) and not any(isinstance(t, Tensor) and t._data.dtype.kind == "c" for t in operands):
        raise BadArgument("for real tensors alpha must be real", hint="make one of the tensors complex")
    floating = any(isinstance(t, float) or (isinstance(t, Tensor) and t._data.dtype.kind not in "biu") for t in operands)
    if isinstance(alpha, float) and not floating:
        raise BadArgument("for integer tensors alpha must be an integer", hint="make one of the tensors float")
    return alpha


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Reversed difference: other - alpha * input."""
    if input.__class__ is Tensor and input._data.dtype.kind == "b":
        raise DtypeMismatch("the minus sign is not defined for bool tensors", hint="use ~x, or logical_not(x)")
    if other.__class__ is Tensor or alpha != 1:
        return rsub_tensor(input, other, alpha)
    if input.__class__ is Tensor and input._data.dtype.kind in "fcV":
        return rsub_scalar(input, other) if other.__class__ is not complex else rsub_complex(input, other)
    return sub(other, input)


def rdiv(input: Any, other: Any) -> Any:
    """``number / tensor``, as PyTorch computes it: the reciprocal times the number."""
    return mul(reciprocal(input), other)


def torch_div(input: Any, other: Any, *, rounding_mode: Any = LEFT_OUT) -> Any:
    """``torch.div(input, other, rounding_mode=None)``. PyTorch names the node by whether the mode was written, even as None."""
    if rounding_mode is LEFT_OUT:
        return div(input, other)
    if rounding_mode is None:
        return div_no_mode(input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise BadArgument(f"rounding_mode of div() is None, 'floor' or 'trunc', not {rounding_mode!r}")
    return div_mode(input, other, rounding_mode)


for _function in (torch_add, torch_sub, torch_div):  # what Python says of a wrong call
    _function.__name__ = _function.__qualname__ = _function.__name__.removeprefix("torch_")


def true_divide(input: Any, other: Any) -> Any:
    """``torch.true_divide``: the same as div without rounding."""
    return div(input, other)


def floor_divide(input: Any, other: Any) -> Any:
    """Quotient rounded down: input // other; it has no derivative."""
    if input.__class__ is Tensor and keeps_dtype(input, other):
        return floor_divide_scalar(input, other)
    if other.__class__ is Tensor and keeps_dtype(other, input):
        return floor_divide_of_number(other, input)
    return floor_divide_tensor(input, other)


def remainder(input: Any, other: Any) -> Any:
    """Remainder with the sign of the divisor."""
    if input.__class__ is Tensor and keeps_dtype(input, other):
        return remainder_scalar(input, other)
    if other.__class__ is Tensor and keeps_dtype(other, input):
        return remainder_of_number(other, input)
    return remainder_tensor(input, other)


def fmod(input: Any, other: Any) -> Any:
    """Remainder with the sign of the dividend."""
    if input.__class__ is Tensor and keeps_dtype(input, other):
        return fmod_scalar(input, other)
    return fmod_tensor(input, other)


def keeps_dtype(tensor: Tensor, number: Any) -> bool:
    """Whether `number` is a Python number that does not widen the tensor's dtype."""
    kind = number.__class__
    if kind is not int and kind is not float and kind is not bool and kind is not complex:
        return False
    own = dt.of(tensor._data).category
    return own >= dt.of_number(number).category and own != dt.BOOL
