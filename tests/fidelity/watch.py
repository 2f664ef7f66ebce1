"""Look over PyTorch's shoulder while it records graphs and runs passes. Needs torch.

PyTorch shows its nodes as Python objects: their names, edges, saved tensors, and a hook that runs before a node is evaluated.
From these, a pass is written down as OUTPUT.md's PASS and NODE: the order is what the hooks saw, the dependency counts are those
of the edges, as ``compute_dependencies`` counts them.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, saved_tensors_hooks

Node = Any  # a torch.autograd.graph.Node


class Watch:
    """The passes and the nodes of one run.

    Parameters
    ----------
    file : str
        The file name that marks the script's own frames.
    default_line : int, optional
        The line of a pass that no frame of the script asked for: that of the ``backward:`` key.
    """

    def __init__(self, file: str, default_line: int | None) -> None:
        self.file = file
        self.default_line = default_line
        self.ids: dict[Node, int] = {}  # holding the nodes keeps PyTorch from using an address twice
        self.records: list[dict[str, Any]] = []
        self.passes: list[dict[str, Any]] = []
        self.gradients: list[torch.Tensor] = []
        self.in_hook: Node | None = None  # the node whose tensor hook was called last and that has not been evaluated since

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """See every backward() and grad() until the block ends. ``Tensor.backward`` looks up the patched function itself."""
        backward, grad, register_hook = torch.autograd.backward, torch.autograd.grad, torch.Tensor.register_hook

        def watched_backward(tensors: Any, grad_tensors: Any = None, *args: Any, inputs: Any = None, **more: Any) -> None:
            watched = self._watched("backward", _sequence(tensors), _sequence(inputs))
            return watched(lambda: backward(tensors, grad_tensors, *args, inputs=inputs, **more))

        def watched_grad(outputs: Any, inputs: Any, *args: Any, **more: Any) -> Any:
            gradients = self._watched("grad", _sequence(outputs), _sequence(inputs))(lambda: grad(outputs, inputs, *args, **more))
            self.gradients += gradients
            return gradients

        def watched_register_hook(tensor: torch.Tensor, hook: Callable[[torch.Tensor], Any]) -> Any:
            @functools.wraps(hook)
            def watched_hook(gradient: torch.Tensor) -> Any:
                self.in_hook = _node_of(tensor)
                return hook(gradient)

            return register_hook(tensor, watched_hook)

        enter = saved_tensors_hooks.__init__

        def watched_hooks(hooks: saved_tensors_hooks, pack_hook: Any, unpack_hook: Any) -> None:
            def watched_unpack(packed: Any) -> Any:
                if looking.now:  # what the script would see of this is not to happen
                    raise RuntimeError("not for us")
                return unpack_hook(packed)

            enter(hooks, pack_hook, watched_unpack)

        saved_tensors_hooks.__init__ = watched_hooks
        torch.autograd.backward, torch.autograd.grad = watched_backward, watched_grad
        torch.Tensor.register_hook = watched_register_hook
        try:
            yield
        finally:
            saved_tensors_hooks.__init__ = enter
            torch.autograd.backward, torch.autograd.grad = backward, grad
            torch.Tensor.register_hook = register_hook

    def is_gradient(self, tensor: torch.Tensor) -> bool:
        """Whether grad() returned this tensor, as data. Its version only tells whether the engine summed in place."""
        return not tensor.requires_grad and any(tensor is gradient for gradient in self.gradients)

    def node_id(self, node: Node) -> int:
        """The number of a node; it and all that it reaches are written down the first time."""
        if node not in self.ids:
            for new in _reachable([node], known=self.ids):
                self.ids[new] = len(self.ids)
                self.records.append({"id": self.ids[new]})
                self._write_down(new)
        return self.ids[node]

    def finish(self) -> list[dict[str, Any]]:
        """The nodes, their edges written with everybody's numbers."""
        for node, number in self.ids.items():
            edges = node.next_functions
            self.records[number]["next"] = [f and {"node": self.ids[f], "input": input_nr} for f, input_nr in edges]
        return self.records

    def line(self) -> int | None:
        """The line of the innermost frame of the script that is running."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                return frame.f_lineno
            frame = frame.f_back
        return self.default_line

    def _write_down(self, node: Node) -> None:
        metadata = node._input_metadata
        self.records[self.ids[node]] |= {
            "name": short_name(node),
            "sequence_nr": node._sequence_nr(),
            "shape": list(metadata[0].shape) if metadata else None,
            "dtype": str(metadata[0].dtype).removeprefix("torch.") if metadata else None,
            "saved": _saved(node),
        }

    def _watched(self, kind: str, roots: list[torch.Tensor], inputs: list[torch.Tensor]) -> Callable[[Callable[[], Any]], Any]:
        """Prepare the record of one pass; call the result with the function that runs it."""
        root_nodes = [_node_of(root) for root in roots if _has_node(root)]
        captured = [_node_of(tensor) for tensor in inputs if _has_node(tensor)]
        nodes = list(_reachable(root_nodes, known=()))
        record: dict[str, Any] = {"kind": kind, "line": self.line(), "roots": [self.node_id(node) for node in root_nodes]}
        counts = Counter(function for node in nodes for function, _ in node.next_functions if function is not None)
        if inputs:
            record["restricted"] = True
            nodes = _needed(nodes, captured, accumulate=kind == "backward")
        record["dependencies"] = {str(self.node_id(node)): counts[node] for node in nodes}
        record["order"] = order = []

        def evaluating(number: int) -> None:
            self.in_hook = None
            order.append(number)

        def run(the_pass: Callable[[], Any]) -> Any:
            self.passes.append(record)
            self.in_hook = None
            note = [node.register_prehook(lambda _, number=self.ids[node]: evaluating(number)) for node in nodes]
            try:
                return the_pass()
            except BaseException:
                record["failed"] = True
                if self.in_hook in nodes:  # a tensor's hooks run before those of its node, so nobody has seen it
                    order.append(self.ids[self.in_hook])
                raise
            finally:
                for handle in note:
                    handle.remove()

        return run


def short_name(node: Node) -> str:
    """PyTorch's name of a node without its namespace."""
    return node.name().rsplit("::", 1)[-1]


