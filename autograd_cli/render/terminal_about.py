"""Texts: what a scenario says of itself before it runs, what `agrad explain` tells, and lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from autograd_cli.render.labels import printable

WIDEST = 100


class Code(CodeBlock):
    """A block of code whose lines stay whole, however narrow the terminal is, so that it can be copied and run."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Syntax("", self.lexer_name, theme=self.theme, background_color="default").highlight(str(self.text).rstrip())
        for line in code.split("\n"):
            yield Text.assemble(" ", line, no_wrap=True, overflow="ignore")


class Page(Markdown):
    """Markdown whose code can be copied."""

    elements = {**Markdown.elements, "fence": Code, "code_block": Code}  # noqa: RUF012


def print_about(title: str | None, about: str | None, console: Console) -> None:
    """Print the title, and the text, which is Markdown."""
    if title:
        console.print(Text(printable(title), style="bold"))
    if about:
        page = Page(about.strip(), code_theme="ansi_dark")
        parts = console.render(page, console.options.update(width=min(console.width, WIDEST)))
        for line in Segment.split_lines(parts):
            shown = Text.assemble(*((part.text, part.style or "") for part in line))
            shown.rstrip()
            console.print(shown, soft_wrap=True)
    if title or about:
        console.print()


def print_list(entries: Sequence[tuple[str, str, str]], console: Console) -> None:
    """Print names and what they are, in groups.

    Parameters
    ----------
    entries : sequence of (str, str, str)
        Group, name, and a sentence of inline Markdown; those of a group stand together.
    """
    width = max((len(name) for _, name, _ in entries), default=0)
    for number, (group, rows) in enumerate(groupby(entries, key=lambda entry: entry[0])):
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=width + 2)
        table.add_column()
        for _, name, sentence in rows:
            table.add_row(Text(f"  {name}", style="bold"), Text(sentence.replace("`", "")))
        console.print(Text(("\n" if number else "") + group))
        console.print(table, width=min(console.width, WIDEST))
