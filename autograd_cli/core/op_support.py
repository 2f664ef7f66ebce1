"""What the functions written by ``op_source.py`` call at run time: numbers made tensors, operands brought together, freed and changed
saved tensors found, broadcasts undone."""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import (
    BadArgument,
    BadArgumentType,
    DtypeMismatch,
    GradShapeMismatch,
    GraphFreed,
    InplaceModified,
    NoComplex,
    Unsupported,
)
from . import dtype as dt
from .array import SCALARS, broadcast_shapes, is_array, promote, sum_to
from .modes import modes
from .tensor import Tensor, TensorMeta
from .version_counter import VersionCounter

if TYPE_CHECKING:
    from .node import Node

new = object.__new__


class _Freed:
    """Stands where a saved tensor was; asking it for its version counter is the error."""

    @property
    def _counter(self) -> NoReturn:
        freed(None)

    version = _counter


FREED = _Freed()


def freed(node: Node | None) -> NoReturn:
    """Raise GraphFreed: what `node` saved was let go. The engine knows the node where it is None."""
    error = GraphFreed(
        "this graph was used by an earlier backward pass, which freed the tensors saved in it",
        hint="call the first backward() with retain_graph=True, or run the forward again",
    )
    error.node = node
    raise error


def modified(node: Node, name: str, now: int, then: int) -> NoReturn:
    """Raise InplaceModified: what `node` saved as `name` at version `then` is at version `now`."""
    error = InplaceModified(
        f"{node.name()} saved `{name}` at version {then} because its gradient needs it, and it was changed in place since: it is at "
        f"version {now}",
        hint="compute a new tensor instead of changing this one, or change it after backward()",
    )
    error.node = node
    error.saved_name, error.saved_version, error.version = name, then, now
    raise error


def check_saved(node: Any) -> None:
    """What an operation's node does where no gradient reaches it: as in PyTorch, what it saved is looked at all the same.

    Raises
    ------
    GraphFreed, InplaceModified
    """
    for name in node.saved_names:
        if getattr(node, f"s_{name}") is FREED:
            freed(node)
    for name, tensor, version in node.saved():
        if tensor is not None and tensor._version != version:
            modified(node, name, tensor._version, version)


results_on_views: weakref.WeakKeyDictionary[Node, Any] = weakref.WeakKeyDictionary()
"""By the node of a change in place of a view that saved its own result: a weak reference to the view's new history."""


def history_of_result(node: Node) -> Node:
    """The edge of what `node` saved of its own result: itself, unless it changed a view that is still there."""
    ref = results_on_views.get(node) if results_on_views else None
    return node if ref is None else ref() or node


def fresh(data: Any, edge: Any = None, counter: VersionCounter | None = None) -> Tensor:
    """A Tensor around `data`."""
    t = new(Tensor)
    t._data = data
    t._edge = edge
    t._grad = t._meta = None
    t._counter = modes.new_counter if counter is None else counter
    return t


def _number_meta(numpy_dtype: Any) -> TensorMeta:
    meta = TensorMeta()
    meta.number = np.dtype(numpy_dtype)
    return meta


_NUMBERS = {
    float: _number_meta(np.float64),
    int: _number_meta(np.int64),
    bool: _number_meta(np.bool_),
    complex: _number_meta(np.complex128),
}


ABSENT = TensorMeta()  # of what stands for a tensor that was not given: PyTorch saves nothing there


def lift(value: Any, like: Tensor, op: str, name: str) -> Tensor:
    """`value`, an argument of `op`, as a tensor beside `like`.

    A Python number does not widen the other operand: it takes its dtype unless it is of a higher category (a float beside
    integers), as PyTorch's wrapped numbers.
    """
    kind = value.__class__
    if kind is Tensor:
        return value  # type: ignore[no-any-return]
    if kind is float or kind is int or kind is bool or kind is complex:
        wanted = like._data.dtype
        if wanted.kind != "f" or kind is complex:
            wanted = dt.combine(dt.dtype._of_numpy[wanted], dt.of_number(value)).numpy
        try:
            number = fresh(wanted.type(value))
        except OverflowError:
            if not -(2**63) <= value < 2**63:
                raise BadArgument(f"{op}() got {value} for `{name}`, which does not fit into int64") from None
            number = fresh(np.array(value, np.int64).astype(wanted)[()])  # wraps around, as in PyTorch
        number._meta = _NUMBERS[kind]
        if wanted in dt.HALVES and kind is not bool:
            number._meta = _number_meta(number._meta.number)
            number._meta.exact = float(np.float32(value))
        return number
    if is_array(value) and value.dtype in dt.dtype._of_numpy:
        return fresh(value)
    raise BadArgumentType(f"{op}() takes a tensor or a number for `{name}`, not {kind.__name__}")


