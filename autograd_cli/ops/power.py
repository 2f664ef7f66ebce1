"""Powers: of a tensor to a number, to a tensor, and of a number to a tensor; PyTorch has a node for each."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import cmath
import math
from typing import Any

from ..core import dtype as dt
from ..core.array import array_module, cast_array
from ..core.basic_ops import cast_back, conj, to_dtype
from ..core.op import op, pointwise
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument
from .arithmetic import keeps_dtype, mul_scalar, sub_scalar
from .compare import where_self
from .support import data_of, where_array, zeros_like


@op(
    "PowBackward0",
    as_given="bfloat16",
    rounds=("exponent",),
    self=lambda grad, self, exponent: pow_backward(grad, self, exponent),
)
def pow_scalar(self, exponent):
    """Power with a number as exponent: self ** exponent."""
    return power(self, exponent)


@pointwise(
    "PowBackward1",
    self=lambda grad, self, exponent: pow_backward_self(grad, self, exponent),
    exponent=lambda grad, self, exponent, result: pow_backward_exponent(grad, self, exponent, result),
)
def pow_tensor(self, exponent):
    """Power: self ** exponent."""
    check_exponent(self, exponent)
    return self**exponent


@op("PowBackward2", exponent=lambda grad, self, exponent, result: pow_backward_base(grad, self, exponent, result))
def pow_of_number(self, exponent):
    """Power of a number: self ** exponent."""
    if exponent.dtype.kind in "iu":
        whole = array_module(exponent).abs(exponent)
        powers = array_module(exponent).full_like(exponent, self) ** whole
        return powers if (whole == exponent).all() else where_array(exponent < 0, int(1 / self) if self else 0, powers)
    return self**exponent if self.__class__ is not complex else self ** to_complex(exponent)


def check_exponent(base: Any, exponent: Any) -> None:
    """Integers to negative powers are an error in PyTorch."""
    negative = (exponent < 0).any() if hasattr(exponent, "any") else exponent < 0
    if base.dtype.kind in "iu" and negative:
        raise BadArgument("integers cannot be raised to negative integer powers", hint="make the base float first: x.float()")


def power(base: Any, exponent: Any) -> Any:
    """An array to the power of a number; small powers as products, which is faster and what PyTorch does."""
    if base.dtype.kind in "biu" and exponent.__class__ is not complex:
        check_exponent(base, exponent)
        if base.dtype.kind == "b":
            return base.astype("int64") ** exponent
    if exponent.__class__ is complex:
        return to_complex(base) ** exponent
    if exponent == 2:
        return base * base
    if exponent == 3:
        return base * base * base
    if exponent == 1:
        return base + 0  # a new array
    if exponent == -2:
        return array_module(base).reciprocal(base * base)
    if exponent == 0.5:
        return array_module(base).sqrt(base)
    if exponent == -0.5:
        return array_module(base).reciprocal(array_module(base).sqrt(base))
    return base**exponent


def to_complex(data: Any) -> Any:
    """An array as complex numbers of its precision: what it becomes beside a complex number."""
    return cast_array(data, dt.combine(dt.of(data), dt.complex64).numpy)


def pow_backward(grad: Any, base: Any, exponent: Any) -> Any:
    """PyTorch's pow_backward."""
    if exponent == 0:
        return zeros_like(base)
    if grad.__class__ is not Tensor:
        if exponent == 2:
            return grad * (base + base)
        return grad * (float(exponent) * power(base, exponent - 1))
    exponent = float(exponent) if exponent.__class__ is not complex else exponent
    found = grad * conj(mul_scalar(pow(base, exponent - 1), exponent))
    return cast_back(found, base._data.dtype)


def pow_backward_self(grad: Any, base: Any, exponent: Any) -> Any:
    """PyTorch's pow_backward_self."""
    if grad.__class__ is not Tensor:
        slope = (
            exponent * base ** (exponent - 1) if base.dtype.kind == "f" else exponent * base.astype(grad.dtype) ** (exponent - 1)
        )
        return where_array(exponent == 0, 0, grad * slope)
    return where_self(exponent == 0.0, 0.0, grad * conj(exponent * pow_tensor(base, sub_scalar(exponent, 1))))


def pow_backward_exponent(grad: Any, base: Any, exponent: Any, result: Any) -> Any:
    """PyTorch's pow_backward_exponent: at base 0 the slope is taken to be 0 for exponents from 0 on."""
    from .pointwise import log

    if grad.__class__ is not Tensor:
        slope = result * array_module(base).log(base)
        return grad * where_array((base == 0) & (exponent >= 0), 0, slope)
    return grad * where_self(
        (base == 0) & not_negative(exponent),
        0.0,
        conj(result * log(to_dtype(base, result._data.dtype) if base._data.dtype != result._data.dtype else base)),
    )


def not_negative(exponent: Any) -> Any:
    """Where an exponent is 0 or a positive real number, as a Tensor of bools."""
    data = exponent._data
    return fresh(scalar((data.imag == 0) & (data.real >= 0) if data.dtype.kind == "c" else data >= 0))


def pow_backward_base(grad: Any, base: Any, exponent: Any, result: Any) -> Any:
    """As pow_backward_exponent for a number as base."""
    if base == 0:
        if grad.__class__ is not Tensor:
            return grad * where_array(exponent >= 0, 0, result * -math.inf)
        return grad * where_self(not_negative(exponent), 0.0, conj(mul_scalar(result, -math.inf)))
    if base.__class__ is complex or (base < 0 and data_of(result).dtype.kind == "c"):
        slope: Any = cmath.log(base)
    else:
        slope = math.log(base) if base > 0 else math.nan
    return grad * conj(mul_scalar(result, slope))


def pow(input: Any, exponent: Any) -> Any:
    """Power: input ** exponent; either may be a number."""
    if exponent.__class__ is Tensor:
        if input.__class__ is Tensor:
            return pow_tensor(input, exponent)
        by_number = keeps_dtype(exponent, input) or input.__class__ is complex
        return pow_of_number(input, exponent) if by_number else pow_tensor(input, exponent)
    if input.__class__ is Tensor and (keeps_dtype(input, exponent) or exponent.__class__ is complex):
        return pow_scalar(input, exponent)
    return pow_tensor(input, exponent)


def rpow(input: Any, base: Any) -> Any:
    """``number ** tensor``."""
    return pow(base, input)


def square(input: Any) -> Any:
    """Square: input ** 2."""
    return pow_scalar(input, 2)
