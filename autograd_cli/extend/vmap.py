"""``torch.func.vmap``: a function run for one slice of its arguments after the other.

Source of the rules: https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..core.device_streams import get_states, set_states
from ..core.generator import default_generator
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue
from ..ops.lists import stack
from .trees import flatten, rebuild


class _NoWords:
    """In the place of the twister of a generator that must not draw."""

    def __getattr__(self, name: str) -> Any:
        raise BadArgument(
            "vmap() met a random operation, and whether all slices get the same numbers was not said",
            hint='say vmap(…, randomness="different") or "same"',
        )


@contextmanager
def _drawing(randomness: str) -> Iterator[Callable[[], None]]:
    """What random operations do meanwhile; what is given is called before each slice."""
    twister, before = default_generator._twister, get_states() if randomness == "same" else {}
    if randomness == "error":
        default_generator._twister = _NoWords()  # type: ignore[assignment]
    try:
        yield (lambda: set_states(before)) if randomness == "same" else (lambda: None)
    finally:
        default_generator._twister = twister


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Callable[..., Any]:
    """A function that runs `func` for each slice of its arguments along `in_dims` and stacks the results along `out_dims`."""
    if randomness not in ("error", "different", "same"):
        raise BadArgumentValue(f'randomness is "error", "different" or "same", not {randomness!r}')

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten(args)
        dims = _dims_of(in_dims, args)
        sizes = {leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None}
        if len(sizes) != 1:
            raise BadArgumentValue(
                "vmap() needs an argument to map over"
                if not sizes
                else f"vmap() got arguments of different sizes to map over: {sorted(sizes)}"
            )
        results = []
        with _drawing(randomness) as begin:
            for i in range(sizes.pop()):
                begin()
                own = [leaf if dim is None else leaf.select(dim, i) for leaf, dim in zip(leaves, dims, strict=True)]
                results.append(flatten(func(*rebuild(tree, own), **kwargs)))
        shape = results[0][1]
        columns = list(zip(*(r[0] for r in results), strict=True))
        where = _spread(out_dims, shape, len(columns))
        return rebuild(shape, [_stacked(list(c), dim) for c, dim in zip(columns, where, strict=True)])

    return mapped


def _stacked(values: list[Any], dim: Any) -> Any:
    if not all(isinstance(v, Tensor) for v in values):
        raise BadArgumentValue(f"the function given to vmap() returns tensors, not {type(values[0]).__name__}")
    return values[0] if dim is None else stack(values, dim)


def _dims_of(in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
    """The dimension to map over for each leaf of the arguments; None for what is the same for all."""
    if isinstance(in_dims, int):
        in_dims = (in_dims,) * len(args)
    if not isinstance(in_dims, (tuple, list)) or len(in_dims) != len(args):
        raise BadArgumentValue(f"in_dims is an int or a tuple with one entry for each of the {len(args)} arguments")
    found: list[Any] = []
    for dim, arg in zip(in_dims, args, strict=True):
        leaves, tree = flatten(arg)
        for leaf, own in zip(leaves, _spread(dim, tree, len(leaves)), strict=True):
            if own is not None and not (isinstance(leaf, Tensor) and -leaf.ndim <= own < leaf.ndim):
                what = f"a tensor of shape {list(leaf.shape)}" if isinstance(leaf, Tensor) else type(leaf).__name__
                raise BadArgumentValue(
                    f"vmap() cannot map over dimension {own} of {what}", hint="in_dims=None keeps an argument whole"
                )
            found.append(own)
    return found


def _spread(dims: Any, tree: Any, count: int) -> list[Any]:
    """One dimension for each leaf: `dims` is one for all of them, or a tree like theirs."""
    if dims is None or isinstance(dims, int):
        return [dims] * count
    leaves, _ = flatten(dims)
    if len(leaves) != count:
        raise BadArgumentValue(f"{len(leaves)} dimensions were given for {count} tensors")
    return leaves
