"""Elementwise functions of one or two tensors beyond those of ``pointwise.py``."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module
from ..core.basic_ops import to_dtype
from ..core.op import op, pointwise, pointwise_float
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgumentType, DtypeMismatch
from .arithmetic import add_scalar, mul_scalar
from .compare import isfinite, where_self
from .masks import masked_fill_scalar
from .pointwise import exp
from .power import rpow
from .support import no_derivative, want_tensor, zeros_like

LN2 = math.log(2)


@op("NanToNumBackward0", as_given="all", real_only=True, self=lambda grad, self: grad * finite(self))
def nan_to_num_of(xp, self, nan, posinf, neginf):
    """Self with numbers in the place of nan, inf and -inf."""
    if self.dtype.kind in "biu":
        return self.copy()
    limits = np.finfo(self.dtype) if self.dtype.kind == "f" else dt.bfloat16_limits()
    given = self.astype(np.float32) if self.dtype in dt.HALVES else self
    return scalar(
        xp.nan_to_num(
            given,
            nan=0.0 if nan is None else nan,
            posinf=float(limits.max) if posinf is None else posinf,
            neginf=float(limits.min) if neginf is None else neginf,
        ).astype(self.dtype)
    )


def finite(x: Any) -> Any:
    """Whether the elements are finite; of an array or a Tensor."""
    return isfinite(x) if isinstance(x, Tensor) else array_module(x).isfinite(x)


def nan_to_num(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Input with `nan` (0 by default) for nan, and the largest numbers, or those given, for inf and -inf."""
    return nan_to_num_of(want_tensor(input, "nan_to_num"), nan, posinf, neginf)


def two_to(exponent: Any) -> Any:
    """2 to the power of an array or a Tensor."""
    return rpow(exponent, 2) if isinstance(exponent, Tensor) else array_module(exponent).exp2(exponent)