def prepare(*data: Any, to_float: bool = False) -> tuple[Any, ...]:
    """(what validate_outputs needs, operands of one dtype): for operands that are not alike already.

    `to_float`: integers become the default float.
    """
    shapes = [x.shape for x in data]
    if any(s != shapes[0] for s in shapes if s):
        broadcast_shapes(*shapes)
    return (tuple((x.shape, x.dtype) for x in data), *promote(data, to_float=to_float))


prepare_float = partial(prepare, to_float=True)


def validate_outputs(fits: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Make each gradient fit its input: a broadcast is undone, the dtype is the input's.

    PyTorch does the same in its function of this name; it is the only place where broadcasts are undone.
    """
    if fits.__class__ is not tuple:
        validated: tuple[Any, ...] = fits.validate(grads)  # DeviceFits
        return validated
    out = []
    for fit, grad in zip(fits, grads, strict=False):
        if grad is not None and fit is not None:
            grad = fit_tensor(grad, fit) if grad.__class__ is Tensor else fit_array(grad, fit)
        out.append(grad)
    return tuple(out)


# Operations of which PyTorch says by a RuntimeError that they are not for complex numbers, and no NotImplementedError.
_RUNTIME_ERROR = frozenset(["maximum", "minimum", "max_dim", "min_dim", "argmax", "argmin", "sort", "topk", "silu_", "trilinear"])
# Those that PyTorch has for complex numbers and agrad has not.
_NOT_YET = frozenset(
    [
        "convolution",
        "transposed_convolution",
        "slogdet_of",
        "svd_of",
        "qr_of",
        "eigh_of",
        "pinv_of",
        "lstsq_of",
        "logaddexp",
        "ldexp",
    ]
)


def refuse_complex(name: str, *data: Any) -> None:
    """Raise NoComplex where one of the operands is complex."""
    if all(x.dtype.kind != "c" for x in data):
        return
    shown = name.strip("_")
    for end in ("_all", "_dim", "_at", "_of", "_scalar", "_tensor", "_forward", "_whole", "_kernel", "_number", "_written"):
        shown = shown.removesuffix(end)
    if name in _NOT_YET:
        raise Unsupported(f"{shown}() of complex tensors is part of PyTorch, but agrad does not have it yet")
    kind = DtypeMismatch if name in _RUNTIME_ERROR else NoComplex
    raise kind(
        f"{shown}() is not defined for complex tensors, which have no order and no sign",
        hint="use abs(), .real or .imag, which are real",
    )


def handle_r_to_c(node: Node, place: int, grad: Tensor | None) -> Tensor | None:
    """The real part of a complex gradient for a real input of a complex result: PyTorch's function of this name."""
    fits: Any = node.fits
    if grad is None or fits is None or grad._data.dtype.kind != "c" or fits[place] is None or fits[place][1].kind == "c":
        return grad
    from .basic_ops import recording

    return recording.real(grad)  # type: ignore[no-any-return]


def fit_array(grad: Any, fit: tuple[Any, Any]) -> Any:
    """An array gradient made to fit (shape, dtype)."""
    shape, dtype = fit
    if grad.shape != shape:
        _check_expandable(shape, grad.shape)
        grad = sum_to(grad, shape)
    if grad.dtype != dtype:
        _check_real(grad, dtype)
        grad = grad.astype(dtype)
    return grad


def fit_tensor(grad: Tensor, fit: tuple[Any, Any]) -> Tensor:
    """A Tensor gradient made to fit (shape, dtype), recording what is done."""
    from . import basic_ops

    shape, dtype = fit
    if grad._data.shape != shape:
        _check_expandable(shape, grad._data.shape)
        grad = basic_ops.sum_to(grad, shape)
    if grad._data.dtype != dtype:
        _check_real(grad._data, dtype)
        grad = basic_ops.to_dtype(grad, dtype)
    return grad


def _check_real(data: Any, dtype: Any) -> None:
    if data.dtype.kind == "c" != dtype.kind:
        raise DtypeMismatch(
            f"a complex gradient was returned for an input of dtype {dt.dtype._of_numpy[dtype].name}",
            hint="the gradient of a real input is real: take the real part",
        )


def _check_expandable(shape: tuple[int, ...], grad_shape: tuple[int, ...]) -> None:
    lead = len(grad_shape) - len(shape)
    if lead < 0 or any(n not in (1, m) for n, m in zip(shape, grad_shape[lead:], strict=True)):
        raise GradShapeMismatch(
            f"a gradient of shape {list(grad_shape)} was returned for an input of shape {list(shape)}",
            hint="a gradient has the shape of its input (or one that the input broadcasts to)",
        )


def rows(data: Any) -> Any:
    """`data` laid out row by row."""
    return data if data.__class__ in SCALARS or data.flags.c_contiguous else data.copy()


def scalar(value: Any) -> Any:
    """A 0-d array as a NumPy scalar; everything else as it is."""
    return value[()] if value.__class__ is np.ndarray and not value.shape else value
