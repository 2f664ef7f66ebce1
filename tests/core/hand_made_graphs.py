"""Backward graphs made node by node, so that the engine is tested without any operation; and an independent way to the answers.

A ``Blueprint`` is plain data. ``build`` makes real Nodes of it; ``expected_grads`` works out, from the data alone and in exact
arithmetic, what every leaf must receive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from autograd_cli.core.engine import GraphTask, accumulate_into_grad, run_counted, run_plain
from autograd_cli.core.instrument import Instrument
from autograd_cli.core.modes import modes
from autograd_cli.core.node import ACCUMULATE_GRAD_NR, Node, edge_to, next_sequence_nr
from autograd_cli.core.tensor import Tensor

WORD = 2**64  # int64 arithmetic wraps around: sums are exact in any order


class Boom(Exception):
    """What a node that is made to fail raises."""


@dataclass
class Piece:
    """One inner node: `edges` lead to (index of an earlier node, input) or nowhere; `weights[edge][input]` times the gradient."""

    num_inputs: int
    edges: list[tuple[int, int] | None]
    weights: list[list[int | None]]  # None: no gradient comes out of this edge for that input


@dataclass
class Blueprint:
    """`leaves` leaves, numbered first, then the inner nodes in the order of recording; gradients enter at `roots`."""

    leaves: int
    pieces: list[Piece]
    roots: list[tuple[int, int]] = field(default_factory=list)


class HandMade(Node):
    """A node that multiplies by whole numbers, says when it runs, and fails when told to."""

    __slots__ = ("edge0", "edge1", "fails", "index", "input_names", "log", "more_edges", "num_inputs", "weights")

    def __init__(self, index: int, piece: Piece, edges: list[Any], log: list[int]) -> None:
        self.sequence_nr = next_sequence_nr()
        self.hooks = None
        self.index, self.log, self.fails = index, log, False
        self.num_inputs = piece.num_inputs
        self.weights = piece.weights
        self.input_names = tuple(f"in{i}" for i in range(len(edges)))
        self.edge0, self.edge1 = (*edges, None, None)[:2]
        self.more_edges = tuple(edges[2:]) or None

    def apply(self, grad: Any) -> Any:
        self.log.append(self.index)
        if self.fails:
            raise Boom(self.index)
        grads = [grad] if self.num_inputs == 1 else grad
        found = tuple(self._sum(weights, grads) for weights in self.weights)
        return found + (None,) * (2 - len(found))

    apply_release = apply

    @staticmethod
    def _sum(weights: list[int | None], grads: list[Any]) -> Any:
        parts = [g * np.int64(w) for w, g in zip(weights, grads, strict=True) if w is not None and g is not None]
        return sum(parts[1:], parts[0]) if parts else None


class Built:
    """The nodes of a blueprint, and what a pass over them did."""

    def __init__(self, plan: Blueprint) -> None:
        self.plan = plan
        self.log: list[int] = []  # inner nodes in the order of evaluation
        self.tensors = [Tensor._leaf(np.zeros(2, np.int64), requires_grad=True) for _ in range(plan.leaves)]
        self.nodes: list[Any] = [t._edge for t in self.tensors]
        for piece in plan.pieces:
            edges = [None if e is None else edge_to(self.nodes[e[0]], e[1]) for e in piece.edges]
            self.nodes.append(HandMade(len(self.nodes), piece, edges, self.log))
        self.index = {node: i for i, node in enumerate(self.nodes)}

    @property
    def roots(self) -> list[Any]:
        return [edge_to(self.nodes[i], nr) for i, nr in self.plan.roots]

    def root_grads(self) -> list[Any]:
        return [np.array([1, position + 2], np.int64) for position in range(len(self.plan.roots))]

    def plain(self) -> None:
        """The short loop, from the first root."""
        run_plain(self.roots[0], self.root_grads()[0], True)

    def counted(self) -> GraphTask:
        """The counted loop, from all roots."""
        task = GraphTask(keep_graph=True, create_graph=False, accumulate=accumulate_into_grad)
        run_counted(task, self.roots, self.root_grads(), "backward", None)
        return task

    def grads(self) -> list[list[int] | None]:
        """What the leaves have received."""
        return [None if t._grad is None else t._grad._data.tolist() for t in self.tensors]


def expected_grads(plan: Blueprint) -> list[list[int] | None]:
    """The gradients of the leaves: each node after everything that was recorded later, in Python's own whole numbers."""
    arrived: list[dict[int, list[int]]] = [{} for _ in range(plan.leaves + len(plan.pieces))]

    def arrive(target: tuple[int, int], value: list[int]) -> None:
        before = arrived[target[0]].get(target[1], [0, 0])
        arrived[target[0]][target[1]] = [a + b for a, b in zip(before, value, strict=True)]

    for position, root in enumerate(plan.roots):
        arrive(root, [1, position + 2])
    for offset, piece in reversed(list(enumerate(plan.pieces))):
        grads = arrived[plan.leaves + offset]
        for edge, weights in zip(piece.edges, piece.weights, strict=True):
            used = [(w, grads[i]) for i, w in enumerate(weights) if w is not None and i in grads]
            if edge is not None and used:
                arrive(edge, [sum(w * g[k] for w, g in used) for k in range(2)])
    return [[_wrap(v) for v in got[0]] if got else None for got in arrived[: plan.leaves]]


