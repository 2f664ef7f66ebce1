"""Arrays: the array module of a device, and how operands of one operation are brought together.

Note [0-d values]
    The data of a 0-d tensor is a NumPy scalar until somebody aliases it (a view, ``detach``), then a 0-d array: scalars are
    cheaper by half. ``Tensor._storage()`` makes the change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..errors import DeviceUnavailable, LimitExceeded, ShapeMismatch
from . import dtype as dt
from .modes import modes

SCALARS, HOST = dt.SCALARS, dt.HOST


class limits:
    """What one tensor may hold; ``session`` sets it."""

    elements: int = 2**33


def array_module(data: Any) -> Any:
    """NumPy for data on the CPU; for data on a GPU the module that is registered for it, with that GPU made current."""
    return np if data.__class__ in HOST else _at(data)


def _at(data: Any) -> Any:
    xp = _loaded()
    if xp.cuda.runtime.getDevice() != data.device.id:
        data.device.use()
    return xp


def common_module(*data: Any) -> Any:
    """The array module of operands of one operation, of which some may be 0-d values on the CPU."""
    for a in data:
        if a.__class__ not in HOST and hasattr(a, "device"):
            return _at(a)
    return np


def is_array(value: Any) -> bool:
    """Whether `value` is data: an array or a scalar of NumPy, or an array on a device."""
    return value.__class__ in HOST or (cuda.module is not None and isinstance(value, cuda.module.ndarray))


# ---- devices ----


def _import_cupy() -> Any:
    try:
        import cupy
    except ImportError:
        raise DeviceUnavailable(
            "device cuda needs cupy, which is not installed",
            hint="install agrad[cuda12] or agrad[cuda13], or use device cpu",
        ) from None
    return cupy


def _import_special() -> Any:
    from cupyx.scipy import special

    return special


class cuda:
    """What stands behind the device type ``cuda``.

    Attributes
    ----------
    load : callable
        Gives the array module: CuPy's, or one that has CuPy's names. See ``register``.
    load_special : callable
        Gives its functions that NumPy has not, such as ``erf``.
    module : module or None
        What ``load`` gave.
    index : int
        The device that ``cuda`` without a number means.
    on_first_use : list of callables
        What has to be done when the first tensor may leave the CPU.
    """

    load: Callable[[], Any] = staticmethod(_import_cupy)
    load_special: Callable[[], Any] = staticmethod(_import_special)
    module: Any = None
    index: int = 0
    on_first_use: ClassVar[list[Callable[[], None]]] = []


def register(load: Callable[[], Any], load_special: Callable[[], Any]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Let `load` and `load_special` give the modules of the device type ``cuda``; those that did until now are returned."""
    before = cuda.load, cuda.load_special
    cuda.load, cuda.load_special, cuda.module, cuda.index = load, load_special, None, 0
    return before


def special_functions(data: Any) -> Any:
    """The module with ``erf`` and its like for data on a GPU, which is made current."""
    _at(data)
    return cuda.load_special()


def _loaded() -> Any:
    if cuda.module is None:
        cuda.module = cuda.load()
    return cuda.module


def device_count() -> int:
    """How many CUDA devices can be used; DeviceUnavailable where none can."""
    try:
        found = int(_loaded().cuda.runtime.getDeviceCount())
    except DeviceUnavailable:
        raise
    except Exception as error:
        raise DeviceUnavailable(f"no CUDA device can be used ({error})", hint="use device cpu") from None
    if not found:
        raise DeviceUnavailable("this machine has no CUDA device", hint="use device cpu")
    return found


def full_name(device: str) -> str:
    """``cuda`` with the number that it means; others as they are."""
    return f"cuda:{cuda.index}" if device == "cuda" else device


def module_of_device(device: str) -> Any:
    """The array module of `device` (``cpu``, ``cuda``, ``cuda:N``), which is made current; DeviceUnavailable where there is none."""
    if device == "cpu":
        return np
    found, number = device_count(), int(full_name(device).partition(":")[2])
    if number >= found:
        raise DeviceUnavailable(f"device {device}: this machine has {found} CUDA device(s)", hint="use device cpu")
    if modes.host_only:
        modes.host_only = False
        for prepare in cuda.on_first_use:
            prepare()
    xp = _loaded()
    xp.cuda.Device(number).use()
    return xp


def device_of(data: Any) -> str:
    """``cpu`` or ``cuda:N``."""
    return "cpu" if data.__class__ in HOST else f"cuda:{data.device.id}"


