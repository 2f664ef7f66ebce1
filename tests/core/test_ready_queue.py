"""The ready queue against libstdc++'s heap, written out line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autograd_cli.core.node import ACCUMULATE_GRAD_NR, Node
from autograd_cli.core.ready_queue import ReadyQueue


class LiteralHeap:
    """``std::push_heap`` and ``std::pop_heap`` as in libstdc++'s bits/stl_heap.h, ordered by sequence number."""

    def __init__(self) -> None:
        self.heap: list[Node] = []

    def push(self, node: Node) -> None:
        self.heap.append(node)
        self._push_heap(len(self.heap) - 1, node)

    def pop(self) -> Node:
        """__pop_heap moves the last value aside, __adjust_heap sinks the hole to the bottom, then the value rises from there."""
        heap = self.heap
        top, value = heap[0], heap.pop()
        if not heap:
            return top
        hole, length = 0, len(heap)
        second_child = 0
        while second_child < (length - 1) // 2:
            second_child = 2 * (second_child + 1)
            if heap[second_child].sequence_nr < heap[second_child - 1].sequence_nr:
                second_child -= 1
            heap[hole] = heap[second_child]
            hole = second_child
        if length % 2 == 0 and second_child == (length - 2) // 2:
            second_child = 2 * (second_child + 1)
            heap[hole] = heap[second_child - 1]
            hole = second_child - 1
        self._push_heap(hole, value)
        return top

    def _push_heap(self, hole: int, value: Node) -> None:
        parent = (hole - 1) // 2
        while hole > 0 and self.heap[parent].sequence_nr < value.sequence_nr:
            self.heap[hole] = self.heap[parent]
            hole = parent
            parent = (hole - 1) // 2
        self.heap[hole] = value


def node(sequence_nr: int) -> Node:
    made = Node()
    made.sequence_nr = sequence_nr
    return made


@given(st.lists(st.one_of(st.none(), st.sampled_from([0, 1, 2, ACCUMULATE_GRAD_NR]), st.integers(0, 50)), max_size=120))
def test_nodes_come_out_as_from_libstdcpps_heap(steps):
    ours, theirs = ReadyQueue(), LiteralHeap()
    for step in steps:
        if step is not None:
            new = node(step)
            ours.push(new)
            theirs.push(new)
        elif theirs.heap:
            assert ours.pop() is theirs.pop()
        assert len(ours) == len(theirs.heap)
    while theirs.heap:
        assert ours.pop() is theirs.pop()


def test_seven_equal_nodes_come_out_in_the_order_seen_in_pytorch():
    # torch.stack(leaves).sum().backward() on seven leaves runs their AccumulateGrads in this order (PyTorch 2.13)
    leaves = [node(ACCUMULATE_GRAD_NR) for _ in range(7)]
    queue = ReadyQueue()
    for leaf in leaves:
        queue.push(leaf)
    assert [leaves.index(queue.pop()) for _ in leaves] == [0, 2, 5, 6, 4, 1, 3]


def test_the_node_recorded_last_comes_first():
    queue = ReadyQueue()
    nodes = [node(nr) for nr in (3, 9, 1, 7)]
    for n in nodes:
        queue.push(n)
    assert [queue.pop().sequence_nr for _ in nodes] == [9, 7, 3, 1]
