"""GraphTask: the state of one counted backward pass, and ``compute_dependencies``."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .basic_ops import add_gradients
from .device_queues import DeviceQueues
from .modes import modes
from .node import Edge, Node
from .ready_queue import ReadyQueue


class ExecInfo:
    """What a pass with inputs does at a node: run it (``needed``), or hand its incoming gradient over (``captures``)."""

    __slots__ = ("captures", "needed")

    def __init__(self) -> None:
        self.needed = False
        self.captures: list[tuple[int, int]] = []  # (input_nr, position among the inputs asked for)


class GraphTask:
    """One backward pass.

    Attributes
    ----------
    dependencies : dict of Node to int
        How many gradients each node reachable from the roots still waits for.
    not_ready : dict of Node to gradient
        The InputBuffers: what has arrived for nodes that still wait (see ``add_to_buffer``).
    exec_info : dict of Node to ExecInfo, or None
        None when everything reachable runs.
    captured : list
        Gradients of the inputs asked for, in their order.
    root : Node or None
        The root, where there is no other.
    keep_graph, create_graph : bool
    accumulate : callable
        What happens at a leaf: takes its AccumulateGrad and the gradient.
    """

    def __init__(self, *, keep_graph: bool, create_graph: bool, accumulate: Callable[[Any, Any], None]) -> None:
        self.accumulate = accumulate
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.dependencies: dict[Node, int] = {}
        self.not_ready: dict[Node, Any] = {}
        self.exec_info: dict[Node, ExecInfo] | None = None
        self.captured: list[Any] = []
        self.root: Node | None = None
        self.ready = ReadyQueue() if modes.host_only else DeviceQueues(self.not_ready)

    def compute_dependencies(self, roots: list[Node]) -> None:
        """Count, for every node reachable from `roots`, the edges that lead to it."""
        counts = self.dependencies
        self.root = roots[0] if len(roots) == 1 else None
        stack: list[Any] = []
        for root in roots:
            if root not in counts:
                counts[root] = 0
                stack.append(root)
        while stack:
            node = stack.pop()
            for edge in (node.edge0, node.edge1) if node.more_edges is None else node.next_edges:
                if edge is not None:
                    target = edge.function if edge.__class__ is Edge else edge
                    if target in counts:
                        counts[target] += 1
                    else:
                        counts[target] = 1
                        stack.append(target)

    def init_to_execute(self, inputs: list[Any], *, accumulate: bool) -> None:
        """Mark what has to run so that `inputs` (edges) get their gradients.

        With `accumulate` (``backward(inputs=...)``) the inputs' own nodes run; without (``grad``) their gradients are captured.
        A root that is the only one gets its gradient, and so its tensor hooks, even when it leads to no input: as in PyTorch.
        """
        info: dict[Node, ExecInfo] = {}
        for position, edge in enumerate(inputs):
            entry = info.setdefault(edge.function, ExecInfo())
            if accumulate:
                entry.needed = True
            else:
                entry.captures.append((edge.input_nr, position))
        self.captured = [None] * len(inputs)
        if self.root is not None:
            info.setdefault(self.root, ExecInfo())
        self._mark_ancestors(info)
        self.exec_info = info

    def _mark_ancestors(self, info: dict[Node, ExecInfo]) -> None:
        """A node is needed when an edge of it leads to one that runs or is captured; edges lead to what was recorded before."""
        useful = {node for node, entry in info.items() if entry.needed or entry.captures}
        for node in sorted(self.dependencies, key=attrgetter("sequence_nr")):
            edges = (node.edge0, node.edge1) if node.more_edges is None else node.next_edges
            for edge in edges:
                if edge is not None and edge.function in useful:
                    useful.add(node)
                    info.setdefault(node, ExecInfo()).needed = True
                    break

    def needed_only(self, node: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """`outputs` of `node` as its hooks see them: None for edges to what does not run.

        Not of a user's own backward, and of a list of tensors all or none, as PyTorch computes them.
        """
        info = self.exec_info
        if info is None or node.takes_none:
            return outputs
        needed = [edge is not None and edge.function in info for edge in node.next_edges]
        if node.all_or_none and any(needed):
            return outputs
        return tuple(g if is_needed else None for is_needed, g in zip(needed, outputs))  # noqa: B905 - None may stand beside one output

    def runs(self, node: Node) -> bool:
        """Whether `node` itself is evaluated in this pass."""
        return self.exec_info is None or (node in self.exec_info and self.exec_info[node].needed)

    def add_to_buffer(self, node: Node, input_nr: int, grad: Any) -> None:
        """Add `grad` to what has arrived for input `input_nr` of `node` (PyTorch's InputBuffer::add)."""
        buffers = self.not_ready
        if node.num_inputs > 1:
            add_to_list(buffers, node, input_nr, grad)
        elif grad is None:
            buffers.setdefault(node, None)
        else:
            old = buffers.get(node)
            buffers[node] = grad if old is None else add_gradients(old, grad)


def add_to_list(buffers: dict[Any, Any], node: Any, input_nr: int, grad: Any) -> bool:
    """InputBuffer::add for a node with several inputs; True when this is the first gradient that reaches it."""
    entry = buffers.get(node)
    first = entry is None
    if entry is None:
        entry = buffers[node] = [None] * node.num_inputs
    if grad is not None:
        old = entry[input_nr]
        entry[input_nr] = grad if old is None else add_gradients(old, grad)
    return first
