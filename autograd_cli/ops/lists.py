"""Operations on several tensors at once, or with several results: nodes with as many edges, or inputs, as the call has tensors.

``@op`` compiles operations of a fixed number of tensors, so these nodes are written by hand on one base class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import dtype as dt
from ..core.array import array_module
from ..core.basic_ops import recording
from ..core.device_operands import together
from ..core.modes import modes
from ..core.node import Node, edge_to, next_sequence_nr
from ..core.op_support import fresh, rows, scalar
from ..core.saved_attributes import shown
from ..core.tensor import Tensor
from ..core.view import share
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, IndexOutOfRange, ShapeMismatch
from .parts import select_at, slice_at
from .shape import reshape_to
from .sizes import unsqueeze
from .support import as_int, as_kind_of, data_of, want_tensor, wrap_dim


class ListNode(Node):
    """A node whose edges are as many as the call had tensors.

    Attributes
    ----------
    edges : tuple
        What ``next_edges`` gives.
    sizes : list of tuple
        The shapes of the tensors.
    dim : int
    num_inputs : int
        How many results the forward had.
    """

    __slots__ = ("dim", "edges", "fits", "num_inputs", "sizes")
    all_or_none = True

    def __init__(self, edges: tuple[Any, ...], sizes: Any, dim: int, num_inputs: int = 1) -> None:
        self.sequence_nr = next_sequence_nr()
        self.hooks = None
        self.edges = edges
        self.sizes = sizes
        self.dim = dim
        self.num_inputs = num_inputs  # the class attribute is the default of all other nodes
        self.fits = None

    @property
    def _saved_dim(self) -> Any:
        return shown(self.dim)

    @property
    def next_edges(self) -> tuple[Any, ...]:
        """The edges, one for each tensor."""
        return self.edges

    @property
    def more_edges(self) -> Any:
        """Tells the engine to read ``next_edges``."""
        return ()

    def apply(self, grad: Any) -> Any:
        """Gradients for the edges from `grad`, arrays or Tensors alike."""
        raise NotImplementedError

    def apply_release(self, grad: Any) -> Any:
        """Nothing is saved, so nothing is released."""
        return self.apply(grad)

    def apply_tensor(self, grad: Any) -> Any:
        """The formulas record on Tensors."""
        return self.apply(grad)


def real_for(grad: Any, fit: tuple[Any, Any]) -> Any:
    """The gradient, or its real part where the tensor that was joined is real and another is complex."""
    if grad is None or fit[1].kind == "c" or data_of(grad).dtype.kind != "c":
        return grad
    return recording.real(grad) if grad.__class__ is Tensor else grad.real


def whole_sizes(node: ListNode) -> tuple[int, ...]:
    """The sizes of the tensor that was split."""
    first, dim = node.sizes[0], node.dim
    return (*first[:dim], sum(size[dim] for size in node.sizes), *first[dim + 1 :])


class CatBackward0(ListNode):
    """Each tensor's gradient is its part of the whole."""

    __slots__ = ()

    def apply(self, grad: Any) -> Any:
        """Slices along the dimension."""
        parts: list[Any] = []
        start, dim = 0, self.dim
        grads = [grad] * len(self.edges)
        if self.fits is not None and data_of(grad).dtype.kind == "c":
            real = real_for(grad, next((f for f in self.fits if f[1].kind != "c"), self.fits[0]))
            grads = [grad if dtype.kind == "c" else real for _, dtype in self.fits]
        for edge, size, grad in zip(self.edges, self.sizes, grads, strict=True):
            if size == (0,) and len(self.sizes) > 1:
                parts.append(None)
                continue
            end = start + size[dim]
            if edge is None and self.hooks is None:  # hooks see what PyTorch computes for all
                parts.append(None)
            elif grad.__class__ is Tensor:
                parts.append(slice_at(grad, dim, start, end, 1))
            else:
                parts.append(grad[(slice(None),) * dim + (slice(start, end),)])
            start = end
        return tuple(parts)


class StackBackward0(ListNode):
    """Each tensor's gradient is its slice."""

    __slots__ = ()

    def apply(self, grad: Any) -> Any:
        """One index along the new dimension for each."""
        every = self.hooks is not None  # hooks see what PyTorch computes for all
        if grad.__class__ is Tensor:
            found = tuple(select_at(grad, self.dim, i) if e is not None or every else None for i, e in enumerate(self.edges))
        else:
            lead = (slice(None),) * self.dim
            found = tuple(grad[(*lead, i)] if e is not None or every else None for i, e in enumerate(self.edges))
        return found if self.fits is None else tuple(map(real_for, found, self.fits))


