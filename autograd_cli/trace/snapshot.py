"""Values of a script as plain data: the VALUE of OUTPUT.md."""

from __future__ import annotations

import math
from itertools import islice
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..core.node import AccumulateGrad
from ..core.tensor import Size, Tensor
from ..core.view import edge_or_none

LARGEST = 10_000  # elements of a tensor that are written out
DEEPEST = 100  # containers inside one another
MOST = 100_000  # values in all containers of one variable together


def number(value: Any) -> Any:
    """A Python number as JSON can hold it: NaN and infinities are strings, complex numbers are pairs."""
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)  # msgspec writes no subclasses
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return f"{value:#x}" if value.bit_length() > 10_000 else str(int(value))
    return value if isinstance(value, bool) else int(value)


def nested(data: Any, largest: int = LARGEST) -> Any:
    """An array as nested lists of numbers; None above `largest` elements."""
    if data.size > largest:
        return None
    host = data if isinstance(data, (np.ndarray, np.generic)) else data.get()
    if host.dtype.kind not in "biufc":  # bfloat16
        host = host.astype(np.float32)
    plain = host.tolist()
    if host.dtype.kind == "c" or (host.dtype.kind == "f" and not np.isfinite(host).all()):
        return each_number(plain)
    return plain


def each_number(plain: Any) -> Any:
    """Nested lists with each number as JSON can hold it."""
    return [each_number(item) for item in plain] if isinstance(plain, list) else number(plain)


class Snapshot:
    """Turns values into VALUEs.

    Parameters
    ----------
    node_id : callable
        The id of a node of the graph, or None when it was not recorded.
    largest : int
        How many elements a tensor may have to be written out.
    """

    tensor_type: Any = Tensor

    def __init__(self, node_id: Any, largest: int = LARGEST) -> None:
        self.node_id = node_id
        self.largest = largest
        self._open: set[int] = set()  # containers being written: one inside itself is a cycle
        self._left = MOST  # how many more values may be written into containers of the current variable

    def value(self, value: Any, depth: int = 0) -> dict[str, Any]:
        """`value` as a VALUE."""
        if isinstance(value, self.tensor_type):
            return self.tensor(value)
        if value is None:
            return {"type": "NoneType", "value": None}
        if isinstance(value, (bool, np.bool_)):
            return {"type": "bool", "value": bool(value)}
        if isinstance(value, np.number):
            value = value.item()
        if isinstance(value, (int, float, complex)):
            return {"type": "number", "value": number(value)}
        if isinstance(value, str):
            return {"type": "str", "value": str(value)}
        if isinstance(value, (list, tuple, dict)):
            return self._container(value, depth)
        if hasattr(value, "named_parameters") and not isinstance(value, type):
            parameters = {name: self.tensor(p) for name, p in value.named_parameters()}
            return {"type": "module", "class": type(value).__name__, "parameters": parameters}
        return {"type": type(value).__name__}

    def _container(self, value: Any, depth: int) -> dict[str, Any]:
        if id(value) in self._open:
            return {"type": "cycle"}
        kind = "dict" if isinstance(value, dict) else "tuple" if isinstance(value, (tuple, Size)) else "list"
        if depth == 0:
            self._left = MOST
        take = 0 if depth > DEEPEST else min(len(value), self._left)
        self._left -= take
        self._open.add(id(value))
        try:
            if isinstance(value, dict):
                record: dict[str, Any] = {str(k): self.value(v, depth + 1) for k, v in islice(value.items(), take)}
                record = {"type": kind, "items": record}
            else:
                record = {"type": kind, "items": [self.value(v, depth + 1) for v in islice(value, take)]}
        finally:
            self._open.discard(id(value))
        if take < len(value):
            record["elided"] = True
        return record

    def tensor(self, tensor: Any) -> dict[str, Any]:
        """A tensor as a VALUE."""
        data, edge, grad = tensor._data, edge_or_none(tensor), tensor._grad
        function = None if edge is None else edge.function
        record: dict[str, Any] = {
            "type": "tensor",
            "shape": list(data.shape),
            "dtype": tensor.dtype.name,
            "device": str(tensor.device),
            "requires_grad": tensor.requires_grad,
            "is_leaf": edge is None or edge.__class__ is AccumulateGrad,
            "grad_fn": None if function is None or function.__class__ is AccumulateGrad else type(function).__name__,
            "node": None if function is None else self.node_id(function),
            "version": None if tensor.is_inference() else tensor._version,
            "value": nested(data, self.largest),
            "grad": None if grad is None else nested(grad._data, self.largest),
        }
        if data.size > self.largest:
            record["elided"] = True
        return record


def is_shown(name: str, value: Any) -> bool:
    """Whether a top-level name belongs to ``variables``: functions, classes and modules do not."""
    hidden = (FunctionType, BuiltinFunctionType, ModuleType, type)
    return not (name.startswith("__") or isinstance(value, hidden) or getattr(value, "_is_namespace", False))
