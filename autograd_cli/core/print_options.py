"""What ``torch.set_printoptions`` sets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any

from autograd_cli.errors import BadArgumentType, BadArgumentValue

__all__ = ["PrintOptions", "get_printoptions", "print_options", "printoptions", "set_printoptions"]


@dataclass(slots=True)
class PrintOptions:
    """How tensors are printed.

    Attributes
    ----------
    precision : int
        Digits after the point of floating numbers.
    threshold : float
        Tensors with more elements are summarised.
    edgeitems : int
        Items that a summary shows at both ends of each dimension.
    linewidth : int
        Characters a line.
    sci_mode : bool or None
        Scientific notation always, never, or (None) where the numbers ask for it.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


print_options = PrintOptions()
"""The options in force."""

_PROFILES: dict[str, dict[str, float]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors are printed; what is not given stays, but for ``sci_mode``, which each call sets anew, as in PyTorch.

    Raises
    ------
    BadArgumentValue
        For a profile other than ``default``, ``short`` and ``full``, or a negative number.
    BadArgumentType
        For something that is not a number.
    """
    given: dict[str, Any] = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    given = {name: value for name, value in given.items() if value is not None}
    for name, value in given.items():
        _check(name, value)
    if profile is not None and profile not in _PROFILES:
        raise BadArgumentValue(f"There is no print profile {profile!r}.", hint=f"Profiles are {', '.join(_PROFILES)}.")
    for name, value in {**_PROFILES.get(profile or "", {}), **given}.items():
        setattr(print_options, name, value)
    print_options.sci_mode = sci_mode


def _check(name: str, value: Any) -> None:
    wanted = (int, float) if name == "threshold" else int
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise BadArgumentType(f"The print option {name} is a number, not {type(value).__name__}.")
    if not value >= 0:
        raise BadArgumentValue(f"The print option {name} cannot be negative, got {value}.")


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments of :func:`set_printoptions`."""
    return asdict(print_options)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Change how tensors are printed within a ``with`` block."""
    before = {field.name: getattr(print_options, field.name) for field in fields(print_options)}
    try:
        set_printoptions(**options)
        yield
    finally:
        for name, value in before.items():
            setattr(print_options, name, value)
