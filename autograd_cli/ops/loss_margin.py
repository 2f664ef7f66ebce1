"""Losses that ask for a margin between scores, and the logistic one."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
# mypy: disable-error-code="index,arg-type,attr-defined"
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue, DtypeMismatch, NotDifferentiable, ShapeMismatch
from .activation import logsigmoid
from .arithmetic import add_scalar, div_scalar, sub
from .loss import reduce_array
from .pointwise import exp
from .reduce import mean, sum
from .support import check_reduction, data_of, no_derivative, refuse_halves, want_tensor

# ---- logistic ----


@op(
    "SoftMarginLossBackward0",
    real_only=True,
    self=lambda grad, self, target, reduction: soft_margin_backward(grad, self, target, reduction),
)
def soft_margin_forward(xp, self, target: Tensor, reduction):
    """log(1 + exp(-target * self))."""
    return reduce_array(xp.log1p(xp.exp(-self * target)), reduction)


def soft_margin_backward(grad: Any, self: Any, target: Any, reduction: str) -> Any:
    """The gradient of soft_margin_loss, in operations that can be differentiated again."""
    z = exp(-target * self)
    found = -target * z * grad / add_scalar(z, 1)
    return div_scalar(found, max(data_of(self).size, 1)) if reduction == "mean" else found


def soft_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    """log(1 + exp(-target * input)) for targets 1 and -1."""
    reduction = check_reduction(reduction, size_average, reduce)
    a, b = want_tensor(input, "soft_margin_loss"), want_tensor(target, "soft_margin_loss", "target")
    if a._data.shape != b._data.shape:
        raise ShapeMismatch(
            f"soft_margin_loss() got an input of shape {list(a._data.shape)} and a target of shape {list(b._data.shape)}",
            hint="both must have one shape",
        )
    if b.requires_grad:
        raise NotDifferentiable("soft_margin_loss() has no gradient for its target", hint="detach() the target")
    return soft_margin_forward(a, b.to(a.dtype), reduction)


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """The binary cross entropy of logits, its mean over the classes; targets are 0 and 1 for each class."""
    reduction = check_reduction(reduction, size_average, reduce)
    input, target = (
        want_tensor(input, "multilabel_soft_margin_loss"),
        want_tensor(target, "multilabel_soft_margin_loss", "target"),
    )
    losses = -(target * logsigmoid(input) + sub(1, target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    dim = input._data.ndim - 1
    losses = sum(losses, dim) / input._data.shape[dim]
    return losses if reduction == "none" else mean(losses) if reduction == "mean" else sum(losses)


# ---- one class ----


def rows_of(name: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Scores as (N, C) and targets in rows, checked; scores of one example may be (C)."""
    scores, wanted = want_tensor(input, name)._data, want_tensor(target, name, "target")._data
    if scores.ndim not in (1, 2) or not scores.size:
        raise BadArgument(f"{name}() takes scores of shape (N, C) or (C), not {list(scores.shape)}")
    if wanted.dtype.name != "int64":
        raise DtypeMismatch(
            f"{name}() takes targets of dtype int64, not {wanted.dtype.name}", hint="convert them with target.long()"
        )
    return scores.reshape(-1, scores.shape[-1]), wanted


@op(
    "MultiMarginLossBackward0",
    real_only=True,
    self=lambda grad, self, target, p, margin, weight, reduction: multi_margin_backward(
        grad, self, target, p, margin, weight, reduction
    ),
)
def multi_margin_forward(self, target: Tensor, p, margin, weight, reduction):
    """The sum over the other classes of max(0, margin - own score + other score)**p, divided by the number of classes."""
    losses = (lacking(self, target, margin) ** p * class_weights(self, target, weight)).sum(axis=1) / self.dtype.type(
        self.shape[-1]
    )
    return reduce_array(losses if self.ndim > 1 or reduction != "none" else losses[0], reduction)


@op("MultiMarginLossBackwardBackward0", grad_output=lambda grad: no_derivative("multi_margin_loss_backward"))
def multi_margin_backward(xp, grad_output, self: Tensor, target: Tensor, p, margin, weight, reduction):
    """The gradient of multi_margin_loss."""
    lack = lacking(self, target, margin)
    slope = (lack > 0) * p * lack ** (p - 1) * class_weights(self, target, weight)
    own = rows(target)
    slope[xp.arange(len(own)), own] = -slope.sum(axis=1)
    return spread(slope / self.dtype.type(self.shape[-1]), grad_output, reduction).reshape(self.shape)


