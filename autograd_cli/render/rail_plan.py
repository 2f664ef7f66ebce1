"""Where the rail's lanes run: which row touches which lane. No character is drawn here."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from autograd_cli.render.view import GraphView, NodeView


@dataclass
class _Lane:
    """The lane of one target: its column from the right, and how many rows still mention it."""

    column: int
    mentions: int


@dataclass
class Mention:
    """A row of the plan: a node's own row or its branch row, with the lanes that it touches.

    ``touches`` holds (lane, whether it comes from above, whether it goes on below).
    """

    node: NodeView
    branch: bool
    touches: list[tuple[int, bool, bool]] = field(default_factory=list)
    said: str = ""


def plan_rail(view: GraphView, times: str) -> tuple[list[Mention], int]:
    """The rows with the lanes they touch, and the number of lanes. A lane that is free again is reused, the rightmost first."""
    position = {node.id: row for row, node in enumerate(view.nodes)}
    sources: dict[int, int] = {}  # of each target: how many nodes lead to it
    targets: dict[int, dict[int, int]] = {}  # of each source: its targets, and how many edges lead to each
    for edge in view.edges():
        counts = targets.setdefault(edge.source, {})
        if edge.target not in counts:
            sources[edge.target] = sources.get(edge.target, 0) + 1
        counts[edge.target] = counts.get(edge.target, 0) + 1
    lanes = _Lanes(sources)
    plan = []
    for row, node in enumerate(view.nodes):
        own = Mention(node, branch=False)
        if node.id in sources:
            own.touches = lanes.touch([node.id])
        plan.append(own)
        if node.id in targets:
            # The target whose row comes next gets the rightmost lane; targets above come last.
            order = sorted(targets[node.id], key=lambda target: (position[target] - row) % len(position))
            said = _repeats(targets[node.id], view.nodes, position, times)
            plan.append(Mention(node, branch=True, touches=lanes.touch(order), said=said))
    return plan, lanes.count


class _Lanes:
    """Gives lanes to targets, from the first row that mentions a target to the last.

    Parameters
    ----------
    sources : dict
        Of each target, the number of nodes that lead to it: with its own, the number of rows that mention it.
    """

    def __init__(self, sources: dict[int, int]) -> None:
        self.count = 0
        self._sources = sources
        self._open: dict[int, _Lane] = {}
        self._free: list[int] = []

    def touch(self, targets: list[int]) -> list[tuple[int, bool, bool]]:
        """Mention `targets` in one row: for each its lane, whether it comes from above and whether it goes on below."""
        touches = []
        ended = []
        for target in targets:
            lane = self._open.get(target)
            above = lane is not None
            if lane is None:
                lane = self._open[target] = _Lane(self._new(), self._sources[target] + 1)
            lane.mentions -= 1
            touches.append((lane.column, above, lane.mentions > 0))
            if not lane.mentions:
                ended.append(target)
        for target in ended:  # only now: a lane that ends in a row cannot start another one there
            heapq.heappush(self._free, self._open.pop(target).column)
        return touches

    def _new(self) -> int:
        if self._free:
            return heapq.heappop(self._free)
        self.count += 1
        return self.count - 1


def _repeats(counts: dict[int, int], nodes: list[NodeView], position: dict[int, int], times: str) -> str:
    """``×2 to a`` where several edges of a node lead to one target (``a * a``), since one line stands for all of them."""
    several = [(count, nodes[position[target]]) for target, count in counts.items() if count > 1]
    said = ", ".join(f"{times}{count} to {node.record.variable or node.record.name}" for count, node in several[:4])
    return f" {said}" + (", and more" if len(several) > 4 else "") if said else ""
