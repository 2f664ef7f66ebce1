"""Values on the wire: plain data as a tree, tensors as arrays beside it. Never code.

A tree is what MessagePack can hold. None, booleans, numbers and strings stand for themselves; everything else is a list whose first
item says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import device_of
from ..core.device import device
from ..core.op_support import fresh
from ..core.tensor import Size, Tensor
from ..errors import BadArgument, BadArgumentType

DEPTH = 200  # nested containers; PyTorch's own limit is that of pickle's recursion
_ERRORS = {e.__name__: e for e in (ValueError, TypeError, RuntimeError, KeyError, IndexError, AttributeError, ZeroDivisionError)}


class Packer:
    """Turns one value into a tree and the tensors in it.

    Attributes
    ----------
    tensors : list of Tensor
        In the order in which they were met; one that comes twice is there once.
    """

    def __init__(self, name_of: Callable[[Any], str | None], extra: dict[type, Callable[[Any], Any]] | None = None) -> None:
        self.tensors: list[Tensor] = []
        self.name_of = name_of
        self.extra = extra or {}
        self._index: dict[int, int] = {}

    def pack(self, value: Any, depth: int = 0) -> Any:
        """The tree of `value`."""
        if value is None or value.__class__ in (bool, float, str):
            return value
        if value.__class__ is int:
            return value if -(2**63) <= value < 2**63 else ["int", str(value)]
        if depth > DEPTH:
            raise BadArgument(f"a value nested more than {DEPTH} deep cannot be sent to another worker")
        if isinstance(value, Tensor):
            number = self._index.setdefault(id(value), len(self.tensors))
            if number == len(self.tensors):
                self.tensors.append(value)
            return ["tensor", number]
        if isinstance(value, Size):
            return ["size", *value]
        if isinstance(value, (list, tuple)):
            return ["list" if isinstance(value, list) else "tuple", *(self.pack(v, depth + 1) for v in value)]
        if isinstance(value, dict):
            return ["dict", *([self.pack(k, depth + 1), self.pack(v, depth + 1)] for k, v in value.items())]
        return self._special(value, depth)

    def _special(self, value: Any, depth: int) -> Any:
        if isinstance(value, complex):
            return ["complex", value.real, value.imag]
        if isinstance(value, slice):
            return ["slice", *(self.pack(v, depth + 1) for v in (value.start, value.stop, value.step))]
        if isinstance(value, dt.dtype):
            return ["dtype", value.name]
        if isinstance(value, device):
            return ["device", str(value)]
        for kind, how in self.extra.items():
            if isinstance(value, kind):
                return how(value)
        if isinstance(value, Exception) and type(value).__name__ in _ERRORS:
            return ["error", type(value).__name__, str(value)]
        name = self.name_of(value)
        if name is not None:
            return ["name", name]
        raise BadArgumentType(
            f"a {type(value).__name__} cannot be sent to another worker",
            hint="numbers, strings, None, lists, tuples, dicts, slices, tensors, dtypes, RRefs, and functions and classes by name can",
        )


class Unpacker:
    """Turns a tree and tensors back into a value."""

    def __init__(
        self, tensors: Sequence[Tensor], by_name: Callable[[str], Any], extra: dict[str, Callable[..., Any]] | None = None
    ) -> None:
        self.tensors = tensors
        self.by_name = by_name
        self.extra = extra or {}

    def unpack(self, tree: Any, depth: int = 0) -> Any:
        """The value of `tree`; ValueError when it is not a tree that Packer makes."""
        if tree is None or isinstance(tree, (bool, int, float, str)):
            return tree
        if not isinstance(tree, list) or not tree or not isinstance(tree[0], str) or depth > DEPTH + 1:
            raise ValueError("not a value")
        kind, items = tree[0], tree[1:]
        if kind in ("list", "tuple", "slice", "size"):
            values = [self.unpack(v, depth + 1) for v in items]
            return slice(*values) if kind == "slice" else {"list": list, "tuple": tuple, "size": Size}[kind](values)
        if kind == "dict":
            return {self.unpack(k, depth + 1): self.unpack(v, depth + 1) for k, v in items}
        if kind == "tensor":
            return self.tensors[items[0]]
        if kind == "int":
            return int(items[0])
        if kind == "complex":
            return complex(*items)
        if kind == "dtype":
            return dt.NAMES[items[0]]
        if kind == "device":
            return device(items[0])
        if kind == "error":
            return _ERRORS[items[0]](items[1])
        if kind == "name":
            return self.by_name(items[0])
        if kind in self.extra:
            return self.extra[kind](*items)
        raise ValueError(f"not a value: {kind}")


def array_specs(tensors: Sequence[Tensor]) -> tuple[list[tuple[str, list[int]]], list[Any]]:
    """(dtype and shape of each, the arrays to send) of `tensors`; arrays are contiguous and on the CPU.

    Raises
    ------
    BadArgument
        A tensor is on a device: as in PyTorch without a device map, only tensors of the CPU are sent.
    """
    specs, arrays = [], []
    for tensor in tensors:
        data = tensor._data
        if device_of(data) != "cpu":
            raise BadArgument(
                f"a tensor on {device_of(data)} cannot be sent to another worker: only tensors on the CPU are",
                hint="send x.cpu(), and move it with .to(device) where it arrives",
            )
        host = np.ascontiguousarray(data)
        specs.append((tensor.dtype.name, list(data.shape)))
        arrays.append(host)
    return specs, arrays


def arrays_from(specs: list[tuple[str, list[int]]], buffers: Sequence[Any]) -> list[Any]:
    """The arrays that `array_specs` sent; ValueError when sizes do not fit."""
    if len(specs) != len(buffers):
        raise ValueError(f"{len(specs)} arrays announced, {len(buffers)} there")
    found = []
    for (name, shape), buffer in zip(specs, buffers, strict=True):
        numpy_dtype = dt.NAMES[name].numpy
        flat = np.frombuffer(buffer, numpy_dtype) if len(buffer) else np.empty(0, numpy_dtype)
        data = flat.reshape(shape)
        found.append(data[()].copy() if data.ndim == 0 else data if data.flags.writeable else data.copy())
    return found


def tensors_from(specs: list[tuple[str, list[int]]], buffers: Sequence[Any]) -> list[Tensor]:
    """As ``arrays_from``, as tensors."""
    return [fresh(scalar_if_0d(a)) for a in arrays_from(specs, buffers)]


def scalar_if_0d(array: Any) -> Any:
    """A 0-d array as a NumPy scalar."""
    return array[()] if isinstance(array, np.ndarray) and array.ndim == 0 else array
