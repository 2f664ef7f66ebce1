"""``torch.device``, and where factory functions put their tensors."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ..errors import BadArgument, BadArgumentType, DeviceUnavailable

HERE = ("cpu", "cuda")
ELSEWHERE = ("mps", "xpu", "meta", "mtia", "hpu", "xla", "vulkan", "ipu", "maia")  # PyTorch has them, and agrad has not


class defaults:
    """Where factory functions put their tensors when they are not told: `device` is None until somebody says so."""

    device: str | None = None


class device:
    """A device by type and index: ``device("cuda:0")``, ``device("cuda", 0)``. In a ``with`` statement it is the default device."""

    __slots__ = ("_before", "index", "type")
    __module__ = "torch"
    index: int | None
    type: str

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        if isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        if not isinstance(type, str):
            raise BadArgumentType(f"a device is named by a text or a number, not by {type.__class__.__name__}", hint="'cuda:0'")
        name, _, number = type.partition(":")
        if name not in HERE + ELSEWHERE or (":" in type and not number.isdecimal()):
            raise BadArgument(f"unknown device {type!r}", hint="devices are cpu, cuda and cuda:N")
        self.type = name
        self.index = int(number) if number else index
        self._before: list[str | None] = []

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r})" if self.index is None else f"device(type={self.type!r}, index={self.index})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return device, (str(self),)

    def __enter__(self) -> device:
        self._before.append(defaults.device)
        defaults.device = place_of(self)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        defaults.device = self._before.pop()


def place_of(given: Any) -> str:
    """The device that an argument ``device=`` names, as ``cpu``, ``cuda`` or ``cuda:N``; DeviceUnavailable for those agrad has not."""
    found = given if isinstance(given, device) else device(given)
    if found.type not in HERE:
        raise DeviceUnavailable(f"device {found}: agrad has cpu and cuda", hint="use device cpu")
    return "cpu" if found.type == "cpu" else str(found)


def set_default_device(device: Any) -> None:
    """Let factory functions put their tensors on `device` from now on; None is the CPU, as at the start."""
    defaults.device = None if device is None else place_of(device)


def get_default_device() -> device:
    """The device on which factory functions put their tensors."""
    return device(defaults.device or "cpu")
