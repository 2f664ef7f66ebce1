"""Losses that are less strict about outliers (smooth L1, Huber), and the Kullback-Leibler divergence."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op, pointwise
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentValue
from .arithmetic import mul_scalar
from .compare import where_self
from .loss import l1_loss, matched, reduce_array, reduced, summed, weighted
from .pointwise import exp
from .reduce import sum
from .special import xlogy
from .support import as_kind_of, check_reduction, data_of, legacy_reduction, want_tensor

# ---- smooth L1 ----


@pointwise(
    "SmoothL1LossBackward0",
    as_given="float16",
    real_only=True,
    self=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(grad, self, target, reduction, beta),
    target=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(grad, target, self, reduction, beta),
)
def smooth_l1_loss_forward(xp, self, target, reduction, beta):
    """Squared differences divided by 2 * beta where they are below beta, else absolute ones less beta / 2."""
    z = xp.abs(self - target)
    losses = xp.where(z < beta, self.dtype.type(0.5) * z * z / self.dtype.type(beta), z - self.dtype.type(0.5 * beta))
    return reduce_array(losses, reduction)


@op(
    "SmoothL1LossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction, beta: summed(
        smooth_l1_loss_backward(grad, self, target, reduction, beta), reduction
    ),
    self=lambda grad, grad_output, self, target, reduction, beta: smooth_l1_second(
        grad * grad_output, self, target, reduction, beta
    ),
    target=lambda grad, grad_output, self, target, reduction, beta: (
        -smooth_l1_second(grad * grad_output, self, target, reduction, beta)
    ),
)
def smooth_l1_loss_backward(xp, grad_output, self, target, reduction, beta):
    """The gradient of smooth_l1_loss."""
    number = self.dtype.type
    x = self - target
    slope = xp.where(xp.abs(x) < beta, x / number(beta), xp.sign(x)) * number(1 / x.size if reduction == "mean" and x.size else 1)
    return slope * grad_output


def smooth_l1_second(grad: Any, self: Any, target: Any, reduction: str, beta: float) -> Any:
    """The derivative of smooth_l1_loss_backward by self: constant where the loss is square."""
    distance = data_of(self) - data_of(target)
    bent = array_module(distance).abs(distance) < beta
    return where_self(as_kind_of(grad, bent), mul_scalar(grad, share_of(distance, reduction) / beta), 0)


def share_of(data: Any, reduction: str) -> float:
    """What each loss counts."""
    return 1 / data.size if reduction == "mean" and data.size else 1.0


# ---- Huber ----


@pointwise(
    "HuberLossBackward0",
    as_given="bfloat16",
    real_only=True,
    self=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, self, target, reduction, delta),
    target=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, target, self, reduction, delta),
)
def huber_loss_forward(xp, self, target, reduction, delta):
    """Half the squared differences up to delta, from there on a line."""
    number = self.dtype.type
    z = xp.abs(self - target)
    losses = xp.where(z <= delta, number(0.5) * z * z, number(delta) * (z - number(0.5 * delta)))
    return reduce_array(losses, reduction)


@op(
    "HuberLossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction, delta: summed(
        huber_loss_backward(grad, self, target, reduction, delta), reduction
    ),
    self=lambda grad, grad_output, self, target, reduction, delta: smooth_l1_second(
        mul_scalar(grad * grad_output, delta), self, target, reduction, delta
    ),
    target=lambda grad, grad_output, self, target, reduction, delta: (
        -smooth_l1_second(mul_scalar(grad * grad_output, delta), self, target, reduction, delta)
    ),
)
def huber_loss_backward(xp, grad_output, self, target, reduction, delta):
    """The gradient of huber_loss."""
    number = self.dtype.type
    x = self - target
    slope = xp.minimum(xp.maximum(x, number(-delta)), number(delta))
    return slope * number(share_of(x, reduction)) * grad_output


# ---- what scripts call ----


def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
) -> Any:
    """Squared differences below beta, absolute ones above: their mean, their sum, or all of them."""
    reduction = check_reduction(reduction, size_average, reduce)
    if beta < 0:
        raise BadArgument(f"beta of smooth_l1_loss() cannot be negative, and it is {beta}")
    input, target = matched("smooth_l1_loss", input, target)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return smooth_l1_loss_forward(input, target, reduction, float(beta))


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Any:
    """Half the squared differences up to delta, a line from there on: their mean, their sum, or all of them."""
    check_reduction(reduction)
    if delta <= 0:
        raise BadArgument(f"delta of huber_loss() is greater than 0, not {delta}")
    a, b = matched("huber_loss", input, target)
    if weight is None:
        return huber_loss_forward(a, b, reduction, float(delta))
    return reduced(weighted("huber_loss", huber_loss_forward(a, b, "none", float(delta)), input, weight), reduction)


def kl_div(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False
) -> Any:
    """The Kullback-Leibler divergence of log-probabilities `input` from probabilities `target`."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warn("MeanOfDivergence")
    if reduction not in ("mean", "sum", "none", "batchmean"):
        raise BadArgumentValue(f"reduction of kl_div() is 'batchmean', 'mean', 'sum' or 'none', not {reduction!r}")
    want_tensor(input, "kl_div")
    want_tensor(target, "kl_div", "target")
    away = target - input if log_target else target * input  # first; see Note [Right operand first]
    losses = exp(target) * away if log_target else xlogy(target, target) - away
    if reduction == "batchmean":
        return sum(losses) / input._data.shape[0] if input._data.ndim else sum(losses)
    return reduced(losses, reduction)
