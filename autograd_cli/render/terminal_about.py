"""What a scenario says of itself, before it runs."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from autograd_cli.render.labels import printable

WIDEST = 100


def print_about(title: str | None, about: str | None, console: Console) -> None:
    """Print the title, and the text, which is Markdown."""
    if title:
        console.print(Text(printable(title), style="bold"))
    if about:
        console.print(Markdown(about.strip()), width=min(console.width, WIDEST))
    if title or about:
        console.print()
