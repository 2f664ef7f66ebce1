"""Elements put at places given by indices: ``index_put``, ``index_copy``, ``index_fill``."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import add_at, array_module
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, DtypeMismatch, IndexOutOfRange
from .gather import check_index, flat, index_add_backward, index_select_at
from .index import Tensors, as_items, index_at, index_put_replaced, numpy_index, trimmed, viewed
from .support import want_tensor, wrap_dim


@op(
    "IndexPutBackward0",
    broadcasts=("values",),
    self=lambda grad: grad,
    values=lambda grad, indices: index_at(grad, indices),
)
def index_put_added(self, values, indices: Tensors):
    """Self with values added at places given by tensors."""
    out = self.copy()
    add_at(out, numpy_index(indices, out), values)
    return out


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Input with `values` put at `indices`, a tuple of tensors, or added there; of places named twice the last value stays."""
    tensor = want_tensor(input, "index_put")
    if not isinstance(indices, (tuple, list)):
        raise BadArgumentType(f"index_put() takes a tuple of index tensors, not {type(indices).__name__}")
    values = want_tensor(values, "index_put", "values")
    if values._data.dtype != tensor._data.dtype:
        raise DtypeMismatch(f"index_put() got values of {values.dtype.name} for a tensor of {tensor.dtype.name}")
    whole, places = viewed(
        tensor, as_items(tuple(slice(None) if i is None else want_tensor(i, "index_put", "indices") for i in indices))
    )
    if whole is not tensor:  # a 0-d index is a number elsewhere
        raise IndexOutOfRange("index_put() takes index tensors with one dimension or more")
    return (index_put_added if accumulate else index_put_replaced)(tensor, values, trimmed(places))


@op("IndexFillBackward0", self=lambda grad, dim, index: index_fill_number(grad, dim, index, 0))
def index_fill_number(self, dim, index: Tensor, value):
    """Self with a number in the slices at `index` along a dimension."""
    return put_slices(self, dim, index, value)


@op(
    "IndexFillBackward1",
    self=lambda grad, dim, index: index_fill_number(grad, dim, index, 0),
    value=lambda grad, dim, index: index_select_at(grad, dim, index).sum(),
)
def index_fill_tensor(self, value, dim, index: Tensor):
    """Self with the element of a 0-d tensor in the slices at `index` along a dimension."""
    return put_slices(self, dim, index, value)


@op(
    "IndexCopyBackward0",
    self=lambda grad, dim, index: index_fill_number(grad, dim, index, 0),
    source=lambda grad, source, dim, index: index_add_backward(grad, source, dim, index),
)
def index_copy_into(self, source, dim, index: Tensor):
    """Self with the slices of source at `index` along a dimension."""
    return put_slices(self, dim, index, source)


def put_slices(data: Any, dim: int, index: Any, value: Any) -> Any:
    """A copy of `data` with `value` in the slices at `index`."""
    out = array_module(data).array(data)
    where = (slice(None),) * dim + (flat(index),) if out.ndim else ...
    out[where] = value if out.ndim or not getattr(value, "ndim", 0) else value.reshape(())
    return out[()]


def index_fill(input: Any, dim: Any, index: Any, value: Any) -> Any:
    """Input with `value`, a number or a 0-d tensor, in the slices at `index` along `dim`."""
    dim, index = _along("index_fill", input, dim, index)
    if isinstance(value, Tensor):
        if value._data.ndim:
            raise BadArgument(f"index_fill() takes a number or a 0-d tensor, not one of shape {list(value._data.shape)}")
        return index_fill_tensor(input, value, dim, index)
    return index_fill_number(input, dim, index, value)


def index_copy(input: Any, dim: Any, index: Any, source: Any) -> Any:
    """Input with the slices of `source` at `index` along `dim`."""
    dim, index = _along("index_copy", input, dim, index)
    own, given = input._data, want_tensor(source, "index_copy", "source")._data
    if given.dtype != own.dtype:
        raise DtypeMismatch(f"index_copy() got a source of {source.dtype.name} for a tensor of {input.dtype.name}")
    wanted = (*own.shape[:dim], index._data.size, *own.shape[dim + 1 :]) if own.ndim else ()
    if given.ndim and given.shape != (wanted if own.ndim else (1,)):
        raise IndexOutOfRange(f"index_copy() got a source of shape {list(given.shape)} where {list(wanted)} belongs")
    return index_copy_into(input, source, dim, index)


def _along(name: str, input: Any, dim: Any, index: Any) -> tuple[int, Any]:
    """(the dimension counted from 0, a vector of indices that exist along it)."""
    shape = want_tensor(input, name)._data.shape
    dim = wrap_dim(dim, len(shape))
    index = check_index(index, name, shape[dim] if shape else 1, dim)
    if index._data.ndim > 1:
        raise IndexOutOfRange(f"{name}() takes a vector of indices, not a tensor of shape {list(index._data.shape)}")
    return dim, index
