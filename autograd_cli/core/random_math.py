"""The arithmetic under PyTorch's normal and uniform draws, rounded exactly as its AVX2 and AVX512 kernels round.

Those kernels use fused multiply-adds, which NumPy does not have, and float32 polynomials for the logarithm, sine and cosine.

References
----------
PyTorch ``ATen/native/cpu/DistributionTemplates.h`` and ``avx_mathfun.h``; the polynomials are those of Cephes ``logf``, ``sinf``
and ``cosf`` (S. Moshier). T. J. Dekker, "A floating-point technique for extending the available precision", 1971;
S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["affine32", "affine64", "box_muller32", "box_muller64"]

Floats = NDArray[np.floating[Any]]
F4, F8, I8 = np.float32, np.float64, np.int64

_CHUNK = 512  # blocks of 16 numbers that are transformed together: the temporaries stay in the cache


def box_muller32(uniform: Floats, mean: float, std: float) -> Floats:
    """Turn float32 uniforms of shape (blocks, 2, 8), 8 radii and 8 angles a block, into as many normal numbers."""
    out = np.empty_like(uniform)
    for start in range(0, len(uniform), _CHUNK):
        u = uniform[start : start + _CHUNK]
        radius = np.sqrt(F4(-2) * log32(F4(1) - u[:, 0]))
        sin, cos = sincos32(F4(2 * math.pi) * u[:, 1])
        out[start : start + _CHUNK, 0] = affine32(radius * cos, std, mean)
        out[start : start + _CHUNK, 1] = affine32(radius * sin, std, mean)
    return out


def box_muller64(uniform: Floats, mean: float, std: float) -> Floats:
    """As :func:`box_muller32`, in float64; with ``math``'s functions, since NumPy's differ from them in the last digit."""
    radii = [math.sqrt(-2 * math.log(x)) for x in (1 - uniform[:, 0]).ravel().tolist()]
    angles = [2 * math.pi * x for x in uniform[:, 1].ravel().tolist()]
    cos = [r * math.cos(theta) for r, theta in zip(radii, angles, strict=True)]
    sin = [r * math.sin(theta) for r, theta in zip(radii, angles, strict=True)]
    pairs = np.array([cos, sin], F8).reshape(2, -1, 8).transpose(1, 0, 2)
    return affine64(pairs, std, mean)


def affine32(x: Floats, scale: float, shift: float) -> Floats:
    """``x * scale + shift`` of a float32 array, rounded once; scale and shift are rounded to float32 first."""
    with np.errstate(over="ignore", invalid="ignore"):
        a, b = F4(scale), F4(shift)
        if a == 1 and b == 0:
            return x
        if abs(a) < 2.0**-60:  # the result may be subnormal, where a tie is not where fma32 looks for it
            return _fma32_by_odd(F8(x), F8(a), F8(b))
        return fma32(x, a, b)


def affine64(x: Floats, scale: float, shift: float) -> Floats:
    """``x * scale + shift`` of a float64 array, rounded once."""
    if shift == 0:
        return x if scale == 1 else x * scale
    if scale == 1:
        return x + shift
    with np.errstate(over="ignore", invalid="ignore"):
        fused = _fma64(x, scale, shift)
        return np.where(np.isfinite(fused), fused, x * scale + shift)


# ---- float32 functions ----

_LOG = [
    F4(c)
    for c in (
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    )
]
_LN2_HIGH, _LN2_LOW, _SQRT_HALF = F4(0.693359375), F4(-2.12194440e-4), F4(0.707106781186547524)
_MINUS_PI_4 = [F4(c) for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)]  # in three parts
_4_PI = F4(1.27323954473516)
_SIN = [F4(c) for c in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)]
_COS = [F4(c) for c in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)]


def log32(x: Floats) -> Floats:
    """Natural logarithm of a float32 array in (0, 1], as PyTorch's ``log256_ps`` computes it."""
    mantissa, exponent = np.frexp(x)  # the mantissa is in [1/2, 1)
    small = mantissa < _SQRT_HALF
    e = (exponent - small).astype(F4)
    x = np.where(small, (mantissa - F4(1)) + mantissa, mantissa - F4(1))
    z = x * x
    y = fma32(_horner(_LOG, x) * x, z, e * _LN2_LOW)
    y = fma32(z, F4(-0.5), y)
    return fma32(e, _LN2_HIGH, x + y)


def sincos32(x: Floats) -> tuple[Floats, Floats]:
    """Sine and cosine of a float32 array of numbers >= 0, as PyTorch's ``sincos256_ps`` computes them."""
    octant = (x * _4_PI).astype(np.int32) + 1 & ~1
    y = octant.astype(F4)
    for part in _MINUS_PI_4:
        x = fma32(y, part, x)
    z = x * x
    c = fma32(_horner(_COS, z) * z, z, -(z * F4(0.5))) + F4(1)
    s = fma32(_horner(_SIN, z) * z, x, x)
    swap = (octant & 2) != 0
    sin, cos = np.where(swap, c, s), np.where(swap, s, c)
    return np.where(octant & 4, -sin, sin), np.where((octant - 2) & 4, cos, -cos)


def _horner(coefficients: list[Any], x: Floats) -> Floats:
    y = fma32(x, coefficients[0], coefficients[1])
    for c in coefficients[2:]:
        y = fma32(y, x, c)
    return y


# ---- fused multiply-add ----

_LOW_BITS, _HALF = I8(2**29 - 1), I8(2**28)  # the bits of a float64 that a float32 does not have


def fma32(a: Any, b: Any, c: Any) -> Floats:
    """``a * b + c`` of float32 arrays, rounded once.

    The product is exact in float64. Rounding the sum to float64 and then to float32 goes wrong only where the float64 is exactly
    half way between two float32; those few are done again.
    """
    total = np.multiply(a, b, dtype=F8) + c
    result: Floats = total.astype(F4)
    tie = (total.view(I8) & _LOW_BITS) == _HALF
    if tie.any():
        one_by_one = (np.broadcast_to(np.asarray(operand, F8), total.shape)[tie] for operand in (a, b, c))
        result[tie] = _fma32_by_odd(*one_by_one)
    return result


def _fma32_by_odd(a: Any, b: Any, c: Any) -> Floats:
    """As :func:`fma32`, from float64 operands: the sum is rounded to odd in float64, so that float32 rounds it as if exact."""
    fused: Floats = _odd_sum(a * b, c).astype(F4)
    return fused


def _fma64(a: Floats, b: Any, c: Any) -> Floats:
    """``a * b + c`` of float64 arrays, rounded once: the error-free sum of Boldo and Melquiond."""
    product, product_error = _two_product(a, b)
    low, low_error = _two_sum(c, product_error)
    high, high_error = _two_sum(product, low)
    fused: Floats = high + _odd_sum(low_error, high_error)
    return fused


def _odd_sum(a: Any, b: Any) -> Any:
    """``a + b`` in float64, rounded to the neighbour whose last bit is 1 where it is not exact."""
    total, error = _two_sum(a, b)
    bits = np.asarray(total).view(I8)
    step = np.where((error > 0) == (total > 0), 1, -1)
    inexact_and_even = (error != 0) & (bits & 1 == 0)
    return np.where(inexact_and_even, (bits + step).view(F8), total)


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    total = a + b
    v = total - a
    return total, (a - (total - v)) + (b - v)


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _split(a: Any) -> tuple[Any, Any]:
    """A float64 as the sum of two numbers of 26 bits (Dekker)."""
    scaled = 134217729.0 * a
    high = scaled - (scaled - a)
    return high, a - high
