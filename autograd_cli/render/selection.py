"""Which pass and which nodes a picture shows.

A training loop records the same graph again and again, so a picture shows one pass: the nodes that take part in it, and the nodes
recorded since the pass before which do not (these are the ones a learner wants to see left out). ``show_all`` shows every node.
"""

from __future__ import annotations

from collections import deque

from autograd_cli.errors import BadArgumentValue
from autograd_cli.trace.model import ACCUMULATE_GRAD_NR, NodeRecord, PassRecord, Trace


def choose_pass(trace: Trace, pass_index: int | None = None) -> int | None:
    """The index of the pass to show: the one asked for, else the last one that was kept in full; None where there is none.

    A pass that a checkpoint, gradcheck or the like ran inside is shown only when it is asked for, or when there is no other.

    Raises
    ------
    BadArgumentValue
        There is no such pass, or the run kept only its counts.
    """
    count = len(trace.passes)
    if pass_index is None:
        kept = [index for index in reversed(range(count)) if not trace.passes[index].elided]
        return next((index for index in kept if not trace.passes[index].inside), kept[0] if kept else None)
    index = pass_index + count if pass_index < 0 else pass_index
    if not 0 <= index < count:
        there = f"The run made {count} pass{'' if count == 1 else 'es'}" if count else "The run made no backward pass"
        raise BadArgumentValue(
            f"There is no pass {pass_index + 1 if pass_index >= 0 else pass_index}. {there}.",
            hint=f"Choose a pass from 1 to {count}."
            if count
            else "Add `backward:` to the scenario, or call backward() in the script.",
        )
    if trace.passes[index].elided:
        raise BadArgumentValue(
            f"Pass {index + 1} was not kept: of a run with more than eight passes only the first two and the last two are.",
            hint=f"Record it: --record {index + 1}..{index + 1}, or --record all.",
        )
    return index


def members(record: PassRecord) -> set[int]:
    """The nodes that take part in a pass."""
    return {*map(int, record.dependencies), *record.order, *record.roots}


def select_nodes(trace: Trace, pass_index: int | None) -> set[int]:
    """The nodes to show for a pass: its own, those recorded since the pass before, and the leaves that these lead to."""
    nodes = trace.graph.nodes
    if pass_index is None or len(trace.passes) == 1:
        return {node.id for node in nodes}
    by_id = {node.id: node for node in nodes}
    own = members(trace.passes[pass_index])
    after, until = _window(trace, by_id, pass_index, own)
    shown = own & by_id.keys()
    shown.update(node.id for node in nodes if after < node.sequence_nr <= until)
    leaves = {edge.node for node_id in shown for edge in by_id[node_id].next if edge is not None}
    return shown | {leaf for leaf in leaves if leaf in by_id and by_id[leaf].is_leaf}


def _window(trace: Trace, by_id: dict[int, NodeRecord], pass_index: int, own: set[int]) -> tuple[int, int]:
    """The sequence numbers between which nodes belong to a pass's part of the run: above the first, up to the second.

    Sequence numbers grow as the script runs, so the newest node of a pass tells when the pass began.
    """
    newest = _newest(by_id, own)
    others = [
        _newest(by_id, members(record)) for index, record in enumerate(trace.passes) if index != pass_index and not record.elided
    ]
    after = max((other for other in others if other < newest), default=-1)
    until = newest if any(other > newest for other in others) else ACCUMULATE_GRAD_NR - 1
    return after, until


def _newest(by_id: dict[int, NodeRecord], ids: set[int]) -> int:
    """The highest sequence number among nodes, leaves left out."""
    return max((by_id[i].sequence_nr for i in ids if i in by_id and not by_id[i].is_leaf), default=-1)


def neighbourhood(nodes: list[NodeRecord], around: str, depth: int) -> set[int]:
    """The nodes within `depth` edges, in both directions, of those that `around` names: a variable, a node name or an id."""
    neighbours: dict[int, list[int]] = {node.id: [] for node in nodes}
    for node in nodes:
        for edge in node.next:
            if edge is not None and edge.node in neighbours:
                neighbours[node.id].append(edge.node)
                neighbours[edge.node].append(node.id)
    start = [node.id for node in nodes if around in (node.variable, node.name, str(node.id))]
    if not start:
        names = sorted({node.variable for node in nodes if node.variable})
        raise BadArgumentValue(
            f"No node is called {around!r}.",
            hint=f"Variables of this graph: {', '.join(names[:12])}." if names else "Name a node, such as AddBackward0.",
        )
    distance = dict.fromkeys(start, 0)
    queue = deque(start)
    while queue:
        node_id = queue.popleft()
        if distance[node_id] < depth:
            for neighbour in neighbours[node_id]:
                if neighbour not in distance:
                    distance[neighbour] = distance[node_id] + 1
                    queue.append(neighbour)
    return set(distance)
