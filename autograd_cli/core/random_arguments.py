"""What the draws of a generator accept, and PyTorch's types for what they do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_cli.errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch

__all__ = [
    "check_float",
    "check_uniform_bounds",
    "checked_seed",
    "integer_bounds",
    "mantissa_digits",
    "real_of",
]

_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def checked_seed(seed: Any) -> int:
    """A seed as its unsigned 64 bits.

    Raises
    ------
    BadArgumentType
        If it is not an integer.
    BadArgumentValue
        If it is outside -2**63 .. 2**64 - 1.
    """
    if isinstance(seed, (bool, np.bool_)) or not hasattr(type(seed), "__index__"):
        raise BadArgumentType(f"A seed is an integer, not {type(seed).__name__}.", hint="For example manual_seed(0).")
    number = seed.__index__()
    if not -(2**63) <= number < 2**64:
        raise BadArgumentValue(f"The seed {number} does not fit into 64 bits.", hint="A seed lies between -2**63 and 2**64 - 1.")
    return int(number) % 2**64


def mantissa_digits(dtype: np.dtype[Any]) -> int:
    """Binary digits of a real floating dtype; all integers up to 2**digits are exact in it."""
    return _DIGITS[dtype.name]


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the two parts of a complex dtype."""
    return np.dtype(np.float64 if dtype == np.complex128 else np.float32)


def check_float(dtype: np.dtype[Any], what: str) -> None:
    """Refuse a dtype that is not a real floating one."""
    if dtype.name not in _DIGITS:
        raise DtypeMismatch(
            f"{what} draws real numbers, which {dtype.name} cannot hold.", hint="Use a floating dtype, or randint for integers."
        )


def check_uniform_bounds(low: float, high: float, dtype: np.dtype[Any]) -> None:
    """Refuse an empty range, or one that ``dtype`` cannot hold."""
    largest = _largest(dtype)
    if not low <= high:
        raise BadArgument(f"A uniform range [low, high) needs low <= high, got low = {low} and high = {high}.")
    if not (-largest <= low and high <= largest and high - low <= largest):
        raise BadArgument(f"The range from {low} to {high} is too wide for {dtype.name}, whose largest number is {largest:g}.")


def integer_bounds(low: int, high: int, dtype: np.dtype[Any]) -> tuple[int, int]:
    """The range [low, high) as ``dtype`` can hold it: a floating one rounds bounds beyond 2**digits inwards, as PyTorch does."""
    if low >= high:
        raise BadArgument(f"Random integers need low < high, got low = {low} and high = {high}.")
    if dtype.name in _DIGITS:
        smallest, largest = -_largest(dtype), _largest(dtype)
        low, high = _inwards(low, high, dtype)
    elif dtype.kind == "b":
        smallest, largest = 0, 1
    elif dtype.kind in "iu":
        smallest, largest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    else:
        raise DtypeMismatch(f"Random integers cannot be of dtype {dtype.name}.", hint="Use an integer or a floating dtype.")
    if not (smallest <= low < high and high - 1 <= largest and low >= -(2**63) and high <= 2**63):
        raise BadArgument(f"Random integers from {low} to {high - 1} do not fit into {dtype.name}.")
    return low, high


def _largest(dtype: np.dtype[Any]) -> float:
    return {"float16": 65504.0, "bfloat16": (2 - 2.0**-7) * 2.0**127}.get(dtype.name) or float(np.finfo(dtype).max)


def _inwards(low: int, high: int, dtype: np.dtype[Any]) -> tuple[int, int]:
    """PyTorch's ``update_from`` and ``update_to``: one representable step inwards where rounding went outwards."""
    digits = mantissa_digits(dtype)
    rounded = _round_to_digits(low + 1, digits)
    if rounded < low:
        low = rounded + 2 ** (abs(low + 1).bit_length() - digits)
    rounded = _round_to_digits(high - 1, digits)
    if rounded >= high:
        high = rounded - 2 ** (abs(high - 1).bit_length() - digits)
    return low, high


def _round_to_digits(number: int, digits: int) -> int:
    """An integer rounded to so many binary digits, ties to even."""
    excess = abs(number).bit_length() - digits
    if excess <= 0:
        return number
    power: int = 2**excess
    quotient, rest = divmod(abs(number), power)
    half = power // 2
    quotient += rest > half or (rest == half and quotient % 2 == 1)
    return quotient * power * (1 if number > 0 else -1)
