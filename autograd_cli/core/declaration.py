"""What ``@op`` reads of an operation: the syntax of its forward and of its vjps. ``op_source.py`` writes functions from it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


@dataclass
class Declaration:
    """What the compiler reads: the syntax of the forward and of its vjps.

    Attributes
    ----------
    tensors : list of str
        Parameters that are tensors: those with a vjp and those annotated ``Tensor``.
    vjps : dict of str to ast.Lambda
        By differentiable parameter, in the order of the parameters.
    style : str
        ``plain``, ``pointwise`` (operands are promoted and broadcast) or ``pointwise_float`` (and integers become floats).
    view : bool
        The result shares the storage of the first tensor.
    contiguous : bool
        The result is laid out row by row; others keep the order in memory that their operands have.
    broadcasts : tuple of str
        Parameters of a ``plain`` operation whose gradient may have to be summed to their shape.
    outputs : tuple of str
        Names of the results when the forward returns several. All may be saved by name.
    num_grads : int
        How many of these, from the first on, are differentiable. Where it is more than one, the vjps are given ``grads``: a list with
        None for a result that no gradient arrived at.
    real_only : bool
        Not defined for complex numbers.
    common : ast.Lambda or None
        A value that several vjps share, written as a vjp is: it is computed, or recorded, once, and those that take a parameter ``common``
        are given it.
    ops : frozenset of str
        Names in the vjps that are operations themselves.
    lists : tuple of str
        Parameters annotated ``Tensors``: tuples of tensors and None that carry no gradient, such as indices. Saved, they have a tuple
        of versions.
    anywhere : bool
        The operands may live on different devices: the first says where the result is.
    devices : bool
        Write for tensors on any device. See Note [Two writings of an operation] in ``device_operands.py``.
    halves : bool
        Write for 2-byte floats too. See Note [Halves] in ``halves.py``.
    as_given : str
        Which 2-byte floats are given to the forward as they are (``all``, ``float16``, ``bfloat16``): it converts them or looks at their
        dtype, or PyTorch's kernel rounds at each step too.
    rounds : tuple of str
        Parameters, numbers, that PyTorch rounds to the dtype of 2-byte floats before it computes.
    """

    name: str
    node_name: str
    function: ast.FunctionDef
    tensors: list[str]
    vjps: dict[str, ast.Lambda]
    style: str = "plain"
    view: bool = False
    contiguous: bool = False
    broadcasts: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    num_grads: int = 1
    real_only: bool = False
    common: ast.Lambda | None = None
    ops: frozenset[str] = frozenset()
    lists: tuple[str, ...] = ()
    anywhere: bool = False
    devices: bool = False
    halves: bool = False
    as_given: str = ""
    rounds: tuple[str, ...] = ()
    params: list[str] = field(init=False)
    uses_xp: bool = field(init=False)

    def __post_init__(self) -> None:
        names = [a.arg for a in self.function.args.args]
        self.uses_xp = names[:1] == ["xp"]
        if self.uses_xp:
            del self.function.args.args[0]
        self.params = names[1:] if self.uses_xp else names

    @property
    def through_float(self) -> bool:
        """Whether 2-byte floats go up to float32 before the forward."""
        return self.halves and not self.view and self.as_given != "all"

    @property
    def differentiable(self) -> list[str]:
        """Parameters with a vjp, in PyTorch's order of edges."""
        return [p for p in self.params if p in self.vjps]

    def needs(self, param: str) -> list[str]:
        """What the vjp of `param` asks to be saved."""
        names = [a.arg for a in self.vjps[param].args.args[1:]]
        if self.common is None or "common" not in names:
            return names
        return [*(a.arg for a in self.common.args.args[1:]), *(name for name in names if name != "common")]

    @property
    def saved(self) -> list[str]:
        """Everything that is saved, tensors and plain values, each once."""
        return list(dict.fromkeys(name for p in self.differentiable for name in self.needs(p)))

    @property
    def own(self) -> dict[str, int]:
        """The saved results that the node itself is the history of, with their numbers: their data are kept, and the Tensors rebuilt."""
        numbers = {"result": 0, **{name: i for i, name in enumerate(self.outputs[: self.num_grads])}}
        return {name: numbers[name] for name in self.saved if name in numbers}

    def user_of(self, name: str) -> int | None:
        """The number of the edge that the saved tensor `name` is for, where it is saved only if there is that edge."""
        users = [i for i, p in enumerate(self.differentiable) if name in self.needs(p)]
        # PyTorch's generated code looks at one edge only, and not at all in backward functions.
        alone = len(users) == 1 and len(self.differentiable) > 1 and name in self.tensors and "backward" not in self.name
        return users[0] if alone else None

    def is_tensor(self, name: str) -> bool:
        """Whether the saved `name` is a tensor: then it has a version."""
        return name in self.tensors or name == "result" or name in self.outputs

    def is_kept(self, name: str) -> bool:
        """Whether the saved `name` is a tensor or a list of them: checked when it is used, and let go by a pass."""
        return self.is_tensor(name) or name in self.lists


class _Rename(ast.NodeTransformer):
    def __init__(self, table: dict[str, str]) -> None:
        self.table = table

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.table[node.id], mode="eval").body if node.id in self.table else node


class _ForReal(ast.NodeTransformer):
    """Leaves ``conj`` out of a formula. See Note [Complex nodes] in ``complex_node.py``."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "conj" else node


def for_real(expression: ast.expr) -> ast.expr:
    """`expression` as it is for real numbers."""
    found: ast.expr = _ForReal().visit(ast.parse(ast.unparse(expression), mode="eval").body)
    return found


class _ForHalves(ast.NodeTransformer):
    """Calls for products and quotients, which may be by a number. See Note [Halves] in ``halves.py``."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = {ast.Mult: "_times", ast.Div: "_over"}.get(type(node.op))
        return node if name is None else ast.Call(ast.Name(name), [node.left, node.right], [])


def for_halves(expression: ast.expr) -> ast.expr:
    """`expression` as it is for arrays that may be 2-byte floats."""
    found: ast.expr = _ForHalves().visit(ast.parse(ast.unparse(expression), mode="eval").body)
    return found


def rename(expression: ast.expr, table: dict[str, str]) -> str:
    """`expression` as text with names replaced."""
    copy = ast.parse(ast.unparse(expression), mode="eval").body
    return f"({ast.unparse(_Rename(table).visit(copy))})"
