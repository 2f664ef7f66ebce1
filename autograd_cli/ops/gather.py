"""Elements picked along a dimension by a tensor of indices, and the opposite: adding to picked elements."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import add_at, array_module
from ..core.basic_ops import expand_to
from ..core.op import op
from ..core.op_support import scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, IndexOutOfRange, ShapeMismatch
from .arithmetic import maybe_multiply
from .shape import view
from .sizes import expand
from .support import as_kind_of, check_same_dtype, data_of, want_tensor, wrap_dim, zeros_like


def along(index: Any, dim: int, data: Any) -> tuple[Any, ...]:
    """The index tuple that NumPy needs to pick ``index`` along `dim`."""
    xp = array_module(data)
    places = [xp.arange(n).reshape((1,) * i + (n,) + (1,) * (index.ndim - i - 1)) for i, n in enumerate(index.shape)]
    places[dim] = index
    return tuple(places)


@op("GatherBackward0", self=lambda grad, self, dim, index: scatter_add_onto(zeros_like(self), grad, index, dim))
def gather_at(self, dim, index: Tensor):
    """The elements at `index` along a dimension."""
    return scalar(self) if not self.ndim else scalar(self[along(index, dim, self)])


@op(
    "ScatterAddBackward0",
    broadcasts=("src",),  # PyTorch's gradient has the shape of the index, and is refused where src is larger
    self=lambda grad: grad,
    src=lambda grad, index, dim: gather_at(grad, dim, index),
)
def scatter_add_onto(self, src, index: Tensor, dim):
    """Self with the elements of src added at `index` along a dimension."""
    out = self.copy()
    if not out.ndim:
        return scalar(out + src.sum())
    where = along(index, dim, out)
    add_at(out, where, src[tuple(slice(0, n) for n in index.shape)])
    return out


@op(
    "ScatterBackward0",
    broadcasts=("src",),
    self=lambda grad, index, dim: scatter_value(grad, index, dim, 0),
    src=lambda grad, index, dim: gather_at(grad, dim, index),
)
def scatter_src(self, src, index: Tensor, dim):
    """Self with the elements of src put at `index` along a dimension."""
    out = self.copy()
    if not out.ndim:
        return scalar(src)
    out[along(index, dim, out)] = src[tuple(slice(0, n) for n in index.shape)]
    return out


@op("ScatterBackward1", self=lambda grad, index, dim: scatter_value(grad, index, dim, 0))
def scatter_value(self, index: Tensor, dim, value):
    """Self with a number put at `index` along a dimension."""
    out = self.copy()
    if not out.ndim:
        return out.dtype.type(value)
    out[along(index, dim, out)] = value
    return out


@op(
    "IndexSelectBackward0", self=lambda grad, self_sizes, dim, index: index_add_onto(blank(grad, self_sizes), grad, dim, index, 1)
)
def index_select_at(self, dim, index: Tensor):
    """The slices at `index` along a dimension."""
    return self.take(flat(index), axis=dim) if self.ndim else scalar(self)


@op(
    "IndexAddBackward0",
    self=lambda grad: grad,
    source=lambda grad, source, dim, index, alpha: maybe_multiply(index_add_backward(grad, source, dim, index), alpha),
)
def index_add_onto(self, source, dim, index: Tensor, alpha):
    """Self with the slices of source added at `index` along a dimension."""
    out = self.copy()
    if not out.ndim:
        return scalar(out + alpha * source.sum())
    add_at(out, (slice(None),) * dim + (flat(index),), source if alpha == 1 else alpha * source)
    return out


def index_add_backward(grad: Any, source: Any, dim: int, index: Any) -> Any:
    """The slices of a gradient that source was added to."""
    found = index_select_at(grad, dim, index)
    return expand_to(found, source._data.shape) if grad.__class__ is Tensor else found


def flat(index: Any) -> Any:
    """A tensor of indices as a vector."""
    return index.reshape(-1)


def blank(grad: Any, sizes: tuple[int, ...]) -> Any:
    """Zeros of a shape in the dtype of a gradient: a constant."""
    data = data_of(grad)
    return as_kind_of(grad, scalar(array_module(data).zeros(sizes, data.dtype)))


def check_index(index: Any, op: str, size: int, dim: int) -> Any:
    """An index tensor whose elements exist along the dimension."""
    index = want_tensor(index, op, "index")
    data = index._data
    if data.dtype.kind not in "iu" or data.dtype.itemsize < 4:
        raise DtypeMismatch(f"{op}() takes int64 indices, not {index.dtype.name}", hint="convert them with .long()")
    if data.size and not (data.min() >= 0 and data.max() < size):
        bad = data.min() if data.min() < 0 else data.max()
        kind = (
            BadArgument if op.startswith(("gather", "scatter", "take_along", "index_select")) else IndexOutOfRange
        )  # as in PyTorch
        raise kind(f"{op}() got the index {bad}, and dimension {dim} has size {size}", hint="indices count from 0")
    return index


def _checked(op: str, input: Any, dim: Any, index: Any) -> tuple[int, Any]:
    """(the dimension counted from 0, an index tensor whose elements exist along it)."""
    shape = want_tensor(input, op)._data.shape
    dim = wrap_dim(dim, len(shape))
    return dim, check_index(index, op, shape[dim] if shape else 1, dim)


def gather(input: Any, dim: Any, index: Any, *, sparse_grad: bool = False) -> Any:
    """The elements of input at `index` along `dim`; the result has the shape of index."""
    dim, index = _checked("gather", input, dim, index)
    _check_ranks("gather", input._data.shape, index._data.shape, dim)
    return gather_at(input, dim, index)


def _check_ranks(op: str, shape: tuple[int, ...], index: tuple[int, ...], dim: int) -> None:
    if len(shape or (1,)) != len(index or (1,)):
        raise ShapeMismatch(f"{op}() takes an index with as many dimensions as the tensor, not {len(index)} for {len(shape)}")
    if any(n > m for d, (n, m) in enumerate(zip(index, shape, strict=False)) if d != dim):
        raise ShapeMismatch(
            f"{op}() got an index of shape {list(index)} for a tensor of shape {list(shape)}",
            hint=f"except along dimension {dim}, the index may not be larger than the tensor",
        )


def scatter(input: Any, dim: Any, index: Any, src: Any = None, *, value: Any = None) -> Any:
    """Input with elements of `src`, a tensor or a number, put at `index` along `dim`."""
    dim, index = _checked("scatter", input, dim, index)
    src = value if src is None else src
    _check_ranks("scatter", input._data.shape, index._data.shape, dim)
    if src.__class__ is Tensor:
        _check_source("scatter", input, src, index)
        return scatter_src(input, src, index, dim)
    return scatter_value(input, index, dim, src)


def scatter_add(input: Any, dim: Any, index: Any, src: Any) -> Any:
    """Input with the elements of src added at `index` along `dim`."""
    dim, index = _checked("scatter_add", input, dim, index)
    _check_ranks("scatter_add", input._data.shape, index._data.shape, dim)
    _check_source("scatter_add", input, want_tensor(src, "scatter_add", "src"), index)
    return scatter_add_onto(input, src, index, dim)


def _check_source(op: str, input: Any, src: Any, index: Any) -> None:
    """A source has the input's dtype, and an element for each of the index."""
    check_same_dtype(f"{op}()", input, src=src)
    have, wanted = src._data.shape, index._data.shape
    if len(have or (1,)) != len(wanted or (1,)) or any(n > m for n, m in zip(wanted, have, strict=False)):
        raise ShapeMismatch(
            f"{op}() got an index of shape {list(wanted)} for a src of shape {list(have)}", hint="src covers the index"
        )


