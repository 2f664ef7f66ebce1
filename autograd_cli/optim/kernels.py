"""Steps of optimizers on arrays, in place.

Note [Rounded once]
    PyTorch's CPU kernels of ``a + alpha * b`` and their like multiply and add in one instruction that rounds once (FMA). NumPy rounds
    twice, and after some steps a printed loss would show it. For float32 the exact product fits into float64, so the sum is made there
    and rounded at the end. Large arrays, whose printed digits nobody compares, are spared the cost. Arrays of 2-byte floats are computed
    in float32 and rounded at the end, and numbers beside them are not rounded, but for that of ``a + alpha * b``: see Note [Halves].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.dtype import HALVES

_LARGE = 1 << 15  # elements from which on NumPy's own rounding is good enough
_SCALAR = 32  # 2-byte elements up to which PyTorch takes no vector code, and so rounds the product too


def _exact(out: Any) -> bool:
    return out.__class__ is np.ndarray and out.dtype == np.float32 and out.size < _LARGE


def _wide(data: Any) -> Any:
    return data.astype(np.float32)


def times(out: Any, factor: float) -> None:
    """``out *= factor``. See Note [Rounded once]."""
    if out.dtype in HALVES:
        out[...] = _wide(out) * factor
    else:
        out *= factor


def over(data: Any, number: float) -> Any:
    """``data / number`` as a new array. See Note [Rounded once]."""
    if data.dtype in HALVES:
        return (_wide(data) / np.float32(number)).astype(data.dtype)
    return data / data.dtype.type(number)


def add_scaled(out: Any, x: Any, alpha: float) -> None:
    """``out += alpha * x``. See Note [Rounded once]."""
    if alpha == 1:
        out += x
    elif out.dtype in HALVES:
        product = float(out.dtype.type(alpha)) * _wide(x)
        if out.size < _SCALAR:
            product = _wide(product.astype(out.dtype))
        out[...] = _wide(out) + product
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
    if out.dtype in HALVES:
        start, stop = _wide(out), _wide(end)
        out[...] = start + weight * (stop - start) if weight < 0.5 else stop - (stop - start) * (1 - weight)
        return
    way = end - out
    if weight < 0.5:
        add_scaled(out, way, weight)
    else:
        out[...] = end
        add_scaled(out, way, -(1 - weight))


def add_product(out: Any, x: Any, y: Any, value: float) -> None:
    """``out += value * x * y``. See Note [Rounded once]."""
    if out.dtype in HALVES:
        out[...] = _wide(out) + value * _wide(x) * _wide(y)
        return
    first = x if value == 1 else x.dtype.type(value) * x
    if _exact(out):
        out[...] = first.astype(np.float64) * y + out
    else:
        out += first * y


def add_quotient(out: Any, x: Any, y: Any, value: float) -> None:
    """``out += value * x / y``."""
    if out.dtype in HALVES:
        out[...] = _wide(out) + value * (_wide(x) / _wide(y))
        return
    out += (x if value == 1 else x.dtype.type(value) * x) / y
