"""Which line of the script is running, and which variable a line assigns to."""

from __future__ import annotations

import ast
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.tensor import Tensor
from ..core.view import known_edge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    trees : sequence of ast.Module
        The scripts, with lines as in the file: for assignment targets.
    """

    def __init__(self, files: set[str] | None = None, trees: Sequence[ast.Module] = ()) -> None:
        self.files, self.trees = files, trees
        self.fallback: int | None = None  # the line when no script frame is running: that of the `backward:` key
        self._targets: dict[int, Statement] = {}
        self._offset = -1  # of the last record inside a composite operation
        self.is_script: dict[str, bool] = dict.fromkeys(files or (), True)
        self.code: Any = None  # the script's code that recorded last
        self.places: dict[int, tuple[int, int]] = {}  # its places by the offset in the bytecode: (line, twice the offset)
        self._places_of: dict[int, tuple[Any, dict[int, tuple[int, int]]]] = {}  # by the code's id: hashing code costs more
        for tree in trees:
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
        """The innermost frame of the script, or None."""
        frame: Any = sys._getframe(depth)
        known = self.is_script
        while frame is not None:
            name = frame.f_code.co_filename
            try:
                found = known[name]
            except KeyError:
                outside = not name.startswith((PACKAGE, "<op "))
                found = known[name] = outside if self.files is None else name in self.files
            if found:
                return frame
            frame = frame.f_back
        return None

    def enter(self, frame: Any) -> bool:
        """Whether `frame` runs code of the script, which is then the current one."""
        code = frame.f_code
        if not self.is_script.get(code.co_filename):
            return False
        self.code, self.places = self._places_of.setdefault(id(code), (code, {}))
        return True

    def learn(self, frame: Any) -> tuple[int, int]:
        """The place of a frame of the current code; Python reads a table from its beginning to tell the line, so it is asked once."""
        offset = frame.f_lasti
        return self.places.setdefault(offset, (frame.f_lineno, 2 * offset))

    def scopes(self) -> list[Any]:
        """The variables that the running line of the script sees: local ones, then global ones."""
        frame = self.frame(2)
        return [] if frame is None else [frame.f_locals, frame.f_globals]

    def here(self) -> int | None:
        """The line that is running."""
        frame = self.frame(2)
        return self.fallback if frame is None else frame.f_lineno

    def of_record(self, before: int) -> tuple[int | None, int]:
        """The line of the node being recorded, and where in the bytecode: twice the offset, odd inside a composite operation.

        `before` is the key of the node recorded before: when it is what the statement's target is bound to by now, this node belongs
        to a new run of the statement, not to the same composite operation.
        """
        caller: Any = sys._getframe(3)
        if self.is_script.get(caller.f_code.co_filename):
            return caller.f_lineno, 2 * caller.f_lasti
        frame = self.frame(4)
        if frame is None:
            return self.fallback, 0
        offset = 2 * frame.f_lasti + 1
        again, self._offset = offset == self._offset, offset
        if again and self._is_bound(frame, before):
            offset -= 1
        return frame.f_lineno, offset

    def _is_bound(self, frame: Any, key: int) -> bool:
        """Whether the target of the running statement is a tensor that the node `key` made. Known at top level only."""
        target = self.target(frame.f_lineno)
        if target is None or frame.f_code.co_name != "<module>":
            return False
        value = frame.f_globals.get(target)
        edge = known_edge(value) if isinstance(value, Tensor) else None
        return edge is not None and edge.function.sequence_nr == key

    def assigned(self, entries: Iterable[Any]) -> dict[int, str]:
        """Which entries, in the order of recording, made what a statement assigned: the name by the entry's key.

        The last node that a statement records is what it assigns. A statement begins anew when another one runs, or when the
        offset in the bytecode does not grow; a composite operation records several nodes at one offset.
        """
        names: dict[int, str] = {}
        before: tuple[int, Statement, int] | None = None
        for entry in entries:
            key, line, offset = entry[1], entry[2], entry[3]
            if key < 0 or line is None or entry[0] == "SendRpcBackward":
                continue
            statement = self._targets.get(line)
            if before is not None and (
                before[1] is not statement or offset < before[2] or (offset == before[2] and not offset & 1)
            ):
                names[before[0]] = before[1].target
            before = None if statement is None else (key, statement, offset)
        if before is not None:
            names[before[0]] = before[1].target
        return names


def _stays_in_graph(value: ast.expr) -> bool:
    if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Subscript)):
        return True
    if isinstance(value, ast.Call):
        called = value.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        return name not in _LEAVES_THE_GRAPH
    return False
