"""Layers that put a border around their input."""

from __future__ import annotations

from typing import Any

from ..ops import pad
from ..ops.conv import numbers
from .module import Module


class _Pad(Module):
    """A border in the last `dims` dimensions."""

    dims: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = numbers(padding, 2 * self.dims, "padding")

    def forward(self, input: Any) -> Any:
        """The input with its border."""
        return pad.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """Widths."""
        return str(self.padding)


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        """The input with its border."""
        return pad.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Widths and value."""
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Widths."""
        return str(self.padding)


_KINDS: dict[str, tuple[type[_Pad], dict[str, Any], str]] = {
    "ConstantPad": (_ConstantPad, {}, "A border of one value."),
    "ZeroPad": (_ZeroPad, {}, "A border of zeros."),
    "ReflectionPad": (_Pad, {"mode": "reflect"}, "A border that mirrors the input."),
    "ReplicationPad": (_Pad, {"mode": "replicate"}, "A border that repeats the outermost elements."),
    "CircularPad": (_Pad, {"mode": "circular"}, "A border with what stands at the other end."),
}
PADS: dict[str, Any] = {  # ConstantPad1d, ConstantPad2d, …
    f"{kind}{dims}d": type(f"{kind}{dims}d", (base,), {"__doc__": doc, "dims": dims, **body})
    for kind, (base, body, doc) in _KINDS.items()
    for dims in (1, 2, 3)
}
