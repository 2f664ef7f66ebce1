"""What every report in the terminal does: write lines and tables in the characters and the width that the console has."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from autograd_cli.render.labels import ascii_text
from autograd_cli.render.terminal_table import Column, Row, table_lines

PALE = "bright_black"


class Writer:
    """Writes to a console.

    Parameters
    ----------
    console : rich.console.Console
        Where to; its width, encoding and colours are respected. What is piped is not wrapped.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.is_ascii = console.options.ascii_only
        self.dots = "..." if self.is_ascii else "…"

    def say(self, text: str, style: str = "") -> None:
        """Print a line of text as it stands."""
        self.console.print(Text(self.written(text), style=style), soft_wrap=not self.console.is_terminal)

    def written(self, text: str) -> str:
        """`text` in the characters that the output has."""
        return ascii_text(text) if self.is_ascii else text

    def table(self, columns: list[Column], rows: list[Row]) -> None:
        """Print a table."""
        written = [Row([self.written(cell) for cell in row.cells], row.style) for row in rows]
        for line in table_lines(columns, written, rule="-" if self.is_ascii else "─"):
            self.console.print(line, soft_wrap=not self.console.is_terminal, no_wrap=True, overflow="crop")
