"""The tensors of a scenario's `tensors:` key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core import dtype as dt
from ..core.tensor import Tensor
from ..errors import AgradError
from ..scenario.model import TensorSpec
from ..torch_api.modules import modules


def make_leaf(spec: TensorSpec, folder: Path | None, device: str) -> Tensor:
    """The tensor that `spec` describes; an error has its place in the file."""
    try:
        return _make(spec, folder, device)
    except AgradError as error:
        error.place = error.place or spec.place
        raise


def _make(spec: TensorSpec, folder: Path | None, device: str) -> Tensor:
    torch: Any = modules()["torch"]
    dtype = None if spec.dtype is None else dt.NAMES[spec.dtype]
    where = spec.device or device
    if spec.source == "data":
        if dtype is None and spec.requires_grad:
            dtype = torch.get_default_dtype()
        made = torch.tensor(spec.value, dtype=dtype, device=where)
    elif spec.source == "load":
        from ..scenario.tensors import read_source

        array = read_source(spec, folder, dt.default.dtype.numpy)
        made = torch.as_tensor(array, dtype=dtype, device=where)
    else:
        made = getattr(torch, spec.source)(tuple(spec.value), dtype=dtype, device=where)
    tensor: Tensor = made
    return tensor.requires_grad_() if spec.requires_grad else tensor
