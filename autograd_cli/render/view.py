"""GraphView: a Trace's graph made ready for drawing, once for all renderers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import UNSET

from autograd_cli.render import theme
from autograd_cli.render.labels import plural, printable
from autograd_cli.render.selection import choose_pass, neighbourhood, select_nodes
from autograd_cli.trace.dist_views import STALLED
from autograd_cli.trace.model import NodeRecord, PassRecord, Trace

_REMARKS = {theme.FAILED: "failed here", theme.STALLED: "no gradient comes"}


class NodeView(NamedTuple):
    """A node as pictures show it.

    Attributes
    ----------
    record : NodeRecord
        What was recorded.
    kind : str
        ``op``, ``leaf`` or ``rpc``.
    state : str
        ``reached``, ``unreached``, ``uncounted`` (there is no pass), ``failed`` or ``stalled``.
    dependencies : int or None
        The gradients it waits for in the pass; 0 where it takes no part, None where there is no pass.
    step : int or None
        Its place in the order of the pass, from 1.
    """

    record: NodeRecord
    kind: str
    state: str
    dependencies: int | None
    step: int | None

    @property
    def id(self) -> int:
        """The node's id in the Trace."""
        return self.record.id

    @property
    def variable(self) -> str:
        """The variable's name, or nothing; of a send or recv function also its message and its peer."""
        return " ".join(filter(None, (printable(self.record.variable or ""), self.message)))

    @property
    def message(self) -> str:
        """Of a send or recv function, its message and where the gradient comes from or goes to; else nothing."""
        record = self.record
        if record.message_id is UNSET:
            return ""
        way = "to" if record.name == "RecvRpcBackward" else "from"
        return printable(f"{record.message_id} {way} {record.peer}")

    @property
    def remark(self) -> str:
        """What is odd about it: it raised, it waits for ever, or the pass ended before its turn."""
        if self.state in _REMARKS:
            return _REMARKS[self.state]
        return "not evaluated" if self.state == theme.REACHED and self.step is None else ""

    @property
    def pale(self) -> bool:
        """Whether the node stands back in the picture."""
        return self.state == theme.UNREACHED


class EdgeView(NamedTuple):
    """An edge: `position` is its index among the source's edges, `input` the index of the target's input it feeds."""

    source: int
    target: int
    position: int
    input: int


@dataclass(frozen=True)
class GraphView:
    """What one picture shows.

    ``nodes`` are in the order of the pass; then come the nodes that it does not evaluate, latest recorded first and every leaf
    after its last user, as the engine would have taken them, so that edges run downwards wherever they can.
    """

    title: str
    subtitle: str
    nodes: list[NodeView]
    pass_index: int | None
    pass_record: PassRecord | None
    notes: list[str]

    def edges(self) -> Iterator[EdgeView]:
        """The edges between shown nodes, in the order of their sources."""
        shown = {node.id for node in self.nodes}
        for node in self.nodes:
            for position, edge in enumerate(node.record.next):
                if edge is not None and edge.node in shown:
                    yield EdgeView(node.id, edge.node, position, edge.input)


def prepare(
    trace: Trace, *, pass_index: int | None = None, show_all: bool = False, around: str | None = None, depth: int = 2
) -> GraphView:
    """Choose the pass and the nodes to show and work out everything that a picture says about them.

    Parameters
    ----------
    trace : Trace
        The run.
    pass_index : int, optional
        Index into ``trace.passes`` (negative: from the end). Default: the last pass that was kept in full.
    show_all : bool
        Show every node of the run, also those that belong to other passes.
    around : str, optional
        Show only the neighbourhood of this variable, node name or node id, `depth` edges far.

    Raises
    ------
    BadArgumentValue
        There is no such pass, or nothing is called `around`.
    """
    index = choose_pass(trace, pass_index)
    record = None if index is None else trace.passes[index]
    shown = {node.id for node in trace.graph.nodes} if show_all else select_nodes(trace, index)
    if around is not None:
        shown &= neighbourhood([node for node in trace.graph.nodes if node.id in shown], around, depth)
    nodes = [node for node in trace.graph.nodes if node.id in shown]
    return GraphView(
        title=printable(trace.scenario.title or trace.scenario.path or "autograd graph"),
        subtitle=_subtitle(trace, index),
        nodes=_node_views(nodes, record, _failed_node(trace, record), _stalled_nodes(trace, record)),
        pass_index=index,
        pass_record=record,
        notes=_notes(trace, index, len(nodes), around),
    )


