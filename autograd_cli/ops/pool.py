"""Pooling: the largest or the mean element of each window."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import add_at, array_module
from ..core.modes import modes
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, ShapeMismatch
from .conv import numbers
from .conv_arrays import offsets, window_slices
from .gather import flat, gather_at
from .reduce import mean_dim
from .shape import reshape_to
from .sizes import squeeze, unsqueeze
from .support import data_of, refuse_halves, want_tensor, zeros_like

Pair = tuple[int, ...]

# ---- the largest ----


@op(
    "MaxPool2DWithIndicesBackward0",
    real_only=True,
    outputs=("output", "result1"),
    self=lambda grad, self, result1, overlapping: max_pool_backward(grad, self, result1, overlapping),
)
def max_pool_forward(self, kernel_size, stride, padding, dilation, places, overlapping):
    """(the largest element of each window, where it stands in its plane, counted in row order)."""
    return largest_in_windows(self, kernel_size, stride, padding, dilation, places)


def largest_in_windows(x: Any, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, places: Pair) -> tuple[Any, Any]:
    """One comparison for each place of the kernel, all windows at once; the first of equal elements and nan win, as in PyTorch."""
    xp = array_module(x)
    room = _with_border(x, kernel, stride, padding, dilation, places, -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)
    first, *others = offsets(kernel)
    best = room[window_slices(first, places, stride, dilation)].copy()
    found = xp.zeros(best.shape, np.int16)
    for number, offset in enumerate(others, 1):
        seen = room[window_slices(offset, places, stride, dilation)]
        better = (seen > best) | (seen != seen)
        xp.copyto(best, seen, where=better)
        found[better] = number
    where = xp.zeros(found.shape, np.int64)
    for dim, offset in enumerate(xp.unravel_index(found, kernel)):
        start = (xp.arange(places[dim]) * stride[dim] - padding[dim]).reshape(-1, *(1,) * (len(kernel) - dim - 1))
        where = where * x.shape[dim - len(kernel)] + start + offset * dilation[dim]
    return best, where


def _with_border(x: Any, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, places: Pair, value: Any) -> Any:
    """Room for every window: what ceil_mode adds at the end too."""
    dims = len(kernel)
    needed = [(m - 1) * s + (k - 1) * d + 1 for m, s, k, d in zip(places, stride, kernel, dilation, strict=True)]
    sizes = [max(n + 2 * p, need) for n, p, need in zip(x.shape[-dims:], padding, needed, strict=True)]
    if not any(padding) and tuple(sizes) == x.shape[-dims:]:
        return x
    out = array_module(x).full((*x.shape[:-dims], *sizes), value, x.dtype)
    out[_inside(padding, x.shape)] = x
    return out


def _inside(padding: Pair, sizes: Any) -> Any:
    """Where an input stands inside of its border."""
    return (..., *(slice(p, p + n) for p, n in zip(padding, sizes[-len(padding) :], strict=True)))


@op(
    "MaxPool2DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: picked(grad, indices),
    self=lambda grad: zeros_like(grad),
)
def max_pool_backward(grad_output, self, indices: Tensor, overlapping):
    """The gradient of max_pool2d: to the element that was the largest."""
    return to_the_largest(grad_output, self.shape, indices, 2, overlapping)


def to_the_largest(grad: Any, sizes: Any, indices: Any, dims: int, overlapping: bool) -> Any:
    """Each window's gradient where its largest element stood, in the last `dims` dimensions."""
    xp = array_module(grad)
    out = xp.zeros(sizes, grad.dtype)
    size = math.prod(sizes[-dims:])
    planes = math.prod(sizes) // size
    first = xp.arange(planes)[:, None] * size
    where = flat(flat(indices).reshape(planes, -1) + first)
    if overlapping:
        add_at(out.reshape(-1), where, grad.reshape(-1))
    else:
        out.reshape(-1)[where] = grad.reshape(-1)
    return out


def picked(grad: Any, indices: Any, dims: int = 2) -> Any:
    """The elements of a gradient at the places that were the largest."""
    shapes = [data_of(value).shape for value in (grad, indices)]
    flat_grad, flat_indices = (
        reshape_to(value, (*size[:-dims], math.prod(size[-dims:]))) for value, size in zip((grad, indices), shapes, strict=True)
    )
    return reshape_to(gather_at(flat_grad, len(shapes[0]) - dims, flat_indices), shapes[1])


@op(
    "MaxPool3DWithIndicesBackward0",
    real_only=True,
    outputs=("output", "indices"),
    self=lambda grad, self, indices, overlapping: max_pool3d_backward(grad, self, indices, overlapping),
)
def max_pool3d_forward(self, kernel_size, stride, padding, dilation, places, overlapping):
    """As ``max_pool_forward``, of windows of three dimensions."""
    return largest_in_windows(self, kernel_size, stride, padding, dilation, places)


@op(
    "MaxPool3DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: picked(grad, indices, 3),
    self=lambda grad: zeros_like(grad),
)
def max_pool3d_backward(grad_output, self, indices: Tensor, overlapping):
    """The gradient of max_pool3d."""
    return to_the_largest(grad_output, self.shape, indices, 3, overlapping)


# ---- the mean ----


@op(
    "AvgPool2DBackward0",
    real_only=True,
    self=lambda grad, self, kernel_size, stride, padding, shares: avg_pool_backward(
        grad, self, kernel_size, stride, padding, shares
    ),
)
def avg_pool_forward(self, kernel_size, stride, padding, shares):
    """The mean of each window; `shares` holds what an element counts in each."""
    return mean_of_windows(self, kernel_size, stride, padding, shares)


def mean_of_windows(x: Any, kernel: Pair, stride: Pair, padding: Pair, shares: Any) -> Any:
    """One addition for each place of the kernel, all windows at once."""
    near = (1,) * len(kernel)
    room = _with_border(x, kernel, stride, padding, near, shares.shape, 0)
    first, *others = offsets(kernel)
    total = room[window_slices(first, shares.shape, stride, near)].copy()
    for offset in others:
        total += room[window_slices(offset, shares.shape, stride, near)]
    total /= shares.astype(x.dtype)
    return total


def spread_to_windows(grad: Any, sizes: Any, kernel: Pair, stride: Pair, padding: Pair, shares: Any) -> Any:
    """An equal share of each window's gradient to each of its elements."""
    xp, near = array_module(grad), (1,) * len(kernel)
    part = grad / shares.astype(grad.dtype)
    room = _with_border(xp.zeros(sizes, grad.dtype), kernel, stride, padding, near, shares.shape, 0)
    for offset in offsets(kernel):
        room[window_slices(offset, shares.shape, stride, near)] += part
    return xp.ascontiguousarray(room[_inside(padding, sizes)])


@op(
    "AvgPool2DBackwardBackward0",
    grad_output=lambda grad, kernel_size, stride, padding, shares: avg_pool_forward(grad, kernel_size, stride, padding, shares),
    self=lambda grad: zeros_like(grad),
)
def avg_pool_backward(grad_output, self, kernel_size, stride, padding, shares):
    """The gradient of avg_pool2d: an equal share to each element of a window."""
    return spread_to_windows(grad_output, self.shape, kernel_size, stride, padding, shares)


@op(
    "AvgPool3DBackward0",
    as_given="all",
    real_only=True,
    self=lambda grad, self, kernel_size, stride, padding, shares: avg_pool3d_backward(
        grad, self, kernel_size, stride, padding, shares
    ),
)
def avg_pool3d_forward(self, kernel_size, stride, padding, shares):
    """The mean of each window of three dimensions."""
    refuse_halves("avg_pool3d", self)
    return mean_of_windows(self, kernel_size, stride, padding, shares)


@op(
    "AvgPool3DBackwardBackward0",
    grad_output=lambda grad, kernel_size, stride, padding, shares: avg_pool3d_forward(grad, kernel_size, stride, padding, shares),
    self=lambda grad: zeros_like(grad),
)
def avg_pool3d_backward(grad_output, self, kernel_size, stride, padding, shares):
    """The gradient of avg_pool3d."""
    return spread_to_windows(grad_output, self.shape, kernel_size, stride, padding, shares)


AVERAGES = {2: avg_pool_forward, 3: avg_pool3d_forward}


@op(
    "AdaptiveAvgPool2DBackward0",
    real_only=True,
    self=lambda grad, self, rows, columns: adaptive_avg_pool_backward(grad, self, rows, columns),
)
def adaptive_avg_pool_forward(self, rows, columns):
    """Means over windows of about equal size: two products with matrices of shares."""
    return rows.astype(self.dtype) @ self @ columns.astype(self.dtype).T


@op(
    "AdaptiveAvgPool2DBackwardBackward0",
    grad_output=lambda grad, rows, columns: adaptive_avg_pool_forward(grad, rows, columns),
    self=lambda grad: zeros_like(grad),
)
def adaptive_avg_pool_backward(grad_output, self, rows, columns):
    """The gradient of adaptive_avg_pool2d."""
    return rows.astype(grad_output.dtype).T @ grad_output @ columns.astype(grad_output.dtype)


def shares_of(xp: Any, size: int, places: int) -> Any:
    """A matrix (places, size) of what each element counts in the mean of each window."""
    shares = xp.zeros((places, size))
    for i in range(places):
        start, end = i * size // places, -(-(i + 1) * size // places)
        shares[i, start:end] = 1 / (end - start)
    return shares


# ---- what scripts call ----


