"""The ready queues of a pass over several devices.

Note [A queue a device]
    PyTorch has a thread for each device, with a ready queue of its own, and the graph of the CPU runs on the thread that called
    backward. A node belongs to the queue of the device that its gradient is on, so an AccumulateGrad runs on its leaf's device and the
    ToCopyBackward0 of ``x.to("cuda")`` on the GPU. Each thread takes from its queue the node with the highest sequence number; which
    thread is faster is up to the hardware. Here one thread serves all queues, and of their first nodes it always takes the one recorded
    last: one of the orders that PyTorch may take, the same in every run, and apart from ties that of the same graph on one device.
"""

from __future__ import annotations

from typing import Any

from .array import array_module, device_of
from .node import AccumulateGrad, Node
from .ready_queue import ReadyQueue
from .tensor import Tensor


class DeviceQueues(ReadyQueue):
    """A ReadyQueue for each device. See Note [A queue a device].

    Attributes
    ----------
    heap : list
        What runs next, for the loop of the engine: filled by ``feed``, one node at a time.
    """

    __slots__ = ("arrived", "queues")

    def __init__(self, arrived: dict[Node, Any]) -> None:
        super().__init__()
        self.queues: dict[str, ReadyQueue] = {}
        self.arrived = arrived  # the gradients that came for each node

    def push(self, node: Node) -> None:
        """Add a node that is ready to the queue of its device."""
        data = example_of(node, self.arrived.get(node))
        self.queues.setdefault("cpu" if data is None else device_of(data), ReadyQueue()).push(node)

    def feed(self) -> bool:
        """Put the node that runs next into ``heap``, with its device made current; False when nothing is ready."""
        waiting = [queue for queue in self.queues.values() if queue.heap]
        if not waiting:
            return False
        node = min(waiting, key=lambda queue: queue.heap[0][0]).pop()
        data = example_of(node, self.arrived.get(node))
        if data is not None:
            array_module(data)
        super().push(node)
        return True


def example_of(node: Any, grad: Any) -> Any:
    """An array that is where `node` runs: its leaf's data, or the first of its gradients that is not on the CPU; None without any."""
    if node.__class__ is AccumulateGrad:
        return node.data
    found = [g._data if isinstance(g, Tensor) else g for g in (grad if isinstance(grad, list) else [grad]) if g is not None]
    return next((a for a in found if device_of(a) != "cpu"), found[0] if found else None)
