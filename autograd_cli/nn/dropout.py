"""Dropout layers: active while training."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentValue
from ..ops import dropout as functional
from ..ops import random_functional
from .module import Module


class _DropoutNd(Module):
    function: Any = None

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise BadArgumentValue(f"the probability p of dropout is between 0 and 1, not {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        """The input, with zeros in it while training."""
        return type(self).function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Sets elements to 0 with probability p, and divides the others by 1 - p."""

    function = staticmethod(functional.dropout)


class Dropout1d(_DropoutNd):
    """Sets whole channels (N, C, L) to 0."""

    function = staticmethod(functional.dropout1d)


class Dropout2d(_DropoutNd):
    """Sets whole channels (N, C, H, W) to 0."""

    function = staticmethod(functional.dropout2d)


class Dropout3d(_DropoutNd):
    """Sets whole channels (N, C, D, H, W) to 0."""

    function = staticmethod(functional.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout for SELU: dropped elements get its limit, and mean and variance stay."""

    function = staticmethod(random_functional.alpha_dropout)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    function = staticmethod(random_functional.feature_alpha_dropout)
