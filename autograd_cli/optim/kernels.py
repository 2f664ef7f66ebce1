"""Steps of optimizers on arrays, in place.

Note [Rounded once]
    PyTorch's CPU kernels of ``a + alpha * b`` and their like multiply and add in one instruction that rounds once (FMA). NumPy rounds
    twice, and after some steps a printed loss would show it. For float32 the exact product fits into float64, so the sum is made there
    and rounded at the end. Large arrays, whose printed digits nobody compares, are spared the cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module

_LARGE = 1 << 15  # elements from which on NumPy's own rounding is good enough


def _exact(out: Any) -> bool:
    return out.__class__ is np.ndarray and out.dtype == np.float32 and out.size < _LARGE


def add_scaled(out: Any, x: Any, alpha: float) -> None:
    """``out += alpha * x``. See Note [Rounded once]."""
    if alpha == 1:
        out += x
    elif _exact(out):
        out[...] = np.float64(np.float32(alpha)) * x + out.astype(np.float64)
    else:
        out += alpha * x


def sum_scaled(a: Any, b: Any, alpha: float) -> Any:
    """``a + alpha * b`` as a new array. See Note [Rounded once]."""
    result = array_module(a).array(a)
    add_scaled(result, b, alpha)
    return result


def lerp(out: Any, end: Any, weight: float) -> None:
    """``out += weight * (end - out)``, from the nearer side. See Note [Rounded once]."""
    way = end - out
    if weight < 0.5:
        add_scaled(out, way, weight)
    else:
        out[...] = end
        add_scaled(out, way, -(1 - weight))


def add_product(out: Any, x: Any, y: Any, value: float) -> None:
    """``out += value * x * y``. See Note [Rounded once]."""
    first = x if value == 1 else x.dtype.type(value) * x
    if _exact(out):
        out[...] = first.astype(np.float64) * y + out
    else:
        out += first * y


def add_quotient(out: Any, x: Any, y: Any, value: float) -> None:
    """``out += value * x / y``."""
    out += (x if value == 1 else x.dtype.type(value) * x) / y
