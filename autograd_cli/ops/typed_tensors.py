"""The old constructors: ``torch.Tensor(2, 3)``, ``torch.FloatTensor([1, 2])``, and ``x.type()``, which speaks of their names."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import device_of
from ..core.tensor import Size, Tensor
from ..errors import BadArgumentType, BadArgumentValue
from .convert import to
from .creation import empty, tensor
from .shape import alias

PREFIXES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int",
    "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def constructed(cls: Any, *data: Any, device: Any = None) -> Tensor:
    """``torch.Tensor(…)``, and by `cls` the constructor of one dtype.

    Integers are a size, and the tensor has arbitrary numbers; a sequence or an array is data; a tensor is taken as it is.

    Raises
    ------
    BadArgument
        For anything else. A TypeError, as in PyTorch.
    """
    wanted = cls.tensor_dtype if isinstance(cls, TensorType) else None
    dtype = wanted or dt.default.dtype
    if len(data) == 1 and not _is_whole(data[0]) and not isinstance(data[0], Size):
        value = data[0]
        if isinstance(value, Tensor):
            if wanted not in (None, value.dtype):
                raise BadArgumentType(
                    f"{cls.__name__}() takes a tensor of {dtype.name}, not of {value.dtype.name}",
                    hint="convert it: x.type(…) or x.to(…)",
                )
            found: Tensor = alias(value)
            return found
        if not isinstance(value, (list, tuple, range, np.ndarray)):
            raise BadArgumentType(
                f"{cls.__name__}() takes a sequence of numbers or sizes, not {type(value).__name__}",
                hint="torch.tensor(3.5) makes a scalar",
            )
        return tensor(value if isinstance(value, np.ndarray) else list(value), dtype=dtype, device=device)
    return empty(*(data or (0,)), dtype=dtype, device=device)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


class TensorType(type):
    """The class of ``torch.FloatTensor`` and the like: names of a dtype that can be called, and asked with isinstance()."""

    tensor_dtype: dt.dtype

    __call__ = constructed

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.tensor_dtype and device_of(instance._data) == "cpu"


@cache
def _type_of(dtype: dt.dtype) -> TensorType:
    name = f"{PREFIXES[dtype.name]}Tensor"
    found = TensorType(name, (), {"__module__": "torch", "__doc__": f"Makes tensors of {dtype.name} on the CPU."})
    found.tensor_dtype = dtype
    return found


TYPES = {found.__name__: found for found in (_type_of(d) for d in dict.fromkeys(dt.dtype._of_numpy.values()) if not d.is_complex)}


def type_(self: Tensor, dtype: Any = None) -> Any:
    """Self as `dtype`, which may be ``torch.LongTensor`` or its name; without one, the name of self's type."""
    if dtype is None:
        return f"torch.{'cuda.' if self.device.type == 'cuda' else ''}{PREFIXES[self.dtype.name]}Tensor"
    if isinstance(dtype, str):
        found = TYPES.get(dtype.removeprefix("torch."))
        if found is None:
            raise BadArgumentValue(
                f"{dtype!r} names no type of tensors", hint="for example 'torch.DoubleTensor', or a dtype: torch.float64"
            )
        dtype = found
    return to(self, dtype=dtype.tensor_dtype if isinstance(dtype, TensorType) else dtype)


def new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """As ``torch.Tensor(…)``, with self's dtype."""
    return constructed(_type_of(self.dtype), *data, device=device)
