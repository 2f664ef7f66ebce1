"""What the script calls a tensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.tensor import Tensor


class Names:
    """Names of tensors, from the variables of a script; parameters of a Module are ``net.0.weight``.

    Parameters
    ----------
    scopes : iterable of mapping
        Variables by name; an earlier scope wins over a later one.
    """

    def __init__(self, scopes: Iterable[Mapping[str, Any]]) -> None:
        self.tensors: list[tuple[str, Tensor]] = []
        for scope in scopes:
            for name, value in scope.items():
                if isinstance(value, Tensor):
                    self.tensors.append((name, value))
                elif hasattr(value, "named_parameters") and not isinstance(value, type):
                    self.tensors += [(f"{name}.{path}", parameter) for path, parameter in value.named_parameters()]

    def of(self, tensor: Tensor | None) -> str | None:
        """The name of just this tensor."""
        return next((name for name, value in self.tensors if value is tensor), None)

    def of_data(self, data: Any) -> str | None:
        """The name of a tensor with just this array."""
        return next((name for name, value in self.tensors if value._data is data), None)

    def of_storage(self, tensor: Tensor) -> str | None:
        """The name of this tensor, or else of one that shares its memory: of its shape if there is one."""
        own = self.of(tensor)
        if own is not None or tensor._counter is None:
            return own
        sharing = [(name, value) for name, value in self.tensors if value._counter is tensor._counter]
        alike = [name for name, value in sharing if value._data.shape == tensor._data.shape]
        return alike[0] if alike else sharing[0][0] if sharing else None

    def named(self, name: str) -> Tensor | None:
        """The tensor that has this name."""
        return next((value for known, value in self.tensors if known == name), None)
