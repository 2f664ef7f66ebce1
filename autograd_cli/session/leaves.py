"""The tensors of a scenario's `tensors:` key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core import dtype as dt
from ..errors import AgradError
from ..scenario.model import TensorSpec


def make_leaf(spec: TensorSpec, folder: Path | None, device: str, torch: Any) -> Any:
    """The tensor that `spec` describes, made by `torch`, ours or PyTorch's; an error has its place in the file."""
    try:
        return _make(spec, folder, device, torch)
    except AgradError as error:
        error.place = error.place or spec.place
        raise


def _make(spec: TensorSpec, folder: Path | None, device: str, torch: Any) -> Any:
    dtype = None if spec.dtype is None else getattr(torch, spec.dtype)
    where = spec.device or device
    if spec.source == "data":
        if dtype is None and spec.requires_grad:
            dtype = torch.get_default_dtype()
        made = torch.tensor(spec.value, dtype=dtype, device=where)
    elif spec.source == "load":
        from ..scenario.tensors import read_source

        default = dt.NAMES[str(torch.get_default_dtype()).removeprefix("torch.")]
        made = torch.as_tensor(read_source(spec, folder, default.numpy), dtype=dtype, device=where)
    else:
        made = getattr(torch, spec.source)(tuple(spec.value), dtype=dtype, device=where)
    return made.requires_grad_() if spec.requires_grad else made
