"""``F.pad``: a border around the last dimensions."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import add_at, array_module
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue
from .gather import blank, index_select
from .overwrite import copy_
from .parts import slice_at
from .support import as_int, want_tensor

Widths = tuple[tuple[int, int], ...]  # for each dimension, how many elements before and after; negative ones are cut off


@op(
    "ConstantPadNdBackward0", contiguous=True, self=lambda grad, widths: constant_pad(grad, tuple((-a, -b) for a, b in widths), 0)
)
def constant_pad(xp, self, widths, value):
    """Self with a border of one value."""
    cut = self[tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(self.shape, widths, strict=True))]
    grown = [(max(a, 0), max(b, 0)) for a, b in widths]
    return xp.pad(cut, grown, constant_values=value) if any(a or b for a, b in grown) else cut.copy()


@op("ReflectionPad1DBackward0", self=lambda grad, self, places: reflection_pad1d_backward(grad, self, places))
def reflection_pad1d(self, places):
    """Self with its last dimension mirrored at both ends."""
    return spread_out(self, places)


@op(
    "ReflectionPad1DBackwardBackward0",
    grad_output=lambda grad, places: reflection_pad1d(grad, places),
    self=lambda grad, self_sizes: blank(grad, self_sizes),
)
def reflection_pad1d_backward(grad_output, self, places):
    """The gradient of reflection_pad1d."""
    return folded(grad_output, self.shape, places)


@op("ReflectionPad2DBackward0", self=lambda grad, self, places: reflection_pad2d_backward(grad, self, places))
def reflection_pad2d(self, places):
    """Self with its last two dimensions mirrored at all ends."""
    return spread_out(self, places)


@op(
    "ReflectionPad2DBackwardBackward0",
    grad_output=lambda grad, places: reflection_pad2d(grad, places),
    self=lambda grad, self_sizes: blank(grad, self_sizes),
)
def reflection_pad2d_backward(grad_output, self, places):
    """The gradient of reflection_pad2d."""
    return folded(grad_output, self.shape, places)


@op("ReplicationPad1DBackward0", self=lambda grad, self, places: replication_pad1d_backward(grad, self, places))
def replication_pad1d(self, places):
    """Self with the ends of its last dimension repeated."""
    return spread_out(self, places)


@op(
    "ReplicationPad1DBackwardBackward0",
    grad_output=lambda grad, places: replication_pad1d(grad, places),
    self=lambda grad, self_sizes: blank(grad, self_sizes),
)
def replication_pad1d_backward(grad_output, self, places):
    """The gradient of replication_pad1d."""
    return folded(grad_output, self.shape, places)


@op("ReplicationPad2DBackward0", self=lambda grad, self, places: replication_pad2d_backward(grad, self, places))
def replication_pad2d(self, places):
    """Self with the ends of its last two dimensions repeated."""
    return spread_out(self, places)


@op(
    "ReplicationPad2DBackwardBackward0",
    grad_output=lambda grad, places: replication_pad2d(grad, places),
    self=lambda grad, self_sizes: blank(grad, self_sizes),
)
def replication_pad2d_backward(grad_output, self, places):
    """The gradient of replication_pad2d."""
    return folded(grad_output, self.shape, places)


def spread_out(data: Any, places: tuple[Any, ...]) -> Any:
    """The elements of an array at `places` of its last dimensions."""
    for dim, index in enumerate(places, data.ndim - len(places)):
        data = data.take(index, axis=dim)
    return data


def folded(grad: Any, shape: tuple[int, ...], places: tuple[Any, ...]) -> Any:
    """The gradient of a border that repeats elements: each element's, summed over the places where it stands."""
    xp = array_module(grad)
    for dim, index in enumerate(places, len(shape) - len(places)):
        out = xp.zeros((*grad.shape[:dim], shape[dim], *grad.shape[dim + 1 :]), grad.dtype)
        add_at(out, (slice(None),) * dim + (index,), grad)
        grad = out
    return grad


FIXED = {
    ("reflect", 1): reflection_pad1d,
    ("reflect", 2): reflection_pad2d,
    ("replicate", 1): replication_pad1d,
    ("replicate", 2): replication_pad2d,
}


def widths_of(shape: tuple[int, ...], pad: Any) -> Widths:
    """``pad``, which begins with the last dimension, as pairs for all dimensions."""
    given = [as_int(n, "pad") for n in pad]
    if len(given) % 2 or len(given) > 2 * len(shape):
        raise BadArgument(f"pad has two numbers for each dimension from the last on, not {given} for shape {list(shape)}")
    pairs = [(0, 0)] * (len(shape) - len(given) // 2) + [(given[i], given[i + 1]) for i in range(0, len(given), 2)][::-1]
    if any(n + a + b < 0 for n, (a, b) in zip(shape, pairs, strict=True)):
        raise BadArgument(f"pad {given} cuts off more than shape {list(shape)} has")
    return tuple(pairs)


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Input with a border.

    Parameters
    ----------
    pad : sequence of int
        Before and after the last dimension, then the one before it, …
    mode : str
        ``constant`` (`value`), ``reflect``, ``replicate`` or ``circular``.
    """
    shape = want_tensor(input, "pad")._data.shape
    given = tuple(pad)
    widths = widths_of(shape, given)
    if mode == "constant":
        return constant_pad(input, widths, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise BadArgumentValue(f"mode of pad() is 'constant', 'reflect', 'replicate' or 'circular', not {mode!r}")
    if mode == "circular":
        return circular_pad(input, widths, len(given) // 2)
    xp = array_module(input._data)
    places = [_places(xp, n, before, after, mode) for n, (before, after) in zip(shape, widths, strict=True)]
    fixed = FIXED.get((mode, len(given) // 2))
    if fixed is not None:
        return fixed(input, tuple(places[-len(given) // 2 :]))
    for dim, (before, after) in enumerate(widths):
        if before or after:
            input = index_select(input, dim, fresh(places[dim]))
    return input


def circular_pad(input: Tensor, widths: Widths, padded: int) -> Tensor:
    """Input with its other end at each end of its last `padded` dimensions: copied into an empty tensor part by part, as PyTorch does."""
    data = input._data
    sizes = [n + before + after for n, (before, after) in zip(data.shape, widths, strict=True)]
    out = fresh(array_module(data).empty(sizes, data.dtype))
    inner = out
    dims = range(data.ndim - 1, data.ndim - padded - 1, -1)
    for dim in dims:
        before, after = widths[dim]
        inner = slice_at(inner, dim, max(before, 0), sizes[dim] - max(after, 0), 1)
        input = slice_at(input, dim, max(-before, 0), data.shape[dim] - max(-after, 0), 1)
    copy_(inner, input)
    for dim in dims:
        before, after = widths[dim]
        end = sizes[dim] - max(after, 0)
        if before > 0:
            copy_(slice_at(out, dim, 0, before, 1), slice_at(out, dim, end - before, end, 1))
        if after > 0:
            start = max(before, 0)
            copy_(slice_at(out, dim, sizes[dim] - after, sizes[dim], 1), slice_at(out, dim, start, start + after, 1))
    return out


def _places(xp: Any, size: int, before: int, after: int, mode: str) -> Any:
    """Which element stands at each place of a dimension with its border."""
    places = xp.arange(-before, size + after)
    if mode == "replicate":
        places = places.clip(0, size - 1)
    elif max(before, after) > size - 1:
        raise BadArgument(f"a {mode} border of {max(before, after)} is too wide for a dimension of size {size}")
    else:
        places = xp.abs(places)
        places = xp.where(places >= size, 2 * (size - 1) - places, places)
    return places
