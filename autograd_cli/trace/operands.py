"""What the tensors of a line are: their shapes or dtypes, for errors that say that they do not fit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..core.dtype import of
from ..core.tensor import Tensor
from ..errors import AgradError, DtypeMismatch, IndexOutOfRange, ShapeMismatch

MOST = 4  # tensors that are told about

TOLD: dict[type[AgradError], Callable[[Tensor], str]] = {
    ShapeMismatch: lambda tensor: f"has shape {list(tensor._data.shape)}",
    IndexOutOfRange: lambda tensor: f"has shape {list(tensor._data.shape)}",
    DtypeMismatch: lambda tensor: f"is {of(tensor._data).name}",
}


def tell_operands(error: AgradError, trees: Sequence[ast.Module], scopes: Sequence[Mapping[str, Any]]) -> str:
    """A sentence about the tensors that the failing line names; empty where it names none, or where it is not about them.

    Where the line names just one, that is the variable of the error.

    Parameters
    ----------
    scopes : sequence of mapping
        Variables by name, the innermost first.
    """
    tell = next((tell for kind, tell in TOLD.items() if isinstance(error, kind)), None)
    if tell is None or error.place is None or error.place.line is None:
        return ""
    found: dict[str, Tensor] = {}
    for tree in trees:
        for path in paths_on(tree, error.place.line):
            value = value_of(path, scopes)
            if isinstance(value, Tensor):
                found.setdefault(".".join(path), value)
    if len(found) == 1 and error.variable is None:
        (error.variable,) = found
    told = [f"{name} {tell(tensor)}" for name, tensor in found.items()]
    return "" if not told or len(told) > MOST else f". Here {', and '.join([', '.join(told[:-1])] * (len(told) > 1) + told[-1:])}"


def paths_on(tree: ast.Module, line: int) -> Iterator[list[str]]:
    """The dotted names that are read on a line, in their order: ``x``, ``self.weight``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and node.lineno == line and isinstance(node.ctx, ast.Load):
            path: list[str] = []
            part: ast.expr = node
            while isinstance(part, ast.Attribute):
                path.insert(0, part.attr)
                part = part.value
            if isinstance(part, ast.Name):
                found.append((node.col_offset, [part.id, *path]))
    yield from (path for _, path in sorted(found, key=lambda entry: entry[0]))


def value_of(path: list[str], scopes: Sequence[Mapping[str, Any]]) -> Any:
    """The value of a dotted name: a variable, or a parameter or a submodule of one. No other attribute is read, as that could run code."""
    value = next((scope[path[0]] for scope in scopes if path[0] in scope), None)
    for name in path[1:]:
        tables = (
            [vars(value).get(table, {}) for table in ("_parameters", "_buffers", "_modules")]
            if hasattr(value, "__dict__")
            else []
        )
        value = next((table[name] for table in tables if isinstance(table, dict) and name in table), None)
    return value
