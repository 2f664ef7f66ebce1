"""Comparisons, logic, and choices between operands."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import operator
from types import NoneType
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module, broadcast_shapes, common_module, promote
from ..core.basic_ops import to_dtype
from ..core.device_operands import at_device, together
from ..core.modes import modes
from ..core.op import op, pointwise
from ..core.op_support import fresh, lift, refuse_complex, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, DtypeMismatch
from .arithmetic import div_scalar
from .masks import masked_fill_scalar
from .support import want_tensor, where_array

# ---- comparisons: no gradient, so no nodes ----


def _comparison(name: str, doc: str) -> Any:
    function = getattr(operator, name)

    ordered = name not in ("eq", "ne")

    def compare(input: Any, other: Any) -> Any:
        if input.__class__ is Tensor:
            a = input._data
            if other.__class__ is Tensor:
                b = other._data
                if a.shape != b.shape or a.dtype is not b.dtype or not modes.host_only:
                    a, b = operands(a, b, name)
            elif other.__class__ is int or other.__class__ is float or other.__class__ is bool:
                b = other
                if a.dtype.kind in "biu" and other.__class__ is float:
                    b = np.float64(other)
            else:
                b = lift(other, input, name, "other")._data
            if not modes.host_only:
                at_device(a)
            if ordered and modes.complex_seen:
                refuse_complex(name, a, b if hasattr(b, "dtype") else np.asarray(b))
            return fresh(scalar(function(a, b)))
        if isinstance(other, Tensor) and (isinstance(input, (int, float, complex, Tensor))):
            return compare(lift(input, other, name, "input"), other)
        if isinstance(input, Tensor):
            return compare(fresh(input._data), other)
        if hasattr(input, "dtype"):
            return scalar(function(input, other))
        raise BadArgumentType(f"{name}() takes a tensor, not {type(input).__name__}")

    compare.__name__ = compare.__qualname__ = name
    compare.__doc__ = doc
    return compare


def operands(a: Any, b: Any, op: str, names: tuple[str, str] = ("input", "other")) -> tuple[Any, Any]:
    """Two arrays of one dtype and one device whose shapes broadcast."""
    if not modes.host_only:
        a, b = together(op, names, a, b)
    if a.shape != b.shape:
        broadcast_shapes(a.shape, b.shape)
    a, b = promote((a, b))
    return a, b


eq = _comparison("eq", "Whether input == other, elementwise.")
ne = _comparison("ne", "Whether input != other, elementwise.")
lt = _comparison("lt", "Whether input < other, elementwise.")
le = _comparison("le", "Whether input <= other, elementwise.")
gt = _comparison("gt", "Whether input > other, elementwise.")
ge = _comparison("ge", "Whether input >= other, elementwise.")


def _pair(input: Any, other: Any, name: str) -> tuple[Any, Any]:
    """The arrays of two operands, of which one may be a number."""
    if not isinstance(input, Tensor):
        if not isinstance(other, Tensor):
            raise BadArgumentType(f"{name}() takes a tensor, not {type(input).__name__}")
        input = lift(input, other, name, "input")
    if not isinstance(other, Tensor):
        other = lift(other, input, name, "other")
    return operands(input._data, other._data, name)


def _logical(name: str) -> Any:
    def logical(input: Any, other: Any) -> Any:
        a, b = _pair(input, other, name)
        return fresh(scalar(getattr(common_module(a, b), name)(a, b)))

    logical.__name__ = logical.__qualname__ = name
    logical.__doc__ = f"{name.replace('_', ' ').capitalize()}, elementwise; what is not 0 counts as true."
    return logical


def _bitwise(name: str) -> Any:
    def bitwise(input: Any, other: Any) -> Any:
        a, b = _pair(input, other, name)
        if a.dtype.kind not in "biu":
            raise DtypeMismatch(
                f"{name}() works on bool and integer tensors, not on {dt.of(a).name}", hint="compare first: (x > 0) & (y > 0)"
            )
        return fresh(scalar(getattr(common_module(a, b), name)(a, b)))

    bitwise.__name__ = bitwise.__qualname__ = name
    bitwise.__doc__ = f"{name.replace('_', ' ').capitalize()} of integers or bools, elementwise."
    return bitwise


logical_and, logical_or, logical_xor = _logical("logical_and"), _logical("logical_or"), _logical("logical_xor")
bitwise_and, bitwise_or, bitwise_xor = _bitwise("bitwise_and"), _bitwise("bitwise_or"), _bitwise("bitwise_xor")


def _shift(name: str) -> Any:
    function = name.removeprefix("bitwise_")

    def shift(input: Any, other: Any) -> Any:
        a, b = _pair(input, other, name)
        if a.dtype.kind not in "iu":
            raise DtypeMismatch(f"{name}() works on integer tensors, not on {dt.of(a).name}", hint="multiply by a power of 2")
        return fresh(scalar(getattr(common_module(a, b), function)(a, b)))

    shift.__name__ = shift.__qualname__ = name
    shift.__doc__ = f"The bits of integers moved to the {function.removesuffix('_shift')} by so many places, elementwise."
    return shift


bitwise_left_shift, bitwise_right_shift = _shift("bitwise_left_shift"), _shift("bitwise_right_shift")


def shifted_left(self: Any, other: Any) -> Any:
    """``other << self``."""
    return bitwise_left_shift(other, self)


def shifted_right(self: Any, other: Any) -> Any:
    """``other >> self``."""
    return bitwise_right_shift(other, self)


def logical_not(input: Any) -> Any:
    """Whether the element is 0."""
    data = want_tensor(input, "logical_not")._data
    xp = array_module(data)
    return fresh(scalar(data == 0 if data.dtype.kind == "c" else xp.logical_not(data)))


def bitwise_not(input: Any) -> Any:
    """Bitwise not of integers, logical not of bools."""
    data = want_tensor(input, "bitwise_not")._data
    if data.dtype.kind not in "biu":
        raise BadArgumentType(f"~ works on bool and integer tensors, not on {dt.of(data).name}", hint="use -x or logical_not(x)")
    return fresh(scalar(~at_device(data)))


def isnan(input: Any) -> Any:
    """Whether the element is not a number."""
    data = want_tensor(input, "isnan")._data
    return fresh(scalar(at_device(data) != data))


def isinf(input: Any) -> Any:
    """Whether the element is infinite."""
    data = want_tensor(input, "isinf")._data
    return fresh(scalar(array_module(data).isinf(data)))


def isfinite(input: Any) -> Any:
    """Whether the element is neither infinite nor nan."""
    data = want_tensor(input, "isfinite")._data
    return fresh(scalar(array_module(data).isfinite(data)))


def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether the elements are within ``atol + rtol * abs(other)`` of each other."""
    a, b = want_tensor(input, "isclose")._data, want_tensor(other, "isclose", "other")._data
    if a.dtype != b.dtype:
        raise DtypeMismatch(f"isclose() takes two tensors of one dtype, not {dt.of(a).name} and {dt.of(b).name}")
    a, b = operands(a, b, "isclose")
    return fresh(scalar(common_module(a, b).isclose(a, b, rtol, atol, equal_nan)))