def rows(target: Any) -> Any:
    """Class numbers as a vector."""
    return data_of(target).reshape(-1)


def lacking(self: Any, target: Any, margin: float) -> Any:
    """What the own score lacks of the margin over each other one; 0 at the own."""
    xp = array_module(self)
    scores, own = self.reshape(-1, self.shape[-1]), rows(target)
    places = xp.arange(len(own))
    lack = xp.maximum(margin - scores[places, own][:, None] + scores, 0).astype(self.dtype)
    lack[places, own] = 0
    return lack


def class_weights(self: Any, target: Any, weight: Any) -> Any:
    """The weight of each row's class, as a column."""
    return self.dtype.type(1) if weight is None else data_of(weight)[rows(target)][:, None]


def spread(slope: Any, grad: Any, reduction: str) -> Any:
    """A slope for each row times the gradient of the reduced losses."""
    if reduction == "none":
        return slope * grad.reshape(-1, 1)
    return slope * (grad / slope.dtype.type(len(slope)) if reduction == "mean" else grad)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """max(0, margin - own score + other score)**p, summed over the other classes and divided by their number."""
    refuse_halves("multi_margin_loss", want_tensor(input, "multi_margin_loss")._data)
    reduction = check_reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise BadArgumentValue(f"p of multi_margin_loss() is 1 or 2, not {p}")
    scores, wanted = rows_of("multi_margin_loss", input, target)
    if wanted.size != len(scores):
        raise ShapeMismatch(f"multi_margin_loss() got scores for {len(scores)} rows and {wanted.size} targets")
    if ((wanted < 0) | (wanted >= scores.shape[1])).any():
        raise BadArgument(f"multi_margin_loss() got a target that is no class from 0 to {scores.shape[1] - 1}")
    return multi_margin_forward(input, target, p, margin, weight, reduction)


# ---- several classes ----


@op(
    "MultilabelMarginLossBackward0",
    real_only=True,
    self=lambda grad, self, target, reduction: multilabel_margin_backward(grad, self, target, reduction),
)
def multilabel_margin_forward(self, target: Tensor, reduction):
    """The sum over own and other classes of max(0, 1 - own score + other score), divided by the number of classes."""
    losses = pairs(self, target)[0].sum(axis=(1, 2)) / self.dtype.type(self.shape[-1])
    return reduce_array(losses if self.ndim > 1 or reduction != "none" else losses[0], reduction)


@op("MultilabelMarginLossBackwardBackward0", grad_output=lambda grad: no_derivative("multilabel_margin_loss_backward"))
def multilabel_margin_backward(grad_output, self: Tensor, target: Tensor, reduction):
    """The gradient of multilabel_margin_loss."""
    lack, _ = pairs(self, target)
    active = (lack > 0).astype(self.dtype)
    slope = (active.sum(axis=1) - active.sum(axis=2)) / self.dtype.type(self.shape[-1])
    return spread(slope, grad_output, reduction).reshape(self.shape)


def pairs(self: Any, target: Any) -> tuple[Any, Any]:
    """(what own class i lacks of the margin over other class j, for each row; which classes are own)."""
    xp = array_module(self)
    scores = self.reshape(-1, self.shape[-1])
    wanted = data_of(target).reshape(scores.shape)
    valid = xp.cumsum(wanted < 0, axis=1) == 0  # targets end at the first negative one
    own = xp.zeros(scores.shape, bool)
    row, column = xp.nonzero(valid)
    own[row, wanted[row, column]] = True
    lack = xp.maximum(1 - scores[:, :, None] + scores[:, None, :], 0).astype(self.dtype)
    return lack * (own[:, :, None] & ~own[:, None, :]), own


def multilabel_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    """max(0, 1 - own score + other score) over all own and other classes; a row of targets ends at the first -1."""
    refuse_halves("multilabel_margin_loss", want_tensor(input, "multilabel_margin_loss")._data)
    reduction = check_reduction(reduction, size_average, reduce)
    scores, wanted = rows_of("multilabel_margin_loss", input, target)
    if wanted.shape != input._data.shape:
        raise ShapeMismatch(
            f"multilabel_margin_loss() got scores of shape {list(input._data.shape)} and targets of shape {list(wanted.shape)}",
            hint="both have one shape; unused places are -1",
        )
    if ((wanted < -1) | (wanted >= scores.shape[1])).any():
        raise BadArgument(f"multilabel_margin_loss() got a target that is no class from 0 to {scores.shape[1] - 1}, nor -1")
    return multilabel_margin_forward(input, target, reduction)
