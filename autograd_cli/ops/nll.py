"""Negative log likelihood: of scores (N, C) or (C), and of scores with spatial dimensions, (N, C, H, W)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.dtype import HALVES
from ..core.op import op
from ..core.op_support import scalar
from ..core.tensor import Tensor
from .support import zeros_like


@op(
    "NllLossBackward0",
    as_given="all",
    real_only=True,
    outputs=("output", "total_weight"),
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss_backward(
        grad, self, target, total_weight, weight, reduction, ignore_index
    ),
)
def nll_loss_forward(xp, self, target: Tensor, weight, reduction, ignore_index):
    """Minus the target's log-probability in each row; (loss, sum of the weights)."""
    wanted, scale = classes_of(self, target, weight, ignore_index)
    return reduced_by_weight(
        self[wanted] if self.ndim == 1 else self[xp.arange(len(self)), wanted], scale, reduction, weight is not None
    )


@op(
    "NllLossBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_loss_forward(
        grad, target, weight, reduction, ignore_index
    )[0],
    self=lambda grad: zeros_like(grad),
)
def nll_loss_backward(xp, grad_output, self, target: Tensor, total_weight: Tensor, weight, reduction, ignore_index):
    """The gradient of nll_loss."""
    out = xp.zeros(self.shape, self.dtype)
    wanted, scale = classes_of(self, target, weight, ignore_index)
    share = grad_output / total_weight if reduction == "mean" else grad_output
    out[wanted if self.ndim == 1 else (xp.arange(len(out)), wanted)] = -share * scale
    return out


@op(
    "NllLoss2DBackward0",
    as_given="all",
    real_only=True,
    outputs=("output", "total_weight"),
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss2d_backward(
        grad, self, target, total_weight, weight, reduction, ignore_index
    ),
)
def nll_loss2d_forward(xp, self, target: Tensor, weight, reduction, ignore_index):
    """Minus the target's log-probability at each place; (loss, sum of the weights)."""
    wanted, scale = classes_of(self, target, weight, ignore_index)
    return reduced_by_weight(xp.take_along_axis(self, xp.expand_dims(wanted, 1), 1)[:, 0], scale, reduction, weight is not None)


@op(
    "NllLoss2DBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_loss2d_forward(
        grad, target, weight, reduction, ignore_index
    )[0],
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
    """The target classes with ignored ones made 0, and the weight of each row or place."""
    xp = array_module(scores)
    ignored = target == ignore_index
    wanted = xp.where(ignored, 0, target)
    scale = scores.dtype.type(1) if weight is None else weight[wanted]
    return wanted, xp.where(ignored, scores.dtype.type(0), scale)


def in_levels(values: Any) -> Any:
    """The sum of 2-byte floats as PyTorch's nll_loss makes it: 16 at a time in their dtype, and so the sums of these."""
    xp, values = array_module(values), values.reshape(-1)
    total = xp.zeros((), values.dtype)
    while values.size > 1:
        whole = (values.size - 1) // 16 * 16 + 1  # a level is emptied at its first element, then after each 16
        rest = xp.zeros((), values.dtype)
        for value in values[whole:]:
            rest = rest + value
        total = total + rest
        blocks = xp.concatenate([xp.zeros(15, values.dtype), values[:whole]]).reshape(-1, 16)
        values = blocks[:, 0]
        for i in range(1, 16):
            values = values + blocks[:, i]
    return total + values.sum() if values.size else total


def reduced_by_weight(found: Any, scale: Any, reduction: str, weighted: bool) -> tuple[Any, Any]:
    """(loss, sum of the weights) from the targets' log-probabilities."""
    losses = -found * scale
    if reduction == "none":
        return scalar(losses), found.dtype.type(0)
    if losses.dtype in HALVES:
        loss = in_levels(losses)
        total = in_levels(scale) if weighted else (scale != 0).sum().astype(found.dtype)
        return (loss / total if reduction == "mean" else loss), total
    total, loss = scale.sum(), losses.sum()
    return (loss / total if reduction == "mean" else loss), total
