"""How modules print: ``Linear(in_features=4, out_features=3, bias=True)``, children indented below."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    if not lines:
        return f"{name}()"
    body = "\n  ".join(lines)
    return f"{name}(\n  {body}\n)"


def indented(text: str) -> str:
    """`text` with all lines but the first moved two columns to the right."""
    return text.replace("\n", "\n  ")


def list_text(module: Module) -> str:
    """What a ModuleList shows: equal neighbours are counted, ``(0-2): 3 x Linear(…)``."""
    groups: list[tuple[int, int, str]] = []
    for place, child in enumerate(module._modules.values()):
        text = repr(child)
        if groups and groups[-1][2] == text:
            groups[-1] = (groups[-1][0], place, text)
        else:
            groups.append((place, place, text))
    if not groups:
        return f"{module._get_name()}()"
    lines = []
    for first, last, text in groups:
        head = f"({first}): " if first == last else f"({first}-{last}): {last - first + 1} x "
        lines.append(indented(head + text))
    body = "\n  ".join(lines)
    return f"{module._get_name()}(\n  {body}\n)"
