"""Views: operations that show the same storage in another shape or order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.basic_ops import expand_to
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.view import share
from ..errors import BadArgument, BadArgumentType, IndexOutOfRange, ShapeMismatch
from .support import as_int, as_size, want_tensor, wrap_dim, wrap_dims

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


def permute(input: Any, *dims: Any) -> Any:
    """Input with its dimensions in the order `dims`."""
    ndim = want_tensor(input, "permute")._data.ndim
    given = as_size(dims, "dims")
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
    return permute_dims(input, tuple(range(input._data.ndim))[::-1])


def m_t(input: Any) -> Any:
    """``.mT``: the last two dimensions exchanged."""
    ndim = input._data.ndim
    if ndim < 2:
        raise BadArgument(f".mT takes tensors with 2 dimensions or more, not {ndim}")
    return transpose_dims(input, ndim - 2, ndim - 1)


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
    return self.copy() if self.__class__ is not np.ndarray else self.copy("K")


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
    return bool(np.shares_memory(data[(slice(0, 1),) * data.ndim], data.reshape(size)))


def view(input: Any, *size: Any) -> Any:
    """Input in another shape, sharing its storage."""
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


def reshape(input: Any, *shape: Any) -> Any:
    """Input in another shape: a view where possible, else a copy."""
    data = want_tensor(input, "reshape")._data
    return reshape_to(input, infer_size(as_size(shape), data.size, data.shape))


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
    joined = 1
    for n in shape[start : end + 1]:
        joined *= n
    return reshape_to(input, (*shape[:start], joined, *shape[end + 1 :]))


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


# ---- dimensions of size 1 ----


@op("UnsqueezeBackward0", view=True, self=lambda grad, dim: squeeze_dim(grad, dim))
def unsqueeze_at(self, dim):
    """Self with a dimension of size 1 put in."""
    return self[(slice(None),) * dim + (None, ...)]


@op("SqueezeBackward0", view=True, self=lambda grad, self_sizes: unsqueeze_to(grad, None, self_sizes))
def squeeze_all(self):
    """Self without its dimensions of size 1."""
    return self.squeeze()


@op("SqueezeBackward1", view=True, self=lambda grad, dim, self_sizes: unsqueeze_to(grad, (dim,), self_sizes))
def squeeze_dim(self, dim):
    """Self without a dimension if its size is 1."""
    return self.squeeze(dim) if self.ndim and self.shape[dim] == 1 else self[...]


@op("SqueezeBackward2", view=True, self=lambda grad, dims, self_sizes: unsqueeze_to(grad, dims, self_sizes))
def squeeze_dims(self, dims):
    """Self without some dimensions where their size is 1."""
    return self.squeeze(tuple(d for d in dims if self.ndim and self.shape[d] == 1))


@op("SqueezeBackward4", self=lambda grad, dim, self_sizes: unsqueeze_to(grad, (dim,), self_sizes))
def squeeze_result(self, dim):
    """As squeeze, of a temporary: what PyTorch's matmul does in place."""
    return self.squeeze(dim)


def unsqueeze_to(grad: Any, dims: Any, sizes: tuple[int, ...]) -> Any:
    """Put back what a squeeze took away: among `dims` (None: all) those of size 1."""
    for dim, n in enumerate(sizes):
        if n == 1 and (dims is None or dim in dims):
            grad = unsqueeze_at(grad, dim) if grad.__class__ is Tensor else grad[(slice(None),) * dim + (None, ...)]
    return grad


def unsqueeze_multiple(grad: Any, dims: tuple[int, ...]) -> Any:
    """Put reduced dimensions back with size 1."""
    if grad.__class__ is not Tensor:
        shape = list(grad.shape)
        for dim in sorted(dims):
            shape.insert(dim, 1)
        return grad.reshape(shape)
    for dim in sorted(dims):
        grad = unsqueeze_at(grad, dim)
    return grad


def unsqueeze(input: Any, dim: Any) -> Any:
    """Input with a dimension of size 1 put in at `dim`."""
    return unsqueeze_at(input, wrap_dim(dim, want_tensor(input, "unsqueeze")._data.ndim + 1))


def squeeze(input: Any, dim: Any = None) -> Any:
    """Input without its dimensions of size 1, or without those of `dim` whose size is 1."""
    ndim = want_tensor(input, "squeeze")._data.ndim
    if dim is None:
        return squeeze_all(input)
    if isinstance(dim, (tuple, list)):
        return squeeze_dims(input, wrap_dims(dim, ndim) if dim else ())
    return squeeze_dim(input, wrap_dim(dim, ndim))


# ---- expand ----


def expand(input: Any, *size: Any, implicit: bool = False) -> Any:
    """Input repeated along dimensions of size 1 without copying; -1 keeps a size."""
    shape = want_tensor(input, "expand")._data.shape
    wanted = as_size(size)
    lead = len(wanted) - len(shape)
    if lead < 0:
        raise ShapeMismatch(
            f"expand() got {len(wanted)} sizes for a tensor with {len(shape)} dimensions", hint="give a size for every dimension"
        )
    full = []
    for place, n in enumerate(wanted):
        have = 1 if place < lead else shape[place - lead]
        if n == -1 and place >= lead:
            n = have
        if n < 0 or (have not in (1, n)):
            raise ShapeMismatch(
                f"a tensor of shape {list(shape)} cannot be expanded to {list(wanted)}: dimension {place} has size {have}, not {n}",
                hint="only dimensions of size 1 can be expanded",
            )
        full.append(n)
    return expand_to(input, tuple(full))


