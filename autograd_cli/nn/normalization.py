"""LayerNorm, GroupNorm, RMSNorm: normalisation within each sample."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentValue
from ..ops import norm_layers
from ..ops.response_norm import local_response_norm
from . import init
from .make import new_parameter
from .module import Module


def _sizes(normalized_shape: Any) -> tuple[int, ...]:
    return tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (int(normalized_shape),)


class _Affine(Module):
    """A weight of ones and a bias of zeros, or None in their places."""

    weight: Any
    bias: Any

    def _make(self, shape: tuple[int, ...], affine: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, new_parameter(*shape, device=device, dtype=dtype) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(_Affine):
    """Normalises over the last dimensions (Ba et al. 2016)."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape, self.eps, self.elementwise_affine = _sizes(normalized_shape), eps, elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Any) -> Any:
        """The input, normalised."""
        return norm_layers.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides by the root mean square over the last dimensions (Zhang and Sennrich 2019)."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps, self.elementwise_affine = _sizes(normalized_shape), eps, elementwise_affine
        self.register_parameter(
            "weight", new_parameter(*self.normalized_shape, device=device, dtype=dtype) if elementwise_affine else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Any) -> Any:
        """The input, normalised."""
        return norm_layers.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Sizes and options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """Normalises over groups of channels (Wu and He 2018)."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise BadArgumentValue(f"num_channels, {num_channels}, must be divisible by num_groups, {num_groups}")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._make((num_channels,), affine, bias, device, dtype)

    def forward(self, input: Any) -> Any:
        """The input, normalised."""
        return norm_layers.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Sizes and options."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """Channels that damp their neighbours (Krizhevsky et al. 2012)."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Any) -> Any:
        """The input, normalised."""
        return local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Options."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
