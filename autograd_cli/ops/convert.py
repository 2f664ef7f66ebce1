"""Other dtypes and devices, and values for Python and NumPy."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core import dtype as dt
from ..core.array import cast_array, device_of, full_name, put_on
from ..core.basic_ops import to_device, to_dtype
from ..core.conjugates import is_conj
from ..core.device import device as Device
from ..core.device import place_of
from ..core.device_operands import at_device
from ..core.modes import modes
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from .support import as_dtype


def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **ignored: Any) -> Tensor:
    """Self in another dtype or on another device; self itself if nothing changes."""
    for value in args:
        if isinstance(value, dt.dtype) or value in (float, int, bool):
            dtype = value
        elif isinstance(value, Tensor):
            dtype, device = value.dtype, device_of(value._data)
        elif isinstance(value, (str, Device)) or value.__class__ is int:
            device = value
        elif not isinstance(value, bool) and value is not None:
            raise BadArgumentType(f"to() takes a dtype, a device or a tensor, not {type(value).__name__}")
    wanted = as_dtype(dtype) or self.dtype
    place = None if device is None else full_name(place_of(device))
    if place == device_of(self._data):
        place = None
    return self if place is None and wanted is self.dtype and not copy else cast(self, wanted, place)


def cast(self: Tensor, wanted: dt.dtype, device: str | None = None) -> Tensor:
    """Self copied into a dtype, and to another device where one is given; integers carry no gradient."""
    if self._data.dtype.kind == "c" and not (wanted.is_complex or wanted is dt.bool_):
        warn("ImaginaryDiscarded")
    if wanted.category < dt.FLOATING:
        return fresh(cast_array(at_device(self._data) if device is None else put_on(self._data, device), wanted.numpy))
    made: Tensor = to_dtype(self, wanted.numpy) if device is None else to_device(self, device, wanted.numpy)
    return made


def _cast_method(name: str, wanted: dt.dtype) -> Any:
    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, dtype=wanted)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Self as {wanted!r}."
    return method


CASTS = {
    name: _cast_method(name, found)
    for name, found in (
        ("float", dt.float32), ("double", dt.float64), ("half", dt.float16), ("long", dt.int64), ("int", dt.int32), ("short", dt.int16),
        ("char", dt.int8), ("byte", dt.uint8), ("bool", dt.bool_), ("cfloat", dt.complex64), ("cdouble", dt.complex128),
    )
}  # fmt: skip


def bfloat16(self: Tensor, memory_format: Any = None) -> Tensor:
    """Self as torch.bfloat16."""
    return to(self, dtype=dt.want_bfloat16())


CASTS["bfloat16"] = bfloat16


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Self in the dtype of other, on its device."""
    return to(self, other)


def cpu(self: Tensor) -> Tensor:
    """Self on the CPU."""
    return to(self, device="cpu")


def cuda(self: Tensor, device: Any = None) -> Tensor:
    """Self on the GPU."""
    return to(self, device="cuda" if device is None else device)


def get_device(self: Tensor) -> int:
    """The number of the device; -1 on the CPU."""
    index: int | None = self.device.index
    return -1 if index is None else index


# ---- values for Python ----


def item(self: Tensor) -> Any:
    """The value of a tensor with one element as a Python number."""
    data = self._data
    if data.size != 1:
        raise BadArgument(
            f"a tensor with {data.size} elements cannot be turned into one number; its shape is {list(data.shape)}",
            hint="reduce it first (x.sum(), x.mean()), or use tolist()",
        )
    return data.item()


def tolist(self: Tensor) -> Any:
    """The values as nested lists of Python numbers."""
    return put_on(self._data, "cpu").tolist()


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The values as a NumPy array that shares the tensor's memory."""
    if force:
        return put_on(self._data, "cpu").copy()
    if device_of(self._data) != "cpu":
        raise BadArgumentType("numpy() needs a tensor on the CPU", hint="use x.cpu().numpy()")
    if self._edge is not None and modes.grad_enabled:
        raise BadArgument("numpy() would lose the graph of a tensor that requires grad", hint="use x.detach().numpy()")
    if is_conj(self):
        raise BadArgument(
            "numpy() would show the memory of a conjugate, which holds other numbers", hint="use x.resolve_conj().numpy()"
        )
    return self._storage()


def truth(self: Tensor) -> bool:
    """``bool(self)``: the truth of the only element."""
    data = self._data
    if data.size != 1:
        if not data.size:
            raise BadArgument("the truth value of a tensor without elements is not defined", hint="use x.numel() == 0")
        raise BadArgument(
            f"the truth value of a tensor with {data.size} elements is not defined", hint="use x.any(), x.all() or x.numel() > 0"
        )
    return bool(data.item())


def only_number(self: Tensor) -> Any:
    """The value for ``float(x)`` and its like, whose complaint about several elements is a ValueError."""
    try:
        return item(self)
    except BadArgument as error:
        raise BadArgumentValue(error.message, hint=error.hint) from None


def as_complex(self: Tensor) -> complex:
    """``complex(self)``."""
    return complex(only_number(self))


def as_float(self: Tensor) -> float:
    """``float(self)``."""
    if self._edge is not None:
        warn("ScalarOfGrad", self)
    value = only_number(self)
    if isinstance(value, complex):
        raise BadArgument("a complex number cannot be turned into a float", hint="use x.real")
    return float(value)


def as_integer(self: Tensor) -> int:
    """``int(self)``."""
    value = only_number(self)
    if isinstance(value, complex):
        raise BadArgument("a complex number cannot be turned into an integer", hint="use x.real")
    if value.__class__ is float and (value != value or value in (float("inf"), -float("inf"))):
        raise BadArgumentValue(f"{value} cannot be turned into an integer")
    return int(value)


def as_index(self: Tensor) -> int:
    """``range(self)`` and the like."""
    if self._data.size != 1 or self._data.dtype.kind not in "biu":
        raise BadArgumentType("only integer tensors with one element can be used as an index", hint="convert with int(x)")
    return int(self._data.item())


def array_protocol(self: Tensor, dtype: Any = None, copy: Any = None) -> Any:
    """``numpy.asarray(self)``."""
    found = numpy(self)
    return found if dtype is None else found.astype(dtype)
