"""Sampling an image at the places of a grid: ``F.affine_grid`` and ``F.grid_sample``, the two halves of a spatial transformer.

Source of the formulas: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
# mypy: disable-error-code="index,arg-type,attr-defined"
from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import add_at, array_module
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue, ShapeMismatch, Unsupported
from .creation import linspace
from .linalg import bmm
from .shape import transpose_dims, view_to
from .support import as_kind_of, as_size, data_of, no_derivative, on_device_of, want_tensor

# ---- the grid ----


def base_grid(h: int, w: int, align_corners: bool, kind: Any) -> Any:
    """(H * W, 3): x, y from -1 to 1, and 1, for each place, of a NumPy dtype: rounded as PyTorch rounds, since the gradient by a
    place jumps from pixel to pixel."""

    def line(n: int) -> Any:
        ends = linspace(-1, 1, n, dtype=dt.dtype._of_numpy[kind], device="cpu")._data if n > 1 else np.zeros(1, kind)
        return ends if align_corners else ends * kind.type(n - 1) / kind.type(n)

    grid = np.ones((h, w, 3), kind)
    grid[..., 0], grid[..., 1] = line(w), line(h)[:, None]
    return grid.reshape(-1, 3)


@op(
    "AffineGridGeneratorBackward0",
    real_only=True,
    theta=lambda grad, size, align_corners: affine_grid_backward(grad, size, align_corners),
)
def affine_grid_forward(xp, theta, size, align_corners):
    """The places that affine maps `theta` (N, 2, 3) send those of an image to."""
    n, _, h, w = size
    base = xp.asarray(base_grid(h, w, align_corners, theta.dtype))
    return (base @ theta.swapaxes(1, 2)).reshape(n, h, w, 2)


def affine_grid_backward(grad: Any, size: Any, align_corners: bool) -> Any:
    """The gradient of affine_grid, in operations that can be differentiated again."""
    n, _, h, w = size
    base = base_grid(h, w, align_corners, data_of(grad).dtype).T
    bases = on_device_of(data_of(grad), np.broadcast_to(base, (n, *base.shape)))
    return transpose_dims(bmm(as_kind_of(grad, bases), view_to(grad, (n, h * w, 2))), 1, 2)


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """A grid (N, H, W, 2) for ``grid_sample`` from affine maps (N, 2, 3)."""
    shape, wanted = want_tensor(theta, "affine_grid", "theta")._data.shape, as_size((size,))
    if len(wanted) == 5:
        raise Unsupported("affine_grid() of volumes is not supported", hint="use (N, C, H, W)")
    if len(wanted) != 4 or shape != (wanted[0], 2, 3):
        raise BadArgumentValue(
            f"affine_grid() got theta of shape {list(shape)} for size {list(wanted)}; it takes (N, 2, 3) and (N, C, H, W)"
        )
    return affine_grid_forward(theta, wanted, bool(align_corners))


# ---- sampling ----


def to_pixels(at: Any, size: int, align_corners: bool, padding_mode: str) -> tuple[Any, Any]:
    """(positions in pixels of coordinates from -1 to 1, their slopes), with the border treated."""
    slope = (size - 1) / 2 if align_corners else size / 2
    x = (at + 1) * slope - (0 if align_corners else 0.5)
    slopes = array_module(at).full(at.shape, slope, at.dtype)
    if padding_mode == "reflection":
        x, sign = reflected(x, 0.0, size - 1.0) if align_corners else reflected(x, -0.5, size - 0.5)
        slopes = slopes * sign
    if padding_mode != "zeros":
        inside = (x > 0) & (x < size - 1)
        x, slopes = x.clip(0, size - 1), slopes * inside
    return x, slopes


def reflected(x: Any, low: float, high: float) -> tuple[Any, Any]:
    """(positions mirrored between two ends, 1 or -1 as their direction is turned)."""
    span = high - low
    if span == 0:
        return x * 0, x * 0
    sign = array_module(x).where(x < low, -1.0, 1.0).astype(x.dtype)
    away = abs(x - low)
    turns = array_module(x).floor(away / span)
    rest = away - turns * span
    even = turns % 2 == 0
    xp = array_module(x)
    return xp.where(even, rest + low, span - rest + low), xp.where(even, sign, -sign)


def corners(x: Any, y: Any) -> Any:
    """The four pixels around each place with their shares, and how the shares change with x and y."""
    x0, y0 = array_module(x).floor(x), array_module(x).floor(y)
    fx, fy = x - x0, y - y0
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        sx, sy = (fx if dx else 1 - fx), (fy if dy else 1 - fy)
        yield (x0 + dx).astype(np.int64), (y0 + dy).astype(np.int64), sx * sy, (sy if dx else -sy), (sx if dy else -sx)


def looked_up(image: Any, column: Any, row: Any) -> tuple[Any, Any, Any, Any]:
    """(pixels (N, C, H', W') at each example's places, zero outside; which are inside; columns and rows brought inside)."""
    h, w = image.shape[-2:]
    inside = (column >= 0) & (column < w) & (row >= 0) & (row < h)
    column, row = column.clip(0, w - 1), row.clip(0, h - 1)
    batch = array_module(image).arange(len(image))[:, None, None]
    return image[batch, :, row, column].transpose(0, 3, 1, 2) * inside[:, None], inside, column, row


@op(
    "GridSampler2DBackward0",
    real_only=True,
    input=lambda grad, input, grid, mode, padding_mode, align_corners: grid_backward_input(
        grad, input, grid, mode, padding_mode, align_corners
    ),
    grid=lambda grad, input, grid, mode, padding_mode, align_corners: grid_backward_grid(
        grad, input, grid, mode, padding_mode, align_corners
    ),
)
def grid_sampled(input, grid, mode, padding_mode, align_corners):
    """The pixels of each image at the places of its grid."""
    x, _ = to_pixels(grid[..., 0], input.shape[-1], align_corners, padding_mode)
    y, _ = to_pixels(grid[..., 1], input.shape[-2], align_corners, padding_mode)
    if mode == "nearest":
        return looked_up(input, array_module(x).rint(x).astype(np.int64), array_module(y).rint(y).astype(np.int64))[0]
    total = 0
    for column, row, share, _, _ in corners(x, y):
        total = total + looked_up(input, column, row)[0] * share[:, None]
    return total


@op("GridSampler2DBackwardBackward0", grad_output=lambda grad: no_derivative("grid_sampler_2d_backward"))
def grid_backward_input(xp, grad_output, input: Tensor, grid: Tensor, mode, padding_mode, align_corners):
    """The gradient of grid_sample by the images."""
    x, _ = to_pixels(grid[..., 0], input.shape[-1], align_corners, padding_mode)
    y, _ = to_pixels(grid[..., 1], input.shape[-2], align_corners, padding_mode)
    out = xp.zeros(input.shape, input.dtype).transpose(0, 2, 3, 1)
    batch = xp.arange(len(input))[:, None, None]
    if mode == "nearest":
        around = [(array_module(x).rint(x).astype(np.int64), array_module(y).rint(y).astype(np.int64), xp.ones(x.shape, x.dtype))]
    else:
        around = [(column, row, share) for column, row, share, _, _ in corners(x, y)]
    for column, row, share in around:
        _, inside, column, row = looked_up(input, column, row)
        add_at(out, (batch, row, column), (grad_output * (share * inside)[:, None]).transpose(0, 2, 3, 1))
    return xp.ascontiguousarray(out.transpose(0, 3, 1, 2))


@op("GridSampler2DBackwardBackward0", grad_output=lambda grad: no_derivative("grid_sampler_2d_backward"))
def grid_backward_grid(xp, grad_output, input: Tensor, grid: Tensor, mode, padding_mode, align_corners):
    """The gradient of grid_sample by the grid."""
    x, slope_x = to_pixels(grid[..., 0], input.shape[-1], align_corners, padding_mode)
    y, slope_y = to_pixels(grid[..., 1], input.shape[-2], align_corners, padding_mode)
    out = xp.zeros(grid.shape, grid.dtype)
    if mode == "nearest":
        return out
    for column, row, _, by_x, by_y in corners(x, y):
        part = (looked_up(input, column, row)[0] * grad_output).sum(axis=1)
        out[..., 0] += part * by_x * slope_x
        out[..., 1] += part * by_y * slope_y
    return out


def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Any:
    """Images (N, C, H, W) sampled at the places of a grid (N, H', W', 2), whose coordinates go from -1 to 1.

    Parameters
    ----------
    mode : str
        ``bilinear`` or ``nearest``.
    padding_mode : str
        What stands outside: ``zeros``, ``border`` or ``reflection``.
    """
    a, b = want_tensor(input, "grid_sample")._data.shape, want_tensor(grid, "grid_sample", "grid")._data.shape
    if mode not in ("bilinear", "nearest"):
        if mode == "bicubic" or len(a) == 5:
            raise Unsupported(f"grid_sample(mode={mode!r}) is not supported", hint="use 'bilinear' or 'nearest'")
        raise BadArgumentValue(f"mode of grid_sample() is 'bilinear' or 'nearest', not {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise BadArgumentValue(f"padding_mode of grid_sample() is 'zeros', 'border' or 'reflection', not {padding_mode!r}")
    if len(a) == 5:
        raise Unsupported("grid_sample() of volumes is not supported", hint="use (N, C, H, W)")
    if len(a) != 4 or len(b) != 4 or a[0] != b[0] or b[3] != 2:
        raise ShapeMismatch(
            f"grid_sample() got an input of shape {list(a)} and a grid of shape {list(b)}",
            hint="they are (N, C, H, W) and (N, H', W', 2)",
        )
    if not (a[2] and a[3]):
        raise BadArgument(f"grid_sample() cannot sample an image without pixels, of shape {list(a)}")
    return grid_sampled(input, grid, mode, padding_mode, bool(align_corners))
