"""Small helpers that several files of the table use, on arrays and on Tensors alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import SCALARS, array_module, device_of, put_on
from ..core.given import AllDims, given
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch, IndexOutOfRange, NoHalf, NotDifferentiable


def no_derivative(name: str) -> Any:
    """What a node without a derivative does when a gradient reaches it."""
    raise NotDifferentiable(
        f"the derivative of {name} is not implemented in PyTorch", hint="detach() its input, or use another operation"
    )


def data_of(value: Any) -> Any:
    """The array of a Tensor; everything else as it is."""
    return value._data if isinstance(value, Tensor) else value


def as_kind_of(value: Any, array: Any) -> Any:
    """`array` beside `value`: as it is, or as a Tensor where `value` is one; constant, so nothing is recorded."""
    return fresh(scalar(array)) if isinstance(value, Tensor) else array


def zeros_like(value: Any) -> Any:
    """Zeros of the shape and dtype of an array or a Tensor."""
    data = data_of(value)
    zeros = data.dtype.type(0) if data.__class__ in SCALARS else array_module(data).zeros(data.shape, data.dtype)
    return as_kind_of(value, zeros)


def where_array(condition: Any, a: Any, b: Any) -> Any:
    """``numpy.where`` whose 0-d results are NumPy scalars."""
    return scalar(array_module(condition).where(condition, a, b))


def on_device_of(like: Any, array: Any) -> Any:
    """A NumPy array put where `like` lives."""
    return put_on(array, device_of(like))


# ---- dimensions ----


def wrap_dim(dim: Any, ndim: int) -> int:
    """A dimension as a non-negative number; 0-d tensors accept 0 and -1."""
    if dim.__class__ is not int:
        dim = as_int(dim, "dim")
    size = ndim or 1
    if not -size <= dim < size:
        raise IndexOutOfRange(
            f"dimension {dim} does not exist: the tensor has {ndim} dimension(s)", hint=f"dim may be from {-size} to {size - 1}"
        )
    return dim if dim >= 0 else given(dim % size, dim)


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions as non-negative numbers, each once; None and () mean all."""
    if dims is None:
        return AllDims(range(ndim))
    if isinstance(dims, (int, np.integer, Tensor)):
        return (wrap_dim(dims, ndim),)
    found = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(found)) != len(found):
        raise BadArgument(f"a dimension appears twice in dim={tuple(dims)}", hint="name each dimension once")
    return found or tuple(range(ndim))


def reduced_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """As ``wrap_dims``; of a 0-d tensor, which may be asked for its dimension 0, none."""
    found = wrap_dims(dims, ndim)
    return found if ndim else ()


def as_int(value: Any, name: str) -> int:
    """An integer argument: an int, a NumPy integer or an integer tensor with one element."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        if isinstance(value, Tensor) and value._data.size == 1 and value._data.dtype.kind in "iu":
            return int(value._data)
        raise BadArgumentType(f"`{name}` takes an integer, not {type(value).__name__}")
    return int(value)


def as_size(size: Sequence[Any], name: str = "size") -> tuple[int, ...]:
    """``f(2, 3)`` and ``f((2, 3))`` alike, as a tuple of ints."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = size[0]
    return tuple(n if n.__class__ is int else as_int(n, name) for n in size)


def axis_of(dim: Any, axis: Any) -> Any:
    """`dim`, which NumPy's users may call `axis`."""
    if axis is None:
        return dim
    if dim is not None:
        raise BadArgumentType("dim and axis are two names of one argument: give one of them")
    return axis


# ---- dtypes ----


def as_dtype(value: Any) -> dt.dtype | None:
    """A ``dtype=`` argument."""
    if value is None or isinstance(value, dt.dtype):
        return value
    if value is float:
        return dt.float64
    if value is int or value is bool:
        return dt.int64 if value is int else dt.bool_
    raise BadArgumentType(f"`dtype` takes a dtype like torch.float32, not {type(value).__name__}")


def legacy_reduction(size_average: Any, reduce: Any, reduction: Any) -> Any:
    """The two old options of a loss in the place of `reduction`."""
    if size_average is None and reduce is None:
        return reduction
    meant = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn("OldReduction", reduction=meant)
    return meant


def check_reduction(reduction: Any, size_average: Any = None, reduce: Any = None) -> str:
    """The ``reduction=`` argument of a loss, or what its two old options say."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction not in ("mean", "sum", "none"):
        raise BadArgumentValue(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")
    return str(reduction)


def want_tensor(value: Any, op: str, name: str = "input") -> Tensor:
    """`value` if it is a Tensor, else the error that says so."""
    if value.__class__ is Tensor or isinstance(value, Tensor):
        return value
    raise BadArgumentType(
        f"{op}() takes a tensor for `{name}`, not {type(value).__name__}", hint="make one with torch.tensor(...)"
    )


def check_same_dtype(op: str, self: Tensor, **operands: Tensor | None) -> None:
    """Operands that are not converted have the dtype of `self`."""
    for name, operand in operands.items():
        if operand is not None and operand._data.dtype != self._data.dtype:
            raise DtypeMismatch(
                f"{op} takes a {name} of the dtype {self.dtype.name}, not {operand.dtype.name}",
                hint="convert it with .to(x.dtype)",
            )


def refuse_halves(name: str, data: Any) -> None:
    """Raise NoHalf for 2-byte floats: PyTorch has no CPU kernel of `name` for them."""
    if data.dtype in dt.HALVES:
        raise NoHalf(f"{name}() is not defined for {dt.of(data).name}", hint="convert first: x.float()")
