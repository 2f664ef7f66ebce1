"""``as_strided``: any window on a storage. It is how PyTorch shows a view whose base has a new history.

Note [Geometry]
    PyTorch's TensorGeometry: sizes, strides and storage offset, counted in elements of the storage.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .array import add_at, array_module
from .basic_ops import recording
from .op import op
from .tensor import Tensor


class Geometry(NamedTuple):
    """Where the elements of a tensor lie in its storage. See Note [Geometry]."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def counted(self) -> Geometry:
        """Without the dimensions of size 1, whose strides mean nothing."""
        kept = [i for i, n in enumerate(self.sizes) if n != 1]
        return Geometry(tuple(self.sizes[i] for i in kept), tuple(self.strides[i] for i in kept), self.offset)

    def end(self) -> int:
        """How many elements a storage needs to hold all of these."""
        return 0 if 0 in self.sizes else self.offset + 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))

    def may_overlap(self) -> bool:
        """Whether two elements may lie in one place (PyTorch's ``_maybe_overlapping_memory``)."""
        reach = 0
        for stride, size in sorted(zip(self.strides, self.sizes, strict=True)):
            if stride <= reach:
                return True
            reach += stride * (size - 1)
        return False


def owner_of(data: Any) -> Any:
    """The array that owns the memory of `data`: its storage."""
    base = getattr(data, "base", None)
    while base.__class__ is np.ndarray:
        data, base = base, base.base
    while hasattr(base, "__array_interface__") or hasattr(base, "__cuda_array_interface__"):
        data, base = base, getattr(base, "base", None)
    return data


def geometry(data: Any) -> Geometry:
    """Where the elements of an array lie in its storage."""
    if not hasattr(data, "strides") or not data.shape:
        strides: tuple[int, ...] = ()
    else:
        strides = tuple(s // data.dtype.itemsize for s in data.strides)
    return Geometry(data.shape, strides, offset_of(data))


def offset_of(data: Any) -> int:
    """How many elements of the storage lie before the first of `data`."""
    owner = owner_of(data)
    return 0 if owner is data else (address(data) - address(owner)) // int(data.dtype.itemsize)


def address(data: Any) -> int:
    """Where the first element lies in memory."""
    if data.__class__ is np.ndarray:
        return int(data.__array_interface__["data"][0])
    found = data.__array_interface__ if hasattr(data, "__array_interface__") else data.__cuda_array_interface__
    return int(found["data"][0])


def storage_of(data: Any) -> Any:
    """All of the memory that the owner of `data` has, as a vector."""
    owner = owner_of(data)
    if owner.__class__ is np.ndarray and owner.flags.forc:
        return np.ndarray((owner.nbytes // data.dtype.itemsize,), data.dtype, owner)
    tricks = array_module(data).lib.stride_tricks
    return tricks.as_strided(owner, (owner.size,), (owner.dtype.itemsize,)).view(data.dtype)


def window(storage: Any, place: Geometry) -> Any:
    """The elements at `place` of a vector, nothing copied."""
    if 0 in place.sizes:
        return storage[:0].reshape(place.sizes)
    step = storage.dtype.itemsize
    if storage.__class__ is np.ndarray and storage.flags.c_contiguous:
        return np.ndarray(place.sizes, storage.dtype, storage, place.offset * step, tuple([s * step for s in place.strides]))
    return array_module(storage).lib.stride_tricks.as_strided(
        storage[place.offset :], place.sizes, tuple(s * step for s in place.strides)
    )


@op(
    "AsStridedBackward0",
    view=True,
    self=lambda grad, self_geometry, size, stride, storage_offset: as_strided_backward(
        grad, self_geometry, size, stride, storage_offset
    ),
)
def as_strided_at(self, self_geometry, size, stride, storage_offset):
    """The elements of self's storage at a place of it."""
    return window(storage_of(self), Geometry(size, stride, self_geometry.offset if storage_offset is None else storage_offset))


def as_strided_backward(grad: Any, inner: Geometry, size: Any, stride: Any, storage_offset: int | None) -> Any:
    """The gradient of as_strided: put into a storage of zeros, and seen as the input was. Formula: PyTorch's function of this name."""
    outer = Geometry(size, stride, inner.offset if storage_offset is None else storage_offset)
    if grad.__class__ is Tensor:
        return recording.as_strided_backward(grad, inner, outer)
    xp = array_module(grad)
    if 0 in outer.sizes or 0 in inner.sizes:
        return xp.zeros(inner.sizes, grad.dtype)
    repeated = tuple(i for i, (n, s) in enumerate(zip(size, stride, strict=True)) if n > 1 and s == 0)
    if repeated:
        grad = grad.sum(axis=repeated, keepdims=True)
    inner, outer, length = from_zero(inner, outer)
    grad = xp.asarray(grad).reshape(outer.sizes)
    storage = xp.zeros(length, grad.dtype)
    if outer.may_overlap():
        add_at(storage, places(xp, outer, length).reshape(-1), grad.reshape(-1))
    else:
        window(storage, outer)[...] = grad
    counted = inner.counted()
    if counted.may_overlap():
        storage /= xp.bincount(places(xp, counted, length).reshape(-1), minlength=length)
    return window(storage, inner)[()]


def from_zero(inner: Geometry, outer: Geometry) -> tuple[Geometry, Geometry, int]:
    """Both geometries in the smallest storage that holds them, and its length; the outer one without dimensions that say nothing."""
    start = min(inner.offset, outer.offset)
    kept = [i for i, (n, s) in enumerate(zip(outer.sizes, outer.strides, strict=True)) if n != 1 and s != 0]
    outer = Geometry(tuple(outer.sizes[i] for i in kept), tuple(outer.strides[i] for i in kept), outer.offset - start)
    inner = inner._replace(offset=inner.offset - start)
    return inner, outer, max(inner.end(), outer.end())


def places(xp: Any, place: Geometry, length: int) -> Any:
    """The number in the storage of each element of `place`."""
    return window(xp.arange(length), place)
