"""``grad_fn._saved_self`` and the like: what a node saved, by PyTorch's names.

They are properties of the node classes and not found by ``__getattr__``: a class that has that is slow to read, and the engine reads nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .given import AllDims, Given
from .node import edge_to
from .op_support import ABSENT, FREED, freed, fresh, modified
from .packed import Packed
from .saved_tensor import SavedTensor
from .tensor import Size, Tensor

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # at::Reduction

# What PyTorch saves of an operation and agrad need not, since it is always the same there.
CONSTANT: dict[str, dict[str, Any]] = {
    "add": {"alpha": 1},
    "sub": {"alpha": 1},
    "rsub_scalar": {"alpha": 1},
    "rsub_complex": {"alpha": 1},
    "div_no_mode": {"rounding_mode": None},
    "elu_": {"input_scale": 1},
    "elu_written": {"input_scale": 1},
    "gather_at": {"sparse_grad": False},
    "diag_embed": {"dim1": 2**64 - 2, "dim2": 2**64 - 1},
    "diagonal_copy": {"dim1": 0, "dim2": 1},
    "clamp_from": {"max": None},
    "clamp_to": {"min": None},
    "index_put_replaced": {"accumulate": False},
    "index_put_added": {"accumulate": True},
}
# What PyTorch saves instead of the sizes.
NUMEL = {"mean_all", "mean_dim"}
# What agrad saves and PyTorch does not show.
HIDDEN_ENDS = ("_dtype", "_device", "_geometry")
HIDDEN_NAMES = {"matrices", "shares", "overlapping", "rows", "columns"}
HIDDEN = {"index_put_replaced": {"values_sizes"}, "index_put_added": {"values_sizes"}}
# Numbers of arithmetic, which keep their sign; all others count dimensions and elements, and PyTorch shows those without one.
SCALARS = {"exponent", "alpha", "beta", "value", "other", "min", "max", "weight", "correction", "p", "ord", "scale", "eps"}


def saved_properties(op: str, saved: list[str]) -> dict[str, property]:
    """The properties of the node class of an operation that saves `saved` (names as in its declaration)."""
    found = {}

    def show(name: str, getter: Callable[[Any], Any]) -> None:
        found[f"_saved_{name}"] = property(getter, doc=f"What was saved as `{name}`.")

    for own in saved:
        if own.endswith(HIDDEN_ENDS) or own in HIDDEN_NAMES or own in HIDDEN.get(op, ()):
            continue
        if own.endswith("_sizes") and op in NUMEL:
            show(own.removesuffix("_sizes") + "_sym_numel", partial(_numel, own=own))
        if own.endswith("_strides"):
            show(own.removesuffix("_strides") + "_sym_strides", partial(_strides, own=own))
        elif own.endswith("_sizes"):
            show(own.removesuffix("_sizes") + "_sym_sizes", partial(saved_value, own=own))
        else:
            show(own, partial(saved_value, own=own))
    for name, value in CONSTANT.get(op, {}).items():
        show(name, partial(_constant, value=value))
    return found


def raw_properties(names: tuple[str, ...], lists: tuple[str, ...]) -> dict[str, property]:
    """``_raw_saved_self`` and the like: the saved tensors as objects on which hooks can be registered."""
    found = {f"_raw_saved_{n}": property(partial(SavedTensor, name=n), doc=f"How `{n}` is saved.") for n in names}
    return found | {f"_raw_saved_{n}": property(partial(_raw_list, name=n), doc=f"How `{n}` are saved.") for n in lists}


def _raw_list(node: Any, name: str) -> tuple[SavedTensor, ...]:
    value = getattr(node, f"s_{name}")
    if value is FREED:
        freed(node)
    return tuple(SavedTensor(node, name, place) for place in range(len(value)))


def saved_value(node: Any, own: str) -> Any:
    """What `node` saved as `own`, as PyTorch shows it.

    Raises
    ------
    GraphFreed, InplaceModified
    """
    value = getattr(node, f"s_{own}")
    if value is FREED:
        freed(node)
    if value.__class__ is Packed:
        return value.unpack(node)
    if own == "reduction":
        return _REDUCTIONS.get(value, value)
    if own not in type(node).saved_names:
        return shown(value, own in SCALARS)
    if own in node.own_outputs:
        counter = getattr(node, f"c_{own}")
        _check(node, own, counter.version)
        return fresh(value, edge_to(node, node.own_outputs[own]), counter)
    if isinstance(value, Tensor):
        meta = value._meta
        if meta is ABSENT:
            return None
        _check(node, own, value._version)
        if meta is not None and meta.number is not None:  # a Python number, of the dtype that it has alone
            return fresh(meta.number.type(value._data.item() if meta.number.kind == "c" else value._data.real))
    elif isinstance(value, tuple):
        return tuple(v.unpack(node) if v.__class__ is Packed else v for v in value)
    return value


def _check(node: Any, name: str, now: int) -> None:
    then = getattr(node, f"v_{name}", 0)
    if now != then:
        modified(node, name, now, then)


def _constant(node: Any, value: Any) -> Any:
    return value


def _numel(node: Any, own: str) -> int:
    return math.prod(getattr(node, f"s_{own}"))


def _strides(node: Any, own: str) -> tuple[int, ...]:
    """Strides counted in elements; NumPy counts bytes, and the smallest step of a matrix is one element."""
    strides: tuple[int, ...] = getattr(node, f"s_{own}")
    sizes = [t._data.itemsize for name in node.saved_names if isinstance(t := getattr(node, f"s_{name}"), Tensor)]
    element = sizes[0] if sizes else min((s for s in strides if s > 0), default=1)
    return tuple(s // element for s in strides)


def shown(value: Any, signed: bool = False) -> Any:
    """A plain value as PyTorch shows it: as the script gave it, and negative dimensions as unsigned 64-bit numbers."""
    if isinstance(value, Given):
        value = value.given
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if signed else value % 2**64
    if isinstance(value, AllDims):
        return None
    if isinstance(value, Size):
        return tuple(value)
    if isinstance(value, (tuple, list)):
        return tuple(shown(v, signed) for v in value)
    if isinstance(value, np.ndarray):
        return fresh(value)
    return value
