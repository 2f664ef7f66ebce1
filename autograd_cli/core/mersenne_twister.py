"""The Mersenne Twister (mt19937) as PyTorch's CPU generator runs it: 32-bit words in blocks of 624.

Written in NumPy array operations, because importing ``numpy.random`` costs more than Python's own start; only large draws
hand the state over to it and take it back.

References
----------
M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number generator",
ACM TOMACS 8 (1998); PyTorch ``ATen/core/MT19937RNGEngine.h``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK", "MersenneTwister"]

Words = NDArray[np.uint32]

BLOCK = 624
_SHIFT = 397
_LAG = BLOCK - _SHIFT
_UPPER, _LOWER = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
_MATRIX = np.uint32(0x9908B0DF)
_ONE = np.uint32(1)
_LARGE_DRAW = 20_000  # words from which on numpy.random is faster, its import included


class MersenneTwister:
    """A stream of 32-bit words.

    Attributes
    ----------
    state : numpy.ndarray of uint32, shape (624,)
        The block the next words are tempered from.
    position : int
        How many words of ``state`` were drawn; 0 after seeding, when ``state`` is not a block yet.
    """

    __slots__ = ("_next", "_tempered", "position", "state")

    def __init__(self, seed: int) -> None:
        self.state: Words
        self.position: int
        self._next: int  # index of the next word; 624 if it is in a block yet to be made
        self._tempered: Words
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start anew from the low 32 bits of ``seed``."""
        word = seed & 0xFFFFFFFF
        words = [word]
        for j in range(1, BLOCK):
            word = (1812433253 * (word ^ word >> 30) + j) & 0xFFFFFFFF
            words.append(word)
        self.restore(np.array(words, np.uint32), 0)

    def restore(self, state: Words, position: int) -> None:
        """Continue from a block of 624 words of which ``position`` were drawn, or (0) from a seeded state."""
        self.state = state
        self.position = position
        self._next = position or BLOCK
        self._tempered = _temper(state)

    def words(self, n: int) -> Words:
        """The next ``n`` words; the array may be a view of a block and is not to be written to."""
        start, stop = self._next, self._next + n
        if stop <= BLOCK:
            if n > 0:
                self._next = self.position = stop
            return self._tempered[start:stop]
        if n >= _LARGE_DRAW:
            return self._many_words(n)
        pieces = [self._tempered[start:]]
        missing = stop - BLOCK
        while missing > 0:
            self.restore(_next_block(self.state), min(missing, BLOCK))
            pieces.append(self._tempered[: self.position])
            missing -= BLOCK
        return np.concatenate(pieces)

    def _many_words(self, n: int) -> Words:
        bits = np.random.MT19937(0)
        bits.state = {"bit_generator": "MT19937", "state": {"key": self.state, "pos": self._next}}
        words: Words = bits.random_raw(n).astype(np.uint32)
        after: Any = bits.state["state"]
        self.restore(np.array(after["key"], np.uint32), int(after["pos"]))
        return words


def _next_block(state: Words) -> Words:
    """The recurrence over a whole block: word k needs word k - 227 of the new block, so three slices do it."""
    new = np.empty_like(state)
    twisted = _twist(state[:-1], state[1:])
    new[:_LAG] = state[_SHIFT:] ^ twisted[:_LAG]
    new[_LAG : 2 * _LAG] = new[:_LAG] ^ twisted[_LAG : 2 * _LAG]
    new[2 * _LAG : -1] = new[_LAG : _SHIFT - 1] ^ twisted[2 * _LAG :]
    new[-1:] = new[_SHIFT - 1 : _SHIFT] ^ _twist(state[-1:], new[:1])
    return new


def _twist(u: Words, v: Words) -> Words:
    return ((u & _UPPER | v & _LOWER) >> _ONE) ^ ((v & _ONE) * _MATRIX)


def _temper(state: Words) -> Words:
    y = state ^ state >> np.uint32(11)
    y ^= y << np.uint32(7) & np.uint32(0x9D2C5680)
    y ^= y << np.uint32(15) & np.uint32(0xEFC60000)
    y ^= y >> np.uint32(18)
    return y
