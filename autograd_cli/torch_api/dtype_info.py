"""What ``torch`` says of dtypes: ``finfo``, ``iinfo``, and how dtypes mix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.tensor import Tensor
from ..errors import BadArgumentType


def _number(value: Any) -> float:
    return float(value)


class finfo:
    """The limits of a floating-point dtype: ``bits eps max min tiny smallest_normal resolution dtype``."""

    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    def __init__(self, type: dt.dtype | None = None) -> None:
        kind = dt.default.dtype if type is None else type
        if not isinstance(kind, dt.dtype) or kind.category < dt.FLOATING:
            raise BadArgumentType(f"finfo() takes a floating-point dtype, not {kind!r}", hint="torch.iinfo is for integers")
        limits = _float_limits(kind)
        self.bits = int(limits.bits)
        self.eps, self.max, self.min = _number(limits.eps), _number(limits.max), _number(limits.min)
        self.tiny = self.smallest_normal = _number(limits.smallest_normal)
        self.resolution = float(f"{float(limits.resolution):.0e}")
        self.dtype = np.dtype(limits.dtype).name

    def __repr__(self) -> str:
        parts = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        shown = ", ".join(f"{name}={getattr(self, name):g}" for name in parts)
        return f"finfo({shown}, dtype={self.dtype})"


def _float_limits(kind: dt.dtype) -> Any:
    return dt.bfloat16_limits() if kind.name == "bfloat16" else np.finfo(kind.numpy)


class iinfo:
    """The limits of an integer dtype: ``bits max min dtype``."""

    bits: int
    max: int
    min: int
    dtype: str

    def __init__(self, type: dt.dtype) -> None:
        if not isinstance(type, dt.dtype) or type.category != dt.INTEGER:
            raise BadArgumentType(
                f"iinfo() takes an integer dtype, not {type!r}", hint="torch.finfo is for floating-point dtypes"
            )
        limits = np.iinfo(type.numpy)
        self.bits, self.max, self.min, self.dtype = int(limits.bits), int(limits.max), int(limits.min), type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _want_dtype(value: Any, name: str) -> dt.dtype:
    if not isinstance(value, dt.dtype):
        raise BadArgumentType(f"{name}() takes a dtype like torch.float32, not {type(value).__name__}")
    return value


def promote_types(type1: Any, type2: Any) -> dt.dtype:
    """The smallest dtype that holds both."""
    return dt.promote_types(_want_dtype(type1, "promote_types"), _want_dtype(type2, "promote_types"))


def can_cast(from_: Any, to: Any) -> bool:
    """Whether PyTorch converts the one dtype to the other where it writes a result: never to a lower kind of number."""
    source, target = _want_dtype(from_, "can_cast"), _want_dtype(to, "can_cast")
    return source.category <= target.category


def result_type(tensor1: Any, tensor2: Any) -> dt.dtype:
    """The dtype of a result of two operands, of which each may be a number."""
    dims = zeros = numbers = None
    for value in (tensor1, tensor2):
        if isinstance(value, Tensor):
            own = dt.of(value._data)
            if value._data.shape:
                dims = own if dims is None else dt.promote_types(dims, own)
            else:
                zeros = own if zeros is None else dt.promote_types(zeros, own)
        elif isinstance(value, (bool, int, float, complex)):
            own = dt.of_number(value)
            numbers = own if numbers is None else dt.promote_types(numbers, own)
        else:
            raise BadArgumentType(f"result_type() takes tensors and numbers, not {type(value).__name__}")
    return dt.combine(dims, zeros if numbers is None else numbers if zeros is None else dt.combine(zeros, numbers))


def typename(obj: Any) -> str:
    """The name of the type of a value, as PyTorch writes it: of a tensor, with its dtype."""
    if isinstance(obj, Tensor):
        return str(obj.type())  # type: ignore[attr-defined]
    kind = type(obj)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


INFO = {
    "finfo": finfo, "iinfo": iinfo, "promote_types": promote_types, "can_cast": can_cast, "result_type": result_type, "typename": typename,
}  # fmt: skip
