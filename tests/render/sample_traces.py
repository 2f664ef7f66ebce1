"""Traces made by hand for the render tests: the renderers read nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from autograd_cli.trace.model import (
    ACCUMULATE_GRAD_NR,
    CauseRecord,
    EdgeRecord,
    ErrorRecord,
    Graph,
    NodeRecord,
    PassRecord,
    SavedRecord,
    ScenarioRecord,
    Trace,
    WarningRecord,
)

DATA = Path(__file__).parent / "data"


def abc() -> Trace:
    """d = a + b; e = b * c; d.sum().backward(): mul and c take no part (values from PyTorch)."""
    return msgspec.json.decode((DATA / "abc.run.json").read_bytes(), type=Trace)


def node(node_id: int, name: str, nr: int, targets=(), variable=None, line=None, shape=(2, 2), saved=()) -> NodeRecord:
    """A NodeRecord; a target is a node id or a pair of id and input."""
    edges = [None if t is None else EdgeRecord(*t) if isinstance(t, tuple) else EdgeRecord(t, 0) for t in targets]
    return NodeRecord(node_id, name, nr, variable, line, "cpu", list(shape), "float32", edges, list(saved))


def leaf(node_id: int, variable: str, line=None, shape=(2, 2)) -> NodeRecord:
    return node(node_id, "AccumulateGrad", ACCUMULATE_GRAD_NR, (), variable, line, shape)


def trace(nodes, passes=(), *, title="A run", variables=None, error=None, warnings=()) -> Trace:
    return Trace(
        format="agrad/run@1",
        scenario=ScenarioRecord("run.yaml", title, 0, "cpu", "float32"),
        status="ok" if error is None else "error",
        error=error,
        warnings=list(warnings),
        stdout="",
        variables=variables or {},
        graph=Graph(list(nodes)),
        passes=list(passes),
    )


def a_pass(order, dependencies, *, roots=None, line=9, **more) -> PassRecord:
    roots = list(order[:1]) if roots is None else roots
    return PassRecord("backward", line, roots, {str(k): v for k, v in dependencies.items()}, list(order), 0.001, 64, **more)


def square() -> Trace:
    """b = a * a; b.backward(): two edges from mul to a."""
    saved = [SavedRecord(name, [2, 2], "float32", 0, 16) for name in ("other", "self")]
    nodes = [node(0, "MulBackward0", 0, (1, 1), "b", 2, saved=saved), leaf(1, "a", 1)]
    return trace(nodes, [a_pass([0, 1], {0: 0, 1: 2})])


def forward_only() -> Trace:
    """b = (a + 1).exp(), and no backward pass."""
    return trace([node(0, "ExpBackward0", 1, (1,), "b", 3), node(1, "AddBackward0", 0, (2, None), None, 3), leaf(2, "a", 2)])


def failed() -> Trace:
    """b = a.exp(); b.add_(1); b.sum().backward() fails in ExpBackward0."""
    error = ErrorRecord(
        kind="InplaceModified",
        type="RuntimeError",
        message="ExpBackward0 needs the value that b had at line 2 (version 0), but b was changed in place since (version 1).",
        line=4,
        column=1,
        source="b.sum().backward()",
        hint="Write b = b + 1 instead of b.add_(1).",
        node=1,
        variable="b",
        causes=[CauseRecord("saved", 2, 1, "b", 0, "b = a.exp()"), CauseRecord("changed", 3, None, "b", 1, "b.add_(1)")],
    )
    nodes = [
        node(0, "SumBackward0", 2, (1,), None, 4, ()),
        node(1, "ExpBackward0", 0, (2,), "b", 2, saved=[SavedRecord("result", [2, 2], "float32", 0, 16)]),
        leaf(2, "a", 1),
    ]
    return trace(nodes, [a_pass([0, 1], {0: 0, 1: 1, 2: 1}, line=4, failed=True)], error=error)


def training_loop(iterations: int = 60, kept: int = 2) -> Trace:
    """w is trained: each iteration records mul, sum and an exp that no pass reaches; the passes in the middle are elided."""
    nodes = [leaf(0, "w", 1)]
    passes = []
    for i in range(iterations):
        if kept <= i < iterations - kept:
            passes.append(a_pass([], {}, line=7, roots=[], elided=True, nodes=3))
            continue
        first = 1 + 3 * i
        nodes += [
            node(first, "MulBackward0", 3 * i, (0, None), "y", 4),
            node(first + 1, "ExpBackward0", 3 * i + 1, (first,), "extra", 5),
            node(first + 2, "SumBackward0", 3 * i + 2, (first,), "loss", 6, ()),
        ]
        passes.append(a_pass([first + 2, first, 0], {first + 2: 0, first: 1, 0: 1}, line=7))
    warnings = [WarningRecord("NonLeafGrad", "y is not a leaf: .grad is not kept", 8)]
    return trace(nodes, passes, title="Training", warnings=warnings)


def random_dag(seed: int, size: int | None = None) -> Trace:
    """A random graph with one pass from a random node, run in the engine's order; the rest is left unreached."""
    rng = random.Random(seed)
    count = size or rng.randint(1, 40)
    span = rng.choice((2, 5, 20))
    nodes = []
    for i in range(count):  # node i was recorded i-th: its edges lead to earlier ones
        targets = [rng.randrange(max(0, i - span), i) for _ in range(rng.choice((0, 1, 1, 2, 3)))] if i else []
        edges = [(target, rng.choice((0, 0, 1))) for target in targets]
        if edges:
            nodes.append(node(i, rng.choice(("AddBackward0", "MulBackward0", "MmBackward0")), i, edges, f"v{i}"))
        else:
            nodes.append(leaf(i, f"v{i}"))
    root = rng.randrange(count)
    return trace(nodes, [_run(nodes, root)], title=f"Random {seed}")


def _run(nodes: list[NodeRecord], root: int) -> PassRecord:
    """A pass from `root`: dependencies counted over the reachable nodes, and one valid order (latest recorded first)."""
    reachable, stack = {root}, [root]
    while stack:
        for edge in nodes[stack.pop()].next:
            if edge.node not in reachable:
                reachable.add(edge.node)
                stack.append(edge.node)
    counts = dict.fromkeys(sorted(reachable), 0)
    for i in reachable:
        for edge in nodes[i].next:
            counts[edge.node] += 1
    return a_pass(sorted(reachable, reverse=True), counts, roots=[root])


def edge_set(a_trace: Trace) -> set[tuple[int, int]]:
    """Every edge of the graph as (source, target)."""
    return {(n.id, edge.node) for n in a_trace.graph.nodes for edge in n.next if edge is not None}
