"""Views: tensors that share the storage of another.

A view knows its base (never another view: PyTorch's ``_base``) and how it is made from it, so that a change in place can be
recorded on both. All that share storage share one VersionCounter.

Note [Stale views]
    A change of a storage makes the histories of its views out of date: a recorded one gives the base a new history, and one that is not
    recorded moves the version all the same. PyTorch makes the new ``grad_fn`` of such a view when it is asked for. Here a stale view
    loses its ``_edge``: the slot is empty, so that whoever reads it, be it an operation or the script, comes to ``Tensor.__getattr__``
    and gets the edge made anew. Nothing has to be asked on the way of tensors that are no stale views.

    The counter of the storage holds the views that have an edge, weakly; when it moves, they become stale and leave it.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any, NoReturn

from ..errors import ViewInplace
from .hooks import hooks_of
from .modes import modes
from .node import NOWHERE
from .tensor import Tensor, TensorMeta
from .version_counter import NO_VERSIONS, VersionCounter

FEW = 32  # views that a counter holds before it looks for those that are gone
_edge_slot: Any = Tensor.__dict__["_edge"]


class SharedCounter(VersionCounter):
    """The counter of a storage that has views. See Note [Stale views].

    Attributes
    ----------
    views : list of weakref.ref
        The views that are not stale.
    limit : int
        How many there may be until those that are gone are looked for.
    """

    __slots__ = ()

    def bump(self) -> None:
        """The storage was changed: its views become stale."""
        self.version += 1
        if self.views:
            views, self.views = self.views, []
            for ref in views:
                view = ref()
                if view is not None:
                    _make_stale(view)

    def watch(self, view: Tensor) -> None:
        """`view` has an edge that the next change makes stale."""
        self.views.append(weakref.ref(view))
        if len(self.views) > self.limit:
            self.views = [ref for ref in self.views if ref() is not None]
            self.limit = FEW + 2 * len(self.views)


def share(view: Tensor, source: Tensor, function: Any, arguments: tuple[Any, ...]) -> None:
    """Make `view` = function(source, *arguments) a view of `source`'s base."""
    view._counter = counter = source._ensure_counter()
    if counter is NO_VERSIONS:
        return  # as in PyTorch, which keeps no account of such views
    view._meta = meta = TensorMeta()
    above = source._meta
    if above is None or above.base is None:
        meta.base, meta.view = source, (None, function, arguments)
    else:
        meta.base, meta.view = above.base, (above.view, function, arguments)
        meta.creation = above.creation
    if not modes.grad_enabled and meta.creation is None:
        meta.creation = "inference" if modes.inference else "no_grad"
    _watch(counter, view)


def _watch(counter: Any, view: Tensor) -> None:
    if counter.__class__ is VersionCounter:
        counter.__class__ = SharedCounter
        counter.views, counter.limit = [], FEW
    counter.watch(view)


def _make_stale(view: Tensor) -> None:
    meta = view._meta
    assert meta is not None
    if meta.stale:
        return
    meta.old_edge, meta.stale = known_edge(view), True
    with suppress(AttributeError):  # one made under no_grad has none
        del view._edge


def renewed_edge(view: Tensor) -> Any:
    """The edge of a stale view, which is none any more then.

    Raises
    ------
    ViewInplace
        The view is one whose history PyTorch does not make anew, and gradients are recorded.
    """
    from .copy_slices import edge_of_view

    meta = view._meta
    if meta is None or meta.base is None:  # a view of an inference tensor, which PyTorch does not count as one
        view._edge = None
        return None
    if not meta.stale:
        return _edge_of_unrecorded(view, meta.base)
    edge = old = meta.old_edge
    if meta.base._edge is not None:
        if meta.creation is not None:
            if not modes.grad_enabled:
                return NOWHERE  # who asks records nothing; what is a view of this one requires grad as it does
            refuse(view, meta.creation, "the base of this tensor, a view, was changed in place, and the view is")
        edge = edge_of_view(view)
    set_history(view, old, edge)
    return edge


def _edge_of_unrecorded(view: Tensor, base: Tensor) -> Any:
    """The edge of a view that was made under no_grad of a tensor that required grad: it never had one."""
    from .mode_listener import nowhere

    if base._edge is None:
        view._edge = None
        return None
    return nowhere() if modes.grad_enabled else NOWHERE


# Views that PyTorch lets nobody change in place while recording (its CreationMeta): what they are, and what to do instead.
REFUSED = {
    "multiple": (
        "one of several views that one operation made (split, chunk or unbind), whose gradients could not be kept apart",
        "take the part with x[i] or narrow(), which make one view, or work on a clone()",
    ),
    "function": (
        "a view that a custom Function returned, whose backward knows nothing of the change",
        "return a clone() from the forward, or compute a new tensor",
    ),
    "no_grad": (
        "a view that was made under no_grad(), so the graph does not know that it is one",
        "make the view where gradients are recorded, or change it under no_grad() too",
    ),
    "inference": (
        "a view that was made under inference_mode(), so the graph does not know that it is one",
        "make the view where gradients are recorded, or work on a clone()",
    ),
}


def refuse(view: Tensor, creation: str, what: str) -> NoReturn:
    """Raise ViewInplace: `what` was tried, or happened, to a `view` of the kind `creation`."""
    kind, hint = REFUSED[creation]
    raise ViewInplace(f"{what} {kind}", hint=hint).about(view)


def known_edge(tensor: Tensor) -> Any:
    """The edge of a tensor; None for a stale view, which stays one."""
    try:
        return _edge_slot.__get__(tensor)
    except AttributeError:
        return None


def edge_or_none(tensor: Tensor) -> Any:
    """The edge of any tensor, for those who only look: None for a view that may not be asked, or that has none."""
    try:
        edge = tensor._edge
    except ViewInplace:
        return None
    return None if edge is NOWHERE else edge


def replay(data: Any, view: Any) -> Any:
    """What the chain `view` makes of `data`, an array or a Tensor."""
    chain = []
    while view is not None:
        view, function, arguments = view
        chain.append((function, arguments))
    for function, arguments in reversed(chain):
        data = function(data, *arguments)
    return data


def rebase(tensor: Tensor, edge: Any) -> None:
    """Give `tensor`, which is no view and was changed in place, the history `edge`."""
    set_history(tensor, tensor._edge, edge)


def set_history(tensor: Tensor, old: Any, new: Any) -> None:
    """Let `new` be the edge of `tensor`, which was `old`, until its storage changes again.

    What ``retain_grad`` asked for goes with the tensor; its hooks stay with the old history.
    """
    tensor._edge = new
    meta = tensor._meta
    if meta is None:
        return
    if meta.retains_grad and new is not old and old.function.hooks is not None:
        keep = old.function.hooks.retain.pop(old.input_nr, None)
        if keep is not None:
            hooks_of(new.function).retain[new.input_nr] = keep
    if meta.base is not None:
        meta.old_edge, meta.stale = None, False
        _watch(tensor._counter, tensor)
