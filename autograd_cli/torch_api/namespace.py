"""A namespace that scripts see: a table of names, and a clear answer for every other name."""

from __future__ import annotations

from typing import Any

from ..missing import missing as unsupported
from .pytorch_names import known


class Namespace:
    """Like a module, made from a table.

    A name that is not in the table is either one that PyTorch has (Unsupported, which a script cannot catch) or none at all
    (AttributeError, as in PyTorch).
    """

    _is_namespace = True

    def __init__(self, name: str, table: dict[str, Any]) -> None:
        self.__dict__.update(table)
        self.__dict__["__name__"] = name

    def __getattr__(self, name: str) -> Any:
        raise missing(self.__name__, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self.__name__} cannot be changed")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        return sorted(n for n in self.__dict__ if not n.startswith("_"))

    def __repr__(self) -> str:
        return f"<module {self.__name__!r}>"


def missing(namespace: str, name: str) -> BaseException:
    """The error for a name that `namespace` does not have."""
    if name in known(namespace):
        return unsupported(f"{namespace}.{name}")
    return AttributeError(f"module {namespace!r} has no attribute {name!r}")
