"""Tensors put together from several: grids, products of sets, blocks; and triangles of indices."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module, broadcast_shapes, check_size
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument
from .creation import empty
from .creation import tensor as make
from .linalg import diag
from .lists import ListNode, _joined, at_least_1d, cat, stack, tensor_list
from .masks import masked_select
from .rearrange import flip
from .shape import contiguous, flatten, reshape_to, view_to
from .sizes import expand, unsqueeze, unsqueeze_at
from .support import as_dtype, as_int, want_tensor, wrap_dim
from .turn import rot90_of

# ---- broadcasts and grids ----


def _many(tensors: tuple[Any, ...], name: str) -> list[Tensor]:
    """``f(a, b)`` and ``f([a, b])`` alike."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    return [want_tensor(t, name, f"tensors[{i}]") for i, t in enumerate(tensors)]


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors expanded to one shape."""
    given = _many(tensors, "broadcast_tensors")
    shape = broadcast_shapes(*(t._data.shape for t in given)) if given else ()
    return tuple(t if t._data.shape == shape else expand(t, shape) for t in given)


def torch_broadcast_shapes(*shapes: Any) -> Any:
    """The common shape of several shapes."""
    from ..core.tensor import Size

    return Size(broadcast_shapes(*((s,) if isinstance(s, int) else tuple(s) for s in shapes)))


def meshgrid(*tensors: Any, indexing: Any = None) -> tuple[Tensor, ...]:
    """Grids of coordinates: each vector along its own dimension, expanded over the others; ``indexing`` is 'ij' or 'xy'."""
    given = _many(tensors, "meshgrid")
    if not given:
        raise BadArgument("meshgrid() takes at least one tensor")
    if indexing not in (None, "ij", "xy"):
        raise BadArgument(f"indexing is 'ij' or 'xy', not {indexing!r}")
    if any(t._data.ndim > 1 for t in given) or any(t._data.dtype != given[0]._data.dtype for t in given):
        raise BadArgument("meshgrid() takes vectors and 0-d tensors of one dtype")
    swapped = indexing == "xy" and len(given) > 1
    if swapped:
        given[:2] = given[1::-1]
    shape = tuple(t._data.size for t in given)
    check_size(shape)
    grids = [
        expand(view_to(t, (1,) * i + (n,) + (1,) * (len(shape) - i - 1)), shape)
        for i, (t, n) in enumerate(zip(given, shape, strict=True))
    ]
    if swapped:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element from each vector, as rows."""
    given = _many(tensors, "cartesian_prod")
    if any(t._data.ndim != 1 for t in given):
        raise BadArgument("cartesian_prod() takes vectors")
    if len(given) == 1:
        return given[0]
    found: Tensor = stack([flatten(g) for g in meshgrid(*given)], 1)
    return found


