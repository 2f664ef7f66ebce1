"""The rounding under the random stream, against exact rational arithmetic and the C library's functions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograd_cli.core.mersenne_twister import MersenneTwister
from autograd_cli.core.random_math import affine32, affine64, box_muller32, box_muller64, fma32, log32, sincos32

# Not so small that a product of two is subnormal.
single = st.floats(2.0**-40, 2.0**40, width=32) | st.floats(-(2.0**40), -(2.0**-40), width=32)
double = st.floats(2.0**-200, 2.0**200) | st.floats(-(2.0**200), -(2.0**-200))


def nearest(exact: Fraction, like: type) -> np.floating:
    """The floating number nearest to an exact one, ties to even."""
    guess = like(float(exact))
    candidates = [np.nextafter(guess, like(-np.inf)), guess, np.nextafter(guess, like(np.inf))]
    return min(candidates, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(f"i{c.nbytes}")) & 1))


def one(x: float, dtype: type) -> np.ndarray:
    return np.array([x], dtype)


@given(single, single, single)
@example(1 + 2.0**-23, 1 + 2.0**-23, 2.0**-24)  # float64 ends half way between two float32, the exact sum does not
@example(1 + 2.0**-12, 1 + 2.0**-12, 2.0**-40)
@example(1 + 2.0**-12, 1 - 2.0**-12, -(2.0**-40))
@example(1.0, 2.0**-24, 1.0)  # an exact tie
def test_fma32_rounds_once(a, b, c):
    expected = nearest(Fraction(a) * Fraction(b) + Fraction(c), np.float32)
    assert fma32(one(a, np.float32), np.float32(b), np.float32(c))[0] == expected


@given(st.integers(0, 2**24 - 1), st.floats(2.0**-140, 2.0**-61, width=32), st.floats(0, 2.0**-61, width=32))
def test_affine32_rounds_once_where_numbers_are_subnormal(numerator, scale, shift):
    x = numerator * 2.0**-24
    expected = nearest(Fraction(x) * Fraction(scale) + Fraction(shift), np.float32)
    assert affine32(one(x, np.float32), scale, shift)[0] == expected


@given(double, double, double)
@example(1 + 2.0**-52, 1 + 2.0**-52, 2.0**-53)
@example(1 + 2.0**-30, 1 + 2.0**-30, 2.0**-100)
@example(0.1, 10.0, -1.0)
def test_affine64_rounds_once(x, scale, shift):
    expected = Fraction(x) * Fraction(scale) + Fraction(shift)
    assert affine64(one(x, np.float64), scale, shift)[0] == float(expected)


def test_affine_of_the_largest_numbers_stays_finite_or_becomes_infinite():
    assert affine64(one(0.5, np.float64), 1e308, 1.0)[0] == 0.5 * 1e308
    assert affine64(one(2.0, np.float64), 1.5e308, 1.0)[0] == math.inf
    assert affine32(one(2.0, np.float32), 3e38, 1.0)[0] == math.inf


def test_the_float32_logarithm_sine_and_cosine_are_good_to_two_ulps():
    x = np.linspace(2.0**-24, 1, 20_001).astype(np.float32)
    np.testing.assert_allclose(log32(x), np.log(x.astype(np.float64)), rtol=2.5e-7, atol=0)
    angle = np.linspace(0, 2 * math.pi, 20_001).astype(np.float32)
    sin, cos = sincos32(angle)
    np.testing.assert_allclose(sin, np.sin(angle.astype(np.float64)), rtol=0, atol=1.2e-7)
    np.testing.assert_allclose(cos, np.cos(angle.astype(np.float64)), rtol=0, atol=1.2e-7)


@pytest.mark.parametrize(
    ("transform", "dtype", "tolerance"), [(box_muller32, np.float32, 2e-6), (box_muller64, np.float64, 1e-14)]
)
def test_box_muller_of_many_blocks(transform, dtype, tolerance):
    blocks = 1100  # more than are transformed together
    uniform = (np.arange(blocks * 16).reshape(blocks, 2, 8) * 0.6180339887498949 % 1).astype(dtype)
    radius = np.sqrt(-2 * np.log1p(-uniform[:, 0].astype(np.float64)))
    angle = 2 * math.pi * uniform[:, 1].astype(np.float64)
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1) * 0.3 + 1.5
    np.testing.assert_allclose(transform(uniform, 1.5, 0.3), expected, atol=tolerance)


@pytest.mark.parametrize("seed", [0, 42, 2**32 - 1])
def test_words_are_those_of_numpys_mersenne_twister(seed):
    twister = MersenneTwister(seed)
    reference = np.random.MT19937(0)
    reference.state = np.random.RandomState(seed).get_state(legacy=False)
    for n in (0, 1, 600, 23, 0, 624, 1, 623, 5000, 30_000, 3, 3 * 624, 30_000 - 624, 9):
        np.testing.assert_array_equal(twister.words(n), reference.random_raw(n))
