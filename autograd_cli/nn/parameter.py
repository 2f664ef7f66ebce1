"""``nn.Parameter``: a tensor that a Module counts among its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.tensor import Tensor
from ..errors import BadArgumentType, NotDifferentiable


class ParameterType(type):
    """Note [Parameter is a mark]

    Operations look for the class Tensor itself, so a parameter is no subclass: it is a Tensor whose meta says ``is_parameter``. Calling
    the class makes one, and ``isinstance(p, nn.Parameter)`` reads the mark.
    """

    def __call__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        return parameter_of(data, requires_grad)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance._meta is not None and instance._meta.is_parameter

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Tensor) or type.__subclasscheck__(cls, subclass)


def parameter_of(data: Any = None, requires_grad: bool = True) -> Tensor:
    """A new parameter with the storage of `data`; without data, an empty one."""
    if data is None:
        data = Tensor._leaf(np.empty(0, dt.default.dtype.numpy))
    if not isinstance(data, Tensor):
        raise BadArgumentType(
            f"a Parameter is made of a tensor, not of {type(data).__name__}", hint="nn.Parameter(torch.tensor(…))"
        )
    return mark(data.detach(), requires_grad)


def mark(tensor: Tensor, requires_grad: bool = True) -> Tensor:
    """Make a leaf a parameter, in place."""
    if requires_grad and tensor.dtype.category < dt.FLOATING:
        raise NotDifferentiable(
            f"a Parameter requires grad, and a tensor of {tensor.dtype.name} cannot",
            hint="make it float, or say requires_grad=False",
        )
    tensor._ensure_meta().is_parameter = True
    return tensor.requires_grad_(bool(requires_grad))


class Parameter(metaclass=ParameterType):
    """``nn.Parameter(data, requires_grad=True)``: shares the storage of `data`. See Note [Parameter is a mark]."""

    __module__ = "torch.nn.parameter"


def is_parameter(value: Any) -> bool:
    """Whether `value` is a Parameter."""
    return value.__class__ is Tensor and value._meta is not None and value._meta.is_parameter
