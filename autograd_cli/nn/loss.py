"""Losses as modules."""

from __future__ import annotations

from typing import Any

from ..ops import loss, loss_more, loss_robust
from ..ops.support import legacy_reduction
from .module import Module


class _Loss(Module):
    """A function of input and target; the options are the functional form's."""

    function: Any = None

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = legacy_reduction(size_average, reduce, reduction)

    def forward(self, *args: Any) -> Any:
        """The loss of input and target."""
        return type(self).function(*args, reduction=self.reduction)


class MSELoss(_Loss):
    """Squared differences."""

    function = staticmethod(loss.mse_loss)


class L1Loss(_Loss):
    """Absolute differences."""

    function = staticmethod(loss.l1_loss)


class SmoothL1Loss(_Loss):
    """Squared differences below beta, absolute ones above."""

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_robust.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the squared differences up to delta, a line from there on."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_robust.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of log-probabilities from probabilities."""

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_robust.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class _WeightedLoss(_Loss):
    def __init__(self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of the target classes."""

    def __init__(
        self, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """NLLLoss of log_softmax: scores and class numbers, or scores and probabilities."""

    def __init__(
        self, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss.cross_entropy(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


class BCELoss(_WeightedLoss):
    """The cross entropy of probabilities and their targets."""

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_more.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    """BCELoss of sigmoid(input), without overflow."""

    def __init__(
        self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean", pos_weight: Any = None
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_more.binary_cross_entropy_with_logits(
            input, target, weight=self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )
