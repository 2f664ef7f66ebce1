"""Convolution of arrays in any number of dimensions.

Note [Three forms of one sum]
    A convolution is linear in its input and in its weight. ``correlate`` computes the output from both, ``spread`` is its transpose by
    the input (an output's gradient to the input's; also what a transposed convolution computes), ``match`` its transpose by the weight.
    Each is one matrix product over columns: the windows of the input, laid out by ``as_strided`` and copied once.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..core.array import array_module


class Geometry(NamedTuple):
    """How the kernel moves, one number for each spatial dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int


def output_size(size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """How many places the kernel has along one dimension."""
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def padded(x: Any, padding: tuple[int, ...]) -> Any:
    """An array with a border of zeros around its spatial dimensions."""
    if not any(padding):
        return x
    shape = (*x.shape[:2], *(n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)))
    out = array_module(x).zeros(shape, x.dtype)
    out[(slice(None), slice(None), *(slice(p, p + n) for n, p in zip(x.shape[2:], padding, strict=True)))] = x
    return out


def windows(x: Any, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """A padded array seen as (N, C, *kernel, *places), nothing copied."""
    places = tuple(output_size(n, k, s, 0, d) for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True))
    steps = x.strides[2:]
    strides = (
        *x.strides[:2],
        *(t * d for t, d in zip(steps, dilation, strict=True)),
        *(t * s for t, s in zip(steps, stride, strict=True)),
    )
    return array_module(x).lib.stride_tricks.as_strided(x, (*x.shape[:2], *kernel, *places), strides)


def columns(x: Any, kernel: tuple[int, ...], geometry: Geometry) -> Any:
    """The windows as (N, groups, C / groups * kernel, places): what the weights of each group are multiplied with."""
    n, c = x.shape[:2]
    if math.prod(kernel) == 1 and all(s == 1 for s in geometry.stride) and not any(geometry.padding):
        return x.reshape(n, geometry.groups, c // geometry.groups, -1)
    seen = windows(padded(x, geometry.padding), kernel, geometry.stride, geometry.dilation)
    return seen.reshape(n, geometry.groups, c // geometry.groups * math.prod(kernel), -1)


def correlate(x: Any, weight: Any, geometry: Geometry) -> Any:
    """(N, C, *sizes) and (O, C / groups, *kernel) → (N, O, *places). See Note [Three forms of one sum]."""
    kernel, groups = weight.shape[2:], geometry.groups
    places = tuple(
        output_size(n, k, s, p, d)
        for n, k, s, p, d in zip(x.shape[2:], kernel, geometry.stride, geometry.padding, geometry.dilation, strict=True)
    )
    found = weight.reshape(groups, len(weight) // groups, -1) @ columns(x, kernel, geometry)
    return found.reshape(len(x), len(weight), *places)


def spread(y: Any, weight: Any, geometry: Geometry, sizes: tuple[int, ...]) -> Any:
    """(N, O, *places) and (O, C / groups, *kernel) → (N, C, *sizes). See Note [Three forms of one sum]."""
    kernel, groups = weight.shape[2:], geometry.groups
    n, o = y.shape[:2]
    c = weight.shape[1] * groups
    cols = weight.reshape(groups, o // groups, -1).swapaxes(1, 2) @ y.reshape(n, groups, o // groups, -1)
    cols = cols.reshape(n, c, *kernel, *y.shape[2:])
    border = geometry.padding
    out = array_module(y).zeros((n, c, *(m + 2 * p for m, p in zip(sizes, border, strict=True))), y.dtype)
    for offset in offsets(kernel):
        out[window_slices(offset, y.shape[2:], geometry.stride, geometry.dilation)] += cols[(slice(None), slice(None), *offset)]
    if not any(border):
        return out
    inner = out[(slice(None), slice(None), *(slice(p, p + m) for m, p in zip(sizes, border, strict=True)))]
    return array_module(y).ascontiguousarray(inner)


def match(x: Any, y: Any, geometry: Geometry, kernel: tuple[int, ...]) -> Any:
    """(N, C, *sizes) and (N, O, *places) → (O, C / groups, *kernel). See Note [Three forms of one sum]."""
    groups = geometry.groups
    n, o = y.shape[:2]
    cols = columns(x, kernel, geometry)
    shape = (o, x.shape[1] // groups, *kernel)
    if (
        groups == 1 and o > 4 * cols.shape[-1]
    ):  # few places: one product over samples and places costs less than a sum of products
        rows = y.reshape(n, o, -1).swapaxes(0, 1).reshape(o, -1)
        return (rows @ cols[:, 0].swapaxes(1, 2).reshape(rows.shape[1], -1)).reshape(shape)
    return (y.reshape(n, groups, o // groups, -1) @ cols.swapaxes(2, 3)).sum(axis=0).reshape(shape)


def offsets(kernel: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The places within a kernel, in row order."""
    found: list[tuple[int, ...]] = [()]
    for size in kernel:
        found = [(*head, i) for head in found for i in range(size)]
    return found


def window_slices(offset: tuple[int, ...], places: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """Where one place of the kernel meets a padded input while the kernel moves."""
    spatial = (slice(o * d, o * d + (m - 1) * s + 1, s) for o, m, s, d in zip(offset, places, stride, dilation, strict=True))
    return (..., *spatial)