def _failed_node(trace: Trace, record: PassRecord | None) -> int | None:
    """The node that the run's error is about."""
    if trace.error is not None and trace.error.kind == STALLED:
        return None
    if trace.error is not None and trace.error.node is not None:
        return trace.error.node
    if record is not None and record.failed and record.order and trace.passes[-1] is record:
        return record.order[-1]
    return None


def _stalled_nodes(trace: Trace, record: PassRecord | None) -> set[int]:
    """The send functions that wait, where the pass stalled."""
    if trace.error is None or trace.error.kind != STALLED or record is None or not record.failed:
        return set()
    came = set(record.order)
    return {
        node.id
        for node in trace.graph.nodes
        if node.name == "SendRpcBackward" and str(node.id) in record.dependencies and node.id not in came
    }


def _node_views(nodes: list[NodeRecord], record: PassRecord | None, failed: int | None, stalled: set[int]) -> list[NodeView]:
    """The nodes in drawing order, with what the pass says about each."""
    counts: dict[int, int] = {}
    steps: dict[int, int] = {}
    if record is not None:
        counts = {int(key): count for key, count in record.dependencies.items()}
        steps = {node_id: step for step, node_id in enumerate(record.order, 1)}
    views = []
    for node in _drawing_order(nodes, steps, counts):
        taking_part = node.id in counts or node.id in steps
        state = theme.UNCOUNTED if record is None else theme.REACHED if taking_part else theme.UNREACHED
        if node.id == failed:
            state = theme.FAILED
        elif node.id in stalled:
            state = theme.STALLED
        views.append(NodeView(node, _kind(node), state, None if record is None else counts.get(node.id, 0), steps.get(node.id)))
    return views


def _kind(node: NodeRecord) -> str:
    """op, leaf or rpc."""
    if node.is_leaf:
        return theme.LEAF
    return theme.RPC if node.name in ("SendRpcBackward", "RecvRpcBackward") else theme.OP


def _drawing_order(nodes: list[NodeRecord], steps: dict[int, int], counts: dict[int, int]) -> list[NodeRecord]:
    """The pass's order, then nodes of a pass that stopped early, then the nodes it does not reach."""
    evaluated = sorted((node for node in nodes if node.id in steps), key=lambda node: steps[node.id])
    waiting = [node for node in nodes if node.id not in steps and node.id in counts]
    absent = [node for node in nodes if node.id not in steps and node.id not in counts]
    return evaluated + _engine_like(waiting) + _engine_like(absent)


def _engine_like(nodes: list[NodeRecord]) -> list[NodeRecord]:
    """Nodes as the engine would order them: descending sequence numbers, every leaf right after its last user."""
    inner = sorted((node for node in nodes if not node.is_leaf), key=lambda node: (-node.sequence_nr, node.id))
    leaves = {node.id: node for node in nodes if node.is_leaf}
    last_user = {
        edge.node: row for row, node in enumerate(inner) for edge in node.next if edge is not None and edge.node in leaves
    }
    follows: dict[int, list[NodeRecord]] = {}
    for leaf in leaves.values():
        follows.setdefault(last_user.get(leaf.id, -1), []).append(leaf)
    ordered = []
    for row, node in enumerate(inner):
        ordered += [node, *follows.get(row, ())]
    return ordered + follows.get(-1, [])


def _subtitle(trace: Trace, index: int | None) -> str:
    """One line on the pass that is shown."""
    if index is None:
        return "no backward pass: dependencies are not counted" if trace.graph.nodes else "no node was recorded"
    record = trace.passes[index]
    which = f"pass {index + 1} of {len(trace.passes)}, " if len(trace.passes) > 1 else ""
    where = "" if record.line is None else f" at line {record.line}"
    ended = " (failed)" if record.failed else ""
    return f"{which}{record.kind}(){where}{ended}: {plural(len(record.order), 'node')} evaluated"


def _notes(trace: Trace, index: int | None, shown: int, around: str | None) -> list[str]:
    """What the reader should know about nodes that are not in the picture."""
    total = len(trace.graph.nodes)
    if shown == total:
        return []
    if around is not None:
        return [f"{shown} of {plural(total, 'node')} shown: the neighbourhood of {printable(around)}."]
    number = 0 if index is None else index + 1
    return [f"{shown} of {plural(total, 'node')} shown, those of pass {number}; --all shows every node."]