def _wrap(value: int) -> int:
    return (value + WORD // 2) % WORD - WORD // 2


def reached(plan: Blueprint, roots: Iterable[int]) -> set[int]:
    """Every node that edges lead to from `roots`, themselves included."""
    found = set(roots)
    for index in range(plan.leaves + len(plan.pieces) - 1, plan.leaves - 1, -1):
        if index in found:
            found |= {e[0] for e in plan.pieces[index - plan.leaves].edges if e is not None}
    return found


class Listener(Instrument):
    """Writes down what the engine tells: ``order`` of nodes, ``counts``, and every call as (what, node)."""

    def __init__(self) -> None:
        self.order: list[Node] = []
        self.counts: dict[Node, int] = {}
        self.restricted: bool | None = None
        self.said: list[tuple[str, Any]] = []
        self.errors: list[BaseException | None] = []

    def __enter__(self) -> Listener:
        modes.instrument = self
        return self

    def __exit__(self, *error: object) -> None:
        modes.instrument = None

    def record(self, node, result):
        self.said.append(("record", node))

    def pass_start(self, kind, roots):
        self.said.append((f"pass_start {kind}", tuple(roots)))

    def dependencies(self, counts, *, restricted):
        self.counts, self.restricted = dict(counts), restricted
        self.said.append(("dependencies", None))

    def ready(self, node, why):
        self.said.append((f"ready {why}", node))

    def evaluate_start(self, node):
        self.said.append(("evaluate_start", node))

    def evaluate_end(self, node, grads, outputs, released):
        self.order.append(node)
        self.said.append(("evaluate_end", node))

    def accumulate(self, node, into):
        self.said.append((f"accumulate {into}", node))

    def hook(self, node):
        self.said.append(("hook", node))

    def pass_end(self, error):
        self.errors.append(error)
        self.said.append(("pass_end", None))


@st.composite
def blueprints(draw: Any, roots: int = 1) -> Blueprint:
    """Random graphs with fan-in, fan-out, several inputs a node, edges that lead nowhere, and gradients that are not there."""
    leaves = draw(st.integers(1, 6))
    inputs = [1] * leaves
    pieces: list[Piece] = []
    for _ in range(draw(st.integers(1, 18))):
        num_inputs = draw(st.sampled_from([1, 1, 1, 2, 3]))
        edges: list[tuple[int, int] | None] = []
        for _ in range(draw(st.integers(0, 5))):
            target = len(inputs) - 1 - draw(st.integers(0, min(len(inputs) - 1, draw(st.sampled_from([2, 30])))))
            edges.append(draw(st.sampled_from([None, *[(target, nr) for nr in range(inputs[target])] * 3])))
        weight = st.sampled_from([1, 1, -1, 2, 3, None])
        weights = [[draw(weight) for _ in range(num_inputs)] for _ in edges]
        pieces.append(Piece(num_inputs, edges, weights))
        inputs.append(num_inputs)
    found = []
    for position in range(roots):
        index = len(inputs) - 1 if position == 0 else draw(st.integers(0, len(inputs) - 1))
        found.append((index, draw(st.integers(0, inputs[index] - 1))))
    return Blueprint(leaves, pieces, found)


def is_leaf(node: Node) -> bool:
    return node.sequence_nr == ACCUMULATE_GRAD_NR
