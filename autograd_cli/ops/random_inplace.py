"""Tensors filled with random numbers: ``uniform_``, ``normal_`` and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.generator import default_generator
from ..core.tensor import Tensor
from .inplace import check_leaf, check_overlap, write
from .shape import is_contiguous
from .support import on_device_of


def _filled(self: Tensor, name: str, flat: Any) -> Tensor:
    check_leaf(self, name)
    check_overlap(self, name)
    write(self, on_device_of(self._data, np.asarray(flat).reshape(self._data.shape)))
    self._written(name)
    return self


def uniform_(self: Tensor, a: float = 0, b: float = 1, *, generator: Any = None, **bounds: Any) -> Tensor:
    """Numbers from [a, b), also called ``from`` and ``to``."""
    low, high = bounds.get("from", a), bounds.get("to", b)
    flat = (generator or default_generator).uniform(self._data.size, low, high, self._data.dtype)
    return _filled(self, "uniform_", flat)


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Any = None) -> Tensor:
    """Normally distributed numbers."""
    stream = generator or default_generator
    return _filled(self, "normal_", stream.normal(self._data.size, mean, std, self._data.dtype, is_contiguous(self)))


def exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Exponentially distributed numbers of rate lambd."""
    return _filled(self, "exponential_", (generator or default_generator).exponential(self._data.size, lambd, self._data.dtype))


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """1 with probability p, else 0."""
    chances = p._data if isinstance(p, Tensor) else p
    return _filled(self, "bernoulli_", (generator or default_generator).bernoulli(self._data.size, chances))


def random_(self: Tensor, low: Any = None, high: Any = None, *, generator: Any = None) -> Tensor:
    """Integers from [low, high), or all that the dtype holds."""
    stream = generator or default_generator
    if low is None:
        return _filled(self, "random_", stream.random(self._data.size, self._data.dtype))
    low, high = (0, low) if high is None else (low, high)
    return _filled(self, "random_", stream.randint(low, high, self._data.size))
