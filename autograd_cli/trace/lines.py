"""Which line of the script is running, and which variable a line assigns to."""

from __future__ import annotations

import ast
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .recorder import Row

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Calls whose result is no tensor of the graph: what they are assigned to is not the name of the last node on the line.
_LEAVES_THE_GRAPH = {"item", "tolist", "numpy", "detach", "float", "int", "len", "print", "bool", "str", "size", "dim", "grad"}


@dataclass
class Statement:
    """An assignment of the script: the lines it spans and the name it binds."""

    first: int
    last: int
    target: str


class Lines:
    """Finds lines for a Recorder.

    Parameters
    ----------
    files : set of str, optional
        Names of the files that are the script; without, every file outside this package.
    tree : ast.Module, optional
        The script, with lines as in the file: for assignment targets.
    """

    def __init__(self, files: set[str] | None = None, tree: ast.Module | None = None) -> None:
        self.files = files
        self.fallback: int | None = None  # the line when no script frame is running: that of the `backward:` key
        self._targets: dict[int, Statement] = {}
        self._pending: tuple[int, Statement, int] | None = None  # (key, statement, bytecode offset) of the last record
        if tree is not None:
            self._read(tree)

    def _read(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            target: Any = None
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                target = node.target
            if isinstance(target, ast.Name) and node.value is not None and _stays_in_graph(node.value):  # type: ignore[attr-defined]
                statement = Statement(node.lineno, node.end_lineno or node.lineno, target.id)  # type: ignore[attr-defined]
                for line in range(statement.first, statement.last + 1):
                    self._targets[line] = statement

    def target(self, line: int | None) -> str | None:
        """The name that the statement at `line` assigns to."""
        statement = None if line is None else self._targets.get(line)
        return None if statement is None else statement.target

    def frame(self, depth: int) -> Any:
        """The innermost frame of the script."""
        frame: Any = sys._getframe(depth)
        if self.files is not None:
            files = self.files
            while frame is not None and frame.f_code.co_filename not in files:
                frame = frame.f_back
        else:
            while frame is not None and frame.f_code.co_filename.startswith((PACKAGE, "<op ")):
                frame = frame.f_back
        return frame

    def here(self) -> int | None:
        """The line that is running."""
        frame = self.frame(2)
        return self.fallback if frame is None else frame.f_lineno

    def of_record(self, key: int, rows: dict[int, Row]) -> int | None:
        """The line of the node being recorded; remembers it as the candidate for the variable its statement assigns.

        The last node that a statement records is what it assigns. A statement begins anew when another one runs, or when the
        bytecode offset does not grow.
        """
        frame = self.frame(3)
        if frame is None:
            return self.fallback
        line: int = frame.f_lineno
        pending = self._pending
        statement = self._targets.get(line)
        offset = frame.f_lasti
        if pending is not None and (pending[1] is not statement or offset <= pending[2]):
            self.flush(rows)
        self._pending = None if statement is None else (key, statement, offset)
        return line

    def flush(self, rows: dict[int, Row]) -> None:
        """The statement of the last record is over: give its node the name."""
        if self._pending is not None:
            key, statement, _ = self._pending
            if key in rows:
                rows[key].variable = statement.target
            self._pending = None


def _stays_in_graph(value: ast.expr) -> bool:
    if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Subscript)):
        return True
    if isinstance(value, ast.Call):
        called = value.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        return name not in _LEAVES_THE_GRAPH
    return False
