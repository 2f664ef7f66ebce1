"""Elementwise operations."""

from __future__ import annotations

from ..core.basic_ops import add
from ..core.op import pointwise, pointwise_float

__all__ = ["add", "mul", "tanh"]


@pointwise("MulBackward0", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
def mul(self, other):
    """Product: self * other."""
    return self * other


@pointwise_float("TanhBackward0", self=lambda grad, result: grad - grad * result * result)
def tanh(xp, self):
    """Hyperbolic tangent."""
    return xp.tanh(self)
