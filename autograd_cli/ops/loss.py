"""Losses."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module, broadcast_shapes
from ..core.halves import one_kernel
from ..core.op import op, pointwise
from ..core.op_support import fresh, scalar
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentValue, DtypeMismatch, IndexOutOfRange, ShapeMismatch
from .activation import log_softmax_at
from .arithmetic import add_scalar, div_scalar, mul_scalar
from .masks import masked_fill_scalar
from .nll import nll_loss2d_forward, nll_loss_forward
from .pointwise import abs
from .power import pow_scalar
from .reduce import mean, sum
from .shape import view_to
from .sizes import expand
from .support import check_reduction, data_of, want_tensor

# ---- classes ----


def check_targets(op: str, scores: Any, target: Any, ignore_index: int) -> None:
    """Targets are class numbers that exist."""
    if target.dtype.kind not in "iu" or target.dtype.itemsize not in (1, 8):
        raise DtypeMismatch(f"{op}() takes targets of dtype int64, not {target.dtype}", hint="convert them with target.long()")
    classes = scores.shape[-1] if scores.ndim == 1 else scores.shape[1]
    bad = (target != ignore_index) & ((target < 0) | (target >= classes))
    if bad.any():
        value = int(target[bad].reshape(-1)[0]) if target.shape else int(target)
        raise IndexOutOfRange(
            f"{op}() got the target {value}, and there are {classes} classes", hint=f"classes count from 0 to {classes - 1}"
        )


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log-probability of the target classes; input is (N, C), (C) or (N, C, d1, …)."""
    scores, wanted = want_tensor(input, "nll_loss")._data, want_tensor(target, "nll_loss", "target")._data
    reduction = check_reduction(reduction, size_average, reduce)
    if scores.ndim > 1 and wanted.ndim and scores.shape[0] != wanted.shape[0]:
        raise BadArgumentValue(
            f"the loss got scores for {scores.shape[0]} rows and targets for {wanted.shape[0]}",
            hint="scores are (N, C) and targets (N): one class number a row",
        )
    if scores.ndim < 1 or wanted.shape != (scores.shape[:1] if scores.ndim > 1 else ()) + scores.shape[2:]:
        raise ShapeMismatch(
            f"nll_loss() got scores of shape {list(scores.shape)} and targets of shape {list(wanted.shape)}",
            hint="scores are (N, C) and targets (N): one class number a row",
        )
    check_targets("nll_loss", scores, wanted, ignore_index)
    if scores.ndim > 2:
        return _nll_2d(input, target, data_of(weight), reduction, ignore_index)
    return nll_loss_forward(input, target, data_of(weight), reduction, ignore_index)[0]


