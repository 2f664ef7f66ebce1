"""The named tuples that ``max(dim)`` and its like return, printing as PyTorch's."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any


@cache
def _kind(name: str, fields: tuple[str, ...]) -> Any:
    base = namedtuple(name, fields)  # type: ignore[misc]

    def text(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    return type(name, (base,), {"__slots__": (), "__repr__": text, "__str__": text})


def named(name: str, **results: Any) -> Any:
    """Results by their names, as the tuple of an operation."""
    return _kind(name, tuple(results))(*results.values())


def named_pair(name: str, values: Any, indices: Any) -> Any:
    """(values, indices) under the name of the operation."""
    return named(name, values=values, indices=indices)