def _sequence(tensors: Any) -> list[torch.Tensor]:
    """One tensor, several, or none, as a list."""
    if tensors is None:
        return []
    return [tensors] if isinstance(tensors, torch.Tensor | GradientEdge) else list(tensors)


def _has_node(tensor: torch.Tensor | GradientEdge) -> bool:
    return isinstance(tensor, GradientEdge) or tensor.requires_grad


def _node_of(tensor: torch.Tensor | GradientEdge) -> Node:
    """The node that a gradient of this tensor flows to: its grad_fn, or its AccumulateGrad."""
    return tensor.node if isinstance(tensor, GradientEdge) else torch.autograd.graph.get_gradient_edge(tensor).node


def _reachable(roots: Iterable[Node], known: Any) -> Iterator[Node]:
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


def _needed(nodes: list[Node], captured: list[Node], accumulate: bool) -> list[Node]:
    """The nodes that a pass with ``inputs`` executes: those above one, and for backward() the inputs' own (init_to_execute)."""
    above: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for function, _ in node.next_functions:
            if function is not None:
                above[function].append(node)
    needed: set[Node] = set()
    stack = [parent for node in captured for parent in above.get(node, ())]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(above[node])
    if accumulate:
        needed.update(captured)
    return [node for node in nodes if node in needed]


class looking:
    """Whether we look at what nodes saved, so that hooks that unpack are left alone."""

    now = False


def _saved(node: Node) -> list[dict[str, Any]] | None:
    """The tensors a node saved; None when PyTorch does not give them out (freed, changed in place since, or packed by hooks)."""
    looking.now = True
    try:
        return _read_saved(node)
    finally:
        looking.now = False


def _read_saved(node: Node) -> list[dict[str, Any]] | None:
    found = []
    for attribute in dir(node):
        if not attribute.startswith("_saved_") and attribute != "saved_tensors":  # the latter is that of custom Functions
            continue
        try:
            value = getattr(node, attribute)
        except RuntimeError:
            return None
        tensors = value if isinstance(value, list | tuple) else [value]
        found += [
            {"name": attribute.removeprefix("_saved_"), "shape": list(one.shape), "dtype": str(one.dtype).removeprefix("torch.")}
            for one in tensors
            if isinstance(one, torch.Tensor)
        ]
    return found
