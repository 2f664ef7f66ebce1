"""Why a variable has no graph: read from the one assignment that the script has for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .names import Names

# Calls and attributes whose result is cut off the graph.
CUTS = ("detach", "item", "tolist", "numpy", "data", "argmax", "argmin", "tensor", "as_tensor", "from_numpy")
MODES = {  # what stands around an assignment: whether it keeps the graph from being recorded
    "no_grad": "torch.no_grad()",
    "inference_mode": "torch.inference_mode()",
    "enable_grad": None,
    "set_grad_enabled": None,
}


class Reason(NamedTuple):
    """Why a variable has no graph: the line of its assignment, a sentence, and what to do."""

    line: int
    why: str
    hint: str


def why_no_graph(name: str, tensor: Any, trees: Sequence[ast.Module], names: Names) -> Reason | None:
    """Why `tensor`, the variable `name`, does not require grad; None where the script has no assignment to the name, or several."""
    found = [entry for tree in trees for entry in assignments(tree, name)]
    if len(found) != 1:
        return None
    statement, mode = found[0]
    line, value = statement.lineno, statement.value
    where = f"{name} was computed at line {line}"
    leaf = "set requires_grad=True on the tensor whose gradient you want"
    if mode is not None:
        return Reason(line, f"{where} under {mode}, where nothing is recorded", f"compute {name} outside {mode}")
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        why = f"{where} and is {tensor.dtype.name}: gradients exist for floating-point and complex numbers only"
        return Reason(line, why, "begin at a result with floating-point numbers, computed from tensors that require grad")
    used = {n.id: t for n in ast.walk(value) if isinstance(n, ast.Name) and (t := names.named(n.id)) is not None}
    if not used:
        if not isinstance(value, ast.Call):
            return None
        return Reason(line, f"{name} was made at line {line} without requires_grad=True", leaf)
    cut = next((word for word in words(value) if word in CUTS), None)
    if cut is not None:
        return Reason(
            line, f"{where} with {cut}, which gives values without their graph", f"leave {cut} out where {name} is computed"
        )
    if any(t.requires_grad for t in used.values()):
        return None
    which = "which does not require grad" if len(used) == 1 else "none of which requires grad"
    return Reason(line, f"{where} from {' and '.join(used)}, {which}", f"{leaf}, before line {line}")


def assignments(tree: ast.Module, name: str) -> Iterator[tuple[Any, str | None]]:
    """The assignments to `name`, each with the mode (``torch.no_grad()``) of a ``with`` or a decorator around it."""
    stack: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while stack:
        node, mode = stack.pop()
        if isinstance(node, (ast.With, ast.FunctionDef)):
            around = [item.context_expr for item in node.items] if isinstance(node, ast.With) else node.decorator_list
            mode = next((MODES[word] for expression in around for word in words(expression) if word in MODES), mode)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(part, ast.Name) and part.id == name for target in targets for part in ast.walk(target)):
                yield node, mode
        stack += [(child, mode) for child in ast.iter_child_nodes(node)]


def words(expression: ast.expr) -> Iterator[str]:
    """The attributes and called names of an expression."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
