"""The story behind an error: which line saved a tensor, which one changed or freed it, and what the script calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.tensor import Tensor
from ..errors import AgradError, Cause, GraphFreed, InplaceModified
from .assemble import GraphBuilder
from .kept import key_of
from .recorder import Recorder


def tell_story(error: AgradError, recorder: Recorder, variables: Mapping[str, Any]) -> int | None:
    """Fill in ``causes`` and ``variable`` of `error`.

    Returns
    -------
    int or None
        The id of the node that the error is about.
    """
    builder = GraphBuilder(recorder, variables)
    if error.tensor is not None and error.variable is None:
        error.variable = name_of(error.tensor, variables)
    node = error.node
    if node is None:
        return None
    key = key_of(node)
    number = builder.ids.get(key)
    entry = builder.entries.get(key)
    line = None if entry is None else entry[2]
    if isinstance(error, InplaceModified):
        _changed(error, node, number, line, variables)
    elif isinstance(error, GraphFreed):
        error.causes.append(Cause("saved", line, number, builder.names.get(key)))
        first = next((p for p in recorder.passes if key in p.order and not p.failed), None)
        if first is not None:
            error.causes.append(Cause("freed", first.line, number))
    if error.variable is None:
        error.variable = builder.names.get(key)
    return number


def _changed(error: InplaceModified, node: Any, number: int | None, line: int | None, variables: Mapping[str, Any]) -> None:
    found = next((t for name, t, _ in node.held() if name == error.saved_name), None)
    if found is None:
        return
    error.variable = name = name_of(found, variables)
    error.causes.append(Cause("saved", line, number, name, error.saved_version))
    for version, where, operation in getattr(found._counter, "writes", ()):
        if version > error.saved_version:
            error.causes.append(Cause("changed", where, None, name, version))
            error.message += f" (first by {operation}{'' if where is None else f' at line {where}'})"
            break
    if name is not None:
        error.message = error.message.replace(f"saved `{error.saved_name}`", f"saved {name} (as `{error.saved_name}`)", 1)


def name_of(tensor: Tensor, variables: Mapping[str, Any]) -> str | None:
    """The name of the variable that holds `tensor`: the same tensor, else one with the same storage and shape."""
    same = None
    for name, value in variables.items():
        if value is tensor:
            return name
        if isinstance(value, Tensor) and value._counter is not None and value._counter is tensor._counter:
            if value._data.shape == tensor._data.shape and same is None:
                same = name
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            for path, parameter in value.named_parameters():
                if parameter is tensor:
                    return f"{name}.{path}"
    return same