def index_select(input: Any, dim: Any, index: Any) -> Any:
    """The slices of input at `index`, a vector, along `dim`."""
    dim, index = _checked("index_select", input, dim, index)
    if index._data.ndim > 1:
        raise IndexOutOfRange("index_select() takes a vector of indices", hint="use x[index] for more dimensions")
    return index_select_at(input, dim, index)


def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Input with the slices of source added at `index` along `dim`."""
    dim, index = _checked("index_add", input, dim, index)
    _check_slices(input, want_tensor(source, "index_add", "source"), dim, index._data)
    return index_add_onto(input, source, dim, index, alpha)


def _check_slices(input: Any, source: Any, dim: int, index: Any) -> None:
    """What index_add adds has a slice for each element of the index, a vector."""
    check_same_dtype("index_add()", input, source=source)
    have, want = source._data.shape, input._data.shape
    if index.ndim > 1 or (want and not have and index.size != 1):
        raise IndexOutOfRange(
            f"index_add() takes a vector of indices, one for each slice of source, not shape {list(index.shape)}"
        )
    if have and (
        len(have) != len(want) or have[:dim] + have[dim + 1 :] != want[:dim] + want[dim + 1 :] or have[dim] != index.size
    ):
        raise ShapeMismatch(
            f"index_add() got a source of shape {list(have)} and {index.size} indices for dimension {dim} of shape {list(want)}",
            hint="source has the tensor's shape, but for that dimension: there it has a slice for each index",
        )


def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Any:
    """The elements at `indices` along `dim`, broadcast against input; without dim, of input made flat."""
    data = want_tensor(input, "take_along_dim")._data
    if dim is None:
        index = check_index(indices, "take_along_dim", data.size, 0)
        return gather_at(view(input, -1), 0, view(index, -1))
    dim, index = _checked("take_along_dim", input, dim, indices)
    if data.ndim != index._data.ndim:
        raise ShapeMismatch(
            f"take_along_dim() takes indices with as many dimensions as the tensor, not {index._data.ndim} for {data.ndim}"
        )
    if not data.ndim:
        raise IndexOutOfRange("a 0-d tensor has no dimension to take along", hint="leave dim out")
    shape = array_module(data).broadcast_shapes(*((*s[:dim], 1, *s[dim + 1 :]) for s in (data.shape, index._data.shape)))
    mine = (*shape[:dim], data.shape[dim], *shape[dim + 1 :])
    its = (*shape[:dim], index._data.shape[dim], *shape[dim + 1 :])
    return gather_at(expand(input, mine), dim, expand(index, its))