class _PartsBackward(ListNode):
    """The base of nodes whose forward took a tensor apart; ``sizes`` are the parts', ``fits`` is not needed."""

    __slots__ = ("dtype",)
    dtype: Any

    def _whole(self, grads: Any) -> list[Any]:
        """The gradients of all parts; zeros where none arrived."""
        if self.num_inputs == 1:  # the engine hands a single gradient over as it is
            grads = [grads]
        given = next(g for g in grads if g is not None)
        xp = array_module(data_of(given))
        return [
            as_kind_of(given, scalar(xp.zeros(size, self.dtype))) if g is None else g
            for g, size in zip(grads, self.sizes, strict=True)
        ]


class _SplitBackward(_PartsBackward):
    """The gradient is the parts' gradients, joined."""

    __slots__ = ()
    _saved_self_sym_sizes = property(whole_sizes)

    def apply(self, grad: Any) -> Any:
        """cat of the parts."""
        parts = self._whole(grad)
        if parts[0].__class__ is Tensor:
            return (cat(parts, self.dim),)
        return (array_module(parts[0]).concatenate(parts, self.dim),)


class SplitBackward0(_SplitBackward):
    """Of parts of one size."""

    __slots__ = ()
    _saved_split_size = property(lambda node: node.sizes[0][node.dim])


class SplitWithSizesBackward0(_SplitBackward):
    """Of parts of given sizes."""

    __slots__ = ()
    _saved_split_sizes = property(lambda node: tuple(size[node.dim] for size in node.sizes))


class UnbindBackward0(_PartsBackward):
    """The gradient is the slices' gradients, stacked."""

    __slots__ = ()

    def apply(self, grad: Any) -> Any:
        """stack of the slices."""
        parts = self._whole(grad)
        if parts[0].__class__ is Tensor:
            return (stack(parts, self.dim),)
        return (array_module(parts[0]).stack(parts, self.dim),)


# ---- several tensors, one result ----


def tensor_list(tensors: Any, op: str) -> list[Tensor]:
    """A sequence of tensors, not empty."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, (list, tuple)):
        raise BadArgumentType(f"{op}() takes a list or tuple of tensors, not {type(tensors).__name__}")
    for place, tensor in enumerate(tensors):
        want_tensor(tensor, op, f"tensors[{place}]")
    if not tensors:
        kind = BadArgumentValue if op == "cat" else BadArgument
        raise kind(f"{op}() takes at least one tensor, and the list is empty")
    if not modes.host_only:
        together(op, tuple(f"tensors[{i}]" for i in range(len(tensors))), *(t._data for t in tensors), scalars=False)
    return list(tensors)


def _joined(node_class: type[ListNode], tensors: list[Tensor], data: Any, dim: int) -> Tensor:
    """The result of joining, recorded when one of the tensors requires grad."""
    made = fresh(data)
    edges = tuple(t._edge for t in tensors)
    if modes.grad_enabled and any(e is not None for e in edges):
        node = node_class(edges, [t._data.shape for t in tensors], dim)
        if any(t._data.dtype != data.dtype for t in tensors):
            node.fits = tuple((t._data.shape, t._data.dtype) for t in tensors)
        made._edge = node
        if modes.instrument is not None:
            modes.instrument.record(node, made)
    return made


def _one_dtype(arrays: list[Any]) -> list[Any]:
    """Arrays brought to one dtype; unlike in arithmetic, all count alike."""
    first = arrays[0].dtype
    if all(a.dtype == first for a in arrays):
        return arrays
    found = dt.of(arrays[0])
    for a in arrays[1:]:
        found = dt.promote_types(found, dt.of(a))
    return [a.astype(found.numpy) for a in arrays]


def cat(tensors: Any, dim: Any = 0, *, axis: Any = None) -> Tensor:
    """Tensors joined along a dimension they have."""
    given = tensor_list(tensors, "cat")
    arrays = _one_dtype([t._data for t in given])
    if any(not a.shape for a in arrays):
        raise BadArgument(
            "cat() takes tensors with one dimension or more, and one of these has none", hint="stack() joins 0-d tensors"
        )
    real = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    dim = wrap_dim(dim if axis is None else axis, real[0].ndim)
    for a in real[1:]:
        if a.ndim != real[0].ndim or any(n != m for d, (n, m) in enumerate(zip(a.shape, real[0].shape, strict=True)) if d != dim):
            raise ShapeMismatch(
                f"cat() along dimension {dim} got the shapes {list(real[0].shape)} and {list(a.shape)}",
                hint=f"all sizes but that of dimension {dim} must be equal",
            )
    return _joined(CatBackward0, given, rows(array_module(real[0]).concatenate(real, dim)), dim)


def stack(tensors: Any, dim: Any = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension."""
    given = tensor_list(tensors, "stack")
    arrays = [t._data for t in given]
    shape = arrays[0].shape
    dim = wrap_dim(dim, len(shape) + 1)
    for place, a in enumerate(arrays):
        if a.shape != shape:
            raise ShapeMismatch(
                f"stack() takes tensors of one shape; tensor 0 has {list(shape)} and tensor {place} has {list(a.shape)}",
                hint="use cat() for tensors that differ along one dimension",
            )
    return _joined(StackBackward0, given, rows(array_module(arrays[0]).stack(_one_dtype(arrays), dim)), dim)


