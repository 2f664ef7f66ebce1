"""The op table as plain data: for ``agrad ops`` and for docs/ops.md, which are made of the declarations themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from ..core.op import OPS, Op
from .modules import modules

NAMESPACES = {"torch": "torch", "torch.nn.functional": "F", "torch.linalg": "torch.linalg", "torch.special": "torch.special"}
INDEXING = {"__getitem__": "x[…]", "__setitem__": "x[…] = v"}
DEEPEST = 4  # functions that call one another on the way from a formula to an operation


@dataclass
class OpEntry:
    """What is known of one operation.

    Attributes
    ----------
    name : str
        Of its declaration.
    node : str
        What PyTorch calls the node that it records.
    doc : str
        What it computes.
    called_by : list of str
        The names under which scripts reach it.
    gradients : dict of str to str
        For each differentiable argument the formula, as the declaration has it.
    saves : list of str
        What the formulas ask to be saved: arguments, results, sizes and other plain values.
    view : bool
        The result shares the argument's memory.
    second_derivative : bool
        Whether the gradient can be differentiated again.
    complex : bool
        Whether it is defined for complex numbers.
    """

    name: str
    node: str
    doc: str
    called_by: list[str]
    gradients: dict[str, str]
    saves: list[str]
    view: bool
    second_derivative: bool
    complex: bool

    @property
    def is_of_a_backward(self) -> bool:
        """Whether only backward passes call it."""
        return not self.called_by and ("BackwardBackward" in self.node or self.name.endswith(("_backward", "_backward_data")))

    def as_json(self) -> dict[str, Any]:
        """The entry as JSON can hold it."""
        return asdict(self)


@cache
def all_entries() -> dict[str, OpEntry]:
    """Every operation with a gradient, by name, in alphabetical order."""
    modules()  # declares them all
    callers = _callers()
    found = {name: _entry(op, callers.get(name, [])) for name, op in sorted(OPS.items()) if op.inputs}
    return {name: entry for name, entry in found.items() if entry.node != "NotImplemented"}


def search(words: str) -> list[OpEntry]:
    """The entries that `words` names: an operation or a function of PyTorch, else all that have it in a name or their text."""
    entries = all_entries().values()
    wanted = words.casefold().removeprefix("torch.").removeprefix("nn.functional.").removeprefix("f.").removeprefix("tensor.")
    exact = [e for e in entries if wanted in (e.name.casefold(), e.node.casefold(), *(_last(name) for name in e.called_by))]
    if exact:
        return exact
    return [e for e in entries if any(wanted in text.casefold() for text in (e.name, e.node, e.doc, *e.called_by))]


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _entry(op: Op, called_by: list[str]) -> OpEntry:
    declaration = op.declaration()
    return OpEntry(
        name=op.name,
        node=op.long_name,
        doc=op.doc.partition("\n\n")[0].replace("\n    ", " "),
        called_by=called_by,
        gradients=op.formulas(),
        saves=declaration.saved,
        view=declaration.view,
        second_derivative=not any(_has_no_derivative(vjp, op.forward.__globals__) for vjp in declaration.vjps.values()),
        complex=not declaration.real_only,
    )


# ---- who calls it ----


def _callers() -> dict[str, list[str]]:
    """For each operation the names of scripts whose own code calls it, or a function that their code calls."""
    public = list(_public())
    found: dict[str, set[str]] = {}
    for depth in (0, 1, 2):
        new: dict[str, set[str]] = {}
        for name, function in public:
            for op in _ops_called(function, depth):
                new.setdefault(op.name, set()).add(name)
        found |= {op: names for op, names in new.items() if op not in found}
    return {op: sorted(names, key=lambda name: _nearness(op, name)) for op, names in found.items()}


def _nearness(op: str, name: str) -> tuple[bool, bool, bool, str]:
    """Functions that are called like the operation come first, those of torch before methods."""
    return not op.startswith(_last(name)), not name.startswith("torch."), name.startswith("Tensor."), name


def _public() -> Iterator[tuple[str, Any]]:
    """Functions that scripts reach, with their names."""
    known = modules()
    for namespace, prefix in NAMESPACES.items():
        for name, value in vars(known[namespace]).items() if namespace in known else ():
            if isinstance(value, FunctionType):
                yield f"{prefix}.{name}", value
    for name, value in vars(known["torch"].Tensor).items():
        function = value.fget if isinstance(value, property) else value
        if isinstance(function, FunctionType) and (name in INDEXING or not name.startswith("_")):
            yield INDEXING.get(name, f"Tensor.{name}"), function


def _ops_called(function: Any, depth: int) -> Iterator[Op]:
    """The operation that a function is, or those that its own code names, or (by `depth`) the functions that it names."""
    info = getattr(function, "_info", None)
    if isinstance(info, Op):
        yield info
        return
    for value in _named(function):
        info = getattr(value, "_info", None)
        if isinstance(info, Op):
            yield info
        elif depth and isinstance(value, FunctionType) and _is_ours(value):
            yield from _ops_called(value, depth - 1)


def _is_ours(function: FunctionType) -> bool:
    return function.__module__.startswith(__package__.rpartition(".")[0])


def _named(function: FunctionType) -> Iterator[Any]:
    """What a function's code, its nested code and its closure refer to."""
    stack: list[CodeType] = [function.__code__]
    while stack:
        code = stack.pop()
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, dict) and name.isupper():  # a table of functions
                yield from (item for row in value.values() for item in (row if isinstance(row, tuple) else (row,)))
            else:
                yield value
        stack.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


# ---- derivatives of derivatives ----


def _has_no_derivative(vjp: ast.Lambda, scope: dict[str, Any]) -> bool:
    """Whether a formula ends in a function that cannot be differentiated."""
    names = {node.id for node in ast.walk(vjp) if isinstance(node, ast.Name)}
    return _leads_to_a_refusal((scope[name] for name in names if name in scope), DEEPEST)


def _leads_to_a_refusal(values: Iterable[Any], depth: int) -> bool:
    """Whether one of the functions named cannot be differentiated, or (by `depth`) one that it calls."""
    for value in values:
        info = getattr(value, "_info", None)
        if isinstance(info, Op):
            found = bool(info.inputs) and all(_refuses(vjp) for vjp in info.declaration().vjps.values())
        else:
            inside = depth and isinstance(value, FunctionType) and _is_ours(value)
            found = bool(inside) and _leads_to_a_refusal(_named(value), depth - 1)
        if found:
            return True
    return False


def _refuses(vjp: ast.Lambda) -> bool:
    """Whether a vjp is nothing but the error that there is none."""
    body = vjp.body
    return isinstance(body, ast.Call) and isinstance(body.func, ast.Name) and body.func.id == "no_derivative"
