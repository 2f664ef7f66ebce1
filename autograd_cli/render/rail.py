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

from dataclasses import dataclass

from autograd_cli.render import theme
from autograd_cli.render.labels import ascii_text, clip, count_text, plural, shape_text
from autograd_cli.render.rail_plan import Mention, plan_rail
from autograd_cli.render.view import GraphView, NodeView

WIDEST = 1000  # columns of lanes that are drawn when no width is given
_LEAST_TEXT = 30  # columns kept for what a row says, however many lanes there are


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
    plan, lanes = plan_rail(view, chars.times)
    gutter = len(str(len(view.nodes))) + 1
    columns = _Columns(view)
    room = None if width is None else width - gutter - 4  # for lanes and text, without the marker and the blanks around it
    drawn = min(lanes, (WIDEST if room is None else max(room - min(columns.width, max(room * 3 // 5, _LEAST_TEXT)), 0)) // 2)
    if room is not None:
        columns.shrink_to(max(room - 2 * drawn, _LEAST_TEXT))
    rows = _draw(plan, lanes, drawn, columns, gutter, chars)
    notes = []
    if drawn < lanes:
        notes.append(
            f"{plural(lanes - drawn, 'lane')} on the left did not fit: the whole drawing needs {gutter + 2 * lanes + 2} columns "
            f"and the text beside it. Use a wider window, or write an SVG."
        )
    return rows, notes


def _draw(plan: list[Mention], lanes: int, drawn: int, columns: _Columns, gutter: int, chars: Charset) -> list[RailRow]:
    """The rows' characters. Lane 0 is the rightmost; only the `drawn` rightmost lanes are kept."""
    passing = [" "] * (2 * drawn + 1)
    rows = []
    pale_began = False
    for mention in plan:
        node = mention.node
        if node.pale and not pale_began:
            pale_began = True
            heading = columns.clipped(f"{chars.rule * 2} not reached by this pass", chars)
            rows.append(RailRow(" " * gutter, "".join(passing), "", heading))
        cells = "".join(_cells(mention, passing, lanes, drawn, chars))
        if mention.branch:
            rows.append(RailRow(" " * gutter, cells + chars.up, "", columns.clipped(mention.said, chars)))
        else:
            step = str(node.step) if node.step is not None else ""
            text = " " + columns.clipped(columns.text(node, chars), chars)
            rows.append(RailRow(f"{step:>{gutter - 1}} ", cells, _marker(mention, chars), text, node))
    return rows


def _cells(mention: Mention, passing: list[str], lanes: int, drawn: int, chars: Charset) -> list[str]:
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


def _marker(mention: Mention, chars: Charset) -> str:
    """What stands before a node's text: the head of an arrow, or a root's dot."""
    node = mention.node
    if node.state in (theme.FAILED, theme.STALLED):
        return chars.failed
    if mention.touches:
        return chars.pale_target if node.pale else chars.target
    return chars.pale_root if node.pale else chars.root


class _Columns:
    """What the rows say, in columns: name, variable, shape, dependency count, and what is odd about a node."""

    _LONGEST = (30, 30, 18)
    _SHORTEST = (12, 4, 6)
    _GIVE_WAY = (1, 2, 0)  # the order in which columns become narrower: the name last, the count never

    def __init__(self, view: GraphView) -> None:
        self._widths = [0, 0, 0]
        tail = 0
        for node in view.nodes:
            for i, cell in enumerate(self._cells(node)):
                self._widths[i] = max(self._widths[i], min(len(cell), self._LONGEST[i]))
            tail = max(tail, len(self._tail(node)))
        self._tail_width = tail
        self._room: int | None = None

    @property
    def width(self) -> int:
        """The columns that the longest row takes."""
        return sum(self._widths) + 3 + self._tail_width

    def shrink_to(self, room: int) -> None:
        """Cut cells so that a row takes at most `room`."""
        self._room = room
        for i in self._GIVE_WAY:
            too_much = max(self.width - room, 0)
            self._widths[i] -= min(too_much, max(self._widths[i] - self._SHORTEST[i], 0))

    def text(self, node: NodeView, chars: Charset) -> str:
        """The text of a node's row."""
        cells = zip(self._cells(node), self._widths, strict=True)
        padded = " ".join(f"{clip(cell, width, chars.dots):<{width}}" for cell, width in cells)
        text = f"{padded} {self._tail(node)}"
        return ascii_text(text) if chars is ASCII else text

    def clipped(self, text: str, chars: Charset) -> str:
        """`text`, cut where it does not fit in spite of all."""
        return text if self._room is None else clip(text, self._room, chars.dots)

    @staticmethod
    def _cells(node: NodeView) -> tuple[str, str, str]:
        return node.record.name, node.variable, shape_text(node.record.shape)

    @staticmethod
    def _tail(node: NodeView) -> str:
        return f"{count_text(node.dependencies)}{f'  {node.remark}' if node.remark else ''}"
