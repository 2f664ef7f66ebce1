"""Convolutions and transposed convolutions in one, two and three dimensions."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.halves import one_kernel
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch, ShapeMismatch
from .conv_arrays import Geometry, correlate, match, spread
from .normalize import absent, or_absent
from .pad import pad
from .reduce import sum_dim
from .sizes import squeeze, unsqueeze
from .support import check_same_dtype, data_of, want_tensor


@op(
    "ConvolutionBackward0",
    real_only=True,
    input=lambda grad, input, weight, geometry: conv_by_input(grad, weight, geometry, spatial(input)),
    weight=lambda grad, input, weight, geometry: conv_by_weight(input, grad, geometry, spatial(weight)),
    bias=lambda grad: over_places(grad),
)
def convolution(input, weight, bias, geometry):
    """The weights moved over the input: at each place the sum of products, plus bias."""
    y = correlate(input, weight, geometry)
    if bias.shape:
        y += bias.reshape(-1, *(1,) * (y.ndim - 2))
    return y


@op(
    "ConvolutionBackwardBackward0",
    grad_output=lambda grad, weight, geometry: plain_convolution(grad, weight, geometry),
    weight=lambda grad, grad_output, weight, geometry: conv_by_weight(grad, grad_output, geometry, spatial(weight)),
)
def conv_by_input(grad_output, weight, geometry, sizes):
    """The gradient of a convolution by its input."""
    return spread(grad_output, weight, geometry, sizes)


@op(
    "ConvolutionBackwardBackward0",
    input=lambda grad, input, grad_output, geometry: conv_by_input(grad_output, grad, geometry, spatial(input)),
    grad_output=lambda grad, input, geometry: plain_convolution(input, grad, geometry),
)
def conv_by_weight(input, grad_output, geometry, kernel):
    """The gradient of a convolution by its weight."""
    return match(input, grad_output, geometry, kernel)


@op(
    "ConvolutionBackward0",
    real_only=True,
    input=lambda grad, input, weight, geometry: plain_convolution(grad, weight, geometry),
    weight=lambda grad, input, weight, geometry: conv_by_weight(grad, input, geometry, spatial(weight)),
    bias=lambda grad: over_places(grad),
)
def transposed_convolution(input, weight, bias, geometry, sizes):
    """Each element of the input spread over a window by the weights, plus bias: the transpose of a convolution."""
    y = spread(input, weight, geometry, sizes)
    if bias.shape:
        y += bias.reshape(-1, *(1,) * (y.ndim - 2))
    return y


@one_kernel
def plain_convolution(input: Any, weight: Any, geometry: Geometry) -> Any:
    """A convolution without bias, of arrays or Tensors."""
    if isinstance(input, Tensor):
        return convolution(input, weight, absent(input), geometry)
    return correlate(input, weight, geometry)


def spatial(value: Any) -> tuple[int, ...]:
    """The sizes after the first two, of an array or a Tensor."""
    return tuple(data_of(value).shape[2:])


@one_kernel
def over_places(grad: Any) -> Any:
    """The gradient of the bias: the sum over batch and places."""
    axes = (0, *range(2, len(spatial(grad)) + 2))
    return sum_dim(grad, axes, False) if isinstance(grad, Tensor) else grad.sum(axis=axes)


# ---- what scripts call ----


def numbers(value: Any, dims: int, name: str) -> tuple[int, ...]:
    """An option as one number for each dimension."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return (int(value),) * dims
    if isinstance(value, (tuple, list)) and len(value) in (1, dims) and all(isinstance(n, (int, np.integer)) for n in value):
        return tuple(int(n) for n in value) * (dims if len(value) == 1 else 1)
    raise BadArgumentType(f"{name} is a whole number, or {dims} of them, not {value!r}")


def _checked(op_name: str, input: Any, weight: Any, bias: Any, dims: int, channels: int) -> tuple[Tensor, Tensor]:
    x, w = want_tensor(input, op_name), want_tensor(weight, op_name, "weight")
    if w._data.ndim != dims + 2:
        raise ShapeMismatch(f"{op_name}() takes weights with {dims + 2} dimensions, not shape {list(w._data.shape)}")
    if x._data.ndim not in (dims + 1, dims + 2):
        names = ", ".join(("L",) if dims == 1 else ("D", "H", "W")[3 - dims :])
        raise ShapeMismatch(f"{op_name}() takes an input (N, C, {names}) or (C, {names}), not one of shape {list(x._data.shape)}")
    if x._data.dtype != w._data.dtype:
        raise DtypeMismatch(
            f"{op_name}() takes an input and weights of one dtype, not {x.dtype.name} and {w.dtype.name}",
            hint="convert one: x.to(y.dtype)",
        )
    found = x._data.shape[-dims - 1]
    if found != channels:
        raise ShapeMismatch(
            f"{op_name}() got an input of shape {list(x._data.shape)} with {found} channels, and the weights of shape "
            f"{list(w._data.shape)} are for {channels}",
            hint="the channels stand before the spatial dimensions: (N, C, H, W)",
        )
    if bias is not None and want_tensor(bias, op_name, "bias")._data.ndim != 1:
        raise ShapeMismatch(f"{op_name}() takes a vector as bias, not shape {list(bias._data.shape)}")
    return x, w