def places_of(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are along one dimension."""
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def _options(
    name: str, input: Any, dims: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Any:
    data = want_tensor(input, name)._data
    if data.ndim not in (dims + 1, dims + 2):
        raise ShapeMismatch(f"{name}() takes an input with {dims + 1} or {dims + 2} dimensions, not shape {list(data.shape)}")
    kernel, gaps = numbers(kernel_size, dims, "kernel_size"), numbers(dilation, dims, "dilation")
    steps = kernel if stride is None or stride == () else numbers(stride, dims, "stride")
    borders = numbers(padding, dims, "padding")
    if min(kernel) < 1 or min(steps) < 1:
        raise BadArgument(f"kernel_size and stride of {name}() are 1 or more")
    if any(2 * p > k for p, k in zip(borders, kernel, strict=True)):
        raise BadArgument(f"padding of {name}() is at most half of kernel_size, not {list(borders)} for {list(kernel)}")
    places = tuple(
        places_of(n, k, s, p, d, ceil_mode)
        for n, k, s, p, d in zip(data.shape[-dims:], kernel, steps, borders, gaps, strict=True)
    )
    if min(places) < 1:
        raise BadArgument(f"the kernel {list(kernel)} of {name}() is larger than its input of shape {list(data.shape)}")
    return kernel, steps, borders, gaps, places


def _overlap(kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, places: Pair) -> bool:
    """Whether an element can be the largest of several windows."""
    return any((k - 1) * d + 1 > s for k, d, s in zip(kernel, dilation, stride, strict=True))


def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of (N, C, H, W)."""
    options = _options("max_pool2d", input, 2, kernel_size, stride, padding, dilation, ceil_mode)
    result, indices = max_pool_forward(input, *options, _overlap(*options))
    return (result, indices) if return_indices else result


def max_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of (N, C, L)."""
    kernel, steps, borders, gaps, places = _options("max_pool1d", input, 1, kernel_size, stride, padding, dilation, ceil_mode)
    options = ((1, *kernel), (1, *steps), (0, *borders), (1, *gaps), (1, *places))
    if input._edge is None or not modes.grad_enabled:  # PyTorch has a kernel of its own for this, whose result is no view
        found = max_pool_forward(unsqueeze(input, -2), *options, _overlap(*options))
        result, indices = (fresh(one._data.squeeze(-2)) for one in found)
        return (result, indices) if return_indices else result
    result, indices = max_pool_forward(unsqueeze(input, -2), *options, _overlap(*options))
    result, indices = squeeze(result, -2), squeeze(indices, -2)
    return (result, indices) if return_indices else result


def max_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of (N, C, D, H, W)."""
    options = _options("max_pool3d", input, 3, kernel_size, stride, padding, dilation, ceil_mode)
    result, indices = max_pool3d_forward(input, *options, _overlap(*options))
    return (result, indices) if return_indices else result


def _averaged(
    name: str,
    input: Any,
    dims: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_padding: bool,
    divisor: Any,
) -> Any:
    kernel, steps, borders, _, places = _options(name, input, dims, kernel_size, stride, padding, 1, ceil_mode)
    sizes = input._data.shape[-dims:]
    xp = array_module(input._data)
    counts = [
        _counted(xp, n, k, s, p, m, count_padding) for n, k, s, p, m in zip(sizes, kernel, steps, borders, places, strict=True)
    ]
    if dims == 1:
        counts, kernel, steps, borders = [xp.ones(1), *counts], (1, *kernel), (1, *steps), (0, *borders)
    shares = xp.ones(())
    for count in counts:
        shares = shares[..., None] * count
    if divisor is not None:
        if divisor == 0:
            raise BadArgument("divisor_override cannot be 0")
        shares = xp.full(shares.shape, float(divisor))
    x = unsqueeze(input, -2) if dims == 1 else input
    forward = AVERAGES[len(kernel)]
    result = forward(x, kernel, steps, borders, shares)
    return squeeze(result, -2) if dims == 1 else result


def _counted(xp: Any, size: int, kernel: int, stride: int, padding: int, places: int, count_padding: bool) -> Any:
    """How many elements the mean of each window is divided by, along one dimension."""
    start = xp.arange(places) * stride - padding
    end = xp.minimum(start + kernel, size + padding)
    if count_padding:
        return (end - start).astype(np.float64)
    return (xp.minimum(end, size) - xp.maximum(start, 0)).astype(np.float64)


def avg_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:  # fmt: skip
    """The mean of each window of (N, C, H, W)."""
    return _averaged("avg_pool2d", input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:  # fmt: skip
    """The mean of each window of (N, C, D, H, W)."""
    return _averaged("avg_pool3d", input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True
) -> Any:
    """The mean of each window of (N, C, L)."""
    return _averaged("avg_pool1d", input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Means over windows, so many that the result has the sizes wanted; None keeps a size."""
    data = want_tensor(input, "adaptive_avg_pool2d")._data
    if data.ndim not in (3, 4):
        raise ShapeMismatch(f"adaptive_avg_pool2d() takes (N, C, H, W) or (C, H, W), not shape {list(data.shape)}")
    wanted = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    sizes = numbers([n if w is None else w for w, n in zip(wanted, data.shape[-2:], strict=True)], 2, "output_size")
    if sizes == (1, 1):
        return mean_dim(input, (data.ndim - 2, data.ndim - 1), True)
    xp = array_module(data)
    rows, columns = (shares_of(xp, n, count) for n, count in zip(data.shape[-2:], sizes, strict=True))
    return adaptive_avg_pool_forward(input, rows, columns)


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Means over windows of the last dimension, so many that the result has the size wanted."""
    data = want_tensor(input, "adaptive_avg_pool1d")._data
    if data.ndim not in (2, 3):
        raise ShapeMismatch(f"adaptive_avg_pool1d() takes (N, C, L) or (C, L), not shape {list(data.shape)}")
    (size,) = numbers(output_size, 1, "output_size")
    return squeeze(adaptive_avg_pool2d(unsqueeze(input, -2), (1, size)), -2)
