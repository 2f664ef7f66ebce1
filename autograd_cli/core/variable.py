"""``torch.autograd.Variable``, which older snippets wrap their tensors in: every tensor is one."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentType
from .tensor import Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor)


class Variable(metaclass=_VariableMeta):
    """``Variable(data, requires_grad)`` is a leaf that shares the data of the tensor `data`."""

    def __new__(cls, data: Any, requires_grad: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise BadArgumentType(f"Variable() takes a tensor, not {type(data).__name__}", hint="make one with torch.tensor(...)")
        return data.detach().requires_grad_(requires_grad)
