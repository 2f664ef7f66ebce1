"""What to write instead of a line that changes a tensor in place."""

from __future__ import annotations

import ast
from collections.abc import Sequence

LONGEST = 60  # characters of a suggested line
ONLY_IN_PLACE = frozenset(
    (
        "copy_",
        "fill_",
        "zero_",
        "normal_",
        "uniform_",
        "random_",
        "bernoulli_",
        "exponential_",
        "geometric_",
        "cauchy_",
        "log_normal_",
    )
)


def instead_of(trees: Sequence[ast.Module], line: int | None, name: str) -> str:
    """The line that computes a new tensor where `line` changes `name`, such as ``y = y.add(1)`` for ``y.add_(1)``.

    A line that is something else, or long, or changes a part of the tensor, has a copy made before it instead.
    """
    copy = f"{name} = {name}.clone() before that line"
    for tree in trees:
        for statement in ast.walk(tree):
            if isinstance(statement, ast.stmt) and statement.lineno == line:
                changed = _out_of_place(statement, name)
                if changed is not None and len(changed) <= LONGEST:
                    return changed
    return copy


def _out_of_place(statement: ast.stmt, name: str) -> str | None:
    match statement:
        case ast.AugAssign(target=ast.Name(id=changed), op=operator, value=value) if changed == name:
            return ast.unparse(ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(name), operator, value), lineno=1))
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=changed), attr=method)) as call) if changed == name:
            if method.endswith("_") and method not in ONLY_IN_PLACE:
                new = ast.Call(ast.Attribute(ast.Name(name), method[:-1]), call.args, call.keywords)
                return ast.unparse(ast.Assign([ast.Name(name)], new, lineno=1))
    return None
