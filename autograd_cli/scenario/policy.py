"""The script language as a RestrictedPython policy that refuses and never rewrites: what passes runs as native Python.

RestrictedPython gives the part that must not be ours: every syntax node it does not know is refused, so that a new Python cannot
open a hole. Its run-time guards only repeat checks on names that are constants in the source, so they are left out.

Note [What the sandbox rests on]
Three things, and a test for each:

1. No name with two underscores can be read, written or bound, so neither the interpreter's own attributes (`__class__`,
   `__globals__`, `__subclasses__`) nor its protocols (`__reduce__`, `__getattr__`) are within reach. The exceptions are
   `__init__` and `__name__`, and the methods of MAGIC_METHODS, which a class may define: operators call them, with what the
   script itself hands over. `__exit__` is none of them, since it could swallow a time limit or Ctrl-C.
2. The few public attributes of Python and NumPy that are doors (frames, memory, files, `str.format`) are refused here where no
   honest script needs their names, and otherwise read through a guard that looks at the object (`guards.py`).
3. Nothing that is reachable by public names from what a script is given is dangerous: the namespaces are tables of chosen names,
   never modules.
"""

from __future__ import annotations
import __future__

import ast
from dataclasses import dataclass
from typing import Any

from RestrictedPython.transformer import INSPECT_ATTRIBUTES, RestrictingNodeTransformer

from autograd_cli.scenario.guards import GUARDED, READABLE, REFUSED, SAVED, is_own_name

IMPORTABLE = ("torch", "numpy", "math", "random", "time", "copy", "collections", "itertools", "functools", "typing", "tqdm")
ONE_UNDERSCORE = "names may begin with one underscore, not with two"
_MAGIC = """
init len getitem setitem contains iter next call repr str bool eq ne lt le gt ge hash neg pos abs add radd iadd sub rsub isub mul rmul imul
truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul
"""
MAGIC_METHODS = frozenset(f"__{name}__" for name in _MAGIC.split())
REFUSED_ATTRIBUTES = REFUSED | INSPECT_ATTRIBUTES

_STATEMENTS = {
    "Match": "match",
    "AsyncFunctionDef": "async def",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "Await": "await",
    "TryStar": "except*",
    "TypeAlias": "type X = …",
    "TypeVar": "a type parameter in […]",
    "TypeVarTuple": "a type parameter in […]",
    "ParamSpec": "a type parameter in […]",
    "TemplateStr": "a t-string",
    "Interpolation": "a t-string",
}


@dataclass(frozen=True)
class Complaint:
    """Something that is not part of the script language; line and byte column are those of the script's own text."""

    line: int
    column: int
    message: str
    hint: str | None = None
    is_import: bool = False