def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether ``isclose`` holds everywhere."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._data.all())


def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have one shape and the same elements."""
    a, b = want_tensor(input, "equal")._data, want_tensor(other, "equal", "other")._data
    return bool(a.shape == b.shape and operator.eq(*operands(a, b, "equal")).all())


# ---- choices ----


@op(
    "WhereBackward0",
    broadcasts=("self", "other"),
    self=lambda grad, condition: where_self(condition, grad, 0),
    other=lambda grad, condition: where_self(condition, 0, grad),
)
def where_self(condition: Tensor, self, other):
    """Elements of self where the condition holds, of other elsewhere."""
    return choose(condition, self, other)


def choose(condition: Any, a: Any, b: Any) -> Any:
    """``where`` on arrays; two numbers of which one is a Python number keep the other's dtype."""
    if hasattr(a, "dtype") and hasattr(b, "dtype"):
        if not (condition.shape == a.shape == b.shape):
            broadcast_shapes(condition.shape, a.shape, b.shape)
        if a.dtype != b.dtype:
            a, b = promote((a, b))
    return where_array(condition, a, b)


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of input where the condition holds, of other elsewhere; without them, the places where it holds."""
    condition = want_tensor(condition, "where", "condition")
    if input is None and other is None:
        data = condition._data
        return tuple(fresh(a) for a in array_module(data).nonzero(data if data.shape else data.reshape(1)))
    if condition._data.dtype.kind != "b":
        raise DtypeMismatch(
            f"the condition of where() is a bool tensor, not {condition.dtype.name}", hint="compare first: where(x > 0, ...)"
        )
    if input.__class__ is not Tensor and other.__class__ is Tensor:
        input = lift(input, other, "where", "input")
    elif other.__class__ is not Tensor and input.__class__ is Tensor:
        other = lift(other, input, "where", "other")
    elif input.__class__ is not Tensor:
        number = dt.promote_types(dt.of_number(input), dt.of_number(other)).numpy
        input, other = fresh(number.type(input)), fresh(number.type(other))
    if modes.complex_seen and (input._meta or other._meta):  # beside a complex number PyTorch converts the tensor first
        input, other = _beside_number(input, other), _beside_number(other, input)
    return where_self(condition, input, other)


def _beside_number(tensor: Tensor, number: Tensor) -> Any:
    """A real tensor made complex where `number` is a complex Python number."""
    is_number = number._meta is not None and number._meta.number is not None and number._data.dtype.kind == "c"
    return to_dtype(tensor, number._data.dtype) if is_number and tensor._data.dtype.kind != "c" else tensor


@pointwise(
    "MaximumBackward0",
    real_only=True,
    self=lambda grad, self, other: masked_fill_scalar(where_self(self == other, div_scalar(grad, 2), grad), self < other, 0),
    other=lambda grad, self, other: masked_fill_scalar(where_self(self == other, div_scalar(grad, 2), grad), self > other, 0),
)
def maximum(xp, self, other):
    """The larger of two elements; equal ones share the gradient."""
    return xp.maximum(self, other)


@pointwise(
    "MinimumBackward0",
    real_only=True,
    self=lambda grad, self, other: masked_fill_scalar(where_self(self == other, div_scalar(grad, 2), grad), self > other, 0),
    other=lambda grad, self, other: masked_fill_scalar(where_self(self == other, div_scalar(grad, 2), grad), self < other, 0),
)
def minimum(xp, self, other):
    """The smaller of two elements; equal ones share the gradient."""
    return xp.minimum(self, other)


# ---- clamp ----


@op("ClampBackward1", real_only=True, self=lambda grad, self, min, max: where_self(inside(self, min, max), grad, 0))
def clamp_scalar(xp, self, min, max):
    """Self, at least min and at most max."""
    if min is not None:
        self = xp.maximum(min, self)  # in this order -0 stays -0, as in PyTorch
    return self if max is None else xp.minimum(max, self)


@op("ClampMinBackward0", real_only=True, self=lambda grad, self, min: where_self(self >= min, grad, 0))
def clamp_min_number(xp, self, min):
    """Self, at least min."""
    return xp.maximum(min, self)


@pointwise(
    "ClampMinBackward1",
    real_only=True,
    self=lambda grad, self, min: where_self(self >= min, grad, 0),
    min=lambda grad, self, min: where_self(self < min, grad, 0),
)
def clamp_min_tensor(xp, self, min):
    """Self, at least min, a tensor."""
    return xp.maximum(self, min)


def clamp_min(input: Any, min: Any) -> Any:
    """Input, at least `min`, a number or a tensor."""
    return (clamp_min_tensor if isinstance(min, Tensor) else clamp_min_number)(input, min)


@op("ClampMaxBackward0", real_only=True, self=lambda grad, self, max: where_self(self <= max, grad, 0))
def clamp_max_number(xp, self, max):
    """Self, at most max."""
    return xp.minimum(max, self)


@pointwise(
    "ClampMaxBackward1",
    real_only=True,
    self=lambda grad, self, max: where_self(self <= max, grad, 0),
    max=lambda grad, self, max: where_self(self > max, grad, 0),
)
def clamp_max_tensor(xp, self, max):
    """Self, at most max, a tensor."""
    return xp.minimum(self, max)


def clamp_max(input: Any, max: Any) -> Any:
    """Input, at most `max`, a number or a tensor."""
    return (clamp_max_tensor if isinstance(max, Tensor) else clamp_max_number)(input, max)


# One bound of two: PyTorch's node has an edge for the other all the same, which leads nowhere.


@pointwise(
    "ClampBackward0",
    real_only=True,
    self=lambda grad, self, min: where_self(self >= min, grad, 0),
    min=lambda grad, self, min: where_self(self < min, grad, 0),
    max=lambda grad: None,
)
def clamp_from(xp, self, min, max):
    """Self, at least min, a tensor; `max` is none."""
    return xp.maximum(self, min)


@pointwise(
    "ClampBackward0",
    real_only=True,
    self=lambda grad, self, max: where_self(self <= max, grad, 0),
    min=lambda grad: None,
    max=lambda grad, self, max: where_self(self > max, grad, 0),
)
def clamp_to(xp, self, min, max):
    """Self, at most max, a tensor; `min` is none."""
    return xp.minimum(self, max)


@pointwise(
    "ClampBackward0",
    real_only=True,
    self=lambda grad, self, min, max: where_self((self >= min) & (self <= max), grad, 0),
    min=lambda grad, self, min, max: where_self((min < max) & (self < min), grad, 0),
    max=lambda grad, self, min, max: where_self((self > max) | (max < min), grad, 0),
)
def clamp_tensor(xp, self, min, max):
    """Self, at least min and at most max, which are tensors."""
    return xp.minimum(xp.maximum(self, min), max)


def inside(value: Any, low: Any, high: Any) -> Any:
    """Whether the elements are within the bounds, of which one may be None."""
    if low is None:
        return value <= high
    return value >= low if high is None else (value >= low) & (value <= high)


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Input, at least `min` and at most `max`: numbers or tensors, and one of them may be left out."""
    if min is None and max is None:
        raise BadArgument("clamp() needs min or max", hint="give at least one bound")
    for bound in (min, max):
        if not isinstance(bound, (Tensor, int, float, NoneType, np.generic)):
            raise BadArgumentType(f"the bounds of clamp() are numbers or tensors, not {type(bound).__name__}")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if min is None:
            return clamp_to(input, False, max)
        return clamp_from(input, min, False) if max is None else clamp_tensor(input, min, max)
    if input.__class__ is Tensor and input._data.dtype.kind in "biu" and (isinstance(min, float) or isinstance(max, float)):
        input = fresh(input._data.astype(dt.default.dtype.numpy))
    return clamp_scalar(input, min, max)
