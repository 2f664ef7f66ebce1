"""Tensors filled with random numbers: ``uniform_``, ``normal_`` and their like. No gradient passes a number that was drawn."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.array import broadcast_shapes, device_of, put_on
from ..core.device_streams import generator_for
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import ShapeMismatch
from .inplace import in_place
from .shape import is_contiguous
from .support import on_device_of, zeros_like


@op("UniformBackward0", self=lambda grad: zeros_like(grad))
def uniform_drawn(self, flat):
    """Evenly distributed numbers in the place of self's."""
    return shaped(flat, self)


@op("NormalBackward0", self=lambda grad: zeros_like(grad))
def normal_drawn(self, flat):
    """Normally distributed numbers in the place of self's."""
    return shaped(flat, self)


@op("ExponentialBackward0", self=lambda grad: zeros_like(grad))
def exponential_drawn(self, flat):
    """Exponentially distributed numbers in the place of self's."""
    return shaped(flat, self)


@op("BernoulliBackward1", self=lambda grad: zeros_like(grad), p=lambda grad, p: zeros_like(p))
def bernoulli_drawn(self, p, flat):
    """Zeros and ones in the place of self's elements, with a probability each."""
    return shaped(flat, self)


@op("BernoulliBackward2", self=lambda grad: zeros_like(grad))
def bernoulli_drawn_evenly(self, flat):
    """Zeros and ones in the place of self's elements, with one probability."""
    return shaped(flat, self)


@op("RandomBackward0", self=lambda grad: zeros_like(grad))
def integers_drawn(self, flat):
    """Integers from a range in the place of self's elements."""
    return shaped(flat, self)


@op("RandomBackward1", self=lambda grad: zeros_like(grad))
def integers_drawn_below(self, flat):
    """Integers below a bound in the place of self's elements."""
    return shaped(flat, self)


@op("RandomBackward2", self=lambda grad: zeros_like(grad))
def integers_drawn_freely(self, flat):
    """Any integers in the place of self's elements."""
    return shaped(flat, self)


def shaped(flat: Any, like: Any) -> Any:
    """The numbers `flat`, an array on the CPU, as an array like `like`."""
    return on_device_of(like, np.asarray(flat).reshape(like.shape).astype(like.dtype))[()]


def _filled(self: Tensor, name: str, function: Any, draw: Callable[[], Any]) -> Tensor:
    """Put what `draw` gives, once it is known that it may be put there."""
    return in_place(self, name, lambda before: function(before, draw()))


def uniform_(self: Tensor, a: float = 0, b: float = 1, *, generator: Any = None, **bounds: Any) -> Tensor:
    """Numbers from [a, b), also called ``from`` and ``to``."""
    low, high = bounds.get("from", a), bounds.get("to", b)
    stream = generator_for(generator, device_of(self._data))
    return _filled(self, "uniform_", uniform_drawn, lambda: stream.uniform(self._data.size, low, high, self._data.dtype))


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Any = None) -> Tensor:
    """Normally distributed numbers."""
    stream = generator_for(generator, device_of(self._data))
    in_order = is_contiguous(self)
    return _filled(self, "normal_", normal_drawn, lambda: stream.normal(self._data.size, mean, std, self._data.dtype, in_order))


def exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Exponentially distributed numbers of rate lambd."""
    stream = generator_for(generator, device_of(self._data))
    return _filled(self, "exponential_", exponential_drawn, lambda: stream.exponential(self._data.size, lambd, self._data.dtype))


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """1 with probability p, else 0."""
    stream = generator_for(generator, device_of(self._data))
    if isinstance(p, Tensor):
        if broadcast_shapes(p._data.shape, self._data.shape) != self._data.shape:
            raise ShapeMismatch(
                f"bernoulli_() got {list(p._data.shape)} probabilities for a tensor of shape {list(self._data.shape)}"
            )
        chances = np.broadcast_to(put_on(p._data, "cpu"), self._data.shape)
        return in_place(
            self, "bernoulli_", lambda before: bernoulli_drawn(before, p, stream.bernoulli(before._data.size, chances))
        )
    return _filled(self, "bernoulli_", bernoulli_drawn_evenly, lambda: stream.bernoulli(self._data.size, p))


def random_(self: Tensor, low: Any = None, high: Any = None, *, generator: Any = None) -> Tensor:
    """Integers from [low, high), or all that the dtype holds."""
    stream = generator_for(generator, device_of(self._data))
    if low is None:
        return _filled(self, "random_", integers_drawn_freely, lambda: stream.random(self._data.size, self._data.dtype))
    if high is None:
        return _filled(self, "random_", integers_drawn_below, lambda: stream.randint(0, low, self._data.size))
    return _filled(self, "random_", integers_drawn, lambda: stream.randint(low, high, self._data.size))
