"""torch.device."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgument


class device:
    """A device by type and index: ``device("cuda:0")``, ``device("cuda", 0)``."""

    __slots__ = ("index", "type")
    index: int | None
    type: str

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "cuda") or (number and not number.isdigit()):
            raise BadArgument(f"unknown device {str(type)!r}", hint="devices are cpu, cuda and cuda:N")
        self.type = name
        self.index = int(number) if number else index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r})" if self.index is None else f"device(type={self.type!r}, index={self.index})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))
