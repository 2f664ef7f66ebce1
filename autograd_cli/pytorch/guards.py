"""What a script may read of PyTorch's objects: the attributes that agrad's objects of the same name have.

PyTorch's own have many more, and some of them are doors: a tensor's storage can map a file, a module can be compiled by a C++
compiler. So every attribute that a script reads is looked up here first. See Note [What the sandbox rests on], whose third point
this keeps.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Mapping
from typing import Any

import torch

from ..core.node import AccumulateGrad
from ..core.saved_tensor import SavedTensor
from ..missing import missing
from ..scenario.guards import Guards
from ..torch_api.modules import modules

_PYTHON = {kind for kind in vars(types).values() if isinstance(kind, type)}


class PyTorchGuards(Guards):
    """The guards of a run under PyTorch.

    Parameters
    ----------
    spaces : mapping
        The namespaces that its script gets, by dotted name.
    """

    def __init__(self, spaces: Mapping[str, Any]) -> None:
        super().__init__(spaces.values())
        self._pairs = [*_pairs(spaces), (tuple, frozenset(dir(tuple)))]
        self._names: dict[type, frozenset[str]] = {}

    def reach(self, value: Any, name: str) -> Any:
        """`value`, once it is sure that a script may read its attribute `name`."""
        if name.startswith("_"):  # the other guards judge these
            return value
        line = _line_of_bases(value)
        for base in line:
            if name in vars(base):
                if base not in self.own and not _is_python(base) and name not in self._listed(line):
                    kind = value if isinstance(value, type) else type(value)
                    raise missing(f"torch.{kind.__name__}.{name}", f"{name} of {kind.__name__}")
                break
        return value  # PyTorch itself says that there is no such name, or it is one of the object's own

    def read(self, value: Any, name: str) -> Any:
        """``value.name`` for a name that depends on the object."""
        return super().read(self.reach(value, name), name)

    def get(self, value: Any, name: Any) -> Any:
        """``value.name`` for a name that is data."""
        return super().get(self.reach(value, self.check(name)), name)

    def write(self, value: Any, name: str) -> Any:
        """The object of ``value.name = …``: what may be set may be read."""
        return super().write(self.reach(value, name), name)

    def _listed(self, line: tuple[type, ...]) -> frozenset[str]:
        """The names that agrad's counterparts of a class have; `line` is the class and its bases."""
        kind = line[0]
        if kind not in self._names:
            found = [names for theirs, names in self._pairs if issubclass(kind, theirs)]
            if issubclass(kind, tuple):  # the fields of what several results come in
                found.append(frozenset(getattr(kind, "_fields", ())) | _fields(kind))
            self._names[kind] = frozenset().union(*found)
        return self._names[kind]


def _pairs(spaces: Mapping[str, Any]) -> list[tuple[type, frozenset[str]]]:
    """PyTorch's classes that a script can name, each with the attributes of agrad's class of that name."""
    unnamed = [(torch._C._functions.AccumulateGrad, AccumulateGrad), (torch._C._autograd.SavedTensor, SavedTensor)]
    found: list[tuple[type, frozenset[str]]] = [(theirs, _attributes(ours)) for theirs, ours in unnamed]
    for space, ours in modules().items():
        for name in dir(ours):
            theirs = vars(spaces[space]).get(name)
            if isinstance(theirs, type) and isinstance(getattr(ours, name), type):
                found.append((theirs, _attributes(getattr(ours, name))))
    return found


def _attributes(ours: type) -> frozenset[str]:
    """The attributes of a class of agrad's, those that it only announces included."""
    announced = (name for base in ours.__mro__ for name in vars(base).get("__annotations__", ()))
    return frozenset((*dir(ours), *announced))


def _fields(kind: type) -> frozenset[str]:
    """The fields of a named tuple that is written in C."""
    return frozenset(name for name, found in vars(kind).items() if isinstance(found, types.MemberDescriptorType))


def _line_of_bases(value: Any) -> tuple[type, ...]:
    """The classes in which an attribute of `value` is looked for, in that order."""
    if isinstance(value, super):
        proxy: Any = value
        bases: tuple[type, ...] = proxy.__self_class__.__mro__
        return bases[bases.index(proxy.__thisclass__) + 1 :]
    kind: type = type(value)
    return (*value.__mro__, *kind.__mro__) if isinstance(value, type) else kind.__mro__


def _is_python(kind: type) -> bool:
    """Whether a class is Python's, NumPy's or agrad's own: of these, the guards that it shares with agrad's runs know the doors.

    Classes written in C say "builtins" where they say nothing, so that is not taken on trust.
    """
    home = str(kind.__module__).partition(".")[0]
    if home == "builtins":
        return getattr(builtins, kind.__name__, None) is kind or kind in _PYTHON
    return home in sys.stdlib_module_names or home in ("numpy", "autograd_cli")
