"""``grad_fn._saved_self`` and the like: what a node saved, by PyTorch's names.

They are properties of the node classes and not found by ``__getattr__``: a class that has that is slow to read, and the engine reads nodes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .node import edge_to
from .op_support import ABSENT, FREED, freed, fresh, modified
from .packed import Packed
from .tensor import Size, Tensor

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # at::Reduction


def saved_properties(saved: list[str]) -> dict[str, property]:
    """The properties of a node class that saves `saved` (names as in the operation's declaration)."""
    found = {}
    for own in saved:
        if own.endswith(("_dtype", "_strides")):
            continue  # PyTorch keeps the scalar type to itself, and its strides are not NumPy's
        name = own.removesuffix("_sizes") + "_sym_sizes" if own.endswith("_sizes") else own
        found[f"_saved_{name}"] = property(partial(saved_value, own=own), doc=f"What was saved as `{name}`.")
    return found


def saved_value(node: Any, own: str) -> Any:
    """What `node` saved as `own`, as PyTorch shows it.

    Raises
    ------
    GraphFreed, InplaceModified
    """
    value = getattr(node, f"s_{own}")
    if value is FREED:
        freed(node)
    if value.__class__ is Packed:
        return value.unpack(node)
    if own == "reduction":
        return _REDUCTIONS.get(value, value)
    if own not in type(node).saved_names:
        return _shown(value)
    if own in node.own_outputs:
        counter = getattr(node, f"c_{own}")
        _check(node, own, counter.version)
        return fresh(value, edge_to(node, node.own_outputs[own]), counter)
    if isinstance(value, Tensor):
        if value._meta is ABSENT:
            return None
        _check(node, own, value._version)
    elif isinstance(value, tuple):
        return tuple(v.unpack(node) if v.__class__ is Packed else v for v in value)
    return value


def _check(node: Any, name: str, now: int) -> None:
    then = getattr(node, f"v_{name}", 0)
    if now != then:
        modified(node, name, now, then)


def _shown(value: Any) -> Any:
    """A plain value as PyTorch shows it: negative dimensions are unsigned 64-bit numbers there."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value % 2**64
    if isinstance(value, Size):
        return tuple(value)
    if isinstance(value, (tuple, list)):
        return tuple(_shown(v) for v in value)
    return value
