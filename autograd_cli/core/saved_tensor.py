"""``grad_fn._raw_saved_self``: how one tensor is saved, so that hooks can be registered on it alone.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#registering-hooks-for-a-saved-tensor
"""

from __future__ import annotations

from typing import Any

from ..errors import BadArgument, BadArgumentType
from .modes import modes
from .node import edge_to
from .op_support import FREED, freed, fresh
from .packed import Packed, packed_class


class SavedTensor:
    """One tensor that a node saved.

    Parameters
    ----------
    node : Node
    name : str
        By which the operation's formula knows it.
    place : int, optional
        Which of several, where the node saved a list by this name.
    """

    __module__ = "torch._C._autograd"

    def __init__(self, node: Any, name: str, place: int | None = None) -> None:
        self._node, self._name, self._place = node, name, place

    def register_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Keep what `pack_hook` makes of the saved tensor in its place; `unpack_hook` makes the tensor again when it is needed.

        Raises
        ------
        BadArgument
            It has hooks already.
        GraphFreed
        """
        if not callable(pack_hook) or not callable(unpack_hook):
            raise BadArgumentType("register_hooks() takes two functions: one that packs a tensor, one that unpacks it")
        node, slot = self._node, f"s_{self._name}"
        value = held = getattr(node, slot)
        if value is not FREED and self._place is not None:
            value = held[self._place]
        if value is FREED:
            freed(node)
        if value.__class__ is Packed:
            raise BadArgument("this saved tensor has hooks already, and there is place for one pair", hint="register them once")
        if value is None:
            raise BadArgument(
                f"{node.name()} saved nothing as `{self._name}`: no gradient needs it", hint="choose another saved tensor"
            )
        number = node.own_outputs.get(self._name)
        tensor = value if number is None else fresh(value, edge_to(node, number), getattr(node, f"c_{self._name}"))
        before, modes.saved_hooks = modes.saved_hooks, ((pack_hook, unpack_hook),)
        try:
            packed: Any = Packed(tensor, number)
        finally:
            modes.saved_hooks = before
        if self._place is not None:
            packed = (*held[: self._place], packed, *held[self._place + 1 :])
        setattr(node, slot, packed)
        node.__class__ = packed_class(node.__class__)
