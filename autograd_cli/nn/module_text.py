"""How modules print: ``Linear(in_features=4, out_features=3, bias=True)``, children indented below."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .module import Module


def module_text(module: Module) -> str:
    """What ``print(module)`` shows in PyTorch."""
    extra = module.extra_repr()
    extra_lines = extra.split("\n") if extra else []
    child_lines = [f"({name}): {indented(repr(child))}" for name, child in module._modules.items()]
    name = module._get_name()
    if len(extra_lines) == 1 and not child_lines:
        return f"{name}({extra_lines[0]})"
    lines = [*extra_lines, *child_lines]
    return _block(name, lines)


def _block(name: str, lines: list[str]) -> str:
    """A name, and the lines between its parentheses."""
    body = "\n  ".join(lines)
    return f"{name}(\n  {body}\n)" if lines else f"{name}()"


def indented(text: str) -> str:
    """`text` with all lines but the first moved two columns to the right."""
    return text.replace("\n", "\n  ")


def list_text(module: Module) -> str:
    """What a ModuleList shows: equal neighbours are counted, ``(0-2): 3 x Linear(…)``."""
    lines, first = [], 0
    for text, equal in groupby(repr(child) for child in module._modules.values()):
        count = len(list(equal))
        head = f"({first}): " if count == 1 else f"({first}-{first + count - 1}): {count} x "
        lines.append(indented(head + text))
        first += count
    return _block(module._get_name(), lines)


def unusual(module: Module, usual: dict[str, Any]) -> str:
    """The options of a module that are not the usual ones: ``, stride=2, …``."""
    found = {name: getattr(module, name) for name in usual}
    return "".join(f", {name}={value}" for name, value in found.items() if value != usual[name])
