"""The op table in a terminal: a row an operation, or some operations in full."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from autograd_cli.render.terminal_table import Column, Row, table_lines


def print_ops(ops: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print a table: operation, node, and the arguments that have a gradient."""
    rows = [Row([op["name"], op["node"], " ".join(op["gradients"])]) for op in ops]
    columns = [Column("operation"), Column("node"), Column("gradients of")]
    for line in table_lines(columns, rows):
        console.print(line, overflow="ignore", no_wrap=True, crop=False)
    console.print(Text(f"\n{len(ops)} operations. 'agrad ops NAME' shows the formulas of one.", style="bright_black"))


def print_details(ops: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print operations with the formulas of their gradients."""
    for number, op in enumerate(ops):
        if number:
            console.print()
        console.print(Text(op["name"], style="bold") + Text(f"  {op['doc']}"))
        facts = {
            "node": op["node"],
            "called by": ", ".join(op["called_by"]) or "backward passes only",
            "saves": ", ".join(op["saves"]) or "nothing",
            "result": "a view" if op["view"] else "a new tensor",
            "second derivative": _yes(op["second_derivative"]),
            "complex numbers": _yes(op["complex"]),
        }
        for label, value in facts.items():
            _print_fact(label, value, console)
        for argument, formula in op["gradients"].items():
            _print_fact(f"gradient of {argument}", formula, console, "cyan")


def _print_fact(label: str, value: str, console: Console, style: str = "") -> None:
    width = max(20, min(console.width, 120) - 24)
    first, *rest = textwrap.wrap(value, width) or [""]
    console.print(Text(f"  {label:<22}", style="bright_black") + Text(first, style=style), soft_wrap=True)
    for line in rest:
        console.print(Text(" " * 24 + line, style=style), soft_wrap=True)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
