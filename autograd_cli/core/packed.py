"""Saved tensors that hooks have packed: ``torch.autograd.graph.saved_tensors_hooks``.

Note [Packed nodes]
    A node whose saved tensors went through a pack hook holds Packed objects in the slots where others hold tensors, and has a class of
    its own: a subclass of the operation's node, of the same name, whose ``apply`` unpacks, runs the operation's and packs up again. So
    the functions that ``op_source.py`` writes know nothing of hooks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import BadArgument, BadArgumentType
from .grad_mode import no_grad
from .modes import modes
from .node import edge_to
from .op_support import FREED, fresh

if TYPE_CHECKING:
    from .node import Node
    from .tensor import Tensor


class Packed:
    """What a pack hook made of one saved tensor, and what is needed to make the tensor again.

    Attributes
    ----------
    payload : object
        What the pack hook returned.
    unpack_hook : callable
    edge : edge or None
        The history of the tensor; None also for the saving node's own output, which has ``output_nr`` instead: an edge to the node
        itself would be a reference cycle.
    output_nr : int or None
    shape, dtype
        Of the tensor, for a Recorder.
    """

    __slots__ = ("dtype", "edge", "output_nr", "payload", "shape", "unpack_hook")

    def __init__(self, tensor: Tensor, output_nr: int | None = None) -> None:
        pack_hook, self.unpack_hook = modes.saved_hooks[-1]
        self.output_nr = output_nr
        self.shape, self.dtype = tensor._data.shape, tensor._data.dtype
        self.edge = None if output_nr is not None else tensor._edge
        version = tensor._version
        with no_grad():
            self.payload = pack_hook(tensor)
        if tensor._version != version:
            raise BadArgument(
                "a pack hook changed in place the tensor it was given, which is the one that the computation goes on with",
                hint="return a new tensor from the pack hook: x.clone(), x.to(...), x * 1",
            )

    def unpack(self, node: Any) -> Tensor:
        """The tensor again, with its history; `node` is the one that saved it."""
        found = self.unpack_hook(self.payload)
        from .tensor import Tensor

        if not isinstance(found, Tensor):
            raise BadArgumentType(
                f"an unpack hook returned {type(found).__name__}", hint="it returns a tensor: what the pack hook was given"
            )
        edge = self.edge if self.output_nr is None else edge_to(node, self.output_nr)
        if edge is None and found._edge is None:
            return found
        return fresh(found._data, edge, found._ensure_counter())


def _in_order(node: Any) -> list[str]:
    """What a node saved, inputs before its own results, by name: the order in which PyTorch calls the hooks."""
    return sorted(node.saved_names, key=lambda name: (name in node.own_outputs, name))


def pack_node(node: Node, result: Tensor, inputs: bool = True, outputs: bool = True) -> None:
    """Pack what `node` has just saved: of its inputs, of its outputs."""
    if not node.saved_names or getattr(node, "_op", None) is None:
        return  # a custom Function packs what it saves itself
    found = False
    for name in _in_order(node):
        value = getattr(node, f"s_{name}")
        if value is None or value is FREED:
            continue
        number = node.own_outputs.get(name)
        if value.__class__ is Packed or not (inputs if number is None else outputs):
            continue
        if number is not None:
            own = result if number == 0 else fresh(value, edge_to(node, number), getattr(node, f"c_{name}"))
            packed: Any = Packed(own, number)
        elif value.__class__ is tuple:
            packed = tuple(None if t is None else Packed(t) for t in value)
        elif value._meta is not None and value._meta.number is not None:
            continue
        else:
            packed = Packed(value)
        setattr(node, f"s_{name}", packed)
        found = True
    if found:
        node.__class__ = packed_class(node.__class__)


_classes: dict[type[Node], type[Node]] = {}


def packed_class(base: type[Node]) -> type[Node]:
    """The class of packed nodes of an operation. See Note [Packed nodes]."""
    if "unpacks" in base.__dict__:
        return base
    if base not in _classes:
        methods = ("apply", "apply_release", "apply_tensor", "saved", "describe")
        body: dict[str, Any] = {name: _unpacked(getattr(base, name)) for name in methods}
        body["unpacks"] = True
        body["held"] = _held_beside_packed(base)
        _classes[base] = type(base.__name__, (base,), {**body, "__slots__": (), "__module__": base.__module__})
    return _classes[base]


def _held_beside_packed(base: type[Node]) -> Callable[..., Any]:
    """``Node.held`` of packed nodes."""

    def held(node: Any) -> list[tuple[str, Tensor | None, int]]:
        found = [(name, tensor, version) for name, tensor, version in base.saved(node) if tensor is not None]
        taken = {name for name, tensor, _ in found if Packed in (tensor.__class__, getattr(node, f"s_{name}").__class__)}
        return [(name, None if name in taken else tensor, version) for name, tensor, version in found]

    return held


def _unpacked(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method` of a node, run with the saved tensors in their slots."""

    def run(node: Any, *args: Any) -> Any:
        packed = _unpack_slots(node)
        try:
            return method(node, *args)
        finally:
            for slot, value in packed.items():
                if getattr(node, slot) is not FREED:
                    setattr(node, slot, value)

    return run


def _unpack_slots(node: Any) -> dict[str, Any]:
    """Put tensors where packed ones are; what was there, by slot."""
    packed: dict[str, Any] = {}
    made: dict[str, Any] = {}
    for name in _in_order(node):
        slot = f"s_{name}"
        value = getattr(node, slot)
        if value.__class__ is Packed:
            made[slot] = value.unpack(node)
        elif value.__class__ is tuple and any(v.__class__ is Packed for v in value):
            made[slot] = tuple(v.unpack(node) if v.__class__ is Packed else v for v in value)
        else:
            continue
        packed[slot] = value
    for slot, tensor in made.items():
        setattr(node, slot, tensor)
        _set_version(node, slot, tensor)  # what a hook gives back has no version of the forward: it is taken as it comes
    return packed


def _set_version(node: Any, slot: str, tensor: Any) -> None:
    name = slot.removeprefix("s_")
    if name in node.own_outputs:
        counter = tensor._ensure_counter()
        setattr(node, slot, tensor._data)
        setattr(node, f"c_{name}", counter)
        setattr(node, f"v_{name}", counter.version)
    elif tensor.__class__ is tuple:
        setattr(node, f"v_{name}", tuple([None if t is None else t._version for t in tensor]))
    else:
        setattr(node, f"v_{name}", tensor._version)
