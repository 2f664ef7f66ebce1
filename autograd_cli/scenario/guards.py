"""What a script meets at run time: guarded attributes, the table of builtins, the making of classes.

See Note [What the sandbox rests on] in `policy.py`.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from autograd_cli.errors import ScriptError
from autograd_cli.scenario.formatting import safe_formatter

# Attributes that no script may name: tracebacks and frames (RestrictedPython adds its own list), the base classes of a class,
# what opens memory, files or foreign code on arrays and random generators, and `xp`, our word for an array library.
_MEMORY = ("tofile", "dumps", "ctypes", "cffi", "capsule", "bit_generator", "setflags", "getfield", "setfield", "xp")
_CYTHON = ("func_globals", "func_code", "func_closure", "func_defaults", "func_dict")  # of functions made by Cython
REFUSED = frozenset(("mro", "with_traceback", "ag_code", *_MEMORY, *_CYTHON))
# Attributes whose names honest scripts use too; a guard looks at the object. See Note [NumPy's doors] for what they open.
_DOORS = frozenset(("data", "base", "dump", "resize", "flags", "view", "astype", "obj"))
# What our own operations and nodes say about themselves, which leads to module globals.
_INTERNALS = frozenset(("info", "op", "namespace"))
READABLE = frozenset({"__name__", "_version", "_base", "_is_view"})  # private names that PyTorch's users read
SAVED = ("_saved_", "_raw_saved_")  # those of nodes begin with one of these
GUARDED = _DOORS | _INTERNALS | {"format", "format_map", "__init__"}
# Types that are neither to be called nor to be inherited from.
_MACHINERY = (
    types.FunctionType,
    types.CodeType,
    types.FrameType,
    types.TracebackType,
    types.ModuleType,
    types.GeneratorType,
    types.CellType,
    types.MethodType,
)
_PLAIN_BASES = (object, str, int, float, complex, list, dict, tuple, set, frozenset)


def is_own_name(name: str) -> bool:
    """Whether a script may bind this name: not `__x`, and not `_x_`, which are our guards."""
    return name == "_" or not (name.startswith("__") or (name.startswith("_") and name.endswith("_")))


class Guards:
    """The guards of one run. They know the classes that its scripts have made and the namespaces it was given."""

    def __init__(self, namespaces: Iterable[object] = ()) -> None:
        self.own: set[type] = set()
        self.sealed = {type(namespace) for namespace in namespaces}
        self.harmless: set[type] = set()  # types whose `.data` and the like are no doors
        self.writable: set[type] = set()  # types whose objects a script may change
        self.builtins: dict[str, Any] = {}  # the script's table; its functions are known by it

    # ---- attributes ----

    def reach(self, value: Any, name: str) -> Any:
        """`value`, whose attribute `name` is read next. Of our own objects, every public name may be."""
        return value

    def read(self, value: Any, name: str) -> Any:
        """``value.name`` for a name that depends on the object."""
        if name in _DOORS:
            if type(value) not in self.harmless:
                return self._read_door(value, name)
        elif name in _INTERNALS:
            self._check_internal(value, name)
        elif name == "__init__":
            if not isinstance(value, (type, super)):
                raise AttributeError("__init__ can be called on super() and on a base class only")
        elif name.startswith("_"):
            self._check_private(value, name)
        else:
            return safe_formatter(getattr(value, name), self.get)
        return getattr(value, name)

    def write(self, value: Any, name: str) -> Any:
        """The object of ``value.name = …`` or ``del value.name``: only what the script made, and objects, are its to change."""
        kind = type(value)
        if kind in self.writable and not name.startswith("_"):
            return value
        if isinstance(value, type):
            allowed = value in self.own
        elif kind is types.FunctionType:
            allowed = value.__builtins__ is self.builtins
        else:
            sealed = kind in self.sealed and not getattr(kind, "_has_switches", False)
            allowed = not sealed and not issubclass(kind, (types.ModuleType, super)) and not _is_numpy(kind)
        if not allowed:
            what = f"the class {value.__name__}" if isinstance(value, type) else _article(kind)
            raise AttributeError(f"a script cannot set or delete the attribute {name} of {what}")
        if name.startswith("_"):
            self._check_private(value, name)
        elif isinstance(value, BaseException):
            self._check_obj(kind, name)
        elif not isinstance(value, (type, types.FunctionType)):
            self.writable.add(kind)
        return value

    def _check_private(self, value: Any, name: str) -> None:
        """`_names` are a class's own business: fine on the script's classes, unless a base of ours has the name."""
        kind = value if isinstance(value, type) else type(value)
        if kind not in self.own:
            raise AttributeError(
                f"{name} of {_article(kind)} is private: names that begin with an underscore can be used on your own classes only"
            )
        for base in kind.__mro__:
            if base not in self.own and name in vars(base):
                raise AttributeError(f"{name} of {_article(base)} is private")

    def _read_door(self, value: Any, name: str) -> Any:
        is_class = isinstance(value, type)
        kind = value if is_class else type(value)
        if _is_numpy(kind):
            if name in ("astype", "view") and not is_class:
                return _to_numbers(value, name)
            raise AttributeError(f"{name} of {_article(kind)} is not part of the script language")
        if issubclass(kind, (BaseException, memoryview)):
            self._check_obj(kind, name)
        elif not is_class:
            self.harmless.add(kind)
        return getattr(value, name)

    def _check_obj(self, kind: type, name: str) -> None:
        """An AttributeError holds the object that lacked the attribute, which may be one of ours."""
        if name == "obj" and kind not in self.own:
            raise AttributeError(f"{name} of {_article(kind)} is not part of the script language")

    def _check_internal(self, value: Any, name: str) -> None:
        kind = value if isinstance(value, type) else type(value)
        if isinstance(value, (types.FunctionType, types.MethodType)):
            internal = getattr(value, "__builtins__", None) is not self.builtins
        else:
            internal = kind not in self.own and str(kind.__module__).startswith(("autograd_cli.", "torch"))
        if internal:
            raise AttributeError(f"{name} of {_article(kind)} is not part of the script language")

    def check(self, name: Any) -> str:
        """The name that `getattr` and its kin, or a field of `str.format`, are asked for."""
        from autograd_cli.scenario.policy import REFUSED_ATTRIBUTES

        if type(name) is not str:
            raise TypeError("the name of an attribute must be a str")
        if name in REFUSED_ATTRIBUTES or (name.startswith("__") and name != "__name__"):
            raise AttributeError(f"the attribute {name} is not part of the script language")
        return name

    def get(self, value: Any, name: Any) -> Any:
        """``value.name`` for a name that is data: of `getattr`, or of a field of `str.format`."""
        name = self.check(name)
        is_guarded = name in GUARDED or (name.startswith("_") and name not in READABLE and not name.startswith(SAVED))
        return self.read(value, name) if is_guarded else getattr(value, name)

    # ---- classes ----

    def build_class(self, body: Callable[[], Any], name: str, *bases: Any) -> type:
        """`class Name(bases):`."""
        for base in bases:
            if not self._may_inherit(base):
                shown = base.__name__ if isinstance(base, type) else repr(base)
                raise TypeError(f"a class of a script cannot inherit from {shown}")
        made: type = builtins.__build_class__(body, name, *bases)
        self.own.add(made)
        return made

    def _may_inherit(self, base: Any) -> bool:
        if not isinstance(base, type):
            return False
        if base in self.own or base in _PLAIN_BASES or issubclass(base, Exception):
            return True
        home = str(base.__module__).split(".")[0]
        return home not in sys.stdlib_module_names and home != "numpy" and base not in self.sealed

    def type_of(self, value: Any, *more: Any) -> type:
        """``type(x)``, without the door to metaclasses, functions and modules."""
        if more:
            raise TypeError("type() takes one argument in a script; write a class statement")
        if isinstance(value, type):
            raise TypeError("type() of a class is not part of the script language")
        kind = type(value)
        if kind in self.sealed or issubclass(kind, (*_MACHINERY, type(len), super, memoryview)):
            raise TypeError(f"type() of {_article(kind)} is not part of the script language")
        if issubclass(kind, ScriptError):
            return kind.python_type()
        if _is_numpy(kind):
            from autograd_cli.torch_api.numpy_api import stand_in

            kind = stand_in(kind)
        return kind

    def is_instance(self, value: Any, kinds: Any) -> bool:
        """``isinstance``, where `type` is the builtin of the script."""
        script_type = self.builtins.get("type")
        if kinds is script_type:
            kinds = type
        elif type(kinds) is tuple:
            kinds = tuple(type if kind is script_type else kind for kind in kinds)
        return isinstance(value, kinds)

    # ---- getattr and its kin ----

    def getattr(self, value: Any, name: Any, *default: Any) -> Any:
        """The builtin `getattr`."""
        self.check(name)
        if len(default) > 1:
            raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
        try:
            return self.get(value, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def hasattr(self, value: Any, name: Any) -> bool:
        """The builtin `hasattr`."""
        self.check(name)
        try:
            self.get(value, name)
        except AttributeError:
            return False
        return True

    def setattr(self, value: Any, name: Any, new: Any) -> None:
        """The builtin `setattr`."""
        setattr(self.write(value, self._written(name)), name, new)

    def delattr(self, value: Any, name: Any) -> None:
        """The builtin `delattr`."""
        delattr(self.write(value, self._written(name)), name)

    def _written(self, name: Any) -> str:
        checked = self.check(name)
        if checked == "__name__":
            raise AttributeError("__name__ can only be read")
        return checked


def caught() -> None:
    """At the start of every `except`: what must end the run is raised again where an error of a `finally` has replaced it."""
    error = sys.exc_info()[1]
    while error is not None:
        if not isinstance(error, (Exception, GeneratorExit)):
            raise error
        error = error.__context__


def _is_numpy(kind: type) -> bool:
    return any(base.__module__ == "numpy" or str(base.__module__).startswith("numpy.") for base in kind.__mro__)


def _to_numbers(array: Any, name: str) -> Callable[..., Any]:
    """``array.astype`` and ``array.view``, to dtypes of numbers only."""

    def convert(dtype: Any = None, **options: Any) -> Any:
        from autograd_cli.torch_api.numpy_api import number_dtype

        if dtype is None or "type" in options:
            raise TypeError(f"{name}() takes a dtype")
        return getattr(array, name)(number_dtype(dtype), **options)

    return convert


def _article(kind: type) -> str:
    return f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}"