recording.stack = stack


def at_least_1d(tensor: Tensor) -> Tensor:
    """A 0-d tensor as a vector."""
    return tensor if tensor._data.shape else reshape_to(tensor, (1,))


def hstack(tensors: Any) -> Tensor:
    """Tensors joined along dimension 1, vectors along 0."""
    given = [at_least_1d(t) for t in tensor_list(tensors, "hstack")]
    return cat(given, 0 if given[0]._data.ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Tensors joined along dimension 0; vectors are rows."""
    given = [t if t._data.ndim else reshape_to(t, (1, 1)) for t in tensor_list(tensors, "vstack")]
    return cat([unsqueeze(t, 0) if t._data.ndim == 1 else t for t in given], 0)


# ---- one tensor, several results ----


def _apart(
    node_class: type[_PartsBackward], source: Tensor, arrays: list[Any], dim: int, remake: list[Any]
) -> tuple[Tensor, ...]:
    """Views of one tensor, all results of one node."""
    parts = []
    for data, (function, arguments) in zip(arrays, remake, strict=True):
        part = fresh(data)
        share(part, source, function, arguments)
        if part._meta is not None and part._meta.creation is None:
            part._meta.creation = "multiple"
        parts.append(part)
    record_parts(node_class, source, parts, dim)
    return tuple(parts)


def record_parts(node_class: type[_PartsBackward], source: Tensor, parts: list[Tensor], dim: int) -> None:
    """Make one node the origin of all parts where `source` requires grad."""
    if source._edge is None or not parts:
        return
    if not modes.grad_enabled:
        for part in parts:
            del part._edge  # See Note [Edges that lead nowhere] in mode_listener.py
        return
    node = node_class((source._edge,), [p._data.shape for p in parts], dim, len(parts))
    node.dtype = source._data.dtype
    for place, part in enumerate(parts):
        part._edge = edge_to(node, place)
    if modes.instrument is not None:
        modes.instrument.record(node, parts[0])


def split(input: Any, split_size_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """Views of input along `dim`: of one size (the last may be smaller), or of the sizes in a list."""
    input = want_tensor(input, "split")
    shape = input._data.shape
    if not shape:
        raise BadArgument("split() takes a tensor with one dimension or more")
    dim = wrap_dim(dim, len(shape))
    if isinstance(split_size_or_sections, (list, tuple)):
        sizes = [as_int(n, "split_size") for n in split_size_or_sections]
        if sum(sizes) != shape[dim] or min(sizes, default=0) < 0:
            raise BadArgument(f"split() got the sizes {sizes}, which do not add up to {shape[dim]}, the size of dimension {dim}")
        return _split(SplitWithSizesBackward0, input, sizes, dim)
    step = as_int(split_size_or_sections, "split_size")
    if step <= 0 and not (step == 0 and shape[dim] == 0):
        raise BadArgument(f"split() takes a size greater than 0, not {step}")
    sizes = [min(step, shape[dim] - at) for at in range(0, shape[dim], step or 1)] or [0]
    return _split(SplitBackward0, input, sizes, dim)


def _split(node_class: type[_PartsBackward], input: Tensor, sizes: Sequence[int], dim: int) -> tuple[Tensor, ...]:
    data, lead, start = input._storage(), (slice(None),) * dim, 0
    arrays, remake = [], []
    for n in sizes:
        arrays.append(data[(*lead, slice(start, start + n))])
        remake.append((slice_at, (dim, start, start + n, 1)))
        start += n
    return _apart(node_class, input, arrays, dim, remake)


def chunk(input: Any, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """Views of input along `dim`: at most `chunks` of them, of equal size but for the last."""
    input = want_tensor(input, "chunk")
    count = as_int(chunks, "chunks")
    if count <= 0:
        raise BadArgument(f"chunk() takes a number of chunks greater than 0, not {count}")
    if not input._data.shape:
        raise BadArgument("chunk() takes a tensor with one dimension or more")
    dim = wrap_dim(dim, input._data.ndim)
    size = input._data.shape[dim]
    return split(input, -(-size // count), dim) if size else split(input, [0] * count, dim)


def unbind(input: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """The slices of input along `dim`, which is removed."""
    input = want_tensor(input, "unbind")
    if not input._data.shape:
        raise IndexOutOfRange("a 0-d tensor cannot be taken apart", hint="use x.item() to get its value")
    dim = wrap_dim(dim, input._data.ndim)
    data, lead = input._storage(), (slice(None),) * dim
    count = data.shape[dim]
    arrays = [data[(*lead, i, ...)] for i in range(count)]
    return _apart(UnbindBackward0, input, arrays, dim, [(select_at, (dim, i)) for i in range(count)])
