"""The graph in the terminal: the rail with colours, or as plain text."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from autograd_cli.render import theme
from autograd_cli.render.dist_view import prepare_dist
from autograd_cli.render.labels import ascii_text
from autograd_cli.render.rail import RailRow, draw_rail
from autograd_cli.render.view import GraphView, prepare
from autograd_cli.trace.dist_model import DistTrace
from autograd_cli.trace.model import Trace

STYLES = {
    theme.OP: "cyan",
    theme.LEAF: "green",
    theme.RPC: "yellow",
    theme.UNREACHED: "bright_black",
    theme.FAILED: "bold red",
    theme.STALLED: "bold red",
}
_LEGEND = "deps: the gradients a node waits for. The number in front: its step."
_ROWS_A_TEXT = 400  # rich takes long on one text of many thousand rows


def rail(
    trace: Trace,
    *,
    ascii_only: bool = False,
    width: int | None = None,
    pass_index: int | None = None,
    show_all: bool = False,
    around: str | None = None,
    depth: int = 2,
) -> str:
    """The graph of a run drawn with characters, one row a node in the order of the pass.

    Parameters
    ----------
    trace : Trace
        The run.
    ascii_only : bool
        Use ASCII characters only.
    width : int, optional
        The columns there are; without it the drawing is as wide as it needs.
    pass_index, show_all, around, depth
        What to show; see :func:`autograd_cli.render.view.prepare`.

    Returns
    -------
    str
        The drawing's lines, then a line for each note.
    """
    view = prepare(trace, pass_index=pass_index, show_all=show_all, around=around, depth=depth)
    rows, notes = draw_rail(view, ascii_only=ascii_only, width=width)
    lines = [str(row) for row in rows] + [f"note: {note}" for note in view.notes + notes]
    return "".join(f"{line}\n" for line in lines)


def print_rail(
    trace: Trace,
    console: Console,
    *,
    ascii_only: bool | None = None,
    pass_index: int | None = None,
    show_all: bool = False,
    around: str | None = None,
    depth: int = 2,
) -> None:
    """Print title, drawing, legend and notes. Without `ascii_only` the console's encoding decides."""
    ascii_only = console.options.ascii_only if ascii_only is None else ascii_only
    view = prepare(trace, pass_index=pass_index, show_all=show_all, around=around, depth=depth)
    notes = view.notes + _print_view(view, console, ascii_only)
    if view.nodes:
        _say(_LEGEND, console, ascii_only, "bright_black")
    for note in notes:
        _say(f"note: {note}", console, ascii_only, "yellow")


def print_dist_rail(
    dist: DistTrace,
    console: Console,
    *,
    ascii_only: bool | None = None,
    pass_index: int | None = None,
    show_all: bool = False,
    around: str | None = None,
    depth: int = 2,
) -> None:
    """Print a distributed run: the title, a drawing for each worker, legend and notes."""
    ascii_only = console.options.ascii_only if ascii_only is None else ascii_only
    whole = prepare_dist(dist, pass_index=pass_index, show_all=show_all, around=around, depth=depth)
    _say(whole.title, console, ascii_only, "bold")
    _say(whole.subtitle, console, ascii_only, "bright_black")
    notes = list(whole.notes)
    for view in whole.workers:
        console.print()
        notes += [f"{view.title}: {note}" for note in _print_view(view, console, ascii_only)]
    if whole.count:
        console.print()
        _say(_LEGEND, console, ascii_only, "bright_black")
        _say("A recv function sends gradients to its peer, where the send function of the message waits.", console, ascii_only,
             "bright_black")  # fmt: skip
    for note in notes:
        _say(f"note: {note}", console, ascii_only, "yellow")


def _say(text: str, console: Console, ascii_only: bool, style: str = "") -> None:
    """Print a line of text."""
    console.print(Text(ascii_text(text) if ascii_only else text, style=style), soft_wrap=not console.is_terminal)


def _print_view(view: GraphView, console: Console, ascii_only: bool) -> list[str]:
    """Print a view's title and its drawing, and return what the reader should know."""
    rows, notes = draw_rail(view, ascii_only=ascii_only, width=console.width if console.is_terminal else None)
    _say(view.title, console, ascii_only, "bold")
    _say(view.subtitle, console, ascii_only, "bright_black")
    if console.color_system is None:  # no colours: rich would only cost time
        console.file.write("".join(f"{row}\n" for row in rows))
    else:
        for start in range(0, len(rows), _ROWS_A_TEXT):
            console.print(
                Text("\n").join(map(_styled, rows[start : start + _ROWS_A_TEXT])), no_wrap=True, overflow="ignore", crop=False
            )
    return notes


def _styled(row: RailRow) -> Text:
    """A row with its colours; the drawing stays plain so that lanes can be followed."""
    text = Text.assemble((row.gutter, "bright_black"), row.lanes)
    style = "bright_black"
    if row.node is not None:
        style = STYLES.get(row.node.state, STYLES[row.node.kind])
    text.append(row.marker + row.text, style)
    text.rstrip()
    return text
