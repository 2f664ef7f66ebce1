"""What a script finds when it runs: builtins, guards, imports, and the names that are there without one."""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Callable, Mapping
from typing import Any

from autograd_cli.errors import AgradError, ForbiddenImport, NameNotDefined
from autograd_cli.scenario.fields import did_you_mean
from autograd_cli.scenario.guards import Guards, caught

_FUNCTIONS = """
abs all any ascii bin bool callable chr classmethod complex dict divmod enumerate filter float format frozenset hash hex
id int issubclass iter len list map max min next object oct ord pow property range repr reversed round set slice sorted
staticmethod str sum super tuple zip Ellipsis NotImplemented
"""
_EXCEPTIONS = """
Exception ArithmeticError AssertionError AttributeError DeprecationWarning EOFError FloatingPointError ImportError
IndexError KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError OverflowError
RecursionError RuntimeError RuntimeWarning StopIteration TypeError UnboundLocalError UserWarning ValueError Warning
ZeroDivisionError FutureWarning UnicodeError
"""
BUILTINS = tuple(f"{_FUNCTIONS} {_EXCEPTIONS}".split())
# Made here for each run.
GUARDED_BUILTINS = ("print", "type", "isinstance", "getattr", "hasattr", "setattr", "delattr")
# Names that are there without an import, and the namespace each stands for.
PREDEFINED = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "rpc": "torch.distributed.rpc",
    "dist_autograd": "torch.distributed.autograd",
    "math": "math",
}


def script_globals(
    modules: Mapping[str, object], print_function: Callable[..., None], guards: Guards | None = None
) -> dict[str, Any]:
    """The globals to run a script in.

    What a script has without defining it (builtins, guards, predefined names) is in the table of builtins, so that afterwards the
    dictionary holds what the script bound, and beside it only ``__name__`` and ``__builtins__``.

    Parameters
    ----------
    modules : mapping
        The namespaces that `import` serves, by their dotted names: ``{"torch": …, "torch.nn": …, "math": …}``.
    print_function : callable
        Called as ``print_function(*values, sep=…, end=…)``.
    guards : Guards, optional
        Where the objects of the namespaces need others than the plain ones.
    """
    guards = guards or Guards(modules.values())
    table = {name: getattr(builtins, name) for name in BUILTINS}
    table |= {
        "print": _print(print_function),
        "type": guards.type_of,
        "isinstance": guards.is_instance,
        "getattr": guards.getattr,
        "hasattr": guards.hasattr,
        "setattr": guards.setattr,
        "delattr": guards.delattr,
        "_read_": guards.read,
        "_write_": guards.write,
        "_reach_": guards.reach,
        "_caught_": caught,
        "__build_class__": guards.build_class,
        "__import__": _importer(modules),
    }
    guards.builtins = table
    for name, module in PREDEFINED.items():
        found = _submodule(modules, module)
        if found is not None:
            table[name] = found
    return {"__builtins__": table, "__name__": "__main__"}


def _print(print_function: Callable[..., None]) -> Callable[..., None]:
    def print(*values: Any, sep: str | None = " ", end: str | None = "\n", file: None = None, flush: bool = False) -> None:
        if file is not None:
            raise TypeError("print(file=…) is not part of the script language: a script prints to the output of the run")
        for option, value in (("sep", sep), ("end", end)):
            if not isinstance(value, str | None):
                raise TypeError(f"{option} must be None or a string, not {type(value).__name__}")
        print_function(*values, sep=" " if sep is None else sep, end="\n" if end is None else end)

    return print


def _submodule(modules: Mapping[str, object], name: str) -> object | None:
    """A namespace by its dotted name, from the table or as an attribute of its parent; None where there is none yet."""
    if name in modules:
        return modules[name]
    parent, _, child = name.rpartition(".")
    above = _submodule(modules, parent) if parent else None
    if above is None:
        return None
    try:
        found: object = getattr(above, child)
    except (AttributeError, AgradError):
        return None
    return found


def _importer(modules: Mapping[str, object]) -> Callable[..., object]:
    """The builtin `__import__` of a script: it serves the namespaces and nothing else."""

    def serve(
        name: str, globals: Any = None, locals: Any = None, fromlist: tuple[str, ...] | list[str] | None = (), level: int = 0
    ) -> object:
        if type(fromlist) is list:
            # Not a script, for which the interpreter gives None or a tuple. C code, such as NumPy's `sum`, imports what it needs
            # through the builtins of the frame that called it, for the side effect; nothing is handed out.
            builtins.__import__(name)
            return None
        top, *path = name.split(".")
        if level or top not in modules:
            raise ForbiddenImport(f"import of {name} is not allowed")
        found = modules[top]
        for depth, part in enumerate(path, start=2):
            dotted = ".".join(name.split(".")[:depth])
            found = (
                modules[dotted]
                if dotted in modules
                else _attribute(found, part, f"No module named {dotted!r}", ModuleNotFoundError)
            )
        # Every name is fetched here, before the interpreter does: where an attribute is missing, it would look into sys.modules.
        for attribute in fromlist or ():
            if f"{name}.{attribute}" not in modules or not hasattr(found, attribute):
                _attribute(found, attribute, f"cannot import name {attribute!r} from {name!r}", ImportError)
        return found if fromlist else modules[top]

    return serve


def _attribute(namespace: object, name: str, message: str, kind: type[ImportError]) -> object:
    try:
        found: object = getattr(namespace, name)
    except AttributeError:
        raise kind(message, name=name) from None
    return found


def name_not_defined(error: NameError, script_names: Mapping[str, Any]) -> NameNotDefined:
    """The clear error for Python's NameError: what may have been meant.

    Parameters
    ----------
    error : NameError
        As Python raised it in a script.
    script_names : mapping
        The script's globals.
    """
    name = error.name or str(error).split("'")[1] if "'" in str(error) or error.name else ""
    table = script_names.get("__builtins__", {})
    known = [known for known in (*script_names, *table) if not known.startswith("_")]
    if isinstance(error, UnboundLocalError):
        message = f"the name {name} is used before it has a value in this function"
        hint = f"write global {name} if the one outside is meant" if name in script_names else None
    else:
        message = f"the name {name} is not defined"
        hint = did_you_mean(name, known)
        torch = table.get("torch")
        if not difflib.get_close_matches(name, known, n=1, cutoff=0.8) and _has(torch, name):
            hint = f"did you mean torch.{name}?"
    return NameNotDefined(message, hint=hint, variable=name or None)


def _has(namespace: object, name: str) -> bool:
    try:
        return namespace is not None and not name.startswith("_") and hasattr(namespace, name)
    except AgradError:
        return False
