"""The error panel: what went wrong, where, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from autograd_cli.errors import AgradError
from autograd_cli.render.labels import ascii_text, printable, printable_lines
from autograd_cli.trace.codec import error_record
from autograd_cli.trace.model import CauseRecord, ErrorRecord, Trace, WarningRecord

WIDEST = 100
_CAUSES = {  # with and without a node that did it
    "saved": ("{node} saved {what}", "{what} was saved for the backward pass"),
    "changed": ("{node} changed {what} in place", "{what} was changed in place"),
    "freed": ("the pass freed what {node} had saved", "the pass freed what was saved"),
    "first_pass": ("{node} ran in an earlier pass", "an earlier pass ran here"),
    "unreached": ("{node} used {what}", "{what} was made here, outside the graph"),
}
SHORTEST = 12  # of the text of a cause's line: less says nothing


def print_error(
    error: ErrorRecord | AgradError,
    console: Console,
    *,
    file: str | None = None,
    trace: Trace | None = None,
    worker: str | None = None,
    more: Sequence[str] = (),
) -> None:
    """Print one error as a panel.

    Parameters
    ----------
    error : ErrorRecord or AgradError
        From a Trace, or as raised.
    console : rich.console.Console
        Where to; in a console that cannot, nothing but ASCII is printed.
    file : str, optional
        The file that line and column belong to, where the error does not know it.
    trace : Trace, optional
        The run, which knows the file and the names of nodes.
    worker : str, optional
        The worker that it happened on, in a distributed run.
    more : sequence of str, optional
        Lines that follow the causes.
    """
    record = error if isinstance(error, ErrorRecord) else error_record(error)
    if isinstance(error, AgradError) and error.place is not None and error.place.file:
        file = error.place.file
    elif file is None and trace is not None:
        file = trace.scenario.path
    width = min(console.width, WIDEST)
    parts = [Text(line) for line in printable_lines(record.message)] or [Text("")]
    place = _place(record, file)
    if place:
        parts.insert(0, Text(place, style="bold"))
    parts += _source(record, width - 4)
    causes = [*_causes(record.causes, trace, width - 4), *map(Text, more)]
    if causes:
        parts += [Text(""), *causes]
    if record.hint:
        hints = printable_lines(record.hint)
        parts += [Text(""), Text("What to do: ", style="green").append(hints[0]), *map(Text, hints[1:])]
    content = Text("\n").join(parts)
    title = record.kind if record.type in (record.kind, "") else f"{record.kind} ({record.type})"
    if worker is not None:
        title += f" on {worker}"
    if console.options.ascii_only:
        content = Text("\n").join(_in_ascii(part) for part in parts)
        title = ascii_text(title)
    panel = Panel(
        content,
        title=Text(f" {printable(title)} ", style="bold red"),
        title_align="left",
        subtitle=Text(f" agrad explain {printable(record.kind)} ", style="default"),
        subtitle_align="right",
        border_style="red",
        width=width,
    )
    console.print(panel)


def warning_text(warning: WarningRecord) -> str:
    """One warning, as a paragraph; it ends with where more is told, as a panel does."""
    where = "" if warning.line is None else f"line {warning.line}: "
    return f"warning: {where}{printable(warning.message)} (agrad explain {printable(warning.kind)})"


def _place(record: ErrorRecord, file: str | None) -> str:
    """``file:line:column``, of which any may be unknown."""
    if file is None:
        if record.line is None:
            return ""
        return f"line {record.line}" + ("" if record.column is None else f", column {record.column}")
    known = [printable(file), *(str(part) for part in (record.line, record.column) if part is not None)]
    return ":".join(known)


def _source(record: ErrorRecord, width: int) -> list[Text]:
    """The line and a caret under the column. A long line is cut around the caret."""
    if not record.source or not record.source.strip():
        return []
    source = record.source.rstrip("\r\n")
    number = "" if record.line is None else str(record.line)
    room = max(width - len(number) - 5, 10)
    before = _flat(source[: record.column - 1]) if record.column else ""
    shown = _flat(source)
    indent = len(shown) - len(shown.lstrip())
    skipped = min(indent, len(before))
    if cell_len(before) - skipped > room - 8:
        skipped = len(before) - room // 2
    lines = [Text(f"  {number} | ", style="bright_black").append(shown[skipped : skipped + room].rstrip(), style="default")]
    if record.column:
        lines.append(
            Text(f"  {' ' * len(number)} | ", style="bright_black").append(
                " " * cell_len(before[skipped:]) + "^", style="bold red"
            )
        )
    return [Text(""), *lines]


def _flat(text: str) -> str:
    """Source text with tabs as spaces and no control characters."""
    return printable(text.replace("\t", "    "))


def _causes(causes: Sequence[CauseRecord], trace: Trace | None, width: int) -> list[Text]:
    """The events that led to the error, a line each; beside them the text of their lines, where there is room."""
    said = [_cause(cause, trace) for cause in causes]
    column = max(map(cell_len, said), default=0) + 2
    lines = []
    for cause, text in zip(causes, said, strict=True):
        line = Text(text)
        if cause.source and width - column >= SHORTEST:
            line.pad_right(column - cell_len(text))
            source = Text(_flat(cause.source), style="bright_black")
            source.truncate(width - column, overflow="ellipsis")
            line.append(source)
        lines.append(line)
    return lines


def _cause(cause: CauseRecord, trace: Trace | None) -> str:
    """One event that led to the error, as a line."""
    names = {} if trace is None else {node.id: node.name for node in trace.graph.nodes}
    node = names.get(cause.node, "") if cause.node is not None else ""
    with_node, without = _CAUSES.get(cause.what, (printable(cause.what),) * 2)
    said = (with_node if node else without).format(node=node, what=printable(cause.variable or "a tensor"))
    version = "" if cause.version is None else f" (version {cause.version})"
    where = "" if cause.line is None else f"line {cause.line}: "
    return f"  {where}{said}{version}"


def _in_ascii(text: Text) -> Text:
    """A Text in ASCII; its parts keep their styles only where nothing changed."""
    return text if text.plain.isascii() else Text(ascii_text(text.plain), style=text.style)
