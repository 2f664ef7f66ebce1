"""Settings of PyTorch that scripts make: taken, kept and shown, where there is nothing to set here."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgument, BadArgumentType


class settings:
    """What scripts have set."""

    threads = 1
    deterministic = False
    warn_only = False


def set_num_threads(num: Any) -> None:
    """Keep a number of threads; an operation here is computed by as many as NumPy takes."""
    if isinstance(num, bool) or not isinstance(num, int):
        raise BadArgumentType(f"set_num_threads() takes an integer, not {type(num).__name__}")
    if num <= 0:
        raise BadArgument(f"set_num_threads() takes a number from 1 on, not {num}")
    settings.threads = num


def get_num_threads() -> int:
    """The number of threads that was set, 1 at first."""
    return settings.threads


def use_deterministic_algorithms(mode: Any, *, warn_only: bool = False) -> None:
    """Keep whether results must be the same in every run; here they always are."""
    settings.deterministic, settings.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """What use_deterministic_algorithms() was told."""
    return settings.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether it was told to warn only."""
    return settings.warn_only


SETTINGS = {
    f.__name__: f
    for f in (
        set_num_threads,
        get_num_threads,
        use_deterministic_algorithms,
        are_deterministic_algorithms_enabled,
        is_deterministic_algorithms_warn_only_enabled,
    )
}
