"""``F.interpolate``: images made larger or smaller.

Source of the formulas: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import BadArgument, BadArgumentCase, BadArgumentValue, Unsupported
from .pool import adaptive_avg_pool1d, adaptive_avg_pool2d
from .resize_ops import FUNCTIONS
from .support import as_int, want_tensor

CUBIC = -0.75  # the coefficient of PyTorch's cubic kernel
MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")
DIMENSIONS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


# ---- the shares of one dimension ----


def shares(mode: str, size: int, places: int, scale: float | None, align_corners: bool) -> Any:
    """The matrix (places, size) of one dimension; `scale` is what the user gave as scale_factor, if anything."""
    step = size / places if scale is None else 1 / scale
    at = np.arange(places)
    matrix = np.zeros((places, size))
    if mode.startswith("nearest"):
        source = np.float32(step) * (at + np.float32(0.5 if mode == "nearest-exact" else 0)).astype(np.float32)
        matrix[at, np.minimum(np.floor(source).astype(np.int64), size - 1)] = 1
        return matrix
    if align_corners:
        source = at * ((size - 1) / (places - 1) if places > 1 else 0.0)
    else:
        source = (at + 0.5) * step - 0.5
    if mode == "bicubic":
        first = np.floor(source).astype(np.int64)
        for offset, weight in zip(range(-1, 3), cubic(source - first), strict=True):
            np.add.at(matrix, (at, (first + offset).clip(0, size - 1)), weight)
        return matrix
    source = np.maximum(source, 0)
    first = np.minimum(np.floor(source).astype(np.int64), size - 1)
    far = np.clip(source - first, 0, 1)
    np.add.at(matrix, (at, first), 1 - far)
    np.add.at(matrix, (at, np.minimum(first + 1, size - 1)), far)
    return matrix


def cubic(t: Any) -> tuple[Any, ...]:
    """What four neighbours count, of a place a fraction t after the second."""

    def near(x: Any) -> Any:
        return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC

    return far(t + 1), near(t), near(1 - t), far(2 - t)


# ---- what scripts call ----


def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Any:  # fmt: skip
    """Input with other sizes in its last dimensions.

    Parameters
    ----------
    input : Tensor
        (N, C, L), (N, C, H, W) or (N, C, D, H, W).
    size, scale_factor : int, float or a sequence
        One of them: the sizes wanted, or by what they are multiplied.
    mode : str
        ``nearest``, ``nearest-exact``, ``linear``, ``bilinear``, ``bicubic``, ``trilinear`` or ``area``.
    """
    sizes = want_tensor(input, "interpolate")._data.shape[2:]
    if mode not in MODES or not 1 <= len(sizes) <= 3 or DIMENSIONS.get(mode, len(sizes) + 2) != len(sizes) + 2:
        raise BadArgumentCase(
            f"interpolate() of shape {list(input._data.shape)} has no mode {mode!r}",
            hint="linear is for (N, C, L), bilinear and bicubic for (N, C, H, W), trilinear for (N, C, D, H, W)",
        )
    if align_corners is not None and (mode.startswith("nearest") or mode == "area"):
        raise BadArgumentValue(f"align_corners means nothing to mode {mode!r}", hint="leave it out")
    if antialias:
        raise Unsupported("interpolate(antialias=True) is not supported")
    wanted, scales = sizes_wanted(sizes, size, scale_factor)
    if recompute_scale_factor:
        scales = [None] * len(wanted)
    if mode == "area":
        return _area(input, wanted)
    matrices = tuple(shares(mode, n, m, s, bool(align_corners)) for n, m, s in zip(sizes, wanted, scales, strict=True))
    return FUNCTIONS[mode][len(sizes) - 1](input, matrices)


def sizes_wanted(sizes: tuple[int, ...], size: Any, scale_factor: Any) -> tuple[list[int], list[float | None]]:
    """(the sizes of the result, the scale of each dimension where one was given)."""
    if (size is None) == (scale_factor is None):
        raise BadArgumentValue("interpolate() takes size or scale_factor, and not both")
    given = size if scale_factor is None else scale_factor
    each = list(given) if isinstance(given, (tuple, list)) else [given] * len(sizes)
    if len(each) != len(sizes):
        raise BadArgumentValue(f"interpolate() got {len(each)} numbers for {len(sizes)} dimensions")
    scales: list[float | None]
    if scale_factor is None:
        wanted, scales = [as_int(n, "size") for n in each], [None] * len(sizes)
    else:
        scales = [float(s) for s in each]
        wanted = [math.floor(n * float(s)) for n, s in zip(sizes, each, strict=True)]
    if min(wanted) < 1 or min(sizes) < 1:
        raise BadArgument(f"interpolate() cannot make sizes {wanted} of sizes {list(sizes)}")
    return wanted, scales


def _area(input: Any, wanted: list[int]) -> Any:
    if len(wanted) == 1:
        return adaptive_avg_pool1d(input, wanted[0])
    if len(wanted) == 2:
        return adaptive_avg_pool2d(input, wanted)
    raise Unsupported("interpolate(mode='area') of five dimensions is not supported")


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Any:
    """The old name of interpolate."""
    return interpolate(input, size, scale_factor, mode, align_corners)
