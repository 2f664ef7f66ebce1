"""PyTorch's values as plain data: the VALUE of docs/output.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ..trace.model import Json
from ..trace.snapshot import LARGEST, Snapshot, each_number
from .nodes import dtype_name, node_or_none, short_name
from .watch import Watch


class PyTorchSnapshot(Snapshot):
    """Turns what a script left under PyTorch into VALUEs; nodes have the numbers of a `Watch`."""

    tensor_type = torch.Tensor

    def __init__(self, watch: Watch, largest: int = LARGEST) -> None:
        super().__init__(watch.node_id, largest)
        self.watch = watch

    def tensor(self, tensor: Any) -> dict[str, Any]:
        """A tensor as a VALUE. ``version`` is None where PyTorch has none, or where it says nothing of the script."""
        node = node_or_none(tensor)
        function = None if node is None else tensor.grad_fn
        has_version = not tensor.is_inference() and not self.watch.is_gradient(tensor)
        grad = tensor.grad
        record: dict[str, Any] = {
            "type": "tensor",
            "shape": list(tensor.shape),
            "dtype": dtype_name(tensor.dtype),
            "device": str(tensor.device),
            "requires_grad": tensor.requires_grad,
            "is_leaf": function is None,
            "grad_fn": None if function is None else short_name(function),
            "node": None if node is None else self.node_id(node),
            "version": tensor._version if has_version else None,
            "value": self._nested(tensor),
            "grad": None if grad is None else self._nested(grad),
        }
        if tensor.numel() > self.largest:
            record["elided"] = True
        return record

    def _nested(self, tensor: Any) -> Any:
        return each_number(tensor.detach().tolist()) if tensor.numel() <= self.largest else None


def tensors_in(value: Json) -> Iterator[Json]:
    """The VALUEs of the tensors inside a VALUE, in order."""
    stack = [value]
    while stack:
        value = stack.pop()
        if value["type"] == "tensor":
            yield value
        inside = value.get("items", value.get("parameters"))
        if inside is not None:
            stack.extend(reversed(list(inside.values()) if isinstance(inside, dict) else inside))
