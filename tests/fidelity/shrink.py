"""A program that differs, made small: statements are left out while it still differs in the same respect. No torch in this file."""

from __future__ import annotations

import ast
from collections.abc import Callable


def shrink(text: str, differs: Callable[[str], bool]) -> str:
    """The program without each statement that it still differs without."""
    again = True
    while again:
        again = False
        for first, last in reversed(_statements(text)):
            lines = text.split("\n")
            shorter = "\n".join(lines[:first] + lines[last:])
            if _compiles(shorter) and differs(shorter):
                text, again = shorter, True
    return text


def _statements(text: str) -> list[tuple[int, int]]:
    """The line ranges of all statements, in the order of the text."""
    found = {
        (node.lineno - 1, node.end_lineno or node.lineno) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)
    }
    return sorted(found, key=lambda place: (place[0], -place[1]))


def _compiles(text: str) -> bool:
    try:
        compile(text, "<program>", "exec")
    except SyntaxError:
        return False
    return True
