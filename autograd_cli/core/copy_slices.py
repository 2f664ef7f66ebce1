"""Recording a change in place of a view: the base gets a CopySlices, the view an AsStridedBackward0.

Source of the rules: https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from .array import array_module
from .grad_mode import enable_grad
from .modes import modes
from .node import Node, next_sequence_nr
from .op import op
from .op_support import fresh
from .tensor import Tensor
from .view import make_stale, replay, set_history


@op(
    "AsStridedBackward0",
    view=True,
    self=lambda grad, self_sizes, self_strides, view: put_into_base(grad, self_sizes, self_strides, view),
)
def view_again(self, view):
    """The view that the chain `view` makes of self."""
    return replay(self, view)


@op("AsStridedScatterBackward0", self=lambda grad, view: view_again(grad, view))
def put_into_base(self, sizes, strides, view):
    """Zeros of the base's shape with self where the view is; places that the view repeats get the sum."""
    base = like_base(self, sizes, strides)
    base[...] = 0
    place = replay(base, view)
    repeated = tuple(i for i, s in enumerate(place.strides) if s == 0 and place.shape[i] > 1)
    if repeated:
        first = tuple(slice(0, 1) if i in repeated else slice(None) for i in range(place.ndim))
        place[first] = self.sum(axis=repeated, keepdims=True)
    else:
        place[...] = self
    return base


def like_base(data: Any, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An uninitialised array of the base's shape, laid out so that the view shares its memory."""
    order = sorted(range(len(sizes)), key=lambda i: -strides[i])
    empty = array_module(data).empty(tuple(sizes[i] for i in order), data.dtype)
    return empty.transpose(tuple(order.index(i) for i in range(len(sizes)))) if sizes else np.empty((), data.dtype)


class CopySlices(Node):
    """The base's history after a view of it was changed: the gradient outside the view passes, inside it goes through `fn`.

    Attributes
    ----------
    fn : Node
        The node of the operation that changed the view; its first edge is replaced by the base's earlier history.
    view : tuple
        How the view is made from the base.
    """

    __slots__ = ("base_edge", "fits", "fn", "sizes", "strides", "view")
    saved_names = ("fn",)

    def __init__(self, base: Tensor, view: Any, fn: Node) -> None:
        self.sequence_nr = next_sequence_nr()
        self.hooks = None
        self.fn, self.view, self.base_edge = fn, view, base._edge
        self.sizes, self.strides = base._data.shape, base._data.strides
        self.fits = None

    more_edges = ()

    @property
    def next_edges(self) -> tuple[Any, ...]:
        return (self.base_edge, *self.fn.next_edges[1:])

    def name(self) -> str:
        """PyTorch's long name."""
        return "torch::autograd::CopySlices"

    def saved(self) -> list[tuple[str, Any, int]]:
        return self.fn.saved()

    def held(self) -> list[tuple[str, Tensor | None, int]]:
        return self.fn.held()

    def describe(self) -> Any:
        return ()  # PyTorch shows none of its function's saved tensors on a CopySlices

    def release(self) -> None:
        self.fn.release()

    def apply(self, grad: Any) -> Any:
        return self._apply(grad, self.fn.apply)

    def apply_release(self, grad: Any) -> Any:
        return self._apply(grad, self.fn.apply_release)

    def _apply(self, grad: Any, function: Any) -> Any:
        whole = like_base(grad, self.sizes, self.strides)
        whole[...] = grad
        part = replay(whole, self.view)
        inner = self._inner(part.copy()[()], function)
        if self.base_edge is not None:
            part[...] = 0 if inner[0] is None else inner[0]
        return (whole if self.base_edge is not None else None, *inner[1 : len(self.fn.next_edges)])

    def _inner(self, part: Any, function: Any) -> Any:
        """`fn` on the view's part of the gradient. Its first edge may be None where the view had no history: it is asked all the same
        when the base has one."""
        from .op_support import validate_outputs

        results = function(part)
        return validate_outputs(self.fn.fits, results) if self.fn.fits is not None else results

    def apply_tensor(self, grad: Any) -> Any:
        from .basic_ops import clone_gradient

        whole = clone_gradient(grad)
        part = view_again(whole, self.view)
        inner = self._inner(clone_gradient(part), self.fn.apply_tensor)
        if self.base_edge is None:
            return (None, *inner[1 : len(self.fn.next_edges)])
        first = inner[0] if inner[0] is not None else fresh(np.zeros(part._data.shape, part._data.dtype))
        # whole with the part replaced: what PyTorch does in place, out of place
        outside = whole - put_into_base(view_again(whole, self.view), self.sizes, self.strides, self.view)
        return (outside + put_into_base(first, self.sizes, self.strides, self.view), *inner[1 : len(self.fn.next_edges)])


def edge_of_view(view: Tensor) -> Any:
    """The edge of a view whose base has a new history: an AsStridedBackward0 on it."""
    meta = view._meta
    assert meta is not None
    assert meta.base is not None
    base = meta.base
    if base._edge is None:
        return None
    with enable_grad():
        return view_again(base, meta.view)._edge


def rebase_view(view: Tensor, node: Node) -> None:
    """`view` was changed in place by the operation that `node` recorded: base and view get their new histories."""
    meta = view._meta
    assert meta is not None
    assert meta.base is not None
    base = meta.base
    if modes.instrument is not None:
        modes.instrument.absorbed(node)
    made = CopySlices(base, meta.view, node)
    set_history(base, made)
    if modes.instrument is not None:
        modes.instrument.record(made, base)
    make_stale(base._ensure_meta())
    set_history(view, edge_of_view(view))