def combinations(input: Any, r: Any = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector, as rows, in order."""
    vector = want_tensor(input, "combinations")
    count = as_int(r, "r")
    if vector._data.ndim != 1 or count < 0:
        raise BadArgument("combinations() takes a vector and a number of elements from 0 on")
    if not count:
        return fresh(np.zeros(0, vector._data.dtype))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(vector._data.size), count)), np.int64).reshape(-1, count)
    size = (vector._data.size,) * count
    mask = np.zeros(size, bool)
    mask[tuple(rows.T)] = True
    keep = fresh(array_module(vector._data).asarray(mask))
    found: Tensor = stack([masked_select(g, keep) for g in meshgrid(*[vector] * count)], 1)
    return found


# ---- more dimensions ----


def _at_least(name: str, grow: Any, doc: str) -> Any:
    def at_least(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return grow(tensors[0])
        return tuple(grow(t) for t in _many(tensors, name))

    at_least.__name__ = at_least.__qualname__ = name
    at_least.__doc__ = doc
    return at_least


def _at_least_2d(t: Tensor) -> Any:
    if not t._data.ndim:
        return reshape_to(t, (1, 1))
    return unsqueeze_at(t, 0) if t._data.ndim == 1 else t


def _at_least_3d(t: Tensor) -> Any:
    if not t._data.ndim:
        return reshape_to(t, (1, 1, 1))
    if t._data.ndim == 1:
        return unsqueeze(unsqueeze(t, 0), -1)
    return unsqueeze(t, -1) if t._data.ndim == 2 else t


atleast_1d = _at_least("atleast_1d", at_least_1d, "Tensors with at least one dimension.")
atleast_2d = _at_least("atleast_2d", _at_least_2d, "Tensors with at least two dimensions; vectors are rows.")
atleast_3d = _at_least("atleast_3d", _at_least_3d, "Tensors with at least three dimensions.")


def column_stack(tensors: Any) -> Tensor:
    """Tensors joined along dimension 1; vectors are columns."""
    given = tensor_list(tensors, "column_stack")
    return cat([t if t._data.ndim > 1 else reshape_to(t, (t._data.size, 1)) for t in given], 1)


def dstack(tensors: Any) -> Tensor:
    """Tensors joined along dimension 2."""
    return cat([_at_least_3d(t) for t in tensor_list(tensors, "dstack")], 2)


def rot90(input: Any, k: Any = 1, dims: Any = (0, 1)) -> Any:
    """Input turned by 90 degrees, `k` times, in the plane of two dimensions."""
    ndim = want_tensor(input, "rot90")._data.ndim
    if len(dims) != 2 or ndim < 2 or wrap_dim(dims[0], ndim) == wrap_dim(dims[1], ndim):
        raise BadArgument(f"rot90() takes two different dimensions of a tensor that has them, not {tuple(dims)}")
    return rot90_of(input, as_int(k, "k"), (int(wrap_dim(dims[0], ndim)), int(wrap_dim(dims[1], ndim))))


def fliplr(input: Any) -> Any:
    """Input with the order of its columns reversed."""
    if want_tensor(input, "fliplr")._data.ndim < 2:
        raise BadArgument("fliplr() takes a tensor with 2 dimensions or more")
    return flip(input, 1)


def flipud(input: Any) -> Any:
    """Input with the order of its rows reversed."""
    if want_tensor(input, "flipud")._data.ndim < 1:
        raise BadArgument("flipud() takes a tensor with 1 dimension or more")
    return flip(input, 0)


def diagflat(input: Any, offset: int = 0) -> Any:
    """A matrix with the elements of input, made flat, on its diagonal."""
    tensor = want_tensor(input, "diagflat")
    return diag(view_to(contiguous(tensor), (tensor._data.size,)), offset)


class BlockDiagBackward0(ListNode):
    """Each matrix's gradient is its block."""

    __slots__ = ()

    def apply(self, grad: Any) -> Any:
        """The blocks along the diagonal, in the shapes of the tensors."""
        from .parts import slice_at

        found: list[Any] = []
        row = column = 0
        for edge, size in zip(self.edges, self.sizes, strict=True):
            height, width = (1, 1) if not size else (1, size[0]) if len(size) == 1 else size
            if edge is None:
                found.append(None)
            elif isinstance(grad, Tensor):
                part = slice_at(slice_at(grad, 0, row, row + height, 1), 1, column, column + width, 1)
                found.append(part if len(size) == 2 else reshape_to(part, size))
            else:
                found.append(grad[row : row + height, column : column + width].reshape(size))
            row, column = row + height, column + width
        return tuple(found)


def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the given ones along its diagonal, zeros elsewhere; vectors are rows."""
    given = _many(tensors, "block_diag")
    blocks = [t._data if t._data.ndim == 2 else t._data.reshape(1, -1) for t in given]
    if any(t._data.ndim > 2 for t in given):
        raise BadArgument("block_diag() takes matrices, vectors and 0-d tensors")
    if not blocks:
        return empty(1, 0)
    kind = dt.of(blocks[0])
    for b in blocks[1:]:
        kind = dt.promote_types(kind, dt.of(b))
    out = array_module(blocks[0]).zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), kind.numpy)
    row = column = 0
    for b in blocks:
        out[row : row + b.shape[0], column : column + b.shape[1]] = b
        row, column = row + b.shape[0], column + b.shape[1]
    return _joined(BlockDiagBackward0, given, out, 0)


# ---- triangles of indices ----


def _triangle(name: str, upper: bool) -> Any:
    def triangle(row: Any, col: Any, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
        height, width = as_int(row, "row"), as_int(col, "col")
        if height < 0 or width < 0:
            raise BadArgument(f"{name}() takes sizes from 0 on, not {height} and {width}")
        check_size((height, width))
        whole = np.ones((height, width), bool)
        found = np.stack(np.nonzero(np.triu(whole, offset) if upper else np.tril(whole, offset)))
        wanted = as_dtype(dtype) or dt.int64
        return make(found.astype(wanted.numpy), device=device)

    triangle.__name__ = triangle.__qualname__ = name
    triangle.__doc__ = f"The (row, column) indices of the {'upper' if upper else 'lower'} triangle of a matrix, as two rows."
    return triangle


tril_indices, triu_indices = _triangle("tril_indices", False), _triangle("triu_indices", True)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """The powers of the elements of a vector as rows, falling from N - 1 to 0 or rising."""
    from .scan import cumprod

    vector = want_tensor(x, "vander", "x")
    if vector._data.ndim != 1:
        raise BadArgument(f"vander() takes a vector, not {vector._data.ndim} dimensions")
    size, count = vector._data.size, vector._data.size if N is None else as_int(N, "N")
    if count < 0:
        raise BadArgument(f"vander() takes a number of columns from 0 on, not {count}")
    if vector._data.dtype.kind in "biu" and vector._data.dtype != np.int64:
        vector = fresh(vector._data.astype(np.int64))
    columns = [fresh(array_module(vector._data).ones((size, min(count, 1)), vector._data.dtype))]
    if count > 1:
        columns.append(cumprod(expand(unsqueeze_at(vector, 1), (size, count - 1)), 1))
    found = cat(columns, 1)
    return found if increasing else flip(found, 1)
