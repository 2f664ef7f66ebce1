"""PyTorch's CPU random stream: what ``torch.manual_seed(0)`` and the draws after it give, bit for bit.

Equal to PyTorch 2.13 on x86-64 with AVX2 or newer. All draws return flat NumPy arrays.

References
----------
PyTorch ``ATen/CPUGeneratorImpl.h``, ``ATen/core/DistributionsHelper.h``, ``ATen/core/TransformationHelper.h`` and
``ATen/native/cpu/DistributionTemplates.h``.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from autograd_cli.core import generator_state
from autograd_cli.core.device import device as Device
from autograd_cli.core.generator_state import GeneratorState
from autograd_cli.core.mersenne_twister import MersenneTwister
from autograd_cli.core.random_arguments import (
    check_float,
    check_uniform_bounds,
    checked_seed,
    integer_bounds,
    mantissa_digits,
    real_of,
)
from autograd_cli.core.random_math import Floats, affine32, affine64, box_muller32, box_muller64
from autograd_cli.errors import BadArgument

__all__ = ["DEFAULT_SEED", "Generator", "default_generator"]

Array = NDArray[Any]
F4, F8 = np.dtype(np.float32), np.dtype(np.float64)

DEFAULT_SEED = 67280421310721  # PyTorch's ``default_rng_seed_val``
_LONG_RANGE = 2**28  # a span from which on PyTorch draws 64 bits, to keep the skew of the remainder small
_MASK24, _SCALE24 = np.uint32(2**24 - 1), np.float32(2.0**-24)
_MASK53, _SCALE53 = np.uint64(2**53 - 1), 2.0**-53
_32 = np.uint64(32)


class Generator:
    """A stream of pseudo-random numbers, as ``torch.Generator()``.

    Parameters
    ----------
    seed : int, optional
        As for :meth:`manual_seed`.
    device : device, optional
        Whose tensors it draws for; may be given in the place of the seed, as in PyTorch.
    """

    __slots__ = ("_initial_seed", "_next_normal", "_twister", "device")

    def __init__(self, seed: Any = DEFAULT_SEED, *, device: Any = "cpu") -> None:
        if isinstance(seed, (str, Device)):
            seed, device = DEFAULT_SEED, seed
        self.device = Device(device)
        self._initial_seed = checked_seed(seed)
        self._twister = MersenneTwister(self._initial_seed)
        self._next_normal: float | None = None  # the second value of a Box-Muller pair survives between calls, as in PyTorch

    def __repr__(self) -> str:
        return f"<Generator seed={self._initial_seed}>"

    # ---- seed and state ----

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream anew.

        Parameters
        ----------
        seed : int
            From -2**63 to 2**64 - 1. The stream depends on its low 32 bits alone, as in PyTorch.
        """
        self._initial_seed = checked_seed(seed)
        self._twister.seed(self._initial_seed)
        self._next_normal = None
        return self

    def seed(self) -> int:
        """Start the stream anew from a seed of the operating system's, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 11)
        return self._initial_seed

    def initial_seed(self) -> int:
        """The seed of the last :meth:`manual_seed`; a negative one reads as its unsigned 64 bits, as in PyTorch."""
        return self._initial_seed

    def get_state(self) -> NDArray[np.uint8]:
        """The state as PyTorch's 5056 bytes."""
        twister = self._twister
        return generator_state.pack(GeneratorState(self._initial_seed, twister.state, twister.position, self._next_normal))

    def set_state(self, state: Any) -> None:
        """Continue from a state that :meth:`get_state` or PyTorch's ``get_state()`` returned."""
        self._initial_seed, words, position, self._next_normal = generator_state.unpack(state)
        self._twister.restore(words, position)

    # ---- words and unit intervals ----

    def _words64(self, n: int) -> NDArray[np.uint64]:
        words = self._twister.words(2 * n).astype(np.uint64)
        return words[0::2] << _32 | words[1::2]

    def _unit32(self, n: int) -> Floats:
        """``n`` float32 of 24 random bits in [0, 1)."""
        unit: Floats = (self._twister.words(n) & _MASK24).astype(F4)
        unit *= _SCALE24
        return unit

    def _unit64(self, n: int) -> Floats:
        """``n`` float64 of 53 random bits in [0, 1)."""
        return (self._words64(n) & _MASK53) * _SCALE53

    # ---- real numbers ----

    def uniform(self, n: int, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = F4) -> Array:
        """Numbers of [low, high), as ``rand`` and ``uniform_``; of a complex dtype, both parts."""
        dtype = np.dtype(dtype)
        if dtype.kind == "c":
            return self.uniform(2 * n, low, high, real_of(dtype)).view(dtype)
        check_float(dtype, "uniform_")
        check_uniform_bounds(low, high, dtype)
        if dtype == F8:
            x = affine64(self._unit64(n), high - low, low)
        else:
            # the bounds are rounded before they are subtracted
            x = affine32(self._unit32(n), float(np.float32(high) - np.float32(low)), low).astype(dtype, copy=False)
        if low == 0 and high == 1 and dtype in (F4, F8):
            return x
        as_dtype: Any = dtype.type
        x[x == as_dtype(high)] = as_dtype(low)  # rounding may have reached the upper bound, which is not part of the range
        return x

    def normal(self, n: int, mean: float = 0.0, std: float = 1.0, dtype: DTypeLike = F4, contiguous: bool = True) -> Array:
        """Normally distributed numbers, as ``randn`` and ``normal_``; of a complex dtype, both parts with ``std / sqrt(2)``.

        PyTorch transforms pairs one by one below 16 numbers or if the tensor is not ``contiguous``, else whole blocks.
        """
        dtype = np.dtype(dtype)
        if std < 0:
            raise BadArgument(f"A normal distribution needs std >= 0, got {std}.")
        if dtype.kind == "c":
            return self.normal(2 * n, mean, std / math.sqrt(2), real_of(dtype), contiguous).view(dtype)
        check_float(dtype, "normal_")
        if n >= 16 and contiguous:
            return self._normal_blocks(n, mean, std, dtype)
        values = affine64(np.array(self._normal_pairs(n), F8), std, mean)
        return values if dtype == F8 else values.astype(F4).astype(dtype, copy=False)

    def _normal_pairs(self, n: int) -> list[float]:
        values = [] if self._next_normal is None or n == 0 else [self._next_normal]
        if n > 0:
            self._next_normal = None
        missing = n - len(values)
        uniform = iter(self._unit64(missing + missing % 2).tolist())
        for u1, u2 in zip(uniform, uniform, strict=True):
            radius, theta = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            values += (radius * math.cos(theta), radius * math.sin(theta))
        if missing % 2:
            self._next_normal = values.pop()
        return values

    def _normal_blocks(self, n: int, mean: float, std: float, dtype: np.dtype[Any]) -> Array:
        work, unit, box_muller = (F8, self._unit64, box_muller64) if dtype == F8 else (F4, self._unit32, box_muller32)
        whole = n - n % 16
        # All n uniforms are drawn and those after the last whole block thrown away; half types are drawn by block instead.
        uniform = unit(n)[:whole] if dtype == work else unit(whole)
        if n == whole:
            return box_muller(uniform.reshape(-1, 2, 8), mean, std).reshape(-1).astype(dtype, copy=False)
        # The last 16 numbers are drawn anew.
        blocks = box_muller(np.concatenate((uniform, unit(16))).reshape(-1, 2, 8), mean, std).reshape(-1)
        return np.concatenate((blocks[: n - 16], blocks[whole:])).astype(dtype, copy=False)

    def exponential(self, n: int, lambd: float = 1.0, dtype: DTypeLike = F4) -> Array:
        """Exponentially distributed numbers of rate ``lambd``, as ``exponential_``."""
        dtype = np.dtype(dtype)
        check_float(dtype, "exponential_")
        if not lambd > 0:
            raise BadArgument(f"An exponential distribution needs lambd > 0, got {lambd}.")
        scale = -1.0 / lambd
        values = np.array([scale * math.log1p(-u) for u in self._unit64(n).tolist()], F8)
        return values if dtype == F8 else values.astype(F4).astype(dtype, copy=False)

    def bernoulli(self, n: int, p: ArrayLike) -> NDArray[np.bool_]:
        """True with probability ``p``, a number (``bernoulli_(0.3)``, dropout) or ``n`` of them (``torch.bernoulli(input)``)."""
        if isinstance(p, (int, float)):
            if not 0 <= p <= 1:
                raise BadArgument(f"A probability is between 0 and 1, got {p}.")
            return self._unit64(n) < p
        probabilities = np.asarray(p).reshape(-1)
        if not np.all((probabilities >= 0) & (probabilities <= 1)):
            raise BadArgument("A probability is between 0 and 1; at least one of these is not.")
        if probabilities.dtype == F8:
            return self._unit64(n) < probabilities
        return self._unit32(n) < probabilities.astype(F4)

    # ---- integers ----

    def randint(self, low: int, high: int, n: int, dtype: DTypeLike = np.int64) -> Array:
        """Integers of [low, high), as ``torch.randint`` and ``random_(low, high)``."""
        dtype = np.dtype(dtype)
        low, high = integer_bounds(low, high, dtype)
        span = high - low
        if span < _LONG_RANGE:
            return ((self._twister.words(n) % np.uint32(span)).astype(np.int64) + low).astype(dtype, copy=False)
        words = self._words64(n)
        if span < 2**64:
            words %= np.uint64(span)
        words += np.uint64(low % 2**64)  # as PyTorch's two's complement
        return words.view(np.int64).astype(dtype, copy=False)

    def random(self, n: int, dtype: DTypeLike = F4) -> Array:
        """Integers from 0 to the largest that ``dtype`` holds (of a floating one, holds exactly), as ``random_()``."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return (self._twister.words(n) & np.uint32(1)).astype(np.bool_)
        if dtype in (F8, np.int64):
            span = 2**63 if dtype == np.int64 else 2**53 + 1
            return (self._words64(n) % np.uint64(span)).astype(dtype)
        span = int(np.iinfo(dtype).max) + 1 if dtype.kind in "iu" else 2 ** mantissa_digits(dtype) + 1
        return (self._twister.words(n) % np.uint32(span)).astype(dtype)

    def randperm(self, n: int) -> NDArray[np.int64]:
        """A random order of 0 .. n-1, as ``torch.randperm``."""
        if n < 0:
            raise BadArgument(f"The length of a permutation cannot be negative, got {n}.")
        order = list(range(n))
        words = self._twister.words(max(n - 1, 0))
        for i, jump in enumerate((words % np.arange(n, 1, -1, dtype=np.uint32)).tolist()):
            order[i], order[i + jump] = order[i + jump], order[i]
        return np.array(order, np.int64)


default_generator = Generator()
"""The generator of every draw that names no other."""
