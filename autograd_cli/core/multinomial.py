"""``torch.multinomial``: indices drawn with given probabilities, from PyTorch's stream and by PyTorch's two methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autograd_cli.core.generator import Generator
from autograd_cli.errors import BadArgument, DtypeMismatch, ShapeMismatch

__all__ = ["multinomial"]

_FLOATS = ("float16", "bfloat16", "float32", "float64")


def multinomial(generator: Generator, probabilities: ArrayLike, num_samples: int, replacement: bool = False) -> NDArray[np.int64]:
    """Draw indices with the given, not necessarily normalised, probabilities.

    Parameters
    ----------
    generator : Generator
    probabilities : array of floats, shape (categories,) or (rows, categories)
    num_samples : int
        Draws a row.
    replacement : bool
        Whether an index may be drawn again.

    Returns
    -------
    numpy.ndarray of int64, shape (num_samples,) or (rows, num_samples)

    Raises
    ------
    ShapeMismatch, DtypeMismatch, BadArgument
        For what cannot be drawn from.

    References
    ----------
    PyTorch ``ATen/native/Distributions.cpp`` and ``ATen/native/cpu/MultinomialKernel.cpp``.
    """
    p = np.asarray(probabilities)
    _check(p, num_samples, replacement)
    if not replacement or num_samples == 1:
        # p / q with q exponential: which of them is the largest falls with p's odds, and so do the next ones.
        # Ties, which only half types meet, keep the order of the categories; PyTorch leaves theirs open.
        q = generator.exponential(p.size, dtype=p.dtype).reshape(p.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = p / q
        return np.argsort(-odds, axis=-1, kind="stable")[..., :num_samples].astype(np.int64)
    rows = [_row(generator, row, num_samples) for row in p.reshape(-1, p.shape[-1])]
    return np.array(rows, np.int64).reshape(*p.shape[:-1], num_samples)


def _row(generator: Generator, p: NDArray[Any], num_samples: int) -> NDArray[np.intp]:
    work = np.float64 if p.dtype == np.float64 else np.float32
    cumulative: NDArray[Any] = np.cumsum(p, dtype=work)
    cumulative = cumulative / cumulative[-1]
    cumulative[-1] = 1
    return np.searchsorted(cumulative.astype(np.float64), generator.uniform(num_samples, dtype=np.float64))


def _check(p: NDArray[Any], num_samples: int, replacement: bool) -> None:
    if p.ndim not in (1, 2) or p.shape[-1] == 0:
        raise ShapeMismatch(
            f"multinomial needs probabilities of 1 or 2 dimensions and one category or more, got shape {p.shape}."
        )
    if p.dtype.name not in _FLOATS:
        raise DtypeMismatch(f"multinomial needs floating-point probabilities, not {p.dtype.name}.", hint="Call .float() on them.")
    if num_samples <= 0:
        raise BadArgument(f"multinomial cannot draw {num_samples} samples.")
    if not replacement and num_samples > p.shape[-1]:
        raise BadArgument(
            f"multinomial cannot draw {num_samples} different samples from {p.shape[-1]} categories.",
            hint="Pass replacement=True.",
        )
    if not (np.isfinite(p).all() and (p >= 0).all()):
        raise BadArgument("multinomial needs probabilities that are finite and not negative.")
    if not p.astype(np.float64).sum(axis=-1).all():
        raise BadArgument("multinomial needs probabilities of which at least one is above 0, in each row.")
