"""Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgumentType
from .module import Module
from .module_text import list_text
from .parameter import is_parameter, parameter_of


def _within(index: Any, count: int, what: str) -> int:
    """An index counted from the front."""
    place: int = index.__index__()
    if not -count <= place < count:
        raise IndexError(f"index {place} is out of range: there are {count} {what}")
    return place % count


class _Listed(Module):
    """What Sequential and ModuleList share: children that are named by their place."""

    def _place(self, index: Any) -> str:
        return list(self._modules)[_within(index, len(self._modules), "modules")]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._place(index)]

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([module for _, module in items])

    def __setitem__(self, index: Any, module: Any) -> None:
        setattr(self, self._place(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [self._place(index)]
        for name in names:
            delattr(self, name)
        left = list(self._modules.values())
        self._modules.clear()
        self._modules.update({str(i): module for i, module in enumerate(left)})

    def append(self, module: Any) -> Any:
        """Put a module at the end."""
        self.add_module(str(len(self._modules)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Any:
        """Put modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Any) -> Any:
        """Put a module before the one at `index`."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._modules.clear()
        for i, each in enumerate(modules):
            self.add_module(str(i), each)
        return self

    def pop(self, key: Any = -1) -> Any:
        """Take a module away and return it."""
        found = self[key]
        del self[key]
        return found


class Sequential(_Listed):
    """Modules that are called one after another; made from modules, or from an ordered dictionary of names and modules."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named: Iterable[tuple[str, Any]]
        if len(args) == 1 and isinstance(args[0], Mapping):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)(dict(items))

    def __add__(self, other: Any) -> Any:
        return Sequential(*self, *other)

    def forward(self, input: Any) -> Any:
        """The last module's output."""
        for module in list(self._modules.values()):
            input = module(input)  # type: ignore[misc]
        return input


class ModuleList(_Listed):
    """A list whose items are children of the module it is assigned to."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(modules if modules is not None else ())

    def __iadd__(self, modules: Iterable[Any]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        return list_text(self)


class ModuleDict(Module):
    """A dictionary whose values are children of the module it is assigned to."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._modules))

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """Pairs of name and module."""
        return self._modules.items()

    def clear(self) -> None:
        """Take all modules away."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take a module away and return it."""
        return self._modules.pop(key)

    def update(self, modules: Any) -> None:
        """Add modules from a dictionary or from pairs."""
        if not isinstance(modules, Iterable):
            raise BadArgumentType(f"ModuleDict.update() takes a dictionary or pairs, not {type(modules).__name__}")
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module


def _as_parameter(value: Any) -> Any:
    return parameter_of(value) if isinstance(value, Tensor) and not is_parameter(value) else value


class ParameterList(Module):
    """A list whose tensors are parameters of the module it is assigned to."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values if values is not None else ())

    def _place(self, index: Any) -> str:
        return str(_within(index, self._size, "parameters"))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(self._size)])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(self._size))])
        return getattr(self, self._place(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, self._place(index), _as_parameter(value))

    def append(self, value: Any) -> ParameterList:
        """Put a parameter at the end; a plain tensor becomes one."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Put parameters at the end."""
        for value in list(values):
            self.append(value)
        return self

    def __repr__(self) -> str:
        lines = [f"({i}): {_described(value, 'float32')}" for i, value in enumerate(self)]
        body = "\n".join(f"    {line}" for line in lines)
        return f"{self._get_name()}(\n{body}\n)" if lines else f"{self._get_name()}()"


class ParameterDict(Module):
    """A dictionary whose tensors are parameters of the module it is assigned to."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key) if key in self._keys else self._keys[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._keys))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def values(self) -> Any:
        """The parameters."""
        return [self[key] for key in self._keys]

    def items(self) -> Any:
        """Pairs of name and parameter."""
        return [(key, self[key]) for key in self._keys]

    def update(self, parameters: Any) -> None:
        """Add parameters from a dictionary or from pairs."""
        for key, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = value

    def __repr__(self) -> str:
        lines = [f"  ({key}): {_described(value, 'FloatTensor')}" for key, value in self.items()]
        return f"{self._get_name()}({chr(10).join(lines)})"


def _described(value: Any, style: str) -> str:
    """A parameter by its dtype and size."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(str(n) for n in value._data.shape)
    kind = f"torch.{value.dtype.name}" if style == "float32" else value.type()  # type: ignore[attr-defined]
    return f"{'Parameter' if is_parameter(value) else 'Tensor'} containing: [{kind} of size {size}]"
