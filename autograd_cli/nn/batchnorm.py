"""BatchNorm and InstanceNorm, with running statistics."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentValue
from ..ops import creation, norm_layers
from .normalization import _Affine


class _NormBase(_Affine):
    """Channels, options and running statistics."""

    ranks: tuple[int, ...] = ()  # how many dimensions the input may have
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, make in (("running_mean", creation.zeros), ("running_var", creation.ones)):
            self.register_buffer(name, make(num_features, device=device, dtype=dtype) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0, device=device) if track_running_stats else None)
        self._make((num_features,), affine, bias, device, dtype)

    def reset_running_stats(self) -> None:
        """Mean 0, variance 1, no batch seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def _check(self, input: Any) -> None:
        if input._data.ndim not in self.ranks:
            wanted = " or ".join(str(n) for n in self.ranks)
            raise BadArgumentValue(
                f"{type(self).__name__} takes an input with {wanted} dimensions, not shape {list(input._data.shape)}"
            )

    def extra_repr(self) -> str:
        """Sizes and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    def forward(self, input: Any) -> Any:
        """The input, normalised over the batch while training, with the running statistics otherwise."""
        self._check(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        follow = not self.training or self.track_running_stats
        return norm_layers.batch_norm(
            input,
            self.running_mean if follow else None,
            self.running_var if follow else None,
            self.weight,
            self.bias,
            by_batch,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalises (N, C) or (N, C, L) over the batch (Ioffe and Szegedy 2015)."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises (N, C, H, W) over the batch (Ioffe and Szegedy 2015)."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises (N, C, D, H, W) over the batch (Ioffe and Szegedy 2015)."""

    ranks = (5,)


class _InstanceNorm(_NormBase):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Any) -> Any:
        """The input, normalised for each sample and channel."""
        self._check(input)
        alone = input._data.ndim == min(self.ranks)
        x = input.unsqueeze(0) if alone else input
        result = norm_layers.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return result.squeeze(0) if alone else result


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of (N, C, L) or (C, L) (Ulyanov et al. 2016)."""

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of (N, C, H, W) or (C, H, W) (Ulyanov et al. 2016)."""

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of (N, C, D, H, W) or (C, D, H, W) (Ulyanov et al. 2016)."""

    ranks = (4, 5)
