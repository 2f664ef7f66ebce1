"""Elementwise combinations of several tensors: lerp, addcmul, addcdiv."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.basic_ops import conj
from ..core.op import pointwise
from ..core.op_support import scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch
from .arithmetic import div, mul_scalar, sub
from .support import as_kind_of, data_of, want_tensor


@pointwise(
    "LerpBackward0",
    self=lambda grad, weight: mul_scalar(grad, conj(1 - weight)),
    end=lambda grad, weight: mul_scalar(grad, conj(weight)),
)
def lerp_scalar(self, end, weight):
    """On the way from self to end: self + weight * (end - self)."""
    return self + weight * (end - self) if abs(weight) < 0.5 else end - (end - self) * (1 - weight)


@pointwise(
    "LerpBackward1",
    self=lambda grad, weight: grad * conj(sub(1, weight)),
    end=lambda grad, weight: grad * conj(weight),
    weight=lambda grad, self, end: grad * conj(end - self),
)
def lerp_tensor(xp, self, end, weight):
    """On the way from self to end: self + weight * (end - self)."""
    return xp.where(xp.abs(weight) < 0.5, self + weight * (end - self), end - (end - self) * (1 - weight))


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """On the way from input to end, at `weight`, a number or a tensor."""
    for name, given in (("end", end), ("weight", weight)):
        if (
            isinstance(given, Tensor)
            and (given is end or given._data.ndim)
            and given._data.dtype != want_tensor(input, "lerp")._data.dtype
        ):
            raise DtypeMismatch(f"lerp() takes an {name} of dtype {input.dtype.name}, as its input, not {given.dtype.name}")
    if isinstance(weight, (int, float, complex)):
        return lerp_scalar(input, end, weight)
    return lerp_tensor(input, end, weight)


@pointwise(
    "AddcmulBackward0",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(mul_scalar(tensor2, value)),
    tensor2=lambda grad, tensor1, value: grad * conj(mul_scalar(tensor1, value)),
)
def addcmul_(self, tensor1, tensor2, value):
    """Sum with a product: self + value * tensor1 * tensor2."""
    return self + value * tensor1 * tensor2


@pointwise(
    "AddcdivBackward0",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(number_over(value, tensor2)),
    tensor2=lambda grad, tensor1, tensor2, value: addcdiv_backward(grad, tensor1, tensor2, value),
)
def addcdiv_(self, tensor1, tensor2, value):
    """Sum with a quotient: self + value * tensor1 / tensor2."""
    return self + value * tensor1 / tensor2


def number_over(value: Any, tensor2: Any) -> Any:
    """A number divided by a tensor; what PyTorch records of it saves a tensor full of the number."""
    data = data_of(tensor2)
    return div(as_kind_of(tensor2, scalar(array_module(data).full(data.shape, value, data.dtype))), tensor2)


def addcdiv_backward(grad: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    """The gradient of addcdiv by its divisor. See Note [Right operand first]."""
    squared = tensor2 * tensor2
    slope = conj(mul_scalar(tensor1, value) / squared)
    return -grad * slope


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 * tensor2``."""
    return addcmul_(input, tensor1, tensor2, value)


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 / tensor2``."""
    if all(getattr(t, "_data", np.float32(0)).dtype.kind in "biu" for t in (input, tensor1, tensor2)):
        raise BadArgument("addcdiv() does not divide integers", hint="make the tensors float first")
    return addcdiv_(input, tensor1, tensor2, value)
