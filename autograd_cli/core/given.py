"""What a script gave, behind what it means: PyTorch saves a dimension as -1 where the script wrote -1, and shows it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

LAST = 2**63 - 1  # the end that PyTorch saves of a slice without one


class Given(int):
    """A number beside what the script gave for it: the dimension 1 that was given as -1, the correction 1 that was given as None."""

    given: Any


@lru_cache(maxsize=4096)
def given(value: int, as_given: Any) -> Given:
    """`value`, given as `as_given`."""
    made = Given(value)
    made.given = as_given
    return made


class AllDims(tuple[int, ...]):
    """Every dimension, where the script named none."""

    __slots__ = ()
