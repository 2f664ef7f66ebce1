"""``as_strided``: any window on the storage of a tensor, and its gradient in operations that record."""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.as_strided import Geometry, as_strided_at, from_zero, geometry, owner_of, places
from ..core.basic_ops import recording
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument
from .reduce import sum as sum_dims
from .shape import reshape
from .sizes import squeeze_dim
from .support import as_int, as_size, want_tensor


def as_strided(input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """The elements of input's storage from `storage_offset` on, in steps of `stride` along each dimension: a view."""
    own, place = asked_place(input, "as_strided", size, stride, storage_offset)
    return as_strided_at(input, own, *place)


def asked_place(input: Any, name: str, size: Any, stride: Any, storage_offset: Any) -> tuple[Geometry, Geometry]:
    """Where input lies in its storage, and the window that is asked for, checked."""
    data = want_tensor(input, name)._storage()
    own = geometry(data)
    offset = own.offset if storage_offset is None else as_int(storage_offset, "storage_offset")
    place = Geometry(as_size((size,), "size"), as_size((stride,), "stride"), offset)
    if len(place.sizes) != len(place.strides):
        raise BadArgument(f"{name}() takes as many strides as sizes, not {len(place.strides)} for {len(place.sizes)}")
    if min((*place.sizes, *place.strides, offset), default=0) < 0:
        raise BadArgument(
            f"{name}() takes no negative sizes, strides or offsets: {list(place.sizes)}, {list(place.strides)}, {offset}"
        )
    there = int(owner_of(data).nbytes) // int(data.dtype.itemsize)
    if place.end() > there:
        raise BadArgument(
            f"{name}() with the sizes {list(place.sizes)}, the strides {list(place.strides)} and the offset {offset} needs a storage of "
            f"{place.end()} elements, and there are {there}"
        )
    return own, place


def as_strided_backward(grad: Tensor, inner: Geometry, outer: Geometry) -> Tensor:
    """The gradient of as_strided, recorded as PyTorch records it: see the function of this name in ``core/as_strided.py``."""
    data = grad._data
    xp = array_module(data)
    if 0 in outer.sizes or 0 in inner.sizes:
        return fresh(xp.zeros(inner.sizes, data.dtype))
    for dim in reversed(range(len(outer.sizes))):
        if outer.sizes[dim] == 1:
            grad = squeeze_dim(grad, dim)
        elif outer.strides[dim] == 0:
            grad = sum_dims(grad, dim)
    inner, outer, length = from_zero(inner, outer)
    storage: Any = fresh(xp.zeros(length, data.dtype))
    whole = geometry(storage._data)
    if outer.may_overlap():
        storage.index_add_(0, fresh(places(xp, outer, length).reshape(-1)), reshape(grad, -1))
    else:
        recording.copy_(as_strided_at(storage, whole, *outer), grad)
    counted = inner.counted()
    if counted.may_overlap():
        storage.div_(fresh(xp.bincount(places(xp, counted, length).reshape(-1), minlength=length).astype(data.dtype)))
    found: Tensor = as_strided_at(storage, geometry(storage._data), *inner)
    return found


recording.as_strided_backward = as_strided_backward
