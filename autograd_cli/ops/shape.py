"""Views: operations that show the same storage in another shape or order."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import SCALARS, array_module
from ..core.as_strided import address, offset_of
from ..core.given import given
from ..core.op import op
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentType, ShapeMismatch
from .support import as_size, want_tensor, wrap_dim, wrap_dims

# ---- order of the dimensions ----


@op("TBackward0", view=True, self=lambda grad: t(grad))
def t(self):
    """The transpose of a matrix; vectors stay as they are."""
    if self.ndim > 2:
        raise BadArgument(f"t() takes a matrix or a vector, not {self.ndim} dimensions", hint="use .mT, or transpose(dim0, dim1)")
    return self.T


@op("TransposeBackward0", view=True, self=lambda grad, dim0, dim1: transpose_dims(grad, dim0, dim1))
def transpose_dims(self, dim0, dim1):
    """Self with two dimensions exchanged."""
    return self.swapaxes(dim0, dim1) if self.ndim else self


@op("PermuteBackward0", view=True, self=lambda grad, dims: permute_dims(grad, inverse(dims)))
def permute_dims(self, dims):
    """Self with its dimensions in another order."""
    return self.transpose(dims)


def inverse(dims: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes `dims`."""
    back = [0] * len(dims)
    for place, dim in enumerate(dims):
        back[dim] = place
    return tuple(back)


def transpose(input: Any, dim0: Any, dim1: Any) -> Any:
    """Input with two dimensions exchanged."""
    ndim = want_tensor(input, "transpose")._data.ndim
    return transpose_dims(input, wrap_dim(dim0, ndim), wrap_dim(dim1, ndim))


def permute(input: Any, *order: Any, dims: Any = None) -> Any:
    """Input with its dimensions in the order `dims`."""
    ndim = want_tensor(input, "permute")._data.ndim
    given = as_size(order if dims is None else (dims,), "dims")
    if len(given) != ndim:
        raise BadArgument(f"permute() got {len(given)} dimensions for a tensor with {ndim}", hint="name every dimension once")
    return permute_dims(input, wrap_dims(given, ndim) if given else ())


