"""A tensor cut into sections along one dimension: views like slices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgument
from .parts import slice_at
from .support import as_int, want_tensor, wrap_dim


def tensor_split(input: Any, indices_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """Views of input along `dim`: so many sections, whose sizes differ by at most 1, or those between the indices of a list."""
    input = want_tensor(input, "tensor_split")
    if not input._data.ndim:
        raise BadArgument("tensor_split() takes a tensor with one dimension or more")
    dim = wrap_dim(dim, input._data.ndim)
    return _sections(input, indices_or_sections, dim, "tensor_split")


def _sections(input: Tensor, where: Any, dim: int, name: str) -> tuple[Tensor, ...]:
    size = input._data.shape[dim]
    if isinstance(where, Tensor):
        where = where._data.tolist()
    if isinstance(where, (list, tuple)):
        bounds = [0, *(as_int(i, "index") for i in where), size]
    else:
        count = as_int(where, "sections")
        if count <= 0:
            raise BadArgument(f"{name}() takes a number of sections greater than 0, not {count}")
        small, larger = divmod(size, count)
        bounds = [i * small + min(i, larger) for i in range(count + 1)]
    places = [slice(start, end).indices(size) for start, end in pairwise(bounds)]
    return tuple(slice_at(input, dim, start, max(start, end), 1) for start, end, _ in places)


def _splitter(name: str, least: int, dim_of: Callable[[int], int]) -> Any:
    """``hsplit``, ``vsplit`` or ``dsplit``: sections along a dimension that the name stands for, of equal sizes."""

    def splits(input: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
        input = want_tensor(input, name)
        ndim = input._data.ndim
        if ndim < least:
            raise BadArgument(f"{name}() takes a tensor with {least} dimension(s) or more, not {ndim}")
        dim = dim_of(ndim)
        size = input._data.shape[dim]
        if not isinstance(indices_or_sections, (list, tuple, Tensor)):
            count = as_int(indices_or_sections, "sections")
            if count <= 0 or size % count:
                raise BadArgument(f"{name}() cannot cut dimension {dim}, which has size {size}, into {count} equal sections")
        return _sections(input, indices_or_sections, dim, name)

    splits.__name__ = splits.__qualname__ = name
    splits.__doc__ = f"Views of equal sections, or of those between the indices of a list: ``{name}``."
    return splits


hsplit = _splitter("hsplit", 1, lambda ndim: 0 if ndim == 1 else 1)
vsplit = _splitter("vsplit", 2, lambda ndim: 0)
dsplit = _splitter("dsplit", 3, lambda ndim: 2)
