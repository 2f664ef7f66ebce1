"""What anomaly mode remembers of each node and looks for in its gradients. The switches are in ``anomaly.py``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..errors import AnomalyDetected
from .array import array_module
from .modes import modes
from .node import AccumulateGrad
from .tensor import Tensor

if TYPE_CHECKING:
    from .node import Node

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_metadata: WeakKeyDictionary[Node, dict[str, Any]] = WeakKeyDictionary()


def metadata_of(node: Node) -> dict[str, Any]:
    """``node.metadata``: a dictionary of the node's own; anomaly mode leaves the place of the forward there, as ``traceback_``."""
    return _metadata.setdefault(node, {})


def remember(node: Node) -> None:
    """Keep the place in the user's code where `node` is recorded."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<op ")):
        frame = frame.f_back
    if frame is not None:
        metadata_of(node)["traceback_"] = [f"{frame.f_code.co_filename}:{frame.f_lineno}"]


def check_outputs(node: Node, outputs: Any) -> None:
    """Raise AnomalyDetected when a gradient that `node` computed has a NaN."""
    if node.__class__ is AccumulateGrad:
        return
    for position, edge in enumerate(node.next_edges):
        gradient = outputs[position] if position < len(outputs) else None
        if edge is None or gradient is None:
            continue
        data = gradient._data if gradient.__class__ is Tensor else gradient
        if data.dtype.kind in "fcV" and bool(array_module(data).isnan(data).any()):
            raise _anomaly(node, position)


def _anomaly(node: Node, position: int) -> AnomalyDetected:
    name = node.name()
    names = type(node).input_names
    which = f"`{names[position]}`" if position < len(names) else f"argument {position}"
    place = _forward_place(node)
    error = AnomalyDetected(
        f"{name} returned NaN as the gradient of its input {position} ({which}); {place}",
        hint="look at the values that its forward had there: 0/0, the square root or the logarithm of 0, inf - inf or 0 * inf",
    )
    error.node = node
    return error


def _forward_place(node: Node) -> str:
    line = None if modes.instrument is None else modes.instrument.line_of(node)
    if line is not None:
        return f"its forward is at line {line}"
    found = _metadata.get(node, {}).get("traceback_")
    if found:
        return f"its forward is at {found[0]}"
    return "where its forward is was not recorded: switch anomaly mode on before the forward"
