"""Texts: what a scenario says of itself before it runs, what `agrad explain` tells, and lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from autograd_cli.render.labels import printable

WIDEST = 100


def print_about(title: str | None, about: str | None, console: Console) -> None:
    """Print the title, and the text, which is Markdown."""
    if title:
        console.print(Text(printable(title), style="bold"))
    if about:
        console.print(Markdown(about.strip(), code_theme="ansi_dark"), width=min(console.width, WIDEST))
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
