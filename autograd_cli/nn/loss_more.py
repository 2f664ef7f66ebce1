"""Losses with margins, of pairs, triples, densities and sequences, as modules."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentValue
from ..ops import ctc, loss_density, loss_margin, similarity
from ..ops.support import legacy_reduction
from .loss import _Loss, _WeightedLoss
from .module import Module


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * input))."""

    function = staticmethod(loss_margin.soft_margin_loss)


class MultiLabelMarginLoss(_Loss):
    """max(0, 1 - own score + other score) over all own and other classes."""

    function = staticmethod(loss_margin.multilabel_margin_loss)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The binary cross entropy of logits, its mean over the classes."""

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_margin.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """max(0, margin - own score + other score)**p over the other classes."""

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: Any = None, reduce: Any = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise BadArgumentValue(f"p of MultiMarginLoss is 1 or 2, not {p}")
        self.p, self.margin = p, margin

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return loss_margin.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """Distances where the target is 1, what they lack of `margin` where it is -1."""

    def __init__(self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return similarity.hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


class _PairLoss(_Loss):
    def __init__(self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        """The loss."""
        return type(self).function(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_PairLoss):
    """1 - cosine where the target is 1, what the cosine exceeds `margin` by where it is -1."""

    function = staticmethod(similarity.cosine_embedding_loss)


class MarginRankingLoss(_PairLoss):
    """How far input1 is from being larger (target 1) or smaller (-1) than input2 by `margin`."""

    function = staticmethod(similarity.margin_ranking_loss)


class TripletMarginLoss(_Loss):
    """What the distance from a negative lacks of that from a positive plus `margin`."""

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: Any = None,
        reduce: Any = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise BadArgumentValue(f"margin of TripletMarginLoss is greater than 0, not {margin}")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        """The loss."""
        options: dict[str, Any] = {"margin": self.margin, "p": self.p, "eps": self.eps, "swap": self.swap}
        return similarity.triplet_margin_loss(anchor, positive, negative, **options, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a distance of one's own."""

    def __init__(
        self, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise BadArgumentValue(f"margin of TripletMarginWithDistanceLoss is greater than 0, not {margin}")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        """The loss."""
        return similarity.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class PoissonNLLLoss(_Loss):
    """Minus the log-likelihood of counts under a rate."""

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: Any = None, eps: float = 1e-8, reduce: Any = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Any, target: Any) -> Any:
        """The loss."""
        return loss_density.poisson_nll_loss(log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Minus the log-likelihood under a normal distribution."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Any, target: Any, var: Any) -> Any:
        """The loss."""
        return loss_density.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class CTCLoss(_Loss):
    """Minus the log-likelihood of sequences of labels under scores for each moment."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=legacy_reduction(None, None, reduction))
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        """The loss."""
        return ctc.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)


# ---- not reduced ----


class PairwiseDistance(Module):
    """The p-norm of differences along the last dimension."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        """The distances."""
        return similarity.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        """The cosines."""
        return similarity.cosine_similarity(x1, x2, self.dim, self.eps)