def _convolved(
    op_name: str, dims: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    w = want_tensor(weight, op_name, "weight")._data
    x, weight = _checked(op_name, input, weight, bias, dims, w.shape[1] * groups if w.ndim > 1 else 0)
    check_same_dtype(f"{op_name}()", x, bias=bias)
    if w.shape[0] % groups:
        raise BadArgument(f"{op_name}() divides {w.shape[0]} output channels into {groups} groups, which do not fit")
    steps, gaps = numbers(stride, dims, "stride"), numbers(dilation, dims, "dilation")
    if min(steps) < 1 or min(gaps) < 1 or groups < 1:
        raise BadArgument(f"stride, dilation and groups of {op_name}() are 1 or more")
    x, borders = _borders(op_name, x, w, steps, padding, gaps, dims)
    sizes = x._data.shape[-dims:]
    for n, k, p, d in zip(sizes, w.shape[2:], borders, gaps, strict=True):
        if n + 2 * p < d * (k - 1) + 1:
            raise BadArgument(
                f"the kernel {list(w.shape[2:])} of {op_name}() is larger than its input of shape {list(x._data.shape)}",
                hint="add padding, or make the kernel smaller",
            )
    batched = x._data.ndim == dims + 2
    result = convolution(x if batched else unsqueeze(x, 0), weight, or_absent(bias, x), Geometry(steps, borders, gaps, groups))
    return result if batched else squeeze(result, 0)


def _borders(
    op_name: str, x: Tensor, w: Any, steps: tuple[int, ...], padding: Any, gaps: tuple[int, ...], dims: int
) -> tuple[Tensor, tuple[int, ...]]:
    """The padding on both sides; where "same" needs more on one, the input is padded there first."""
    if not isinstance(padding, str):
        return x, numbers(padding, dims, "padding")
    if padding == "valid":
        return x, (0,) * dims
    if padding != "same":
        raise BadArgumentValue(f"padding of {op_name}() is numbers, 'same' or 'valid', not {padding!r}")
    if any(s != 1 for s in steps):
        raise BadArgument("padding='same' needs stride 1")
    totals = [d * (k - 1) for d, k in zip(gaps, w.shape[2:], strict=True)]
    if any(total % 2 for total in totals):
        extra = [n for total in reversed(totals) for n in (0, total % 2)]
        x = pad(x, extra)
    return x, tuple(total // 2 for total in totals)


def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """A convolution over (N, C, L)."""
    return _convolved("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """A convolution over (N, C, H, W)."""
    return _convolved("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """A convolution over (N, C, D, H, W)."""
    return _convolved("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def _transposed(
    op_name: str,
    dims: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    w = want_tensor(weight, op_name, "weight")._data
    x, weight = _checked(op_name, input, weight, bias, dims, w.shape[0])
    steps, borders = numbers(stride, dims, "stride"), numbers(padding, dims, "padding")
    gaps, more = numbers(dilation, dims, "dilation"), numbers(output_padding, dims, "output_padding")
    if any(m >= max(s, d) for m, s, d in zip(more, steps, gaps, strict=True)):
        raise BadArgument(f"output_padding of {op_name}() is smaller than stride or dilation, not {list(more)}")
    sizes = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, s, p, d, k, m in zip(x._data.shape[-dims:], steps, borders, gaps, w.shape[2:], more, strict=True)
    )
    if min(sizes) < 1:
        raise BadArgument(f"the result of {op_name}() would have the sizes {list(sizes)}", hint="use less padding")
    batched = x._data.ndim == dims + 2
    result = transposed_convolution(
        x if batched else unsqueeze(x, 0),
        weight,
        or_absent(bias, x),
        Geometry(steps, borders, gaps, groups),
        sizes,
    )
    return result if batched else squeeze(result, 0)


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """A transposed convolution over (N, C, L)."""
    return _transposed("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """A transposed convolution over (N, C, H, W)."""
    return _transposed("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """A transposed convolution over (N, C, D, H, W)."""
    return _transposed("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)
