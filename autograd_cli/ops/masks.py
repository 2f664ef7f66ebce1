"""Elements chosen by a mask: filled, taken out, put in."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

from ..core.array import array_module, broadcast_shapes
from ..core.op import op
from ..core.op_support import scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, ShapeMismatch
from .gather import blank
from .support import data_of, want_tensor, where_array

# ---- filled ----


@op("MaskedFillBackward0", contiguous=True, broadcasts=("self",), self=lambda grad, mask: masked_fill_scalar(grad, mask, 0))
def masked_fill_scalar(self, mask: Tensor, value):
    """Self with a number where the mask holds."""
    return fill_where(self, mask, value)


@op(
    "MaskedFillBackward1",
    contiguous=True,
    broadcasts=("self", "value"),
    self=lambda grad, mask: masked_fill_scalar(grad, mask, 0),
    value=lambda grad, mask: masked_select_of(grad, mask).sum(),
)
def masked_fill_tensor(self, mask: Tensor, value):
    """Self with the element of a 0-d tensor where the mask holds."""
    return fill_where(self, mask, value)


def fill_where(data: Any, mask: Any, value: Any) -> Any:
    """An array with `value` where the mask holds; the dtype stays."""
    if data.shape != mask.shape:
        broadcast_shapes(data.shape, mask.shape)
    if data.dtype.kind != "c" and (value.__class__ is complex or getattr(value, "dtype", data.dtype).kind == "c"):
        raise BadArgument("a complex number cannot be put into a real tensor")
    filled = value.astype(data.dtype) if hasattr(value, "dtype") else data.dtype.type(value)
    return where_array(mask, filled, data)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """Input with `value`, a number or a 0-d tensor, where the mask holds."""
    mask = want_tensor(mask, "masked_fill", "mask")
    if mask._data.dtype.kind != "b":
        raise DtypeMismatch(
            f"masked_fill() takes a bool mask, not {mask.dtype.name}", hint="compare first: x.masked_fill(x > 0, 0)"
        )
    if value.__class__ is Tensor:
        if value._data.ndim:
            raise BadArgument(
                f"masked_fill() fills with one number or a 0-d tensor, not with a tensor of shape {list(value._data.shape)}",
                hint="torch.where(mask, value, x) chooses elementwise",
            )
        return masked_fill_tensor(input, mask, value)
    return masked_fill_scalar(input, mask, value)


# ---- taken out and put in ----


def want_mask(mask: Any, name: str) -> Tensor:
    """A bool tensor."""
    found = want_tensor(mask, name, "mask")
    if found._data.dtype.kind != "b":
        raise DtypeMismatch(f"{name}() takes a bool mask, not {found.dtype.name}", hint=f"compare first: x.{name}(x > 0, ...)")
    return found


@op("MaskedSelectBackward0", broadcasts=("self",), self=lambda grad, self, mask: masked_select_backward(grad, self, mask))
def masked_select_of(xp, self, mask: Tensor):
    """The elements where the mask holds, as a vector."""
    a, b = xp.broadcast_arrays(self, mask)
    return a[b]


def masked_select_backward(grad: Any, self: Any, mask: Any) -> Any:
    """The gradients put back where the elements were."""
    shape = broadcast_shapes(data_of(self).shape, data_of(mask).shape)
    return masked_scatter_of(blank(grad, shape), grad, mask)


def masked_select(input: Any, mask: Any) -> Any:
    """The elements of input where the mask holds, as a vector; the two are broadcast."""
    mask = want_mask(mask, "masked_select")
    broadcast_shapes(want_tensor(input, "masked_select")._data.shape, mask._data.shape)
    return masked_select_of(input, mask)


@op(
    "MaskedScatterBackward0",
    broadcasts=("self",),
    self=lambda grad, mask: masked_fill_scalar(grad, mask, 0),
    source=lambda grad, mask, source_sizes: masked_scatter_backward(grad, mask, source_sizes),
)
def masked_scatter_of(xp, self, source, mask: Tensor):
    """Self with elements of source, in order, where the mask holds."""
    shape = xp.broadcast_shapes(self.shape, mask.shape)
    out = xp.broadcast_to(self, shape).copy()
    where = xp.broadcast_to(mask, shape)
    out[where] = source.reshape(-1)[: int(where.sum())]
    return scalar(out)


@op(
    "MaskedScatterBackwardBackward0",
    grad_output=lambda grad, grad_output_sizes, mask: masked_again(grad, grad_output_sizes, mask),
)
def masked_scatter_backward(xp, grad_output, mask: Tensor, sizes):
    """The gradients of the elements that were used; zeros for the others."""
    a, b = xp.broadcast_arrays(grad_output, mask)
    out = xp.zeros(math.prod(sizes), grad_output.dtype)
    found = a[b]
    out[: found.size] = found
    return scalar(out.reshape(sizes))


def masked_again(grad: Any, sizes: tuple[int, ...], mask: Any) -> Any:
    """The gradient of masked_scatter_backward."""
    return masked_scatter_of(blank(grad, sizes), grad, mask)


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Input with elements of source, one after another, where the mask holds."""
    mask, source = want_mask(mask, "masked_scatter"), want_tensor(source, "masked_scatter", "source")
    tensor = want_tensor(input, "masked_scatter")
    if tensor._data.dtype != source._data.dtype:
        raise DtypeMismatch(f"masked_scatter() takes tensors of one dtype, not {tensor.dtype.name} and {source.dtype.name}")
    shape = broadcast_shapes(tensor._data.shape, mask._data.shape)
    count = int(array_module(mask._data).broadcast_to(mask._data, shape).sum())
    if source._data.size < count:
        raise ShapeMismatch(f"masked_scatter() needs {count} elements for the mask, and source has {source._data.size}")
    return masked_scatter_of(tensor, source, mask)
