"""The world a script runs in: its names, the modules it may import, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.array import limits
from ..scenario.guards import Guards
from ..scenario.safe_modules import safe_modules
from ..scenario.world import script_globals
from ..torch_api.modules import modules
from ..torch_api.namespace import Namespace
from ..torch_api.numpy_api import numpy_namespace


class ScriptWorld:
    """The globals of one script.

    Parameters
    ----------
    print_function : callable
        Called as ``print_function(*values, sep=…, end=…)``.
    seed : int
        Where NumPy's random stream starts.
    distributed : dict, optional
        The tables of ``torch.distributed``, its submodules and ``torch.futures``, on a worker.
    torch : dict, optional
        The namespaces of ``torch`` by dotted name, instead of ours.
    guards : Guards, optional
        What that torch's objects need.

    Attributes
    ----------
    names : dict
        What the script sees and binds at top level.
    spaces : dict
        The modules it may import, by dotted name.
    """

    def __init__(
        self,
        print_function: Callable[..., None],
        seed: int = 0,
        distributed: dict[str, dict[str, Any]] | None = None,
        torch: dict[str, Any] | None = None,
        guards: Guards | None = None,
    ) -> None:
        self.spaces: dict[str, Any] = {
            **(modules() if torch is None else torch),
            **safe_modules(seed=seed),
            "numpy": numpy_namespace(seed=seed, max_elements=limits.elements),
        }
        if distributed is not None:
            self._add(distributed)
        self.names = script_globals(self.spaces, print_function, guards)
        self.given: dict[str, Any] = {}

    def _add(self, tables: dict[str, dict[str, Any]]) -> None:
        """Put ``torch.distributed``, its submodules and ``torch.futures`` into a `torch` of this worker's own."""
        submodules = {name: Namespace(name, table) for name, table in tables.items()}
        below = {name.rpartition(".")[2]: space for name, space in submodules.items() if name.count(".") == 2}
        top = submodules["torch.distributed"]
        top = Namespace("torch.distributed", {**{k: v for k, v in top.__dict__.items() if k != "__name__"}, **below})
        submodules["torch.distributed"] = top
        plain = {k: v for k, v in self.spaces["torch"].__dict__.items() if k != "__name__"}
        self.spaces.update(submodules)
        beside = {name.rpartition(".")[2]: space for name, space in submodules.items() if name.count(".") == 1}
        self.spaces["torch"] = Namespace("torch", {**plain, **beside})

    def give(self, **names: Any) -> None:
        """Names that are there before the script begins, such as ``rank``; they are not the script's own."""
        self.names.update(names)
        self.given.update(names)

    def variables(self) -> dict[str, Any]:
        """What the script bound at top level, in that order."""
        own = {}
        for name, value in self.names.items():
            if name.startswith("__") or (name in self.given and self.given[name] is value):
                continue
            own[name] = value
        return own
