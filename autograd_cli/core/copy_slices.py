"""Recording a change in place of a view: the base gets a CopySlices, the view an AsStridedBackward0.

Source of the rules: https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import weakref
from typing import Any

from ..errors import BadArgument
from .array import array_module
from .as_strided import as_strided_at, geometry, window
from .basic_ops import clone_gradient, conj_view, copy_gradient, recording
from .conjugates import mirror, sync_conjugates
from .grad_mode import enable_grad
from .modes import modes
from .node import Node, next_sequence_nr
from .op_support import freed, fresh, results_on_views, validate_outputs
from .tensor import Tensor
from .view import rebase, replay


class CopySlices(Node):
    """The base's history after a view of it was changed: the gradient outside the view passes, inside it goes through `fn`.

    Attributes
    ----------
    fn : Node or None
        The node of the operation that changed the view; its first edge is replaced by the base's earlier history. None once released:
        what `fn` saved stays where something else leads to it.
    others : tuple of edges
        The other edges of `fn`.
    base, part : Geometry
        Where base and view lie in a storage of the base's own.
    chain : tuple or None
        How the view is made from the base, where it is of another dtype and its place alone does not say it.
    """

    __slots__ = ("base", "base_edge", "chain", "fn", "others", "part")
    saved_names = ("fn",)
    more_edges = ()

    def __init__(self, base: Tensor, view: Tensor, fn: Node) -> None:
        self.sequence_nr = next_sequence_nr()
        self.hooks = None
        self.fn: Any = fn
        self.base_edge, self.others = base._edge, fn.next_edges[1:]
        self.chain = chain_of(view)
        whole, part = geometry(base._data), geometry(view._data)
        self.base, self.part = whole._replace(offset=0), part._replace(offset=part.offset - whole.offset)

    @property
    def next_edges(self) -> tuple[Any, ...]:
        return (self.base_edge, *self.others)

    def name(self) -> str:
        """PyTorch's long name."""
        return "torch::autograd::CopySlices"

    def saved(self) -> list[tuple[str, Any, int]]:
        return [] if self.fn is None else self.fn.saved()

    def held(self) -> list[tuple[str, Tensor | None, int]]:
        return [] if self.fn is None else self.fn.held()

    def describe(self) -> Any:
        return ()  # PyTorch shows none of its function's saved tensors on a CopySlices

    def release(self) -> None:
        self.fn = None

    def apply_release(self, grad: Any) -> Any:
        found = self.apply(grad)
        self.fn = None
        return found

    def apply(self, grad: Any) -> Any:
        self._check()
        storage = self._storage(grad)
        whole = window(storage, self.base)
        whole[...] = grad
        view = made_again(fresh(whole), self.chain) if self.chain else None
        part = window(storage, self.part) if view is None else view._storage()
        results = self.fn.apply(part.copy()[()])
        first, *others = results if self.fn.fits is None else validate_outputs(self.fn.fits, results)
        if self.base_edge is not None and first is not None:
            self._check_writable()
            part[...] = first
            if view is not None:
                sync_conjugates(view)
            first = whole[()]
        return (first, *others[: len(self.others)])

    def _check_writable(self) -> None:
        """The gradient of an expanded view cannot be put into that of its base: the places of several elements are one."""
        if any(s == 0 and n > 1 for s, n in zip(self.part.strides, self.part.sizes, strict=True)):
            raise BadArgument(
                "the gradient of a change in place of an expanded tensor cannot be computed: several of its elements share one place "
                "in memory",
                hint="change x.clone() instead",
            )

    def _check(self) -> None:
        """PyTorch lets the function itself go, so a second pass fails here even where it saved nothing."""
        if self.fn is None:
            freed(self)

    def apply_tensor(self, grad: Any) -> Any:
        self._check()
        laid_out = window(self._storage(grad._data), self.base)
        laid_out[...] = grad._data
        whole = copy_gradient(fresh(laid_out), grad)
        whole._data = laid_out
        if self.chain:
            part = made_again(whole, self.chain)
        else:
            part = as_strided_at(whole, self.base, self.part.sizes, self.part.strides, self.part.offset)
        first, *others = self.fn.apply_tensor(clone_gradient(part))
        if self.base_edge is not None and first is not None:
            self._check_writable()
            recording.copy_(part, first)
            first = whole
        if self.fn.fits is not None:  # after the copy, as PyTorch's engine does
            _, *others = validate_outputs(self.fn.fits, (None, *others))
        return (first, *others[: len(self.others)])

    def _storage(self, grad: Any) -> Any:
        return array_module(grad).empty(self.base.end(), grad.dtype)


COPIED: set[Any] = {conj_view}  # views in PyTorch, copies here: see Note [Conjugates are copied]
NOT_STRIDED: set[Any] = {conj_view}  # views that are more than other sizes and strides of the same numbers


def chain_of(view: Tensor) -> Any:
    """How `view` is made from its base, where its place in the storage does not say it; None where it does."""
    meta = view._meta
    assert meta is not None
    step = meta.view
    while step is not None:
        step, function, _ = step
        if function in NOT_STRIDED:
            return meta.view
    return None


def made_again(base: Tensor, view: Any) -> Tensor:
    """The view that the chain `view` makes of `base`, as PyTorch makes it anew: what strides can say is one AsStridedBackward0."""
    steps = []
    while view is not None:
        view, function, arguments = view
        steps.append((function, arguments))
    made: Any = base
    run: Any = None
    for function, arguments in reversed(steps):
        if function not in NOT_STRIDED:
            run = (run, function, arguments)
        else:
            before = _strided(made, run)
            made, run = function(before, *arguments), None
            if function in COPIED:
                mirror(before, made)
    return _strided(made, run)  # type: ignore[no-any-return]


def _strided(tensor: Any, run: Any) -> Any:
    """What the chain `run` of ordinary views makes of a tensor, as one step."""
    if run is None:
        return tensor
    whole, part = geometry(tensor._storage()), geometry(replay(fresh(tensor._data), run)._data)
    return as_strided_at(tensor, whole, *part)


def edge_of_view(view: Tensor) -> Any:
    """The edge of a view whose base has a new history: an AsStridedBackward0 on it."""
    meta = view._meta
    assert meta is not None
    base = meta.base
    assert base is not None
    if base._edge is None:
        return None
    with enable_grad():
        chain = chain_of(view)
        if chain:
            return made_again(base, chain)._edge
        place = geometry(view._data)
        return as_strided_at(base, geometry(base._data), *place)._edge


def rebase_view(view: Tensor, node: Node) -> None:
    """`view` was changed in place by the operation that `node` recorded: base and view get their new histories."""
    meta = view._meta
    assert meta is not None
    assert meta.base is not None
    base = meta.base
    if modes.instrument is not None:
        modes.instrument.absorbed(node)
    made = CopySlices(base, view, node)
    rebase(base, made)
    if modes.instrument is not None:
        modes.instrument.record(made, base)
    edge = view._edge  # stale since the version moved: it gets its new history now
    if getattr(node, "c_result", None) is not None:
        results_on_views[node] = weakref.ref(edge.function)
