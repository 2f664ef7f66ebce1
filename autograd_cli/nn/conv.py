"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any

from ..errors import BadArgumentValue
from ..ops import conv
from ..ops.conv import numbers
from ..ops.pad import pad
from . import init
from .make import draw_uniform, new_parameter
from .module import Module
from .module_text import unusual

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Options, weights and text of all convolutions."""

    dims = 0
    transposed = False
    function: Any = None
    bias: Any
    kernel_size: Any
    stride: Any
    padding: Any
    dilation: Any
    output_padding: Any

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, groups: int, bias: bool,
        padding_mode: str, device: Any, dtype: Any, output_padding: Any = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise BadArgumentValue(
                f"in_channels, {in_channels}, and out_channels, {out_channels}, must be divisible by groups, {groups}"
            )
        if padding_mode not in _MODES:
            raise BadArgumentValue(f"padding_mode is one of {', '.join(_MODES)}, not {padding_mode!r}")
        if self.transposed and padding_mode != "zeros":
            raise BadArgumentValue(f"{type(self).__name__} knows padding_mode='zeros' only")
        dims = self.dims
        self.in_channels, self.out_channels, self.groups, self.padding_mode = in_channels, out_channels, groups, padding_mode
        self.kernel_size, self.stride = numbers(kernel_size, dims, "kernel_size"), numbers(stride, dims, "stride")
        self.padding = padding if isinstance(padding, str) else numbers(padding, dims, "padding")
        self.dilation = numbers(dilation, dims, "dilation")
        self.output_padding = numbers(output_padding, dims, "output_padding")
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = new_parameter(first, second // groups, *self.kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            draw_uniform(self.bias, init.fans(self.weight)[0])

    def forward(self, input: Any) -> Any:
        """The convolution."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = pad(input, self._border(), mode=self.padding_mode), (0,) * self.dims
        return type(self).function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _border(self) -> list[int]:
        """The padding as ``pad`` takes it: the last dimension first, both sides each."""
        if self.padding == "valid":
            return [0] * (2 * self.dims)
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [n for total in reversed(totals) for n in (total // 2, total - total // 2)]
        return [p for p in reversed(self.padding) for _ in range(2)]

    def extra_repr(self) -> str:
        """Sizes and options that are not the usual ones."""
        zeros, ones = (0,) * self.dims, (1,) * self.dims
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        text += unusual(self, {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1})
        text += "" if self.bias is not None else ", bias=False"
        return text + unusual(self, {"padding_mode": "zeros"})


class _Conv(_ConvNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv1d(_Conv):
    """A convolution over (N, C, L)."""

    dims = 1
    function = staticmethod(conv.conv1d)


class Conv2d(_Conv):
    """A convolution over (N, C, H, W)."""

    dims = 2
    function = staticmethod(conv.conv2d)


class Conv3d(_Conv):
    """A convolution over (N, C, D, H, W)."""

    dims = 3
    function = staticmethod(conv.conv3d)


class _ConvTranspose(_ConvNd):
    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
            output_padding,
        )

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """The transposed convolution; `output_size` chooses among the sizes that a stride leaves open."""
        more = self.output_padding if output_size is None else self._missing(input._data.shape[-self.dims :], output_size)
        return type(self).function(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _missing(self, sizes: tuple[int, ...], wanted: Any) -> tuple[int, ...]:
        least = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(sizes, self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        ]
        more = tuple(w - m for w, m in zip(tuple(wanted)[-self.dims :], least, strict=True))
        if any(not 0 <= m < s for m, s in zip(more, self.stride, strict=True)):
            raise BadArgumentValue(f"output_size {tuple(wanted)} is out of reach: from {least} on, up to the stride more")
        return more


class ConvTranspose1d(_ConvTranspose):
    """A transposed convolution over (N, C, L)."""

    dims = 1
    function = staticmethod(conv.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """A transposed convolution over (N, C, H, W)."""

    dims = 2
    function = staticmethod(conv.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """A transposed convolution over (N, C, D, H, W)."""

    dims = 3
    function = staticmethod(conv.conv_transpose3d)
