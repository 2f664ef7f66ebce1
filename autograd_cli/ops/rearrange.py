"""Operations that copy elements to other places: repeat, flip, roll."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op
from ..errors import BadArgument, BadArgumentType
from .gather import blank
from .reduce import sum_dim
from .shape import reshape_to
from .support import as_int, as_size, want_tensor, wrap_dim, wrap_dims


@op("RepeatBackward0", contiguous=True, self=lambda grad, self_sizes, repeats: repeat_backward(grad, self_sizes, repeats))
def repeat_times(self, repeats):
    """Self laid side by side, a number of times along each dimension."""
    return array_module(self).tile(self, repeats)


def repeat_backward(grad: Any, sizes: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """PyTorch's repeat_backward: the copies' gradients, summed."""
    if 0 in repeats:
        return blank(grad, sizes)
    new = len(repeats) - len(sizes)
    for _ in range(new):
        grad = sum_dim(grad, (0,), False)
    shape: list[int] = []
    summed: list[int] = []
    for times, n in zip(repeats[new:], sizes, strict=True):
        if times != 1:
            summed.append(len(shape))
            shape.append(times)
        shape.append(n)
    return sum_dim(reshape_to(grad, tuple(shape)), tuple(summed), False) if summed else grad


@op("FlipBackward0", self=lambda grad, dims: flip_dims(grad, dims))
def flip_dims(xp, self, dims):
    """Self with some dimensions reversed, copied."""
    return xp.flip(self, dims).copy("K") if self.ndim else self[()]


@op("RollBackward0", self=lambda grad, shifts, dims: roll_dims(grad, tuple(-s for s in shifts[::-1]), dims[::-1]))
def roll_dims(xp, self, shifts, dims):
    """Self shifted along some dimensions (all, made flat, where dims is empty); what leaves comes back at the other end."""
    return xp.roll(self, shifts if dims else shifts[0], dims or None)


def repeat(input: Any, *repeats: Any) -> Any:
    """Input laid side by side, `repeats` times along each dimension."""
    if not repeats:
        raise BadArgumentType("repeat() was given no number of times", hint="give one a dimension: x.repeat(2, 1)")
    times = as_size(repeats, "repeats")
    if len(times) < want_tensor(input, "repeat")._data.ndim:
        raise BadArgument(
            f"repeat() got {len(times)} numbers for a tensor with {input._data.ndim} dimensions", hint="give one a dimension"
        )
    if any(n < 0 for n in times):
        raise BadArgument("repeat() cannot repeat a negative number of times")
    return repeat_times(input, times)


def tile(input: Any, *dims: Any) -> Any:
    """As repeat; missing numbers are 1."""
    times = as_size(dims, "dims")
    missing = want_tensor(input, "tile")._data.ndim - len(times)
    return repeat(input, (1,) * max(missing, 0) + times)


def flip(input: Any, *axes: Any, dims: Any = None) -> Any:
    """Input with the order along `dims` reversed; a copy."""
    given = as_size(axes if dims is None else (dims,), "dims")
    return flip_dims(input, wrap_dims(given, want_tensor(input, "flip")._data.ndim) if given else ())


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Input shifted along `dims`, or made flat; what leaves at one end comes back at the other."""
    ndim = want_tensor(input, "roll")._data.ndim
    steps = as_size(shifts if isinstance(shifts, (tuple, list)) else (shifts,), "shifts")
    if dims is None or dims == ():
        if len(steps) != 1:
            raise BadArgument("roll() takes as many shifts as dims")
        return roll_dims(input, steps, ())
    places = dims if isinstance(dims, (tuple, list)) else (dims,)
    if len(places) != len(steps):
        raise BadArgument(f"roll() takes as many shifts as dims, not {len(steps)} and {len(places)}")
    return roll_dims(input, steps, tuple(wrap_dim(as_int(d, "dims"), ndim) for d in places))
