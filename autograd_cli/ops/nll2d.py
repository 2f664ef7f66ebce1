"""nll_loss of scores with spatial dimensions: (N, C, H, W)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from .support import zeros_like


@op(
    "NllLoss2DBackward0",
    outputs=("output", "total_weight"),
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss2d_backward(
        grad, self, target, total_weight, weight, reduction, ignore_index
    ),
)
def nll_loss2d_forward(self, target: Tensor, weight, reduction, ignore_index):
    """Minus the target's log-probability at each place; (loss, sum of the weights)."""
    wanted, scale = classes_of(self, target, weight, ignore_index)
    xp = array_module(self)
    losses = -xp.take_along_axis(self, xp.expand_dims(wanted, 1), 1)[:, 0] * scale
    if reduction == "none":
        return losses, self.dtype.type(0)
    total = scale.sum()
    loss = losses.sum()
    return (loss / total if reduction == "mean" else loss), total


@op(
    "NllLoss2DBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_of_2d(grad, target, weight, reduction, ignore_index),
    self=lambda grad: zeros_like(grad),
)
def nll_loss2d_backward(xp, grad_output, self, target: Tensor, total_weight: Tensor, weight, reduction, ignore_index):
    """The gradient of nll_loss of (N, C, H, W)."""
    out = xp.zeros(self.shape, self.dtype)
    wanted, scale = classes_of(self, target, weight, ignore_index)
    share = grad_output / total_weight if reduction == "mean" else grad_output
    xp.put_along_axis(out, xp.expand_dims(wanted, 1), xp.expand_dims(-share * scale, 1), 1)
    return out


def classes_of(scores: Any, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any]:
    """The target classes with ignored ones made 0, and the weight of each place."""
    xp = array_module(scores)
    ignored = target == ignore_index
    wanted = xp.where(ignored, 0, target)
    scale = scores.dtype.type(1) if weight is None else weight[wanted]
    return wanted, xp.where(ignored, scores.dtype.type(0), scale)


def nll_of_2d(grad: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    """nll_loss of a gradient: the derivative of nll_loss2d_backward by grad_output."""
    if grad.__class__ is Tensor:
        return nll_loss2d_forward(grad, target, weight, reduction, ignore_index)[0]
    return nll_loss2d_forward(fresh(grad), fresh(target), weight, reduction, ignore_index)[0]._data
