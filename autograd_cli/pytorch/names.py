"""What a script sees as `torch` under PyTorch: PyTorch's own objects, and of its names those alone that agrad's tables list."""

from __future__ import annotations

import importlib
from typing import Any

from ..torch_api.modules import modules
from ..torch_api.namespace import Namespace, missing
from .doors import DataLoader

# Instead of PyTorch's own. See doors.py.
_INSTEAD: dict[str, dict[str, Any]] = {"torch.utils.data": {"DataLoader": DataLoader}}


class PyTorchNamespace(Namespace):
    """A table of PyTorch's objects. A name that agrad has not is Unsupported, as it is in agrad."""

    def __getattr__(self, name: str) -> Any:
        if name in dir(modules()[self.__name__]):  # newer than the PyTorch that is installed
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        raise missing(self.__name__, name)


def namespaces() -> dict[str, PyTorchNamespace]:
    """The namespaces by dotted name. Made anew for each run, since they hold what the run's `Watch` has put in place."""
    made: dict[str, PyTorchNamespace] = {}
    for name, ours in modules().items():  # submodules come before what holds them
        theirs = _module(name)
        table: dict[str, Any] = {}
        for entry in dir(ours):
            found = getattr(ours, entry)
            if getattr(found, "_is_namespace", False):
                table[entry] = made[found.__name__]
            elif theirs is not None and hasattr(theirs, entry):
                table[entry] = getattr(theirs, entry)
        made[name] = PyTorchNamespace(name, table | _INSTEAD.get(name, {}))
    return made


def _module(name: str) -> Any:
    """PyTorch's module; None where the PyTorch that is installed is too old for it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
