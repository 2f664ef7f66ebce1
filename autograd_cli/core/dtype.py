"""PyTorch's dtypes over NumPy's, and PyTorch's rules for mixing them.

Source of the rules: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..errors import BadArgument, BadArgumentType
from ..missing import missing
from .modes import modes

BOOL, INTEGER, FLOATING, COMPLEX = range(4)
_CATEGORY = {"b": BOOL, "i": INTEGER, "u": INTEGER, "f": FLOATING, "c": COMPLEX}


SCALARS: set[Any] = set()  # classes of data without dimensions
HOST: set[Any] = {np.ndarray}  # classes of data that live on the CPU


class dtype:
    """A torch dtype: one object for each, so ``is`` and ``==`` agree."""

    __slots__ = ("category", "name", "numpy")
    _of_numpy: ClassVar[dict[Any, dtype]] = {}

    def __init__(self, name: str, numpy_dtype: Any, category: int | None = None) -> None:
        self.name = name
        self.numpy = known = np.dtype(numpy_dtype)
        self.category = _CATEGORY[known.kind] if category is None else category
        dtype._of_numpy[known] = self
        SCALARS.add(known.type)
        HOST.add(known.type)

    @property
    def is_floating_point(self) -> bool:
        """Whether it is a real floating-point dtype."""
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        """Whether it is a complex dtype."""
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        """Whether it can hold negative values."""
        return self.numpy.kind not in "bu"

    @property
    def itemsize(self) -> int:
        """Bytes an element."""
        return int(self.numpy.itemsize)

    def to_complex(self) -> dtype:
        """The complex dtype whose parts have this precision."""
        if self.category < FLOATING:
            raise BadArgument(f"no complex dtype has parts of dtype {self.name}", hint="use torch.complex64")
        return _COMPLEX_OF.get(self, self)

    def to_real(self) -> dtype:
        """The dtype of the parts of a complex dtype; a real one itself."""
        parts: dict[dtype, dtype] = {complex64: float32, complex128: float64}
        return parts.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __deepcopy__(self, memo: Any) -> dtype:
        return self

    def __reduce__(self) -> str:
        return self.name


class ComplexDtype(dtype):
    """A complex dtype: whoever makes data of it says so to the operations. See Note [Complex nodes]."""

    __slots__ = ()

    @property
    def numpy(self) -> Any:
        """The NumPy dtype."""
        modes.complex_seen = True
        return dtype.numpy.__get__(self)  # type: ignore[misc]

    @numpy.setter
    def numpy(self, value: Any) -> None:
        dtype.numpy.__set__(self, value)  # type: ignore[misc]


HALVES: set[Any] = set()  # NumPy's dtypes of 2-byte floats
GO_UP: dict[str, set[Any]] = {"": HALVES, "float16": set(), "bfloat16": set()}  # those left when one is computed as it is
on_first_half: list[Any] = []  # what has to be done when the first of them is used


class HalfDtype(dtype):
    """A dtype of 2-byte floats: whoever makes data of it says so to the operations. See Note [Halves] in ``halves.py``."""

    __slots__ = ()

    def __init__(self, name: str, numpy_dtype: Any) -> None:
        super().__init__(name, numpy_dtype, FLOATING)
        known = np.dtype(numpy_dtype)
        HALVES.add(known)
        GO_UP["bfloat16" if name == "float16" else "float16"].add(known)

    @property
    def numpy(self) -> Any:
        """The NumPy dtype."""
        if not modes.halves_seen:
            see_halves()
        return dtype.numpy.__get__(self)  # type: ignore[misc]

    @numpy.setter
    def numpy(self, value: Any) -> None:
        dtype.numpy.__set__(self, value)  # type: ignore[misc]


def see_halves() -> None:
    """Say to the operations that there is data of 2-byte floats."""
    modes.halves_seen = True
    for prepare in on_first_half:
        prepare()


ComplexDtype.__name__ = HalfDtype.__name__ = "dtype"  # as scripts see them
float16 = HalfDtype("float16", np.float16)
float32 = dtype("float32", np.float32)
float64 = dtype("float64", np.float64)
uint8 = dtype("uint8", np.uint8)
int8 = dtype("int8", np.int8)
int16 = dtype("int16", np.int16)
int32 = dtype("int32", np.int32)
int64 = dtype("int64", np.int64)
bool_ = dtype("bool", np.bool_)
complex64 = ComplexDtype("complex64", np.complex64)
complex128 = ComplexDtype("complex128", np.complex128)

NAMES = {
    **{d.name: d for d in tuple(dtype._of_numpy.values())},
    "half": float16,
    "float": float32,
    "double": float64,
    "short": int16,
    "int": int32,
    "long": int64,
    "cfloat": complex64,
    "cdouble": complex128,
}
_COMPLEX_OF = {float16: complex64, float32: complex64, float64: complex128}


class _Default:
    """The default floating dtype: that of factory functions and of Python floats."""

    __slots__ = ("dtype",)

    def __init__(self) -> None:
        self.dtype = float32


default = _Default()


def bfloat16() -> dtype | None:
    """torch.bfloat16 where ml_dtypes is installed, else None."""
    if "bfloat16" not in NAMES:
        try:
            from ml_dtypes import bfloat16 as numpy_bfloat16
        except ImportError:
            return None
        NAMES["bfloat16"] = made = HalfDtype("bfloat16", numpy_bfloat16)
        _COMPLEX_OF[made] = complex64
    return NAMES["bfloat16"]


def bfloat16_limits() -> Any:
    """What ``numpy.finfo`` says of a dtype, of bfloat16."""
    from ml_dtypes import bfloat16 as numpy_bfloat16
    from ml_dtypes import finfo

    return finfo(numpy_bfloat16)  # type: ignore[no-untyped-call]


def want_bfloat16() -> dtype:
    """torch.bfloat16.

    Raises
    ------
    Unsupported
        ml_dtypes is not installed.
    """
    found = bfloat16()
    if found is None:
        raise missing("torch.bfloat16")
    return found


def of(array: Any) -> dtype:
    """The torch dtype of an array or a NumPy scalar."""
    return dtype._of_numpy[array.dtype]


def notice(array: Any) -> None:
    """Say to the operations that data from outside is complex, or of 2-byte floats. See Notes [Complex nodes] and [Halves]."""
    if array.dtype.kind == "c":
        modes.complex_seen = True
    elif array.dtype in HALVES and not modes.halves_seen:
        see_halves()


def of_number(number: complex | bool) -> dtype:
    """The dtype that a Python number alone becomes."""
    if isinstance(number, bool):
        return bool_
    if isinstance(number, int):
        return int64
    if isinstance(number, float):
        return default.dtype
    if not isinstance(number, complex):
        raise BadArgumentType(f"a number is wanted here, not {type(number).__name__}")
    return _COMPLEX_OF[default.dtype]


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that holds both, as ``torch.promote_types``."""
    if a is b:
        return a
    if a.category < b.category:
        a, b = b, a
    if a.category == COMPLEX:
        wide = complex128 in (a, b) or b is float64
        return complex128 if wide else complex64
    if a.category == FLOATING and b.category < FLOATING:
        return a
    if a.category == FLOATING:
        return float32 if {a.name, b.name} == {"float16", "bfloat16"} else max(a, b, key=lambda d: d.itemsize)
    if b is bool_:
        return a
    return dtype._of_numpy[np.promote_types(a.numpy, b.numpy)]


def combine(higher: dtype | None, lower: dtype | None) -> dtype:
    """Result of operands with dimensions (`higher`) and without (`lower`): the latter count only by their category."""
    if higher is None or lower is None:
        found = higher or lower
        assert found is not None
        return found
    if higher.category >= lower.category and higher.category != BOOL:
        return higher
    if higher.category == FLOATING:  # and lower is complex
        return _COMPLEX_OF[higher]
    return promote_types(higher, lower)