@pointwise(
    "LogaddexpBackward0",
    real_only=True,
    self=lambda grad, self, other: grad / add_scalar(exp(other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(exp(self - other), 1),
)
def logaddexp(xp, self, other):
    """The logarithm of exp(self) + exp(other), without overflow."""
    if self.dtype.kind not in "fc":
        raise DtypeMismatch(f"logaddexp() is not defined for {dt.of(self).name}", hint="convert first: x.float()")
    return xp.logaddexp(self, other)


@pointwise(
    "Logaddexp2Backward0",
    real_only=True,
    self=lambda grad, self, other: grad / add_scalar(two_to(other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(two_to(self - other), 1),
)
def logaddexp2(xp, self, other):
    """The logarithm to base 2 of 2**self + 2**other, without overflow."""
    if self.dtype.kind not in "fc":
        raise DtypeMismatch(f"logaddexp2() is not defined for {dt.of(self).name}", hint="convert first: x.float()")
    return xp.logaddexp2(self, other)


@pointwise(
    "NotImplemented", real_only=True, self=lambda grad: no_derivative("heaviside"), values=lambda grad: no_derivative("heaviside")
)
def heaviside_of(xp, self, values):
    """0 below zero, 1 above, and `values` at zero."""
    return xp.where(self == 0, values, (self > 0).astype(self.dtype))


def heaviside(input: Any, values: Any) -> Any:
    """0 where input is negative, 1 where it is positive, and `values` where it is 0."""
    if want_tensor(input, "heaviside")._data.dtype != want_tensor(values, "heaviside", "values")._data.dtype:
        raise DtypeMismatch(f"heaviside() takes two tensors of one dtype, not {input.dtype.name} and {values.dtype.name}")
    return heaviside_of(input, values)


@pointwise(
    "NextafterBackward0",
    as_given="all",
    real_only=True,
    self=lambda grad, self, other: where_self(self != other, grad, 0),
    other=lambda grad: zeros_like(grad),
)
def nextafter(xp, self, other):
    """The next number that the dtype has, from self towards other."""
    if self.dtype.kind not in "fV":
        raise DtypeMismatch(f"nextafter() is not defined for {dt.of(self).name}", hint="convert first: x.float()")
    return xp.nextafter(self, other)


@pointwise_float(
    "CopysignBackward0",
    real_only=True,
    self=lambda grad, self, result: copysign_backward(grad, self, result),
    other=lambda grad: zeros_like(grad),
)
def copysign_tensor(xp, self, other):
    """The size of self with the sign of other."""
    return xp.copysign(self, other)


@pointwise_float("CopysignBackward1", real_only=True, self=lambda grad, self, result: copysign_backward(grad, self, result))
def copysign_number(xp, self, other):
    """The size of self with the sign of a number."""
    return xp.copysign(self, self.dtype.type(other))


def copysign_backward(grad: Any, self: Any, result: Any) -> Any:
    """PyTorch's copysign_tensor_self_backward: 1, -1, or 0 where self is 0."""
    return grad * masked_fill_scalar(result / self, self == 0, 0)


def copysign(input: Any, other: Any) -> Any:
    """The size of input with the sign of other, a tensor or a number."""
    return copysign_tensor(input, other) if isinstance(other, Tensor) else copysign_number(want_tensor(input, "copysign"), other)


@pointwise_float(
    "LdexpBackward0",
    real_only=True,
    self=lambda grad, other: grad * two_to(other),
    other=lambda grad, result: mul_scalar(grad * result, LN2),
)
def ldexp(xp, self, other):
    """self * 2**other."""
    return self * xp.exp2(other)


def float_power(input: Any, exponent: Any) -> Any:
    """Power, computed in float64."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise BadArgumentType("float_power() takes a tensor for `input` or `exponent`")
    wide = [_as_double(v) for v in (input, exponent)]
    return wide[0] ** wide[1]


def _as_double(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value if isinstance(value, complex) else float(value)
    if value._data.dtype.kind == "c" or value._data.dtype == np.float64:
        return value
    return to_dtype(value, np.dtype(np.float64)) if value._edge is not None else fresh(value._data.astype(np.float64))


@op("Deg2RadBackward0", real_only=True, self=lambda grad: mul_scalar(grad, math.pi / 180))
def deg2rad(self):
    """Degrees as radians."""
    return _floating(self) * _floating(self).dtype.type(math.pi / 180)


@op("Rad2DegBackward0", real_only=True, self=lambda grad: mul_scalar(grad, 180 / math.pi))
def rad2deg(self):
    """Radians as degrees."""
    return _floating(self) * _floating(self).dtype.type(180 / math.pi)


def _floating(data: Any) -> Any:
    return data.astype(dt.default.dtype.numpy) if data.dtype.kind in "biu" else data


@pointwise(
    "FmaxBackward0",
    real_only=True,
    self=lambda grad, self, other: masked_fill_scalar(grad, ~takes_first(self, other, True), 0),
    other=lambda grad, self, other: masked_fill_scalar(grad, takes_first(self, other, True), 0),
)
def fmax(xp, self, other):
    """The larger of two elements; nan only where both are."""
    return xp.fmax(self, other)


@pointwise(
    "FminBackward0",
    real_only=True,
    self=lambda grad, self, other: masked_fill_scalar(grad, ~takes_first(self, other, False), 0),
    other=lambda grad, self, other: masked_fill_scalar(grad, takes_first(self, other, False), 0),
)
def fmin(xp, self, other):
    """The smaller of two elements; nan only where both are."""
    return xp.fmin(self, other)


def takes_first(a: Any, b: Any, largest: bool) -> Any:
    """Where the first of two operands is taken."""
    return (a >= b if largest else a <= b) | (b != b)


def positive(input: Any) -> Any:
    """``+input``: the tensor itself."""
    if want_tensor(input, "positive")._data.dtype.kind == "b":
        raise DtypeMismatch("positive() is not defined for bool tensors")
    return input


def signbit(input: Any) -> Any:
    """Whether the sign is a minus; also of -0."""
    data = want_tensor(input, "signbit")._data
    return fresh(scalar(array_module(data).signbit(data) if data.dtype.kind == "f" else data < 0))
