"""Sums into places that are named several times, for the dtypes that CUDA has no atomic addition for, and for those that it has."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]


@pytest.mark.parametrize(
    "name", ["float16", "float32", "float64", "int64", "int32", "int16", "int8", "uint8", "complex64", "complex128"]
)
def test_index_add_and_scatter_add_are_those_of_the_cpu(name: str) -> None:
    dtype, index = getattr(torch, name), torch.tensor([0, 2, 0, 0])
    start, more = torch.tensor([1, -3 if name != "uint8" else 3, 100]).to(dtype), torch.tensor([5, 60, 7, 2]).to(dtype)
    for function in (lambda x, i, s: x.index_add(0, i, s), lambda x, i, s: x.scatter_add(0, i, s)):
        there = function(start.cuda(), index.cuda(), more.cuda())
        assert there.device.type == "cuda"
        assert there.dtype is dtype
        assert there.tolist() == function(start, index, more).tolist()