class ScriptPolicy(RestrictingNodeTransformer):
    """Collects complaints about a syntax tree, and puts guards where an attribute can only be judged at run time.

    Parameters
    ----------
    every_attribute : bool
        Ask the guard ``_reach_(value, name)`` before each other attribute is read, too: for namespaces whose objects have more public
        names than a script may use, as those of an installed PyTorch.
    """

    def __init__(self, every_attribute: bool = False) -> None:
        super().__init__()
        self.every_attribute = every_attribute
        self.complaints: list[Complaint] = []
        self.loaded: list[ast.Name] = []  # names read, for the check of what is not in the language
        self.bound: set[str] = set()

    def error(self, node: ast.AST, info: str, hint: str | None = None, is_import: bool = False) -> None:
        """Keep a complaint; called by RestrictedPython too."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.complaints.append(Complaint(line, column, info, hint, is_import))

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a kind of statement or expression."""
        kind = type(node).__name__
        self.error(node, f"{_STATEMENTS.get(kind, kind)} is not part of the script language")

    # ---- names ----

    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """`_helper` is fine; `__x__` and the names of our guards, `_x_`, are not."""
        if name is None:
            return
        self.bound.add(name)
        defines = allow_magic_methods and name in MAGIC_METHODS and node.col_offset > 0
        if not is_own_name(name) and not defines:
            is_magic = allow_magic_methods and name.startswith("__") and name.endswith("__")
            hint = (
                "give the method a plain name; docs/language.md lists the magic methods there are" if is_magic else ONE_UNDERSCORE
            )
            self.error(node, f"the name {name} is not part of the script language", hint)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name; `__name__` may be read, for `if __name__ == "__main__":`."""
        if isinstance(node.ctx, ast.Load):
            self.loaded.append(node)
            if not is_own_name(node.id) and node.id != "__name__":
                self.error(node, f"the name {node.id} is not part of the script language", ONE_UNDERSCORE)
        else:
            self.check_name(node, node.id)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """A keyword argument of a call."""
        if node.arg and node.arg.startswith("__"):
            self.error(node, f"the name {node.arg} is not part of the script language")
        return self.node_contents_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """``value.attr``: refused, left alone, or read through a guard. See Note [What the sandbox rests on]."""
        name, load = node.attr, isinstance(node.ctx, ast.Load)
        is_double = name.startswith("__")
        if name in REFUSED_ATTRIBUTES or (is_double and not (load and name in ("__init__", "__name__"))):
            hint = "only __init__ and, to be read, __name__" if is_double else None
            hint = "type(x) gives the class of x" if name == "__class__" else hint
            self.error(node, f"the attribute {name} is not part of the script language", hint)
        node = self.node_contents_visit(node)
        if load and (name in GUARDED or (name.startswith("_") and name not in READABLE and not name.startswith(SAVED))):
            return _call("_read_", node, node.value, ast.Constant(name))
        if not load:
            node.value = _call("_write_", node, node.value, ast.Constant(name))
        elif self.every_attribute:  # around the value, so that a call keeps the line of its name
            node.value = _call("_reach_", node, node.value, ast.Constant(name))
        return node

    # ---- functions and classes ----

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Arguments are names too."""
        self.check_function_argument_names(node)
        return self.node_contents_visit(node)

    def visit_Global(self, node: Any) -> ast.AST:
        """`global x`."""
        for name in node.names:
            self.check_name(node, name)
        return node  # type: ignore[no-any-return]

    def visit_Nonlocal(self, node: Any) -> ast.AST:
        """`nonlocal x`."""
        return self.visit_Global(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function; annotations are ignored, whatever they say."""
        self.check_name(node, node.name, allow_magic_methods=True)
        self.check_function_argument_names(node)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        node.returns = None
        return self.node_contents_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """`x: int = 1` is `x = 1`."""
        target = self.visit(node.target)
        new = ast.Assign([target], self.visit(node.value)) if node.value else ast.Pass()
        return ast.copy_location(new, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class with bases; the builtin `__build_class__` looks at them."""
        self.check_name(node, node.name)
        if node.keywords:
            self.error(node.keywords[0], "a class takes bases only, and no keywords such as metaclass=")
        return self.node_contents_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """A bare `except:` means `except Exception:`; and no handler may eat Ctrl-C or a time limit. See `guards.caught`."""
        self.check_name(node, node.name)
        node = self.node_contents_visit(node)
        if node.type is None:
            node.type = ast.copy_location(ast.Name("Exception", ast.Load()), node)
        node.body.insert(0, ast.copy_location(ast.Expr(_call("_caught_", node)), node))
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """`return`, `break` or `continue` in `finally` would swallow what must end the run."""
        for jump in _jumps(node.finalbody):
            word = type(jump).__name__.lower()
            self.error(
                jump, f"{word} inside finally is not part of the script language", f"move the {word} behind the try statement"
            )
        return self.node_contents_visit(node)

    # ---- imports ----

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """`import torch.nn as nn`."""
        for alias in node.names:
            self._check_module(node, alias.name)
        return self._check_aliases(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """`from torch import nn`; `from __future__ import …` asks for what is so already."""
        if node.module == "__future__" and all(alias.name in __future__.all_feature_names for alias in node.names):
            return ast.copy_location(ast.Pass(), node)
        if node.level:
            self.error(node, "there is nothing to import relative to", is_import=True)
        else:
            self._check_module(node, node.module or "")
            self._check_private(node, node.module or "")
        return self._check_aliases(node)

    def _check_module(self, node: ast.AST, name: str) -> None:
        if name.split(".")[0] not in IMPORTABLE:
            hint = f"a script may import {', '.join(IMPORTABLE[:-1])} and {IMPORTABLE[-1]}, and their submodules"
            if name.split(".")[0] == "autograd_cli":
                hint = "write import torch, which is agrad's here; or run the file with python, whose torch is autograd_cli's"
            self.error(node, f"import of {name} is not allowed", hint, is_import=True)

    def _check_private(self, node: ast.AST, name: str) -> None:
        if any(part.startswith("_") for part in name.split(".")):
            self.error(node, f"import of {name} is not allowed: names with an underscore are private", is_import=True)

    def _check_aliases(self, node: Any) -> ast.AST:
        for alias in node.names:
            if alias.name == "*":
                self.error(node, "from … import * is not part of the script language", "name what you import", is_import=True)
            self._check_private(node, alias.name)
            self.check_name(node, alias.asname or alias.name.split(".")[0])
        if getattr(node, "is_lazy", 0):
            self.error(node, "a lazy import is not part of the script language", is_import=True)
        return node  # type: ignore[no-any-return]


# RestrictedPython would wrap these in guards, or refuse them; here they are kept as written, and only their contents are visited.
_KEPT = ("Constant", "Subscript", "Assign", "AugAssign", "Call", "For", "comprehension", "With", "Module", "Yield", "YieldFrom")
for _kind in _KEPT:
    setattr(ScriptPolicy, f"visit_{_kind}", RestrictingNodeTransformer.node_contents_visit)
for _kind in ("TemplateStr", "Interpolation"):
    setattr(ScriptPolicy, f"visit_{_kind}", ScriptPolicy.not_allowed)


def _call(guard: str, node: ast.AST, *values: ast.expr) -> ast.Call:
    """``guard(*values)``, at the place of the node, so that tracebacks point at the script."""
    call = ast.Call(ast.Name(guard, ast.Load()), list(values), [])
    for new in (
        call,
        call.func,
        *(value for value in values if isinstance(value, ast.Constant) and not hasattr(value, "lineno")),
    ):
        ast.copy_location(new, node)
    return call


def _jumps(body: list[ast.stmt]) -> list[ast.AST]:
    """Statements in a `finally` body that leave it: not those of a loop or function inside it."""
    found: list[ast.AST] = []
    todo: list[tuple[ast.AST, bool]] = [(statement, False) for statement in body]
    while todo:
        node, in_loop = todo.pop()
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not in_loop):
            found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            looped = in_loop or isinstance(node, (ast.For, ast.While))
            todo += [(child, looped) for child in ast.iter_child_nodes(node)]
    return found