def put_on(data: Any, device: str) -> Any:
    """`data` on a device: itself where it is there already, else a copy."""
    device = full_name(device)
    if device_of(data) == device:
        return data
    if device == "cpu":
        return array_module(data).asnumpy(data)[()]
    return module_of_device(device).asarray(data)


ATOMIC = "iefdIL"  # dtypes that CUDA adds to one place from several threads


def add_at(out: Any, where: Any, values: Any) -> None:
    """``out[where] += values`` where a place may be named several times."""
    xp = array_module(out)
    if xp is np or out.dtype.char in ATOMIC:
        xp.add.at(out, where, values)
    elif out.dtype.kind == "c":
        for part in ("real", "imag"):
            add_at(getattr(out, part), where, getattr(values, part))
    else:  # sums of integers wrap around alike in every width
        sums = out.astype(np.float32 if out.dtype.kind == "V" else np.uint64 if out.dtype.itemsize == 8 else np.int32)
        xp.add.at(sums, where, values.astype(sums.dtype))
        out[...] = sums.astype(out.dtype)


def check_size(shape: tuple[int, ...]) -> None:
    """Refuse a tensor that could never be held, before anything is allocated."""
    total = 1
    for n in shape:
        total *= n
    if total > limits.elements:
        raise LimitExceeded(
            f"a tensor of shape {list(shape)} has {total:,} elements; the limit is {limits.elements:,}",
            hint="make the tensor smaller",
        )


def promote(arrays: tuple[Any, ...], *, to_float: bool = False) -> tuple[Any, ...]:
    """Bring operands to one dtype by PyTorch's rules (``torch.result_type``); ``to_float``: integers become the default float."""
    dims = scalars = None
    for a in arrays:
        own = dt.of(a)
        if a.shape:
            dims = own if dims is None else dt.promote_types(dims, own)
        else:
            scalars = own if scalars is None else dt.promote_types(scalars, own)
    result = dt.combine(dims, scalars)
    if to_float and result.category < dt.FLOATING:
        result = dt.default.dtype
    wanted = result.numpy
    return tuple(a if a.dtype == wanted else cast_array(a, wanted) for a in arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape; ShapeMismatch says which dimension does not fit."""
    result: list[int] = []
    for shape in shapes:
        padded = [1] * (len(result) - len(shape)) + list(shape)
        result = [1] * (len(padded) - len(result)) + result
        for dim, n in enumerate(padded):
            if n != 1 and result[dim] not in (1, n):
                given = " and ".join(str(list(s)) for s in shapes)
                raise ShapeMismatch(
                    f"shapes {given} do not broadcast: dimension {dim - len(padded)} has sizes {result[dim]} and {n}",
                    hint="sizes must be equal or 1, counted from the last dimension",
                )
            if result[dim] == 1:
                result[dim] = n
    return tuple(result)


def cast_array(data: Any, wanted: Any) -> Any:
    """`data` in another NumPy dtype; of complex numbers that become real, the real part."""
    data = data.real if data.dtype.kind == "c" != wanted.kind else data
    return to_half(data, wanted) if wanted in dt.HALVES else data.astype(wanted)


def to_half(data: Any, wanted: Any) -> Any:
    """`data` as 2-byte floats: by way of float32, as PyTorch goes, so that a float64 is rounded twice."""
    return data.astype(wanted) if data.dtype in dt.HALVES else data.astype(np.float32).astype(wanted)


def full_view(value: Any, shape: tuple[int, ...]) -> Any:
    """`value`, a 0-d array or scalar, at every place of `shape` without storing it more than once. Read only by convention."""
    if value.__class__ in SCALARS:
        return np.ndarray(shape, value.dtype, np.array(value), 0, (0,) * len(shape))
    if value.__class__ is np.ndarray:  # shares the memory, as broadcast_to does in ten times the time
        return np.ndarray(shape, value.dtype, value, 0, (0,) * len(shape))
    return array_module(value).broadcast_to(value, shape)


def sum_to(grad: Any, shape: tuple[int, ...]) -> Any:
    """Undo a broadcast: add `grad` up over the axes along which `shape` was repeated."""
    have = grad.shape
    if have == shape:
        return grad
    if modes.halves_seen and grad.dtype in dt.HALVES:
        return sum_to(grad.astype(np.float32), shape).astype(grad.dtype)
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 != have[i + lead])
    return grad.sum(axis=axes).reshape(shape) if shape else grad.sum()[()]
