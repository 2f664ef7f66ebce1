"""Losses of probabilities and logits: binary cross entropy."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.halves import one_kernel
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgumentValue, ShapeMismatch
from .activation import logsigmoid, sigmoid
from .arithmetic import add_scalar, div_scalar, mul, mul_scalar, sub
from .loss import check_probabilities, reduce_array, summed
from .pointwise import logit_of
from .support import check_reduction, check_same_dtype, data_of, want_tensor

EPSILON = 1e-12  # keeps the gradient finite at probabilities 0 and 1, as in PyTorch


@op(
    "BinaryCrossEntropyBackward0",
    as_given="all",
    real_only=True,
    self=lambda grad, self, target, weight, reduction: bce_backward(grad, self, target, weight, reduction),
    target=lambda grad, self, weight, reduction, target: bce_target_backward(grad, self, target, weight, reduction),
)
def bce_forward(xp, self, target, weight, reduction):
    """-(target * log(self) + (1 - target) * log(1 - self)); logarithms are at least -100."""
    low = self.dtype.type(-100)
    losses = (target - 1) * xp.maximum(xp.log1p(-self), low) - target * xp.maximum(xp.log(self), low)
    return reduce_array(losses if weight is None else losses * weight, reduction)


@op(
    "BinaryCrossEntropyBackwardBackward0",
    as_given="all",
    grad_output=lambda grad, self, target, weight, reduction: summed(
        bce_backward(grad, self, target, weight, reduction), reduction
    ),
    self=lambda grad, grad_output, self, target, weight, reduction: bce_second(
        grad * grad_output, self, target, weight, reduction
    ),
    target=lambda grad, grad_output, self, target, weight, reduction: share(
        -grad * grad_output / (sub(1, self) * self), self, weight, reduction
    ),
)
def bce_backward(xp, grad_output, self, target, weight, reduction):
    """The gradient of binary_cross_entropy by its input."""
    found = grad_output * (self - target) / xp.maximum((1 - self) * self, self.dtype.type(EPSILON))
    return share(found, self, weight, reduction)


def bce_target_backward(grad: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    """The gradient of binary_cross_entropy by its target."""
    return share(-logit_of(self, None) * grad, self, weight, reduction)


def bce_second(grad: Any, self: Any, target: Any, weight: Any, reduction: str) -> Any:
    """The derivative of bce_backward by its input."""
    both = self * sub(1, self)
    bend = target * add_scalar(mul_scalar(self, -2), 1) + self * self
    return share(grad * (bend / (both * both)), self, weight, reduction)


def share(value: Any, self: Any, weight: Any, reduction: str) -> Any:
    """Times the weights, and for a mean an equal share."""
    value = value if weight is None else value * weight
    return div_scalar(value, data_of(self).size) if reduction == "mean" else value


@op(
    "BinaryCrossEntropyWithLogitsBackward0",
    as_given="all",
    real_only=True,
    self=lambda grad, self, target, weight, pos_weight, reduction: logits_backward(
        grad, self, target, weight, pos_weight, reduction
    ),
    target=lambda grad, self, target, weight, pos_weight, reduction: logits_target_backward(
        grad, self, target, weight, pos_weight, reduction
    ),
)
def bce_logits_forward(xp, self, target, weight, pos_weight, reduction):
    """binary_cross_entropy of sigmoid(self), without overflow."""
    away = _softplus_of_minus(self)
    scale = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * self + scale * away
    return reduce_array(losses if weight is None else losses * weight, reduction)


@one_kernel
def _softplus_of_minus(data: Any) -> Any:
    xp = array_module(data)
    return xp.log1p(xp.exp(-xp.abs(data))) + xp.maximum(-data, 0)


def logits_backward(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    """PyTorch's binary_cross_entropy_with_logits_backward."""
    if pos_weight is not None:
        t = mul(pos_weight, target)
        slope = (add_scalar(t, 1) - target) * sigmoid(self) - t
    else:
        slope = sigmoid(self) - target
    return share(slope * grad, self, weight, reduction)


def logits_target_backward(grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    """The gradient of binary_cross_entropy_with_logits by its target."""
    if pos_weight is None:
        return share(-self * grad, self, weight, reduction)
    slope = logsigmoid(-self) - mul(logsigmoid(self), pos_weight)
    return share(slope * grad, self, weight, reduction)


def _checked(op: str, input: Any, target: Any) -> tuple[Tensor, Tensor]:
    a, b = want_tensor(input, op), want_tensor(target, op, "target")
    if a._data.shape != b._data.shape:
        raise BadArgumentValue(
            f"{op}() got an input of shape {list(a._data.shape)} and a target of shape {list(b._data.shape)}",
            hint="both must have one shape; y.unsqueeze(1) or x.squeeze(1) may help",
        )
    return a, b


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """The cross entropy of probabilities and their targets."""
    reduction = check_reduction(reduction, size_average, reduce)
    a, b = _checked("binary_cross_entropy", input, target)
    check_probabilities(a._data)
    check_same_dtype("binary_cross_entropy()", a, target=b)
    return bce_forward(a, b, _weights(weight, a), reduction)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """binary_cross_entropy of sigmoid(input), without overflow."""
    reduction = check_reduction(reduction, size_average, reduce)
    a, b = _checked("binary_cross_entropy_with_logits", input, target)
    return bce_logits_forward(a, b, _weights(weight, a), _weights(pos_weight, a), reduction)


def _weights(weight: Any, like: Tensor) -> Any:
    """A weight tensor as an array that broadcasts to the input."""
    if weight is None:
        return None
    data = want_tensor(weight, "binary_cross_entropy", "weight")._data
    try:
        return array_module(data).broadcast_to(data, like._data.shape)
    except ValueError:
        raise ShapeMismatch(f"a weight of shape {list(data.shape)} does not broadcast to {list(like._data.shape)}") from None