def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Input with some dimensions moved to other places."""
    ndim = want_tensor(input, "movedim")._data.ndim
    src, dst = wrap_dims(source, ndim), wrap_dims(destination, ndim)
    if len(src) != len(dst):
        raise BadArgument("movedim() takes as many destinations as sources")
    order: list[int] = [-1] * ndim
    for s, d in zip(src, dst, strict=True):
        order[d] = s
    rest = iter(d for d in range(ndim) if d not in src)
    return permute_dims(input, tuple(next(rest) if o < 0 else o for o in order))


def t_matrix(input: Any) -> Any:
    """``.T``: the dimensions in reverse."""
    if input._data.ndim != 2:
        warn("ReversedDimensions", ndim=input._data.ndim)
    return permute_dims(input, tuple(range(input._data.ndim))[::-1])


def m_t(input: Any) -> Any:
    """``.mT``: the last two dimensions exchanged."""
    ndim = input._data.ndim
    if ndim < 2:
        raise BadArgument(f".mT takes tensors with 2 dimensions or more, not {ndim}")
    return transpose_dims(input, given(ndim - 2, -2), given(ndim - 1, -1))


# ---- another shape ----


@op("ViewBackward0", view=True, self=lambda grad, self_sizes: reshape_to(grad, self_sizes))
def view_to(self, size):
    """Self in another shape, nothing copied."""
    return self.reshape(size)


@op("ReshapeAliasBackward0", view=True, self=lambda grad, self_sizes: reshape_to(grad, self_sizes))
def reshape_alias(self, size):
    """As view, for a tensor that is not contiguous."""
    return self.reshape(size)


@op("UnsafeViewBackward0", self=lambda grad, self_sizes: reshape_to(grad, self_sizes))
def unsafe_view(self, size):
    """As view, of a temporary: PyTorch does not count the result as a view."""
    return self.reshape(size)


@op("AliasBackward0", view=True, self=lambda grad: grad)
def alias(self):
    """Self as a new view."""
    return self[...]


@op("CloneBackward0", self=lambda grad: grad)
def clone_data(self):
    """A copy in the same memory order."""
    if self.__class__ in SCALARS or 0 in self.strides:  # what is expanded has no order to keep
        return self.copy()
    return self.copy("K")


@op("CloneBackward0", self=lambda grad: grad)
def clone_contiguous(self):
    """A copy in row order."""
    return self.copy()


def clone(input: Any, *, memory_format: Any = None) -> Any:
    """A copy; gradients flow through it."""
    return clone_data(input)


def contiguous(input: Any, memory_format: Any = None) -> Any:
    """The tensor itself if its elements lie in row order, else a copy that does."""
    return input if is_contiguous(input) else clone_contiguous(input)


def is_contiguous(input: Any, memory_format: Any = None) -> bool:
    """Whether the elements lie in memory in row order."""
    flags = getattr(input._data, "flags", None)
    return flags is None or bool(flags.c_contiguous)


def infer_size(size: tuple[int, ...], numel: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """`size` with its -1 worked out; ShapeMismatch where it does not hold `numel` elements."""
    known, unknown = 1, -1
    for place, n in enumerate(size):
        if n == -1:
            if unknown >= 0:
                raise BadArgument("only one dimension of a shape can be -1")
            unknown = place
        elif n < 0:
            raise BadArgument(f"a shape cannot have the negative size {n}")
        else:
            known *= n
    if unknown >= 0 and known == 0:
        raise BadArgument(f"the size -1 in {list(size)} cannot be worked out, since another size is 0")
    if unknown >= 0 and numel % known == 0:
        return (*size[:unknown], numel // known, *size[unknown + 1 :])
    if unknown >= 0 or known != numel:
        raise ShapeMismatch(
            f"a tensor of shape {list(shape)} has {numel} elements and cannot take the shape {list(size)}",
            hint="the product of the sizes must stay the same; one size may be -1",
        )
    return size


def view_is_possible(data: Any, size: tuple[int, ...]) -> bool:
    """Whether `data` can be seen in another shape without copying."""
    if getattr(data, "flags", None) is None or data.flags.c_contiguous or not data.size:
        return True
    return bool(array_module(data).shares_memory(data[(slice(0, 1),) * data.ndim], data.reshape(size)))


def view(input: Any, *size: Any) -> Any:
    """Input in another shape, sharing its storage."""
    if not size:
        raise BadArgumentType("view() was given no shape", hint="x.view(()) makes a 0-d tensor of one with one element")
    if len(size) == 1 and not isinstance(size[0], (int, tuple, list, np.integer, Tensor)):
        raise BadArgumentType("view() to another dtype is not supported", hint="use .to(dtype) to convert the values")
    data = want_tensor(input, "view")._data
    wanted = infer_size(as_size(size), data.size, data.shape)
    if not view_is_possible(data, wanted):
        raise ShapeMismatch(
            f"a tensor of shape {list(data.shape)} whose elements do not lie in row order cannot be viewed as {list(wanted)}",
            hint="use reshape(), which copies where it must",
        )
    return view_to(input, wanted)


def reshape_to(input: Any, size: tuple[int, ...]) -> Any:
    """reshape() to a known shape, of an array or a Tensor: a view where possible, else a copy, recorded as PyTorch records it."""
    if not isinstance(input, Tensor):
        return input.reshape(size)
    data = input._data
    if getattr(data, "flags", None) is None or data.flags.c_contiguous:
        return view_to(input, size)
    if view_is_possible(data, size):
        return reshape_alias(input, size)
    return unsafe_view(clone_contiguous(input), size)


def reshape(input: Any, *size: Any, shape: Any = None) -> Any:
    """Input in another shape: a view where possible, else a copy."""
    data = want_tensor(input, "reshape")._data
    return reshape_to(input, infer_size(as_size(size if shape is None else (shape,)), data.size, data.shape))


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Input with the dimensions from start_dim to end_dim made one."""
    shape = want_tensor(input, "flatten")._data.shape
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if not shape:
        return reshape_to(input, (1,))
    if start > end:
        raise BadArgument(f"flatten() takes start_dim <= end_dim, not {start_dim} and {end_dim}")
    if start == end:
        return input
    return reshape_to(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """Input with one dimension split into several."""
    shape = want_tensor(input, "unflatten")._data.shape
    dim = wrap_dim(dim, len(shape))
    inner = infer_size(as_size((sizes,)), shape[dim], (shape[dim],))
    return view(input, (*shape[:dim], *inner, *shape[dim + 1 :]))


def ravel(input: Any) -> Any:
    """Input with all dimensions made one; a view where its elements lie in row order."""
    return view_to(contiguous(input), (input._data.size,))


def view_as(input: Any, other: Any) -> Any:
    """Input in the shape of other."""
    return view(input, other._data.shape)


def reshape_as(input: Any, other: Any) -> Any:
    """Input in the shape of other."""
    return reshape(input, other._data.shape)


def numel(input: Any) -> int:
    """The number of elements."""
    return int(want_tensor(input, "numel")._data.size)


def data_ptr(input: Any) -> int:
    """The address of the first element."""
    data = input._storage()
    return address(data) if data.size else 0


def storage_offset(input: Any) -> int:
    """How many elements of the storage lie before this tensor's first."""
    return offset_of(input._storage())


def stride(input: Any, dim: Any = None) -> Any:
    """How many elements lie between neighbours of each dimension."""
    data = want_tensor(input, "stride")._data
    strides = tuple(s // data.dtype.itemsize for s in getattr(data, "strides", ()))
    return strides if dim is None else strides[wrap_dim(dim, data.ndim)]
