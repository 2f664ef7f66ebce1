"""Plain tables: a heading, a rule, rows. Columns stand where they are computed, and no line ends in blanks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

GAP = 2


class Column(NamedTuple):
    """A heading, of one or two lines, and whether the cells stand at the right."""

    heading: str
    right: bool = False


class Row(NamedTuple):
    """The cells of a row and its style."""

    cells: list[str]
    style: str = ""


def width_of(column: Column, cells: list[str]) -> int:
    """The width that a column needs."""
    return max(map(cell_len, [*column.heading.split("\n"), *cells]), default=0)


def table_lines(columns: list[Column], rows: list[Row], *, rule: str = "─") -> Iterator[Text]:
    """The lines of a table."""
    widths = [width_of(column, [row.cells[i] for row in rows]) for i, column in enumerate(columns)]
    headings = [column.heading.split("\n") for column in columns]
    height = max(map(len, headings))
    for line in range(height):
        cells = [heading[line - height + len(heading)] if line >= height - len(heading) else "" for heading in headings]
        yield Text(_line(columns, cells, widths), style="bold")
    yield Text(rule * (sum(widths) + GAP * (len(widths) - 1)), style="bright_black")
    for row in rows:
        yield Text(_line(columns, row.cells, widths), style=row.style)


def _line(columns: list[Column], cells: list[str], widths: list[int]) -> str:
    padded = []
    for column, cell, width in zip(columns, cells, widths, strict=True):
        blanks = " " * (width - cell_len(cell))
        padded.append(blanks + cell if column.right else cell + blanks)
    return (" " * GAP).join(padded).rstrip()
