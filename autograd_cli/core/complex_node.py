"""Nodes whose result is complex.

Note [Complex nodes]
    PyTorch's gradient of a complex tensor is that by its conjugate, so formulas multiply by conjugated factors: ``grad * conj(other)``.
    Real programs must not pay for that. So a formula compiled for arrays leaves ``conj`` out: it is for real numbers. A node whose result
    is complex gets a class of its own when it is recorded, a subclass of the operation's node and of the same name, whose ``apply`` runs
    the formula on Tensors, where ``conj`` counts. Whether to look for complex results at all is one flag, ``modes.complex_seen``, that the
    first complex tensor sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .modes import modes
from .op_support import fresh

if TYPE_CHECKING:
    from .node import Node
    from .tensor import Tensor


def mark_complex(node: Node, result: Tensor) -> None:
    """Give the node that made `result` the class for complex numbers, if they are. See Note [Complex nodes]."""
    if result._data.dtype.kind == "c":
        node.__class__ = complex_class(node.__class__)


_classes: dict[type[Node], type[Node]] = {}


def complex_class(base: type[Node]) -> type[Node]:
    """The class of the nodes of an operation whose results are complex."""
    if base not in _classes:
        body: dict[str, Any] = {"apply": _apply, "apply_release": _apply_release, "__slots__": (), "__module__": base.__module__}
        _classes[base] = type(base.__name__, (base,), body)
    return _classes[base]


def _apply(node: Any, grad: Any) -> Any:
    """Arrays from arrays by the formula on Tensors, recording nothing."""
    before, modes.grad_enabled = modes.grad_enabled, False
    try:
        found = node.apply_tensor([None if g is None else fresh(g) for g in grad] if grad.__class__ is list else fresh(grad))
    finally:
        modes.grad_enabled = before
    return tuple(None if g is None else g._data[()] for g in found)


def _apply_release(node: Any, grad: Any) -> Any:
    found = _apply(node, grad)
    node.release()
    return found
