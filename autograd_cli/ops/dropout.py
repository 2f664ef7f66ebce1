"""Dropout: elements, or whole channels, set to zero at random; PyTorch's stream of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import SCALARS, device_of
from ..core.device_streams import stream_of
from ..core.op_support import fresh, refuse_complex, scalar
from ..core.tensor import Tensor
from ..errors import BadArgumentValue, ShapeMismatch
from .arithmetic import mul
from .support import on_device_of, want_tensor


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Each element is 0 with probability p and is divided by 1 - p otherwise; nothing happens when not training."""
    data = _checked(input, p, "dropout")
    if not training or p == 0 or not data.size:
        return input
    refuse_complex("dropout", data)
    return _applied(input, _noise(data, p, device_of(data)), inplace)


def feature_dropout(name: str, dims: tuple[int, ...]) -> Any:
    """``dropout1d`` and its like: whole channels are dropped."""

    def function(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        data = _checked(input, p, name)
        if data.ndim not in dims:
            raise ShapeMismatch(f"{name}() takes {' or '.join(map(str, dims))} dimensions, not {data.ndim}")
        if not training or p == 0 or not data.size:
            return input
        lead = data.ndim - dims[0] + 1  # batch and channel, or channel alone
        shape = (*data.shape[:lead], *(1,) * (data.ndim - lead))
        return _applied(input, _noise(np.empty(shape, data.dtype), p, device_of(data)), inplace)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Each channel is 0 with probability p and is divided by 1 - p otherwise."
    return function


dropout1d = feature_dropout("dropout1d", (2, 3))
dropout2d = feature_dropout("dropout2d", (3, 4))
dropout3d = feature_dropout("dropout3d", (4, 5))


def _checked(input: Any, p: float, name: str) -> Any:
    if not 0 <= p <= 1:
        raise BadArgumentValue(f"the probability p of {name}() is between 0 and 1, not {p}")
    return want_tensor(input, name)._data


def _noise(like: Any, p: float, place: str) -> Any:
    """0 or 1 / (1 - p) for each element, drawn in memory order from the stream of a device."""
    if p == 1:
        return like.dtype.type(0)
    number = np.dtype(like.dtype).type
    drawn = stream_of(place).bernoulli(like.size, 1 - p).astype(like.dtype) / number(1 - p)
    if like.__class__ in SCALARS:
        return drawn[0]
    order = sorted(range(like.ndim), key=lambda d: -abs(like.strides[d])) if 0 not in like.strides else list(range(like.ndim))
    if order == list(range(like.ndim)):
        return drawn.reshape(like.shape)
    back = np.argsort(order)
    return drawn.reshape([like.shape[d] for d in order]).transpose(back)


def _applied(input: Tensor, noise: Any, inplace: bool) -> Any:
    factor = fresh(scalar(on_device_of(input._data, noise)))
    return input.mul_(factor) if inplace else mul(input, factor)  # type: ignore[attr-defined]
