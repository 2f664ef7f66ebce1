"""Views: tensors that share the storage of another.

A view knows its base (never another view: PyTorch's ``_base``) and how it is made from it, so that a change in place can be
recorded on both. All that share storage share one VersionCounter.
"""

from __future__ import annotations

from typing import Any

from .tensor import Tensor, TensorMeta, VersionCounter


def counter_of(tensor: Tensor) -> VersionCounter:
    """The version counter of `tensor`, made when there is none yet."""
    return tensor._ensure_counter()


def share(view: Tensor, source: Tensor, function: Any, arguments: tuple[Any, ...]) -> None:
    """Make `view` = function(source, *arguments) a view of `source`'s base."""
    view._counter = source._ensure_counter()
    view._meta = meta = TensorMeta()
    above = source._meta
    if above is None or above.base is None:
        meta.base, meta.view = source, (None, function, arguments)
    else:
        meta.base, meta.view = above.base, (above.view, function, arguments)
