"""Two graphs walked side by side: each node of agrad's run beside the node of PyTorch's that stands in its place.

The walk begins at the roots of the passes and at the variables, which both sides have by number or name, and follows the edges. Nodes of
different names stand in each other's place only where they have as many edges: then one has another name, and else one side has a node
more. So one wrong node is one difference or a few, and not hundreds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..trace.model import ACCUMULATE_GRAD_NR, EdgeRecord, NodeRecord, Trace
from .findings import Findings

SAME_NAME = "the names agree, but these are not the same nodes"


class Pairs:
    """The nodes of two runs, paired.

    Attributes
    ----------
    ours, theirs : dict of int to NodeRecord
        The nodes of each side by id.
    torch_of, ours_of : dict of int to int
        The id of the partner of each node that has one.
    """

    def __init__(self, ours: Trace, torch: Trace, findings: Findings) -> None:
        self.ours = {node.id: node for node in ours.graph.nodes}
        self.theirs = {node.id: node for node in torch.graph.nodes}
        self.torch_of: dict[int, int] = {}
        self.ours_of: dict[int, int] = {}
        self.findings = findings

    def walk(self, ours: int, torch: int) -> bool:
        """Pair two nodes that both sides begin from, and what they lead to; False where they are no partners."""
        stack: list[tuple[int, int]] = []
        fits = self._pair(ours, torch, stack)
        while stack:
            one, other = stack.pop()
            self._compare(self.ours[one], self.theirs[other])
            self._follow(self.ours[one], self.theirs[other], stack)
        return fits

    def label(self, ours: int) -> str:
        """A node as the reader knows it: PyTorch's name of it and the variable."""
        return _label(self.ours[ours])

    def torch_label(self, torch: int) -> str:
        """The same for a node of PyTorch's run, with the variable of its partner."""
        partner = self.ours_of.get(torch)
        if partner is not None and self.ours[partner].name == self.theirs[torch].name:
            return self.label(partner)
        return _label(self.theirs[torch])

    def place(self, ours: int) -> dict[str, Any]:
        """Line and id of a node, for a difference."""
        return {"line": self.ours[ours].line, "node": ours}

    def compare_sequence(self) -> None:
        """Whether the paired nodes were recorded in the same order."""
        numbered = [
            (self.ours[one].sequence_nr, self.theirs[other].sequence_nr, one)
            for one, other in self.torch_of.items()
            if ACCUMULATE_GRAD_NR not in (self.ours[one].sequence_nr, self.theirs[other].sequence_nr)
        ]
        our_rank, their_rank = _ranks(entry[0] for entry in numbered), _ranks(entry[1] for entry in numbered)
        wrong = [(our_rank[mine], their_rank[other], one) for mine, other, one in numbered if our_rank[mine] != their_rank[other]]
        self.findings.equal["sequence"] += len(numbered) - len(wrong)
        if wrong:
            mine, other, one = min(wrong)
            note = f"{len(wrong)} nodes were recorded at another place" if len(wrong) > 1 else None
            self.findings.differ("sequence", self.label(one), mine, other, note=note, **self.place(one))

    def _pair(self, ours: int, torch: int, stack: list[tuple[int, int]]) -> bool:
        """Make two nodes partners where neither has one, and put them on the stack; False where they are no partners."""
        if ours not in self.torch_of and torch not in self.ours_of and self._fit(self.ours[ours], self.theirs[torch]):
            self.torch_of[ours] = torch
            self.ours_of[torch] = ours
            stack.append((ours, torch))
        return self.torch_of.get(ours) == torch

    @staticmethod
    def _fit(ours: NodeRecord, torch: NodeRecord) -> bool:
        """Whether two nodes may stand in each other's place."""
        return ours.name == torch.name or (len(ours.next) == len(torch.next) and ours.is_leaf == torch.is_leaf)

    def _compare(self, ours: NodeRecord, torch: NodeRecord) -> None:
        """What two partners say of themselves."""
        where, place = _label(ours), self.place(ours.id)
        if ours.name != torch.name:
            self.findings.differ("node", where, ours.name, torch.name, **place)
            return
        unknown = torch.unknown or []
        facts = {name: (getattr(ours, name), getattr(torch, name)) for name in ("shape", "dtype") if name not in unknown}
        self.findings.facts("node", where, facts, **place)
        if "saved" not in unknown:
            mine, other = _saved(ours), _saved(torch)
            if mine == other:
                self.findings.equal["saved"] += len(mine)
            else:
                self.findings.differ("saved", where, mine, other, **place)

    def _follow(self, ours: NodeRecord, torch: NodeRecord, stack: list[tuple[int, int]]) -> None:
        """Compare the edges of two partners, and pair what they lead to."""
        place = self.place(ours.id)
        if len(ours.next) != len(torch.next):
            self.findings.differ("edge", f"{_label(ours)}: number of edges", len(ours.next), len(torch.next), **place)
        new: list[tuple[int, int]] = []
        for number, (mine, other) in enumerate(zip(ours.next, torch.next, strict=False)):
            where = f"{_label(ours)}, edge {number}"
            if mine is None or other is None:
                self._check_edge(where, mine, other, place)
            elif not self._pair(mine.node, other.node, new):
                targets = self._target(mine), self._torch_target(other)
                self.findings.differ("edge", where, *targets, note=SAME_NAME if targets[0] == targets[1] else None, **place)
            else:
                self._check_edge(where, mine, other, place)
        stack.extend(reversed(new))

    def _check_edge(self, where: str, ours: EdgeRecord | None, torch: EdgeRecord | None, place: dict[str, Any]) -> None:
        same = (ours is None) == (torch is None) and (ours is None or torch is None or ours.input == torch.input)
        if same:
            self.findings.equal["edge"] += 1
        else:
            self.findings.differ("edge", where, self._target(ours), self._torch_target(torch), **place)

    def _target(self, edge: EdgeRecord | None) -> str | None:
        return None if edge is None else f"{self.label(edge.node)}, input {edge.input}"

    def _torch_target(self, edge: EdgeRecord | None) -> str | None:
        return None if edge is None else f"{self.torch_label(edge.node)}, input {edge.input}"


def _label(node: NodeRecord) -> str:
    return f"{node.name} {node.variable}" if node.variable else node.name


def _saved(node: NodeRecord) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"name": one.name, "shape": one.shape, "dtype": one.dtype} for one in node.saved]
    return sorted(found, key=lambda one: (one["name"], one["shape"]))


def _ranks(numbers: Iterable[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(sorted(set(numbers)))}
