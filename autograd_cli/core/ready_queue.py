"""The queue of nodes whose gradients have all arrived.

Note [AccumulateGrad runs first]
    An AccumulateGrad has the highest sequence number there is, so it runs as soon as it is ready (PyTorch's
    ``AccumulateGrad`` passes UINT64_MAX to Node).

Note [Ties in the ready queue]
    PyTorch keeps ready nodes in a ``std::priority_queue`` that compares sequence numbers only, so the order of ties (all
    AccumulateGrad nodes) is that of the C++ library's heap. ``heapq`` moves elements exactly as libstdc++ does: both walk a hole
    down along the better child, the right one on a tie, and then let the last element rise. All that is needed is that ties are
    never broken: an entry is (-sequence_nr, node) and a node is never less than another.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .node import Node


class ReadyQueue:
    """A heap by descending sequence number, ties as in PyTorch."""

    __slots__ = ("heap",)

    def __init__(self) -> None:
        self.heap: list[tuple[int, Node]] = []

    def push(self, node: Node) -> None:
        """Add a node that is ready."""
        heappush(self.heap, (-node.sequence_nr, node))

    def pop(self) -> Node:
        """Take the node that runs next."""
        return heappop(self.heap)[1]

    def __len__(self) -> int:
        return len(self.heap)
