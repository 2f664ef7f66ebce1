"""Arrays: the array module of a device, and how operands of one operation are brought together.

Note [0-d values]
    The data of a 0-d tensor is a NumPy scalar until somebody aliases it (a view, ``detach``), then a 0-d array: scalars are
    cheaper by half. ``Tensor._storage()`` makes the change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DeviceMismatch, DeviceUnavailable, LimitExceeded, ShapeMismatch
from . import dtype as dt
from .modes import modes

SCALARS = frozenset(np.dtype(d.numpy).type for d in dt.dtype._of_numpy.values())
HOST = SCALARS | {np.ndarray}  # classes of data that live on the CPU


class limits:
    """What one tensor may hold; ``session`` sets it."""

    elements: int = 2**33


def array_module(data: Any) -> Any:
    """NumPy for data on the CPU, CuPy for data on a GPU."""
    return np if data.__class__ in HOST else _cupy()


def _cupy() -> Any:
    try:
        import cupy
    except ImportError:
        raise DeviceUnavailable(
            "device cuda needs cupy, which is not installed",
            hint="install agrad[cuda12] or agrad[cuda13], or use device cpu",
        ) from None
    return cupy


def module_of_device(device: str) -> Any:
    """The array module of `device` (``cpu``, ``cuda``, ``cuda:N``); DeviceUnavailable where there is none."""
    if device == "cpu":
        return np
    cupy = _cupy()
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise DeviceUnavailable(f"device {device}: no CUDA device can be used ({error})", hint="use device cpu") from None
    number = int(device.partition(":")[2] or 0)
    if number >= found:
        raise DeviceUnavailable(f"device {device}: this machine has {found} CUDA device(s)", hint="use device cpu")
    modes.host_only = False
    return cupy


def device_of(data: Any) -> str:
    """``cpu`` or ``cuda:N``."""
    return "cpu" if data.__class__ in HOST else f"cuda:{data.device.id}"


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
    device = {device_of(a) for a in arrays if a.shape} or {"cpu"}
    if len(device) > 1:
        raise DeviceMismatch(
            f"tensors on {' and '.join(sorted(device))} in one operation", hint="move them together with .to(device)"
        )
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
    return tuple(a if a.dtype == wanted else a.astype(wanted) for a in arrays)


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
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 != have[i + lead])
    return grad.sum(axis=axes).reshape(shape) if shape else grad.sum()[()]
