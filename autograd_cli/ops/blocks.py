"""Blocks of an image moved elsewhere: pixel_shuffle, and the columns of a convolution (unfold and fold)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module
from ..core.op import op
from ..errors import BadArgument, ShapeMismatch
from .conv import numbers
from .conv_arrays import offsets, output_size, padded, window_slices, windows
from .support import as_int, want_tensor

Pair = tuple[int, ...]


@op("PixelShuffleBackward0", self=lambda grad, factor: pixels_together(grad, factor))
def pixels_apart(self, factor):
    """(…, C * factor**2, H, W) as (…, C, H * factor, W * factor)."""
    *lead, c, h, w = self.shape
    parts = self.reshape(*lead, c // factor**2, factor, factor, h, w)
    n = len(lead)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.transpose(order).reshape(*lead, c // factor**2, h * factor, w * factor)


@op("PixelUnshuffleBackward0", self=lambda grad, factor: pixels_apart(grad, factor))
def pixels_together(self, factor):
    """(…, C, H * factor, W * factor) as (…, C * factor**2, H, W)."""
    *lead, c, h, w = self.shape
    parts = self.reshape(*lead, c, h // factor, factor, w // factor, factor)
    n = len(lead)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.transpose(order).reshape(*lead, c * factor**2, h // factor, w // factor)


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """(…, C * r**2, H, W) as (…, C, H * r, W * r)."""
    shape, factor = want_tensor(input, "pixel_shuffle")._data.shape, as_int(upscale_factor, "upscale_factor")
    if len(shape) < 3 or factor < 1 or shape[-3] % factor**2:
        raise BadArgument(f"pixel_shuffle() by {factor} needs channels that {factor**2} divides, and the shape is {list(shape)}")
    return pixels_apart(input, factor)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """(…, C, H * r, W * r) as (…, C * r**2, H, W)."""
    shape, factor = want_tensor(input, "pixel_unshuffle")._data.shape, as_int(downscale_factor, "downscale_factor")
    if len(shape) < 3 or factor < 1 or shape[-1] % factor or shape[-2] % factor:
        raise BadArgument(
            f"pixel_unshuffle() by {factor} needs height and width that {factor} divides, and the shape is {list(shape)}"
        )
    return pixels_together(input, factor)


# ---- columns ----


@op(
    "Im2ColBackward0",
    self=lambda grad, self_sizes, kernel_size, dilation, padding, stride: image_of(
        grad, tuple(self_sizes[-2:]), kernel_size, dilation, padding, stride
    ),
)
def columns_of(self, kernel_size, dilation, padding, stride):
    """(N, C, H, W) as (N, C * kernel, places), or both without N."""
    *lead, c, _, _ = self.shape
    images = self.reshape(-1, *self.shape[-3:])
    seen = windows(padded(images, padding), kernel_size, stride, dilation)
    return array_module(self).ascontiguousarray(seen).reshape(*lead, c * math.prod(kernel_size), -1)


@op(
    "Col2ImBackward0",
    self=lambda grad, kernel_size, dilation, padding, stride: columns_of(grad, kernel_size, dilation, padding, stride),
)
def image_of(self, output_size, kernel_size, dilation, padding, stride):
    """(N, C * kernel, places) added up as (N, C, H, W), or both without N."""
    *lead, rows, _ = self.shape
    n, c = math.prod(lead), rows // math.prod(kernel_size)
    places = grid_of(output_size, kernel_size, dilation, padding, stride)
    parts = self.reshape(n, c, *kernel_size, *places)
    out = array_module(self).zeros((n, c, *(s + 2 * p for s, p in zip(output_size, padding, strict=True))), self.dtype)
    for offset in offsets(kernel_size):
        out[window_slices(offset, places, stride, dilation)] += parts[(slice(None), slice(None), *offset)]
    inner = tuple(slice(p, p + s) for s, p in zip(output_size, padding, strict=True))
    found = array_module(self).ascontiguousarray(out[(slice(None), slice(None), *inner)])
    return found.reshape(*lead, c, *output_size)


def grid_of(sizes: Pair, kernel: Pair, dilation: Pair, padding: Pair, stride: Pair) -> Pair:
    """How many places a kernel has along each dimension."""
    return tuple(output_size(*each) for each in zip(sizes, kernel, stride, padding, dilation, strict=True))


def _options(name: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Pair, Pair, Pair, Pair]:
    named = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    found = {key: numbers(value, 2, key) for key, value in named.items()}
    if min(found["kernel_size"]) < 1 or min(found["dilation"]) < 1 or min(found["stride"]) < 1:
        raise BadArgument(f"kernel_size, dilation and stride of {name}() are 1 or more")
    return found["kernel_size"], found["dilation"], found["padding"], found["stride"]


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The windows of (N, C, H, W) as columns: (N, C * kernel, places)."""
    data = want_tensor(input, "unfold")._data
    options = _options("unfold", kernel_size, dilation, padding, stride)
    if data.ndim not in (3, 4):
        raise ShapeMismatch(f"unfold() takes (N, C, H, W) or (C, H, W), not shape {list(data.shape)}")
    if min(grid_of(data.shape[-2:], *options)) < 1:
        raise BadArgument(f"the kernel {list(options[0])} of unfold() is larger than its input of shape {list(data.shape)}")
    return columns_of(input, *options)


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Columns (N, C * kernel, places) added up as an image (N, C, *output_size)."""
    data = want_tensor(input, "fold")._data
    options = _options("fold", kernel_size, dilation, padding, stride)
    sizes = numbers(output_size, 2, "output_size")
    places = math.prod(grid_of(sizes, *options))
    if data.ndim not in (2, 3) or data.shape[-2] % math.prod(options[0]) or data.shape[-1] != places:
        raise ShapeMismatch(
            f"fold() got shape {list(data.shape)}; {list(sizes)} with a kernel of {list(options[0])} has {places} places",
            hint="the input is (N, channels * kernel, places)",
        )
    return image_of(input, sizes, *options)
