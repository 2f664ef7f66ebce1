"""``layer_norm``, ``group_norm``, ``batch_norm``, ``instance_norm`` and ``rms_norm``, as scripts call them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.basic_ops import to_dtype
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue, ShapeMismatch
from .arithmetic import add_scalar
from .normalize import Layout, native_batch_norm, native_group_norm, native_layer_norm, or_absent
from .pointwise import rsqrt
from .power import pow_scalar
from .rearrange import repeat
from .reduce import mean_dim
from .shape import reshape, view
from .support import check_same_dtype, want_tensor


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Input normalised over its last dimensions (Ba et al. 2016).

    Parameters
    ----------
    normalized_shape : sequence of int
        The sizes of those dimensions.
    weight, bias : Tensor, optional
        Of that shape.
    """
    shape = want_tensor(input, "layer_norm")._data.shape
    last = tuple(normalized_shape)
    _check_last(shape, last, "layer_norm")
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given._data.shape != last:
            raise ShapeMismatch(f"layer_norm() takes a {name} of shape {list(last)}, not {list(given._data.shape)}")
    check_parameters("layer_norm()", input, weight=weight, bias=bias)
    lead = len(shape) - len(last)
    kept = (*shape[:lead], *(1,) * len(last))
    layout = Layout(shape, tuple(range(lead, len(shape))), last, tuple(range(lead)), kept)
    return native_layer_norm(input, or_absent(weight, input), or_absent(bias, input), layout, eps)[0]


def _check_last(shape: tuple[int, ...], last: tuple[int, ...], name: str) -> None:
    if not last or shape[len(shape) - len(last) :] != last:
        raise ShapeMismatch(
            f"{name}() normalises over the last sizes {list(last)}, and the input has shape {list(shape)}",
            hint="normalized_shape are the input's last sizes",
        )


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Input (N, C, …) normalised over groups of channels (Wu and He 2018)."""
    shape = want_tensor(input, "group_norm")._data.shape
    if len(shape) < 2:
        raise BadArgument(f"group_norm() takes (N, C, …), not {len(shape)} dimension(s)")
    channels = shape[1]
    if channels % num_groups:
        raise BadArgument(
            f"group_norm() divides the channels into groups of one size, and {channels} are not divisible by {num_groups}"
        )
    _check_channels("group_norm", channels, weight=weight, bias=bias)
    check_parameters("group_norm()", input, weight=weight, bias=bias)
    seen = (shape[0], num_groups, math.prod(shape[1:]) // num_groups)
    layout = Layout(seen, (2,), *_per_channel(shape), seen[:2])
    return native_group_norm(input, or_absent(weight, input), or_absent(bias, input), layout, eps)[0]


def check_parameters(op: str, input: Tensor, **given: Tensor | None) -> None:
    """Weights and statistics have the input's dtype; beside a half type they may all be float32."""
    if input._data.dtype.itemsize > 2 or any(t is not None and t._data.dtype != np.float32 for t in given.values()):
        check_same_dtype(op, input, **given)


def _per_channel(shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of weights beside the input, and the axes along which they are repeated."""
    return (1, shape[1], *(1,) * (len(shape) - 2)), (0, *range(2, len(shape)))


def _check_channels(name: str, channels: int, **given: Any) -> None:
    for what, tensor in given.items():
        if tensor is not None and tensor._data.shape != (channels,):
            raise ShapeMismatch(
                f"{name}() takes one {what} for each of the {channels} channels, not shape {list(tensor._data.shape)}"
            )


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Input (N, C, …) normalised over the batch, channel by channel (Ioffe and Szegedy 2015).

    While training the running statistics are updated in place; otherwise they are used.
    """
    shape = want_tensor(input, "batch_norm")._data.shape
    if len(shape) < 2:
        raise BadArgument(f"batch_norm() takes (N, C, …), not {len(shape)} dimension(s)")
    if training and math.prod(shape) == shape[1]:
        raise BadArgumentValue(
            f"batch_norm() needs more than one value for each channel while training, and the input has shape {list(shape)}",
            hint="use a larger batch, or model.eval()",
        )
    if not training and (running_mean is None or running_var is None):
        raise BadArgument("batch_norm() needs running_mean and running_var when it is not training")
    _check_channels("batch_norm", shape[1], weight=weight, bias=bias, running_mean=running_mean, running_var=running_var)
    check_parameters("batch_norm()", input, weight=weight, bias=bias, running_mean=running_mean, running_var=running_var)
    scale, summed = _per_channel(shape)
    layout = Layout(shape, summed, scale, summed, (shape[1],))
    given = (or_absent(t, input) for t in (weight, bias, running_mean, running_var))
    result, mean, rstd = native_batch_norm(input, *given, layout, eps, training)
    if training and running_mean is not None:
        _follow(running_mean, mean._data, momentum)
        count = math.prod(shape) // shape[1]
        variance = (1 / (rstd._data * rstd._data) - eps) * (count / (count - 1))
        _follow(running_var, variance, momentum)
    return result


def _follow(running: Tensor, now: Any, momentum: float) -> None:
    """Move a running statistic towards that of a batch. PyTorch's kernel does not count it as a change."""
    data = running._storage()
    data[...] = momentum * now + (1 - momentum) * data


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Input (N, C, …) normalised for each sample and channel (Ulyanov et al. 2016): PyTorch's batch_norm of N * C channels."""
    shape = want_tensor(input, "instance_norm")._data.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise BadArgumentValue(
            f"instance_norm() needs more than one value for each channel, and the input has shape {list(shape)}"
        )
    batch, channels = shape[:2]
    repeated = [None if t is None else repeat(t, batch) for t in (weight, bias, running_mean, running_var)]
    flat = reshape(input, (1, batch * channels, *shape[2:]))
    result = batch_norm(flat, repeated[2], repeated[3], repeated[0], repeated[1], use_input_stats, momentum, eps)
    changed: Any
    for tensor, changed in ((running_mean, repeated[2]), (running_var, repeated[3])):
        if tensor is not None:
            tensor._storage()[...] = changed._data.reshape(batch, channels).mean(0)
    return view(result, shape)


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    """Input divided by its root mean square over the last dimensions (Zhang and Sennrich 2019)."""
    data = want_tensor(input, "rms_norm")._data
    last = tuple(normalized_shape)
    _check_last(data.shape, last, "rms_norm")
    axes = tuple(range(data.ndim - len(last), data.ndim))
    half = data.dtype if data.dtype in dt.HALVES else None
    if half is not None:  # PyTorch goes up to float32 for the whole formula
        input = to_dtype(input, np.dtype(np.float32))
    if eps is None:
        eps = float(np.finfo(input._data.dtype).eps)
    result = input * rsqrt(add_scalar(mean_dim(pow_scalar(input, 2), axes, True), eps))
    result = result if weight is None else result * weight
    return result if half is None else to_dtype(result, half)
