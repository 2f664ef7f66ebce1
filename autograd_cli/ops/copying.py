"""``copy.deepcopy`` of tensors."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgument


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with the same values, gradient and marks; within one call of ``copy.deepcopy`` each tensor is copied once."""
    if id(self) in memo:
        found: Tensor = memo[id(self)]
        return found
    if not self.is_leaf:
        raise BadArgument(
            "copy.deepcopy() copies leaf tensors only, and this one was computed from others", hint="use x.detach().clone()"
        )
    copied = Tensor._leaf(self._data.copy())
    memo[id(self)] = copied
    copied.requires_grad_(self.requires_grad)
    if self._meta is not None and self._meta.is_parameter:  # PyTorch's Parameter does not copy its gradient
        copied._ensure_meta().is_parameter = True
        return copied
    copied._ensure_counter().version = 1  # as in PyTorch, which puts the copied storage into a new tensor
    if self._grad is not None:
        copied._grad = deepcopy(self._grad, memo) if self._grad.is_leaf else self._grad.detach()
    return copied
