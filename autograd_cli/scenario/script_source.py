"""Script text out of a YAML node, with the place in the file of every script line.

Block text (`|`) keeps its lines, so they are found again line by line. Text that YAML folds (`>`, or quoted and plain text over
several lines) no longer has lines that could be pointed at: it is refused, unless folding changed nothing.
"""

from __future__ import annotations

import re

from autograd_cli.scenario.fields import Reader
from autograd_cli.scenario.script import Script
from autograd_cli.scenario.yaml_reader import Node

BLOCK_HINT = "write the key, then | and the script below it, indented"
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")


def read_script(reader: Reader, node: Node, what: str) -> Script:
    """The Script of a text node or of a list of lines."""
    if node.kind == "list":
        return _joined(reader, node, what)
    text = reader.text(node, what, BLOCK_HINT)
    places = _places(reader, node, text, what)
    return Script(text, reader.document.file, places, reader.document.lines)


def _joined(reader: Reader, node: Node, what: str) -> Script:
    texts: list[str] = []
    places: list[tuple[int, int]] = []
    for item in node.value:
        if item.kind != "scalar" or not isinstance(reader.scalar(item, what), str):
            shown = reader.document.lines[item.start[0]].strip()
            raise reader.error(
                f"each line of {what} must be text, and YAML reads this one as {reader.describe(item)}: {shown}",
                item,
                f"put the line in quotes, or write {what} as block text: {what}: | and the script below it, indented",
            )
        text = item.value.removesuffix("\n")
        texts.append(text)
        places.extend(_places(reader, item, text, what))
    return Script(
        "\n".join(texts) + "\n", reader.document.file, tuple(places) or ((node.start[0] + 1, 0),), reader.document.lines
    )


def _places(reader: Reader, node: Node, text: str, what: str) -> tuple[tuple[int, int], ...]:
    if node.style in ("|", ">"):
        return _block_places(reader, node, text, what)
    line, column = node.start
    if node.end[0] != line:
        raise reader.error(f"{what} runs over several lines, and YAML joins them into one", node, BLOCK_HINT)
    if node.style != '"':
        return ((line + 1, column + (node.style == "'")),)
    raw = reader.document.lines[line]
    starts = [column + 1]
    starts += [found.end() for found in _ESCAPE.finditer(raw, column + 1, node.end[1]) if found.group(1) == "n"]
    return tuple((line + 1, start) for start in starts)


def _block_places(reader: Reader, node: Node, text: str, what: str) -> tuple[tuple[int, int], ...]:
    """Block text starts on the line after its `|`; every line must be found again behind the same indentation."""
    file_lines = reader.document.lines
    script_lines = text.split("\n")
    first = node.start[0] + 1
    indent = next((_indent(file_lines, first + i, line) for i, line in enumerate(script_lines) if line.strip()), 0)
    places = []
    for i, line in enumerate(script_lines):
        number = first + i
        found = file_lines[number] if number < len(file_lines) else ""
        if line and found[indent:] != line:
            raise reader.error(
                f"{what} is folded text, whose lines YAML joins, so that no line of it can be pointed at", node, BLOCK_HINT
            )
        places.append((min(number + 1, len(file_lines)), indent))
    return tuple(places)


def _indent(file_lines: tuple[str, ...], number: int, line: str) -> int:
    found = file_lines[number] if number < len(file_lines) else ""
    return len(found) - len(line) if found.endswith(line) else 0
