"""The tree of modules: children, names, parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..core.tensor import Tensor

if TYPE_CHECKING:
    from .module import Module


class ModuleTree:
    """What Module can say about itself and what is below it."""

    _modules: dict[str, Module | None]

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, each once, with their names."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below, each once."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, with their dotted names."""
        seen = set() if memo is None else memo
        stack: list[tuple[str, Any]] = [(prefix, self)]
        while stack:
            path, module = stack.pop()
            if remove_duplicate and module in seen:
                continue
            seen.add(module)
            yield path, module
            below = [(f"{path}.{name}" if path else name, child) for name, child in module._modules.items() if child is not None]
            stack.extend(reversed(below))

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def _named_members(self, table: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        owners: Any = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else iter([(prefix, self)])
        for path, module in owners:
            for name, value in module.__dict__[table].items():
                if value is None or (once and id(value) in seen):
                    continue
                seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The parameters with their dotted names, each once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Tensor]:
        """The parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names, each once."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module with a dotted name."""
        module: Any = self
        for name in target.split(".") if target else ():
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(f"{type(module).__name__} has no child module {name!r}")
            module = found
        return module  # type: ignore[no-any-return]

    def get_parameter(self, target: str) -> Tensor:
        """The parameter with a dotted name."""
        return self._member(target, "_parameters", "parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with a dotted name."""
        return self._member(target, "_buffers", "buffer")

    def _member(self, target: str, table: str, what: str) -> Tensor:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found: Tensor | None = module.__dict__[table].get(name)
        if found is None:
            raise AttributeError(f"{type(module).__name__} has no {what} {name!r}")
        return found
