"""A gradient has the dtype of its leaf, whatever numbers a formula multiplies and divides by."""

from __future__ import annotations

from typing import Any

import pytest
from observe import evaluate, tensors
from op_names import FUNCTIONAL, TORCH
from sampled import CORNERS, SMOOTH

from autograd_cli.core.tensor import Tensor


def leaves_of(dtype: Any) -> dict[str, Any]:
    """The tensors of the samples, those of float64 in another dtype."""
    names = tensors(TORCH)
    return {name: in_dtype(value, dtype) if isinstance(value, Tensor) else value for name, value in names.items()}


def in_dtype(tensor: Any, dtype: Any) -> Any:
    if tensor.dtype is not TORCH.float64:
        return tensor
    return tensor.detach().to(dtype).requires_grad_(tensor.requires_grad)


@pytest.mark.parametrize("expression", SMOOTH + CORNERS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gradients_have_the_dtype_of_their_leaf(expression: str, dtype: str) -> None:
    names = leaves_of(getattr(TORCH, dtype))
    try:
        found, _ = evaluate(TORCH, FUNCTIONAL, expression, names)
    except Exception:
        pytest.skip(f"not for {dtype}")
    first = found[0] if isinstance(found, (tuple, list)) and found else found
    if not isinstance(first, Tensor) or first.grad_fn is None:
        pytest.skip("no graph")
    leaves = [t for t in names.values() if t.requires_grad]
    for leaf, grad in zip(leaves, TORCH.autograd.grad(first, leaves, TORCH.ones_like(first), allow_unused=True), strict=True):
        assert grad is None or grad.dtype is leaf.dtype
