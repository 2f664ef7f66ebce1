"""Functions and classes by name: what a call names and every worker finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UnknownFunction


class FunctionTable:
    """Names of the script's top-level functions and classes, and of torch functions.

    Parameters
    ----------
    torch : object
        The torch namespace.
    script : mapping
        The names of this worker's script; looked up when a call arrives, so that what is defined later is found.
    home : callable, optional
        Says which workers define a name that is missing here.
    """

    def __init__(self, torch: Any, script: Mapping[str, Any], home: Callable[[str], list[str]] | None = None) -> None:
        self.script = script
        self.home = home
        self._torch = torch
        self._names: dict[int, str] | None = None

    def name_of(self, value: Any) -> str | None:
        """The name of a function or class that can be the target of a call, or None."""
        name = getattr(value, "__name__", None)
        if not callable(value) or not isinstance(name, str):
            return None
        if self.script.get(name) is value:
            return f"script.{name}"
        return self._torch_names().get(id(value))

    def _torch_names(self) -> dict[int, str]:
        if self._names is None:
            self._names = {}
            for path in ("torch.nn", "torch.nn.functional", "torch.linalg", "torch"):
                space = self._torch
                for part in path.split(".")[1:]:
                    space = getattr(space, part)
                for name in dir(space):
                    found = getattr(space, name)
                    if callable(found):
                        self._names[id(found)] = f"{path}.{name}"
        return self._names

    def find(self, name: str) -> Any:
        """The function or class of that name.

        Raises
        ------
        UnknownFunction
            This worker has none.
        """
        space, _, last = name.rpartition(".")
        if space == "script" and last in self.script:
            return self.script[last]
        if space.partition(".")[0] == "torch" and not last.startswith("_"):
            found: Any = self._torch
            for part in space.split(".")[1:]:
                found = getattr(found, part)
            return getattr(found, last)
        others = self.home(last) if self.home else []
        where = f"; it is defined on {', '.join(others)} only" if others else ""
        raise UnknownFunction(
            f"this worker knows no function {last!r}{where}",
            hint="define it with a top-level `def`: those are there on every worker",
        )
