"""``nn.init``: PyTorch's initialisers, drawing PyTorch's random numbers.

Sources: Glorot and Bengio 2010 (xavier), He et al. 2015 (kaiming), Saxe et al. 2013 (orthogonal); PyTorch's ``nn.init``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import device_of
from ..core.device_streams import generator_for, stream_of
from ..core.grad_mode import no_grad
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgumentValue
from ..ops.support import on_device_of

_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
}
_GAINS |= {"sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps the variance through a nonlinearity."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise BadArgumentValue(f"negative_slope {slope!r} is not a number")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise BadArgumentValue(
            f"no gain is known for the nonlinearity {nonlinearity!r}", hint=f"one of {', '.join([*_GAINS, 'leaky_relu'])}"
        )
    return _GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs and outputs a unit has: (fan_in, fan_out)."""
    shape = tensor._data.shape
    if len(shape) < 2:
        raise BadArgumentValue(
            f"fan in and fan out need a tensor with 2 dimensions or more, and this one has shape {list(shape)}",
            hint="biases are usually set with zeros_() or uniform_()",
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


@no_grad()
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Numbers from [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Normally distributed numbers."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def trunc_normal_(
    tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Any:
    """Normally distributed numbers within [a, b]: those outside are drawn anew."""
    stream, dtype = generator_for(generator, device_of(tensor._data)), tensor._data.dtype
    count = tensor._data.size
    share = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    if share > 0.3:
        values = stream.normal(count, mean, std, dtype)
        while (outside := (values < dtype.type(a)) | (values > dtype.type(b))).any():
            values = np.where(outside, stream.normal(count, mean, std, dtype), values)
    else:
        values = _rejected(stream, count, mean, std, a, b, dtype)
    return tensor.copy_(_like(tensor, values.reshape(tensor._data.shape)))


def _rejected(stream: Any, count: int, mean: float, std: float, a: float, b: float, dtype: Any) -> Any:
    """Uniform numbers of [a, b], each kept with a probability that the normal density gives."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values = stream.uniform(count, a, b, dtype)
    pending = np.ones(count, bool)
    candidates = values
    while True:
        height = ((candidates - dtype.type(mean)) / dtype.type(std)) ** 2 * dtype.type(-0.5) - dtype.type(peak)
        with np.errstate(divide="ignore"):
            pending &= np.log(stream.uniform(count, 0, 1, dtype)) > height
        if not pending.any():
            return values
        candidates = stream.uniform(count, a, b, dtype)
        values = np.where(pending, candidates, values)


def _normal_cdf(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2.0))) / 2.0


@no_grad()
def constant_(tensor: Any, val: float) -> Any:
    """One value everywhere."""
    return tensor.fill_(val)


@no_grad()
def ones_(tensor: Any) -> Any:
    """Ones."""
    return tensor.fill_(1.0)


@no_grad()
def zeros_(tensor: Any) -> Any:
    """Zeros."""
    return tensor.zero_()


@no_grad()
def eye_(tensor: Any) -> Any:
    """The unit matrix."""
    _want_matrix(tensor, "eye_")
    return tensor.copy_(_like(tensor, np.eye(*tensor._data.shape)))


@no_grad()
def dirac_(tensor: Any, groups: int = 1) -> Any:
    """For convolutions: output channels that repeat input channels."""
    shape = tensor._data.shape
    if not 3 <= len(shape) <= 5:
        raise BadArgumentValue(f"dirac_() takes tensors with 3, 4 or 5 dimensions, not {len(shape)}")
    if shape[0] % groups:
        raise BadArgumentValue(f"the first size, {shape[0]}, must be divisible by groups, {groups}")
    out = np.zeros(shape)
    per_group = shape[0] // groups
    middle = tuple(n // 2 for n in shape[2:])
    for group in range(groups):
        for channel in range(min(per_group, shape[1])):
            out[(group * per_group + channel, channel, *middle)] = 1
    return tensor.copy_(_like(tensor, out))


@no_grad()
def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Uniform numbers that keep the variance of activations and of gradients about equal."""
    fan_in, fan_out = fans(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return tensor.uniform_(-bound, bound, generator=generator)


@no_grad()
def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """As xavier_uniform_, normally distributed."""
    fan_in, fan_out = fans(tensor)
    return tensor.normal_(0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator=generator)


def _kaiming_std(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise BadArgumentValue(f"mode is 'fan_in' or 'fan_out', not {mode!r}")
    fan = fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


@no_grad()
def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Uniform numbers that keep the variance through rectifiers."""
    if 0 in tensor._data.shape:
        warn("EmptyInit")
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor.uniform_(-bound, bound, generator=generator)


@no_grad()
def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """As kaiming_uniform_, normally distributed."""
    if 0 in tensor._data.shape:
        warn("EmptyInit")
        return tensor
    return tensor.normal_(0, _kaiming_std(tensor, a, mode, nonlinearity), generator=generator)


@no_grad()
def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Rows (or columns, where there are fewer) that are orthonormal."""
    shape = tensor._data.shape
    if len(shape) < 2:
        raise BadArgumentValue("orthogonal_() takes tensors with 2 dimensions or more")
    if not tensor._data.size:
        return tensor
    rows, columns = shape[0], tensor._data.size // shape[0]
    drawn = (
        generator_for(generator, device_of(tensor._data)).normal(rows * columns, dtype=tensor._data.dtype).reshape(rows, columns)
    )
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * np.sign(np.diag(r))
    tensor.copy_(_like(tensor, (q.T if rows < columns else q).reshape(shape)))
    return tensor.mul_(gain)


@no_grad()
def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Normally distributed numbers, with a share of each column set to zero."""
    _want_matrix(tensor, "sparse_")
    rows, columns = tensor._data.shape
    tensor.normal_(0, std, generator=generator)
    zeros = math.ceil(sparsity * rows)
    for column in range(columns):
        order = stream_of(device_of(tensor._data)).randperm(rows)
        tensor._data[on_device_of(tensor._data, order[:zeros]), column] = 0
    return tensor


def _want_matrix(tensor: Any, name: str) -> None:
    if tensor._data.ndim != 2:
        raise BadArgumentValue(f"{name}() takes a matrix, not {tensor._data.ndim} dimensions")


def _like(tensor: Any, values: Any) -> Any:
    return fresh(on_device_of(tensor._data, np.ascontiguousarray(values, tensor._data.dtype)))
