"""Conjugates as views: whether a tensor is one, and how both sides of one stay equal. See Note [Conjugates are copied]."""

from __future__ import annotations

import weakref
from typing import Any

from .array import array_module
from .basic_ops import conj_view
from .tensor import Tensor


def is_conj(input: Tensor) -> bool:
    """Whether the tensor is the conjugate of what its base's memory holds."""
    return input._data.dtype.kind == "c" and odd(input, conj_view)


def odd(tensor: Tensor, function: Any) -> bool:
    """Whether `function` stands an odd number of times in the chain that makes the view `tensor` of its base."""
    view = None if tensor._meta is None else tensor._meta.view
    found = False
    while view is not None:
        view, step, _ = view
        found ^= step is function
    return found


def mirror(tensor: Tensor, conjugate: Tensor) -> Tensor:
    """Remember that the two arrays are to stay each other's conjugates (real ones: negatives), as long as the second is held; it."""
    counter = tensor._ensure_counter()
    mirrors = [pair for pair in getattr(counter, "mirrors", ()) if pair[1]() is not None]
    counter.mirrors = [*mirrors, (tensor._storage(), weakref.ref(conjugate._storage()))]
    return conjugate


def sync_conjugates(tensor: Tensor) -> None:
    """`tensor` was changed in place: bring the conjugates that share its storage up to date, and their base."""
    pairs = getattr(tensor._counter, "mirrors", ())
    stale: list[Any] = [tensor._data]
    seen = 0
    while seen < len(stale):
        changed = stale[seen]
        seen += 1
        for base, ref in pairs:
            copy = ref()
            if copy is None:
                continue
            for source, target in ((base, copy), (copy, base)):
                if array_module(changed).may_share_memory(changed, source) and not any(target is array for array in stale):
                    target[...] = source.conj() if source.dtype.kind == "c" else -source
                    stale.append(target)
