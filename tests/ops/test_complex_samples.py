"""Every sample of the table on complex numbers: it is refused, or its gradient is the limit of differences of both parts.

So an operation that is added without a conjugate in its formula, and without ``real_only``, is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from observe import evaluate, tensors
from op_names import FUNCTIONAL, TORCH
from sampled import FAMILIES, block

from autograd_cli.core.tensor import Tensor
from autograd_cli.errors import AgradError

STEP = 1e-6
SAMPLES = [e for family in FAMILIES if family != "samples_complex" for e in block(family, "SMOOTH")]
# What is no function of complex numbers, and is defined all the same.
NOT_DIFFERENTIABLE = {
    "torch.linalg.cholesky_ex(x@x.t()+torch.eye(3,dtype=x.dtype))": "the matrix is not Hermitian",
    "torch.linalg.cholesky(x@x.t()+3*torch.eye(3,dtype=x.dtype))": "the same",
    "torch.linalg.cholesky(x@x.t()+3*torch.eye(3,dtype=x.dtype),upper=True)": "the same",
    "torch.cholesky(x@x.t()+3*torch.eye(3,dtype=x.dtype))": "the same",
}


def turned() -> dict[str, Any]:
    """The tensors of the samples; real leaves became complex ones of another direction."""
    return {
        name: (t.detach().to(TORCH.complex128) * (1 + 0.3j)).requires_grad_()
        if isinstance(t, Tensor) and t.requires_grad and not t.is_complex()
        else t
        for name, t in tensors(TORCH).items()
    }


def drawn(like: Any, seed: int) -> Any:
    state = np.random.RandomState(seed)
    numbers = state.uniform(-1, 1, like.shape)
    return TORCH.tensor(numbers + 1j * state.uniform(-1, 1, like.shape) if like.is_complex() else numbers)


def along(grad: Any, direction: Any) -> Any:
    return (grad.conj() * direction).real.sum()


def loss(names: dict[str, Any], expression: str) -> Any:
    found, _ = evaluate(TORCH, FUNCTIONAL, expression, names)
    first = found[0] if isinstance(found, (tuple, list)) else found
    return along(first, drawn(first, 1))


@pytest.mark.parametrize("expression", [e for e in SAMPLES if e not in NOT_DIFFERENTIABLE])
def test_a_complex_sample_is_refused_or_right(expression: str) -> None:
    names = turned()
    leaves = {name: t for name, t in names.items() if isinstance(t, Tensor) and t.requires_grad}
    try:
        grads = TORCH.autograd.grad(loss(names, expression), list(leaves.values()), allow_unused=True)
    except AgradError:
        return  # anything else is an operation that does not know what to do with complex numbers
    expected, values = 0.0, []
    for (name, leaf), grad in zip(leaves.items(), grads, strict=True):
        expected += 0.0 if grad is None else along(grad, drawn(leaf, len(name) + ord(name[0]))).item()
    for step in (STEP, -STEP):
        moved = {n: (t.detach() + step * drawn(t, len(n) + ord(n[0]))).requires_grad_() for n, t in leaves.items()}
        values.append(loss({**turned(), **moved}, expression).item())
    assert (values[0] - values[1]) / (2 * STEP) == pytest.approx(expected, rel=1e-5, abs=1e-5)
