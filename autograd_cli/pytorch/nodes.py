"""What PyTorch's nodes tell about themselves: names, edges, and the tensors that they saved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge

from ..trace.model import SavedRecord

Node = Any  # a torch.autograd.graph.Node


def short_name(node: Node) -> str:
    """PyTorch's name of a node without its namespace."""
    return str(node.name()).rsplit("::", 1)[-1]


def dtype_name(dtype: torch.dtype) -> str:
    """A dtype as documents write it: ``float32``."""
    return str(dtype).removeprefix("torch.")


def as_list(tensors: Any) -> list[Any]:
    """One tensor, several, or none, as a list."""
    if tensors is None:
        return []
    return [tensors] if isinstance(tensors, (torch.Tensor, GradientEdge)) else list(tensors)


def node_of(tensor: Any) -> Node:
    """The node that a gradient of this tensor flows to: its grad_fn, or its AccumulateGrad."""
    return tensor.node if isinstance(tensor, GradientEdge) else get_gradient_edge(tensor).node


def is_wrapped(tensor: Any) -> bool:
    """Whether a tensor is one of those that ``torch.func`` computes with, which show nothing of their graph."""
    return isinstance(tensor, torch.Tensor) and bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))


def node_or_none(tensor: Any) -> Node | None:
    """The node of any tensor (or edge), for those who only look: None for one that has none, and for a view that may not be asked."""
    if is_wrapped(tensor):
        return None
    try:
        return node_of(tensor) if isinstance(tensor, GradientEdge) or tensor.requires_grad else None
    except RuntimeError:  # its base was changed in a way that PyTorch forbids
        return None
    except (AssertionError, AttributeError):
        return None  # a view made under no_grad and an inference tensor may require grad and have no place in the graph


def nodes_of(tensors: Iterable[Any]) -> list[Node]:
    """The nodes of those that have one."""
    return [node for node in map(node_or_none, tensors) if node is not None]


def reachable(roots: Iterable[Node], known: Collection[Node] = ()) -> Iterator[Node]:
    """Yield the nodes that the roots reach, themselves included, leaving out those that are known."""
    seen: set[Node] = set()
    stack = list(reversed(list(roots)))
    while stack:
        node = stack.pop()
        if node in seen or node in known:
            continue
        seen.add(node)
        yield node
        stack.extend(function for function, _ in reversed(node.next_functions) if function is not None)


def needed(nodes: list[Node], captured: list[Node], accumulate: bool) -> list[Node]:
    """The nodes that a pass with ``inputs`` executes: those above one, and for backward() the inputs' own (init_to_execute)."""
    above: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for function, _ in node.next_functions:
            if function is not None:
                above[function].append(node)
    found: set[Node] = set()
    stack = [parent for node in captured for parent in above.get(node, ())]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(above[node])
    if accumulate:
        found.update(captured)
    return [node for node in nodes if node in found]


@dataclass
class NodeRow:
    """What is written down of a node when it is first seen: later, what it saved may be gone.

    Attributes
    ----------
    next : list of ((int, int) or None)
        The number of each target and the index of its input.
    unknown : list of str
        What PyTorch does not show: ``saved`` where the tensors were freed, changed in place since or packed by hooks; ``shape`` and
        ``dtype`` before PyTorch 2.6.
    """

    name: str
    sequence_nr: int
    shape: list[int] | None
    dtype: str | None
    device: str
    saved: list[SavedRecord]
    unknown: list[str]
    next: list[tuple[int, int] | None] = field(default_factory=list)

    @classmethod
    def of(cls, node: Node) -> NodeRow:
        """Write a node down, but for its edges."""
        metadata = getattr(node, "_input_metadata", None)
        first = metadata[0] if metadata else None
        saved = _saved(node)
        return cls(
            name=short_name(node),
            sequence_nr=node._sequence_nr(),
            shape=None if first is None else list(first.shape),
            dtype=None if first is None else dtype_name(first.dtype),
            device="cpu" if first is None else str(first.device),
            saved=saved or [],
            unknown=["saved"] * (saved is None) + ["shape", "dtype"] * (metadata is None),
        )


class looking:
    """Whether we look at what nodes saved, so that hooks that unpack are left alone."""

    now = False


def _saved(node: Node) -> list[SavedRecord] | None:
    looking.now = True
    try:
        return _read_saved(node)
    finally:
        looking.now = False


def _read_saved(node: Node) -> list[SavedRecord] | None:
    found = []
    for attribute in dir(node):
        if not attribute.startswith("_saved_") and attribute != "saved_tensors":  # the latter is that of custom Functions
            continue
        try:
            value = getattr(node, attribute)
        except RuntimeError:
            return None
        tensors = value if isinstance(value, (list, tuple)) else [value]
        found += [
            SavedRecord(
                name=attribute.removeprefix("_saved_"),
                shape=list(one.shape),
                dtype=dtype_name(one.dtype),
                version=0 if one.is_inference() else one._version,
                bytes=one.numel() * one.element_size(),
            )
            for one in tensors
            if isinstance(one, torch.Tensor)
        ]
    return sorted(found, key=lambda saved: (saved.name, saved.shape))