def expand_as(input: Any, other: Any) -> Any:
    """Input expanded to the shape of other."""
    return expand(input, other._data.shape)


# ---- parts ----


@op("SelectBackward0", view=True, self=lambda grad, self_sizes, dim, index: select_backward(grad, self_sizes, dim, index))
def select_at(self, dim, index):
    """The slice at one index of a dimension, which is removed."""
    return self[(slice(None),) * dim + (index, ...)]


@op("SelectBackwardBackward0", grad_output=lambda grad, dim, index: select_at(grad, dim, index))
def select_backward(xp, grad_output, input_sizes, dim, index):
    """The gradient of select: zeros but for one slice."""
    out = xp.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * dim + (index,)] = grad_output
    return out


@op(
    "SliceBackward0",
    view=True,
    self=lambda grad, self_sizes, dim, start, end, step: slice_backward(grad, self_sizes, dim, start, end, step),
)
def slice_at(self, dim, start, end, step):
    """The elements start, start + step, … before end of a dimension."""
    return self[(slice(None),) * dim + (slice(start, end, step), ...)]


@op("SliceBackwardBackward0", grad_output=lambda grad, dim, start, end, step: slice_at(grad, dim, start, end, step))
def slice_backward(xp, grad_output, input_sizes, dim, start, end, step):
    """The gradient of a slice: zeros around it."""
    out = xp.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * dim + (slice(start, end, step),)] = grad_output
    return out


def select(input: Any, dim: Any, index: Any) -> Any:
    """The slice at `index` of dimension `dim`, which is removed."""
    shape = want_tensor(input, "select")._data.shape
    if not shape:
        raise IndexOutOfRange("a 0-d tensor cannot be indexed with a number", hint="use x.item() to get its value")
    dim, index = wrap_dim(dim, len(shape)), as_int(index, "index")
    if not -shape[dim] <= index < shape[dim]:
        raise IndexOutOfRange(
            f"index {index} is out of range for dimension {dim} with size {shape[dim]}",
            hint=f"indices go from {-shape[dim]} to {shape[dim] - 1}" if shape[dim] else "the dimension is empty",
        )
    return select_at(input, dim, index % shape[dim])


def narrow(input: Any, dim: Any, start: Any, length: Any) -> Any:
    """`length` elements of dimension `dim` from `start` on."""
    shape = want_tensor(input, "narrow")._data.shape
    dim = wrap_dim(dim, len(shape))
    start, length = as_int(start, "start"), as_int(length, "length")
    if not -shape[dim] <= start <= shape[dim]:
        raise IndexOutOfRange(f"narrow() starts at {start}, and dimension {dim} has size {shape[dim]}")
    start = start + shape[dim] if start < 0 else start
    if length < 0 or start + length > shape[dim]:
        raise BadArgument(f"narrow() from {start} over {length} elements goes beyond dimension {dim} with size {shape[dim]}")
    return slice_at(input, dim, start, start + length, 1)


# ---- several views at once: see split.py, whose nodes have several inputs ----


def view_of(source: Tensor, data: Any, function: Any, arguments: tuple[Any, ...]) -> Tensor:
    """A Tensor around `data`, a part of the source's storage."""
    made = fresh(data)
    share(made, source, function, arguments)
    return made


# ---- diagonals ----


@op(
    "DiagonalBackward0",
    view=True,
    self=lambda grad, self_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sizes, offset, dim1, dim2),
)
def diagonal_at(self, offset, dim1, dim2):
    """The diagonal of two dimensions, as the last dimension."""
    view = self.diagonal(offset, dim1, dim2)
    if view.flags.writeable or not self.flags.writeable:
        return view
    view.flags.writeable = True  # NumPy gives it read-only; PyTorch's is a view like any other
    return view


@op("DiagonalBackwardBackward0", grad_output=lambda grad, offset, dim1, dim2: diagonal_at(grad, offset, dim1, dim2))
def diagonal_backward(xp, grad_output, input_sizes, offset, dim1, dim2):
    """The gradient of a diagonal: zeros beside it."""
    out = xp.zeros(input_sizes, grad_output.dtype)
    view = out.diagonal(offset, dim1, dim2)
    view.flags.writeable = True
    view[...] = grad_output
    return out


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as the last dimension of a view."""
    ndim = want_tensor(input, "diagonal")._data.ndim
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise BadArgument("diagonal() takes two different dimensions")
    return diagonal_at(input, offset, first, second)


def numel(input: Any) -> int:
    """The number of elements."""
    return int(want_tensor(input, "numel")._data.size)


def stride(input: Any, dim: Any = None) -> Any:
    """How many elements lie between neighbours of each dimension."""
    data = want_tensor(input, "stride")._data
    strides = tuple(s // data.dtype.itemsize for s in getattr(data, "strides", ()))
    return strides if dim is None else strides[wrap_dim(dim, data.ndim)]
