"""Operands on devices: what the functions written by ``op_source.py`` call once a tensor may live elsewhere than on the CPU.

Note [Two writings of an operation]
    Nearly every run stays on the CPU, and there an operation should not pay for asking where its operands are. So operations are written
    for the CPU alone until a device is used for the first time; then all are written anew, with the questions in them.

Note [CPU scalars]
    As in PyTorch, a 0-d tensor on the CPU may stand beside tensors of a device: it goes there as a number, and its gradient comes back to
    the CPU. All other mixing is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DeviceMismatch
from .array import HOST, array_module, device_of, put_on
from .op_support import fit_array, fit_tensor, prepare
from .tensor import Tensor


class DeviceFits(tuple[Any, ...]):
    """What ``validate_outputs`` needs where devices count: (shape, dtype, device) for each input, or None."""

    __slots__ = ()

    def validate(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """Make each gradient fit its input; a gradient without dimensions is moved to the input's device, as in PyTorch."""
        return tuple(g if g is None or fit is None else self._fit(g, fit) for g, fit in zip(grads, self, strict=False))

    @staticmethod
    def _fit(grad: Any, fit: tuple[Any, Any, str]) -> Any:
        from .basic_ops import moved

        as_tensor = grad.__class__ is Tensor
        grad = fit_tensor(grad, fit[:2]) if as_tensor else fit_array(grad, fit[:2])
        data = grad._data if as_tensor else grad
        have = device_of(data)
        if have == fit[2]:
            return grad
        if data.shape:
            raise DeviceMismatch(
                f"a gradient on {have} was returned for an input on {fit[2]}",
                hint="a gradient lives where its input does: move it with .to(input.device)",
            )
        return moved(grad, fit[2])


def fits_of(*data: Any) -> DeviceFits:
    """The fits of operands."""
    return DeviceFits((a.shape, a.dtype, device_of(a)) for a in data)


def together(op: str, names: tuple[str, ...], *data: Any, scalars: bool = True) -> tuple[Any, ...]:
    """Operands that may stand in one operation, with their device made current. See Note [CPU scalars]; without `scalars`, these may not.

    Raises
    ------
    DeviceMismatch
    """
    places = [device_of(a) for a in data]
    common = next((p for p in places if p != "cpu"), None)
    if common is None:
        return data
    for a, place in zip(data, places, strict=True):
        if place != common and (a.shape or place != "cpu" or not scalars):
            one, other = sorted((places.index(common), next(i for i, b in enumerate(data) if b is a)))
            raise mismatch(op, (names[one], data[one]), (names[other], data[other]))
    array_module(next(a for a, p in zip(data, places, strict=True) if p == common))
    return tuple(plain(a) for a in data)


def mismatch(op: str, one: tuple[str, Any], other: tuple[str, Any]) -> DeviceMismatch:
    """The error of two operands, (name, data) each, that live on different devices."""
    (name, data), (name2, data2) = one, other
    here, there = device_of(data), device_of(data2)
    error = DeviceMismatch(
        f"{op}() got tensors on different devices: `{name}` of shape {list(data.shape)} is on {here}, and `{name2}` of shape "
        f"{list(data2.shape)} is on {there}",
        hint=f"move one of them: .to('{there if here == 'cpu' else here}'), or make it there with device=",
    )
    error.operands = (one, other)
    return error


def carried(target: Any, data: Any) -> Any:
    """`data` as it can be written into `target`: brought to its device, or as the number that it is; `target`'s device is current."""
    at_device(target)
    here, there = device_of(data), device_of(target)
    return data if here == there else plain(data) if here == "cpu" and not data.shape else put_on(data, there)


def plain(data: Any) -> Any:
    """A 0-d array of NumPy as the scalar that may stand beside arrays of a device."""
    return data[()] if data.__class__ is np.ndarray and not data.shape else data


def prepare_on_devices(*data: Any, to_float: bool = False) -> tuple[Any, ...]:
    """As ``prepare``, with the devices in what ``validate_outputs`` needs; None where every gradient fits as it comes."""
    _, *operands = prepare(*data, to_float=to_float)
    first = data[0]
    alike = all(a.shape == first.shape and a.dtype == first.dtype and device_of(a) == device_of(first) for a in data)
    same = alike and operands[0].dtype == first.dtype
    return (None if same else fits_of(*data), *operands)


def prepare_float_on_devices(*data: Any) -> tuple[Any, ...]:
    """``prepare_on_devices`` that makes integers floats."""
    return prepare_on_devices(*data, to_float=True)


def at_device(data: Any) -> Any:
    """`data`, with its device made current."""
    if data.__class__ not in HOST and hasattr(data, "device"):
        array_module(data)
    return data
