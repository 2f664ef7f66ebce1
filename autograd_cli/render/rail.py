"""The rail: a graph drawn with characters, one row a node in the order of the pass.

::

    1      ● SumBackward0     []     deps 0
         ╭─╯
    2    ╰─▶ AddBackward0   d [2, 2] deps 1
       ╭─┬─╯
    3  │ ╰─▶ AccumulateGrad a [2, 2] deps 1
    4  ╰───▶ AccumulateGrad b [2, 2] deps 1

A *lane* (a column) belongs to one target: it runs from the first row that mentions the target, its own or a parent's, to the
last. Under a node that has edges stands a *branch row* that joins the lanes of its targets; a lane that only passes is drawn over
the line (a bridge). So every edge can be followed, and read back by a program: the tests do. Rows cost the open lanes, not the
whole graph, and nothing is kept for columns that are clipped.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from autograd_cli.render import theme
from autograd_cli.render.labels import ascii_text, clip, count_text, plural, shape_text
from autograd_cli.render.view import GraphView, NodeView

WIDEST = 1000  # columns of lanes that are drawn when no width is given
_NARROWEST_TEXT = 34  # columns kept for what a row says


@dataclass(frozen=True)
class Charset:
    """The characters of a drawing. A corner is where a lane starts or ends, a tee where it goes on."""

    passing: str
    line: str
    starts: str  # a lane starts here, nothing to the left
    starts_on_line: str  # it starts here and the line goes on to the left
    joins: str
    joins_on_line: str
    ends: str
    ends_on_line: str
    up: str  # the end of a branch row, under its node
    root: str
    target: str
    pale_root: str
    pale_target: str
    failed: str
    more: str  # lanes that do not fit
    rule: str
    times: str
    dots: str


UNICODE = Charset("│", "─", "╭", "┬", "├", "┼", "╰", "┴", "╯", "●", "▶", "○", "▷", "✗", "…", "─", "×", "…")
ASCII = Charset("|", "-", ".", ".", "+", "+", "`", "`", "'", "*", ">", "o", ">", "x", "~", "-", "x", "...")


@dataclass(frozen=True)
class RailRow:
    """A line of the drawing: its lanes, and for a node's row the marker and the text. ``node`` is None for other rows."""

    gutter: str
    lanes: str
    marker: str = ""
    text: str = ""
    node: NodeView | None = None

    def __str__(self) -> str:
        return f"{self.gutter}{self.lanes}{self.marker}{self.text}".rstrip()


@dataclass
class _Lane:
    """The lane of one target: its column from the right, and how many rows still mention it."""

    column: int
    mentions: int


@dataclass
class _Mention:
    """A row of the plan: a node's own row or its branch row, with the lanes that it touches.

    ``touches`` holds (lane, whether it comes from above, whether it goes on below).
    """

    node: NodeView
    branch: bool
    touches: list[tuple[int, bool, bool]] = field(default_factory=list)
    said: str = ""


def draw_rail(view: GraphView, *, ascii_only: bool = False, width: int | None = None) -> tuple[list[RailRow], list[str]]:
    """Draw a view.

    Parameters
    ----------
    view : GraphView
        What to show.
    ascii_only : bool
        Draw with ASCII characters only.
    width : int, optional
        The columns there are. Lanes that do not fit are left out, and a note says so.

    Returns
    -------
    rows : list of RailRow
    notes : list of str
        What the reader should be told.
    """
    chars = ASCII if ascii_only else UNICODE
    plan, lanes = _plan(view, chars)
    text = _texts(view, chars)
    gutter = len(str(len(view.nodes))) + 1
    most = (WIDEST if width is None else max(width - gutter - _NARROWEST_TEXT, 8)) // 2
    drawn = min(lanes, most)
    room = None if width is None else max(width - gutter - 2 * drawn - 5, 8)
    rows = _draw(plan, lanes, drawn, text, gutter, room, chars)
    notes = []
    if drawn < lanes:
        notes.append(
            f"{plural(lanes - drawn, 'lane')} on the left did not fit: the whole drawing needs {gutter + 2 * lanes + 2} columns "
            f"and the text beside it. Use a wider window, or write an SVG."
        )
    return rows, notes


