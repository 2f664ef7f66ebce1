"""The operations the engine itself needs: to add gradients, to undo a broadcast, to change a dtype. All others are in ``ops/``."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from .array import array_module, cast_array, device_of, full_view, put_on
from .array import sum_to as sum_array_to
from .op import op, pointwise
from .tensor import Tensor


@pointwise("AddBackward0", self=lambda grad: grad, other=lambda grad: grad)
def add(self, other):
    """Sum: self + other."""
    return self + other


@op("SumBackward1", self=lambda grad, self_sizes: expand_to(grad, self_sizes))
def sum_to_size(self, size):
    """Sum over the dimensions along which `size` was broadcast to self."""
    return sum_array_to(self, size)


@op("ExpandBackward0", view=True, self=lambda grad, self_sizes: sum_to(grad, self_sizes))
def expand_to(self, size):
    """Self repeated to `size` without copying."""
    return broadcast_array(self, size)


@op("ToCopyBackward0", as_given="all", self=lambda grad, self_dtype: cast_back(grad, self_dtype))
def to_dtype(self, dtype):
    """Self converted to `dtype` (a NumPy dtype)."""
    return cast_array(self, dtype)


def cast_back(grad: Any, dtype: Any) -> Any:
    """A gradient in the dtype of the input of a conversion; of a complex one for a real input the real part."""
    if grad.__class__ is not Tensor:
        return cast_array(grad, dtype)
    if grad._data.dtype.kind == "c" != dtype.kind:
        grad = recording.real(grad)
    return grad if grad._data.dtype == dtype else to_dtype(grad, dtype)


@op("ConjBackward0", view=True, self=lambda grad: conj_view(grad))
def conj_view(self):
    """The complex conjugate of a complex tensor."""
    return self.conj()


def conj(value: Any) -> Any:
    """The complex conjugate of a Tensor, an array or a number; real ones as they are."""
    if value.__class__ is Tensor:
        number = None if value._meta is None else value._meta.number  # a real number beside a complex tensor stays one
        return conj_view(value) if value._data.dtype.kind == "c" and (number is None or number.kind == "c") else value
    if value.__class__ is complex:
        return value.conjugate()
    return value.conj() if hasattr(value, "dtype") and value.dtype.kind == "c" else value


@op("ToCopyBackward0", as_given="all", self=lambda grad, self_device, self_dtype: moved(grad, self_device, self_dtype))
def to_device(self, device, dtype):
    """Self on another device, and perhaps in another dtype."""
    data = put_on(self, device)
    return data if data.dtype == dtype else data.astype(dtype)


def moved(grad: Any, device: str, dtype: Any = None) -> Any:
    """A gradient brought to a device, if it is not there, and to a dtype: recorded where it is a Tensor."""
    if grad.__class__ is Tensor:
        here, have = device_of(grad._data), grad._data.dtype
        return grad if here == device and dtype in (None, have) else to_device(grad, device, dtype or have)
    data = put_on(grad, device)
    return data if dtype is None or data.dtype == dtype else data.astype(dtype)


@op("torch::autograd::CopyBackwards", self=lambda grad: None, src=lambda grad: grad)
def copy_gradient(self, src):
    """A copy of `src` for a leaf's ``.grad``; `self` is what PyTorch copies it into, which never requires grad."""
    return src.copy()


@op("CloneBackward0", self=lambda grad: grad)
def clone_gradient(self):
    """A copy of self for the ``.grad`` of a tensor that is not a leaf."""
    return self.copy()


class recording:
    """What is done to Tensors in the op table's words, which stand above the core; the table puts them here.

    ``sum_to`` undoes a broadcast, ``real`` gives the real part, ``copy_`` writes into a view, ``as_strided_backward`` is the gradient of a
    window on a storage.
    """

    sum_to: Any = staticmethod(sum_to_size)
    real: Any = None
    copy_: Any = None
    as_strided_backward: Any = None
    stack: Any = None


def sum_to(grad: Any, size: tuple[int, ...]) -> Any:
    """Undo a broadcast, of an array or of a Tensor."""
    if grad.__class__ is not Tensor:
        return sum_array_to(grad, size)
    return grad if grad._data.shape == size else recording.sum_to(grad, size)


def broadcast_array(data: Any, size: tuple[int, ...]) -> Any:
    """`data` seen with shape `size`, nothing copied."""
    if not data.shape:
        return full_view(data, size)
    return array_module(data).broadcast_to(data, size) if data.shape != size else data[...]  # NumPy would lose strides of size 1


def add_gradients(a: Any, b: Any) -> Any:
    """The sum of two gradients of one input: recorded where they are Tensors."""
    return add(a, b) if a.__class__ is Tensor else a + b
