"""Views: tensors that share the storage of another.

A view knows its base (never another view: PyTorch's ``_base``) and how it is made from it, so that a change in place can be
recorded on both. All that share storage share one VersionCounter.

Note [Stale views]
    A change of a base, or of one of its views, that is recorded gives the base a new history, and with it every view. PyTorch makes the
    new ``grad_fn`` of a view when it is asked for. Here such a view becomes a StaleView: the same object with a class whose ``_edge`` is
    a property that makes the new edge and turns the object back into a Tensor; so is its ``__class__``, which operations look at. So
    nothing has to be asked on the way of tensors that are no stale views, and whoever does ask gets the right answer.
"""

from __future__ import annotations

import weakref
from typing import Any

from .hooks import hooks_of
from .modes import modes
from .node import AccumulateGrad
from .tensor import Tensor, TensorMeta

_edge_slot = Tensor.__dict__["_edge"]


def share(view: Tensor, source: Tensor, function: Any, arguments: tuple[Any, ...]) -> None:
    """Make `view` = function(source, *arguments) a view of `source`'s base."""
    view._counter = source._ensure_counter()
    view._meta = meta = TensorMeta()
    above = source._meta
    if above is None or above.base is None:
        meta.base, meta.view = source, (None, function, arguments)
    else:
        meta.base, meta.view = above.base, (above.view, function, arguments)
        meta.creation = above.creation
    if not modes.grad_enabled:
        meta.creation = "no_grad"
    base: Tensor = meta.base
    edge = base._edge
    # The history of a leaf that requires grad never changes, so its views (the weights' transposes) need not be known to it.
    if edge.__class__ is not AccumulateGrad:
        views = base._ensure_meta().views
        key = id(view)
        views[key] = weakref.ref(view, lambda _, views=views, key=key: views.pop(key, None))  # type: ignore[misc]


def replay(data: Any, view: Any) -> Any:
    """The array that the chain `view` makes of `data`; shares its memory where the view shares that of its base."""
    chain = []
    while view is not None:
        view, function, arguments = view
        chain.append((function, arguments))
    for function, arguments in reversed(chain):
        data = function._info.plain(data, *arguments)
    return data


def rebase(tensor: Tensor, edge: Any) -> None:
    """Give `tensor`, which was changed in place, the history `edge`; all its views become stale."""
    set_history(tensor, edge)
    if tensor._meta is not None:
        make_stale(tensor._meta)


def set_history(tensor: Tensor, edge: Any) -> None:
    """Give `tensor` a new history. ``retain_grad`` goes with the tensor, while its hooks stay with the value they were set on."""
    before = _edge_slot.__get__(tensor)  # not that of a stale view, which would be made for it
    tensor._edge = edge
    if tensor.retains_grad and edge is not None:
        retained = hooks_of(before.function).retain.pop(before.input_nr)
        hooks_of(edge.function).retain[edge.input_nr] = retained


def make_stale(meta: TensorMeta) -> None:
    """The views of a base whose history has changed: they make theirs anew when asked. See Note [Stale views]."""
    for ref in list(meta.views.values()):
        view = ref()
        if view is not None and type(view) is Tensor:  # asking for __class__ would renew it
            view.__class__ = StaleView


class StaleView(Tensor):
    """A view whose base has a new history. See Note [Stale views]."""

    __slots__ = ()
    __module__ = "torch"

    @property
    def _edge(self) -> Any:
        self._renew()
        return self._edge

    @_edge.setter
    def _edge(self, edge: Any) -> None:
        _set_class(self, Tensor)
        self._edge = edge

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        self._renew()
        return Tensor

    def _renew(self) -> None:
        from .copy_slices import edge_of_view

        _set_class(self, Tensor)
        set_history(self, edge_of_view(self))


_set_class = object.__dict__["__class__"].__set__
StaleView.__name__ = StaleView.__qualname__ = "Tensor"
