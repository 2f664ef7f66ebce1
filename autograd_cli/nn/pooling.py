"""Pooling layers."""

from __future__ import annotations

from typing import Any

from ..ops import pool, pool_more
from ..ops.conv import numbers
from .module import Module


class _MaxPool(Module):
    function: Any = None

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def forward(self, input: Any) -> Any:
        """The largest elements."""
        return type(self).function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )

    def extra_repr(self) -> str:
        """Options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element of each window of (N, C, L)."""

    function = staticmethod(pool.max_pool1d)


class MaxPool2d(_MaxPool):
    """The largest element of each window of (N, C, H, W)."""

    function = staticmethod(pool.max_pool2d)


class MaxPool3d(_MaxPool):
    """The largest element of each window of (N, C, D, H, W)."""

    function = staticmethod(pool.max_pool3d)


class _AvgPool(Module):
    def extra_repr(self) -> str:
        """Options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of (N, C, L)."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding = numbers(kernel_size, 1, "kernel_size"), numbers(padding, 1, "padding")
        self.stride = self.kernel_size if stride is None else numbers(stride, 1, "stride")
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Any) -> Any:
        """The means."""
        return pool.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_AvgPool):
    """The mean of each window of (N, C, H, W)."""

    function: Any = staticmethod(pool.avg_pool2d)

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def forward(self, input: Any) -> Any:
        """The means."""
        return type(self).function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override
        )


class AvgPool3d(AvgPool2d):
    """The mean of each window of (N, C, D, H, W)."""

    function = staticmethod(pool.avg_pool3d)


class _AdaptiveAvgPool(Module):
    function: Any = None

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        """The means."""
        return type(self).function(input, self.output_size)

    def extra_repr(self) -> str:
        """Size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means over as many windows as the result is to have elements, (N, C, L)."""

    function = staticmethod(pool.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means over as many windows as the result is to have elements, (N, C, H, W)."""

    function = staticmethod(pool.adaptive_avg_pool2d)


class _AdaptiveMaxPool(Module):
    function: Any = None

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Any) -> Any:
        """The largest elements."""
        return type(self).function(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """Size."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest of as many windows as the result is to have elements, (N, C, L)."""

    function = staticmethod(pool_more.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest of as many windows as the result is to have elements, (N, C, H, W)."""

    function = staticmethod(pool_more.adaptive_max_pool2d)


class _LPPool(Module):
    function: Any = None

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Any) -> Any:
        """The norms."""
        return type(self).function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        """Options."""
        return f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPool):
    """The norm of each window of (N, C, L)."""

    function = staticmethod(pool_more.lp_pool1d)


class LPPool2d(_LPPool):
    """The norm of each window of (N, C, H, W)."""

    function = staticmethod(pool_more.lp_pool2d)


class MaxUnpool2d(Module):
    """MaxPool2d undone: its results where they stood, zeros elsewhere."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = numbers(kernel_size, 2, "kernel_size")
        self.stride = self.kernel_size if stride is None else numbers(stride, 2, "stride")
        self.padding = numbers(padding, 2, "padding")

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """The image."""
        return pool_more.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
