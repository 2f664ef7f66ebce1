"""More pooling: the largest of windows of about equal size, power averages, and pooling undone."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, ShapeMismatch
from .activation import relu
from .arithmetic import mul
from .conv import numbers
from .gather import gather_at
from .pointwise import abs, sign
from .pool import avg_pool1d, avg_pool2d, max_pool_backward, picked
from .power import pow_scalar
from .shape import reshape_to
from .sizes import squeeze, unsqueeze
from .support import want_tensor, zeros_like


@op(
    "AdaptiveMaxPool2DBackward0",
    real_only=True,
    outputs=("output", "indices"),
    self=lambda grad, self, indices: adaptive_max_backward(grad, self, indices),
)
def adaptive_max_forward(xp, self, rows, columns):
    """(the largest element of each window, where it stands in its plane)."""
    best = xp.empty((*self.shape[:-2], len(rows), len(columns)), self.dtype)
    places = xp.empty(best.shape, np.int64)
    for i, (top, bottom) in enumerate(rows):
        for j, (left, right) in enumerate(columns):
            window = self[..., top:bottom, left:right].reshape(*self.shape[:-2], -1)
            at = window.argmax(axis=-1)
            best[..., i, j] = xp.take_along_axis(window, at[..., None], -1)[..., 0]
            row, column = xp.divmod(at, right - left)
            places[..., i, j] = (row + top) * self.shape[-1] + column + left
    return best, places


@op(
    "AdaptiveMaxPool2DBackwardBackward0",
    grad_output=lambda grad, indices: picked(grad, indices),
    self=lambda grad: zeros_like(grad),
)
def adaptive_max_backward(grad_output, self, indices: Tensor):
    """The gradient of adaptive_max_pool2d: to the element that was the largest; windows may overlap."""
    return max_pool_backward._info.plain(grad_output, self, indices, True)


def windows_of(size: int, places: int) -> tuple[tuple[int, int], ...]:
    """Where each window begins and ends."""
    return tuple((i * size // places, -(-(i + 1) * size // places)) for i in range(places))


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of windows, so many that the result has the sizes wanted; None keeps a size."""
    shape = want_tensor(input, "adaptive_max_pool2d")._data.shape
    if len(shape) not in (3, 4) or not all(shape[-3:]):
        raise ShapeMismatch(f"adaptive_max_pool2d() takes (N, C, H, W) or (C, H, W), not shape {list(shape)}")
    wanted = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    h, w = numbers([n if k is None else k for k, n in zip(wanted, shape[-2:], strict=True)], 2, "output_size")
    found = adaptive_max_forward(input, windows_of(shape[-2], h), windows_of(shape[-1], w))
    return found if return_indices else found[0]


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of windows of the last dimension, so many that the result has the size wanted."""
    shape = want_tensor(input, "adaptive_max_pool1d")._data.shape
    if len(shape) not in (2, 3) or not all(shape[-2:]):
        raise ShapeMismatch(f"adaptive_max_pool1d() takes (N, C, L) or (C, L), not shape {list(shape)}")
    (size,) = numbers(output_size, 1, "output_size")
    found = adaptive_max_forward(unsqueeze(input, -2), ((0, 1),), windows_of(shape[-1], size))
    result, indices = (squeeze(part, -2) for part in found)
    return (result, indices) if return_indices else result


# ---- power averages ----


def _power_pool(pool: Any, dims: int, name: str) -> Any:
    def function(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
        kernel = numbers(kernel_size, dims, "kernel_size")
        powers = pool(pow_scalar(want_tensor(input, name), norm_type), kernel_size, stride, 0, ceil_mode)
        size = int(np.prod(kernel))
        return pow_scalar(mul(sign(powers) * relu(abs(powers)), size), 1 / norm_type)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The norm of order norm_type of each window: (sum of elements ** p) ** (1 / p)."
    return function


lp_pool1d = _power_pool(avg_pool1d, 1, "lp_pool1d")
lp_pool2d = _power_pool(avg_pool2d, 2, "lp_pool2d")


# ---- undone ----


@op("MaxUnpool2DBackward0", real_only=True, self=lambda grad, indices, plane: unpool_backward(grad, indices, plane))
def unpooled(xp, self, indices: Tensor, plane, size):
    """Zeros with the elements of self at the places that max_pool2d named."""
    out = xp.zeros((*self.shape[:-2], plane), self.dtype)
    lead = self.shape[:-2]
    xp.put_along_axis(out, indices.reshape(*lead, -1), self.reshape(*lead, -1), -1)  # type: ignore[attr-defined]
    return out.reshape(*lead, *size)


def unpool_backward(grad: Any, indices: Any, plane: int) -> Any:
    """The gradient of max_unpool2d: what stands at the places."""
    shape = tuple(indices.shape)
    lead = shape[:-2]
    flat = gather_at(reshape_to(grad, (*lead, plane)), len(lead), reshape_to(indices, (*lead, shape[-2] * shape[-1])))
    return reshape_to(flat, shape)


def max_unpool2d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """max_pool2d undone: its results at the places it gave as indices, zeros elsewhere."""
    data, where = want_tensor(input, "max_unpool2d")._data, want_tensor(indices, "max_unpool2d", "indices")._data
    if data.shape != where.shape or data.ndim not in (3, 4):
        raise ShapeMismatch(f"max_unpool2d() got shape {list(data.shape)} and indices of shape {list(where.shape)}")
    kernel, borders = numbers(kernel_size, 2, "kernel_size"), numbers(padding, 2, "padding")
    steps = kernel if stride is None else numbers(stride, 2, "stride")
    size = tuple((n - 1) * s - 2 * p + k for n, s, p, k in zip(data.shape[-2:], steps, borders, kernel, strict=True))
    if output_size is not None:
        size = tuple(int(n) for n in tuple(output_size)[-2:])
    plane = size[0] * size[1]
    if where.size and not (where.min() >= 0 and where.max() < plane):
        raise BadArgument(f"max_unpool2d() got an index that is no place of a plane of {plane} elements")
    return unpooled(input, indices, plane, size)