def _nll_2d(input: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    n, c, *rest = input._data.shape
    if len(rest) == 2:
        return nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]
    flat = input._data.size // (n * c) if n * c else 0
    found = nll_loss2d_forward(view_to(input, (n, c, 1, flat)), view_to(target, (n, 1, flat)), weight, reduction, ignore_index)[0]
    return view_to(found, (n, *rest)) if reduction == "none" else found


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """nll_loss of log_softmax; targets are class numbers, or probabilities in the shape of input."""
    scores = want_tensor(input, "cross_entropy")
    reduction = check_reduction(reduction, size_average, reduce)
    wanted = want_tensor(target, "cross_entropy", "target")
    if not 0 <= label_smoothing <= 1:
        raise BadArgument(f"label_smoothing is between 0 and 1, not {label_smoothing}")
    if not scores._data.ndim:
        raise ShapeMismatch("cross_entropy() takes scores of shape (N, C), and this tensor has no dimensions")
    dim = 0 if scores._data.ndim == 1 else 1
    if wanted._data.shape == scores._data.shape and wanted._data.dtype.kind not in "biu":
        return _soft_cross_entropy(scores, wanted, weight, reduction, label_smoothing, dim)
    if wanted._data.dtype.kind not in "iu":
        raise DtypeMismatch(
            f"cross_entropy() takes targets of dtype int64, not {wanted.dtype.name}", hint="convert them with target.long()"
        )
    logs = log_softmax_at(scores, dim)
    loss = nll_loss(logs, wanted, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return loss
    return _smoothed(logs, wanted, weight, ignore_index, reduction, label_smoothing, dim, loss)


def _smoothed(logs: Any, target: Any, weight: Any, ignore: int, reduction: str, amount: float, dim: int, loss: Any) -> Any:
    """Part of each target's probability spread over all classes."""
    classes = logs._data.shape[dim]
    if weight is not None:
        logs = logs * _by_class(weight, logs, dim)
    smooth = masked_fill_scalar(-sum(logs, dim), fresh(scalar(target._data == ignore)), 0)
    if reduction == "mean":
        kept = target._data[target._data != ignore] if target._data.shape else target._data
        total = np.int64(kept.size) if weight is None else weight._data[kept].sum()
        smooth = sum(smooth) / fresh(total)
    elif reduction == "sum":
        smooth = sum(smooth)
    return mul_scalar(loss, 1 - amount) + mul_scalar(smooth, amount / classes)


def _by_class(weight: Any, scores: Any, dim: int) -> Any:
    """The weights of the classes, along the scores' dimension of classes."""
    shape = [1] * scores._data.ndim
    shape[dim] = scores._data.shape[dim]
    return weight.reshape(shape)


def _soft_cross_entropy(input: Any, target: Any, weight: Any, reduction: str, smoothing: float, dim: int) -> Any:
    """Targets given as probabilities."""
    logs = log_softmax_at(input, dim)
    classes = input._data.shape[dim]
    if smoothing > 0:
        target = add_scalar(mul_scalar(target, 1 - smoothing), smoothing / classes)
    product = logs * target
    if weight is not None:
        product = product * _by_class(weight, input, dim)
    if reduction == "none":
        return -sum(product, dim)
    loss = -sum(product)
    return loss if reduction == "sum" else div_scalar(loss, max(input._data.size // classes, 1))


# ---- distances ----


@pointwise(
    "MseLossBackward0",
    real_only=True,
    self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction),
)
def mse_loss_forward(self, target, reduction):
    """Squared differences: their mean, their sum, or all of them."""
    d = self - target
    d *= d
    return d if reduction == "none" else d.sum() if reduction == "sum" else d.mean()


@op(
    "MseLossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction: chain(grad, self, target, reduction),
    self=lambda grad, grad_output, reduction, self: twice(grad * grad_output, reduction, self),
    target=lambda grad, grad_output, reduction, target: -twice(grad * grad_output, reduction, target),
)
def mse_loss_backward(grad_output, self, target, reduction):
    """The gradient of mse_loss."""
    d = self - target
    d *= grad_output * (d.dtype.type(2 / d.size) if reduction == "mean" and d.size else d.dtype.type(2))
    return d


def chain(grad: Any, self: Any, target: Any, reduction: str) -> Any:
    """The derivative of mse_loss_backward by grad_output."""
    return summed(mse_loss_backward(grad, self, target, reduction), reduction)


def twice(grad: Any, reduction: str, self: Any) -> Any:
    """The derivative of mse_loss_backward by self."""
    return mul_scalar(grad, 2 / data_of(self).size if reduction == "mean" else 2)


def matched(op: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Input and target, expanded to one shape."""
    a, b = want_tensor(input, op)._data.shape, want_tensor(target, op, "target")._data.shape
    if a == b:
        return input, target
    common = broadcast_shapes(a, b)
    warn("LossBroadcast", op=op, input=list(a), target=list(b), both=list(common))
    return (input if a == common else expand(input, common)), (target if b == common else expand(target, common))


def weighted(op: str, losses: Any, input: Any, weight: Any) -> Any:
    """Losses times their weights, which have the shape of input."""
    given, wanted = want_tensor(weight, op, "weight")._data.shape, input._data.shape
    if given != wanted:
        raise BadArgumentValue(f"{op}() takes weights of the input's shape {list(wanted)}, not {list(given)}")
    return losses * weight


def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None
) -> Any:
    """Squared differences: their mean, their sum, or all of them."""
    reduction = check_reduction(reduction, size_average, reduce)
    a, b = matched("mse_loss", input, target)
    if weight is None:
        return mse_loss_forward(a, b, reduction)
    losses = weighted("mse_loss", pow_scalar(a - b, 2), input, weight)
    return sum(losses) / sum(weight) if reduction == "mean" else reduced(losses, reduction)


def l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    """Absolute differences: their mean, their sum, or all of them."""
    reduction = check_reduction(reduction, size_average, reduce)
    input, target = matched("l1_loss", input, target)
    return reduced(abs(input - target), reduction)


def reduced(losses: Any, reduction: str) -> Any:
    """The mean or the sum of losses, or the losses."""
    return losses if reduction == "none" else mean(losses) if reduction == "mean" else sum(losses)


@one_kernel
def reduce_array(losses: Any, reduction: str) -> Any:
    """As ``reduced``, of an array."""
    return scalar(losses) if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def summed(value: Any, reduction: str) -> Any:
    """The sum where the loss was reduced."""
    return value if reduction == "none" else value.sum()


def check_probabilities(data: Any) -> None:
    """binary_cross_entropy takes probabilities."""
    if data.size and not ((data >= 0) & (data <= 1)).all():
        raise BadArgument(
            "binary_cross_entropy() takes probabilities between 0 and 1",
            hint="apply sigmoid first, or use binary_cross_entropy_with_logits()",
        )


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Class numbers as rows of zeros with a one."""
    data = want_tensor(tensor, "one_hot", "tensor")._data
    if data.dtype.kind not in "iu" or data.dtype.itemsize != 8:
        raise DtypeMismatch(f"one_hot() takes int64 class numbers, not {data.dtype}", hint="convert them with .long()")
    if data.size and data.min() < 0:
        raise BadArgument("class numbers cannot be negative")
    if num_classes == -1:
        if not data.size:
            raise BadArgumentValue("one_hot() of an empty tensor needs num_classes")
        num_classes = int(data.max()) + 1
    if data.size and data.max() >= num_classes:
        raise BadArgument(f"the class number {int(data.max())} is not smaller than num_classes = {num_classes}")
    xp = array_module(data)
    return fresh((xp.asarray(data)[..., None] == xp.arange(num_classes)).astype("int64"))
