"""``grad_fn._saved_self`` and the like: what a node saved, by PyTorch's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .op_support import FREED, fresh, modified
from .packed import Packed
from .tensor import Size, Tensor

if TYPE_CHECKING:
    from .node import Node

_ENDINGS = {"_sizes": "_sym_sizes", "_strides": "_sym_strides"}


def saved_attribute_names(node: Node) -> list[str]:
    """What there is, in the order of the names."""
    return sorted(_slots(node))


def _slots(node: Any) -> dict[str, str]:
    """The slot behind each name."""
    if getattr(type(node), "_op", None) is None:
        return {}
    found = {}
    for slot in [s for kind in type(node).__mro__ for s in getattr(kind, "__slots__", ()) if s.startswith("s_")]:
        name = slot.removeprefix("s_")
        if name.endswith("_dtype"):
            continue  # PyTorch keeps the scalar type to itself
        for ending, shown in _ENDINGS.items():
            if name.endswith(ending):
                name = name.removesuffix(ending) + shown
        found[f"_saved_{name}"] = slot
    return found


def saved_attribute(node: Any, name: str) -> Any:
    """The value of one attribute.

    Raises
    ------
    AttributeError
        The node saves nothing of this name.
    GraphFreed, InplaceModified
    """
    slot = _slots(node).get(name)
    if slot is None:
        return object.__getattribute__(node, name)
    value = getattr(node, slot)
    if value is FREED:
        try:
            return FREED.version
        except BaseException as error:
            error.node = node  # type: ignore[attr-defined]
            raise
    if value.__class__ is Packed:
        return value.unpack(node)
    own = slot.removeprefix("s_")
    if own not in type(node).saved_names:
        return _shown(value)
    if own == "result":
        _check(node, own, node.c_result.version)
        return fresh(value, node, node.c_result)
    if isinstance(value, Tensor):
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