def _plan(view: GraphView, chars: Charset) -> tuple[list[_Mention], int]:
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
        own = _Mention(node, branch=False)
        if node.id in sources:
            own.touches = lanes.touch([node.id])
        plan.append(own)
        if node.id in targets:
            # The target whose row comes next gets the rightmost lane; targets above come last.
            order = sorted(targets[node.id], key=lambda target: (position[target] - row) % len(position))
            said = _repeats(targets[node.id], view.nodes, position, chars)
            plan.append(_Mention(node, branch=True, touches=lanes.touch(order), said=said))
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


def _repeats(counts: dict[int, int], nodes: list[NodeView], position: dict[int, int], chars: Charset) -> str:
    """``×2 to a`` where several edges of a node lead to one target (``a * a``), since one line stands for all of them."""
    several = [(count, nodes[position[target]]) for target, count in counts.items() if count > 1]
    said = ", ".join(f"{chars.times}{count} to {node.variable or node.record.name}" for count, node in several[:4])
    return f" {said}" + (", and more" if len(several) > 4 else "") if said else ""


def _draw(
    plan: list[_Mention], lanes: int, drawn: int, text: dict[int, str], gutter: int, room: int | None, chars: Charset
) -> list[RailRow]:
    """The rows' characters. Lane 0 is the rightmost; only the `drawn` rightmost lanes are kept."""
    width = 2 * drawn + 1
    passing = [" "] * width
    rows = []
    pale_began = False
    for mention in plan:
        node = mention.node
        if node.pale and not pale_began and not mention.branch:
            pale_began = True
            heading = f"{chars.rule * 2} not reached by this pass"
            rows.append(RailRow(" " * gutter, "".join(passing), "", heading if room is None else heading[:room]))
        said = mention.said if room is None else clip(mention.said, room, chars.dots)
        cells = _cells(mention, passing, lanes, drawn, chars)
        if mention.branch:
            rows.append(RailRow(" " * gutter, "".join(cells) + chars.up, "", said))
        else:
            step = str(node.step) if node.step is not None else ""
            label = text[node.id] if room is None else clip(text[node.id], room, chars.dots)
            rows.append(RailRow(f"{step:>{gutter - 1}} ", "".join(cells), _marker(mention, chars), " " + label, node))
    return rows


def _cells(mention: _Mention, passing: list[str], lanes: int, drawn: int, chars: Charset) -> list[str]:
    """The characters of one row; `passing`, the lanes that are open between rows, is brought up to date."""
    width = len(passing)
    cells = passing.copy()
    touches = sorted(mention.touches, reverse=True)  # leftmost first
    if not touches:
        return cells
    clipped = touches[0][0] >= drawn
    first = 0 if clipped else width - 1 - 2 * touches[0][0] - 1
    cells[first:] = ["".join(cell).replace(" ", chars.line) for cell in cells[first:]]
    if clipped and width:
        cells[0] = chars.more
    for number, (lane, above, below) in enumerate(touches):
        if lane >= drawn:
            continue
        column = width - 1 - 2 * lane - 1
        on_line = number > 0
        cells[column] = _join(above, below, on_line, chars)
        passing[column] = chars.passing if below else " "
    return cells


def _join(above: bool, below: bool, on_line: bool, chars: Charset) -> str:
    """The character where a row touches a lane."""
    if above and below:
        return chars.joins_on_line if on_line else chars.joins
    if above:
        return chars.ends_on_line if on_line else chars.ends
    return chars.starts_on_line if on_line else chars.starts


def _marker(mention: _Mention, chars: Charset) -> str:
    """What stands before a node's text: the head of an arrow, or a root's dot."""
    node = mention.node
    if node.state == theme.FAILED:
        return chars.failed
    if mention.touches:
        return chars.pale_target if node.pale else chars.target
    return chars.pale_root if node.pale else chars.root


def _texts(view: GraphView, chars: Charset) -> dict[int, str]:
    """What each row says, in columns: name, variable, shape, dependency count."""
    columns = [(node.record.name, node.variable, shape_text(node.record.shape)) for node in view.nodes]
    longest = (30, 30, 18)
    widths = [min(max((len(cells[i]) for cells in columns), default=0), most) for i, most in enumerate(longest)]
    texts = {}
    for node, cells in zip(view.nodes, columns, strict=True):
        padded = (f"{clip(cell, width, chars.dots):<{width}}" for cell, width in zip(cells, widths, strict=True))
        remark = f"  {node.remark}" if node.remark else ""
        text = f"{' '.join(padded)} {count_text(node.dependencies)}{remark}"
        texts[node.id] = ascii_text(text) if chars is ASCII else text
    return texts
