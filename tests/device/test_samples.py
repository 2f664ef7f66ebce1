"""The op table on a device: every sample gives what it gives on the CPU, and stays there."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from observe import evaluate, observe
from op_names import FUNCTIONAL, TORCH
from sampled import CORNERS, ERRORS, SMOOTH
from test_like_pytorch import GOLDENS, check_gradients, check_results

from autograd_cli.core.device import defaults
from autograd_cli.core.tensor import Tensor

ALL = SMOOTH + CORNERS
# What asks for values: a result that is a Python number, whether a matrix could be factored, and choices among equal elements, which are
# made as PyTorch's CPU makes them.
FACTORED = ("linalg.", "inv(", "inverse(", "det", "cholesky", "matrix_power", "matrix_exp")
DRAWN = ("bernoulli", "multinomial", "normal(")  # the stream is on the CPU, and so are the probabilities that it is asked for
LENGTHS = ("repeat_interleave", "scatter_reduce")  # a result as long as the values say; products at indices, which CuPy has not
READS = (
    *FACTORED,
    *DRAWN,
    *LENGTHS,
    ".topk",
    ".kthvalue",
    ".mode",
    ".item",
    ".tolist",
    "float(",
    "int(",
    "bool(",
    "in k",
    "allclose",
    "equal(",
)


def tensors_of(found: Any) -> list[Tensor]:
    """The tensors among the results of an expression."""
    return [t for t in (found if isinstance(found, (tuple, list)) else [found]) if isinstance(t, Tensor)]


DIFFER = {
    "f.type()": "the name of a type names the device",
    "f.get_device()": "the number of the device",
    "torch.typename(f)": "the name of a type names the device",
    "x.numpy()": "a tensor on a device refuses first for its device",
    "a.detach().conj().numpy()": "the same",
}


@pytest.mark.parametrize("expression", [e for e in ALL if e not in DIFFER])
def test_a_sample_on_a_device_gives_what_the_cpu_gives(expression: str) -> None:
    defaults.device = "cuda"
    expected, got = GOLDENS[expression], observe(TORCH, FUNCTIONAL, expression)
    check_results(expected, got)
    if "grads" in expected:
        check_gradients(expression, expected, got)


@pytest.mark.parametrize("expression", ALL)
def test_results_and_gradients_stay_on_the_device(expression: str, transfers: Any) -> None:
    defaults.device = "cuda"
    _, names = evaluate(TORCH, FUNCTIONAL, "x")
    transfers.clear()
    found, names = evaluate(TORCH, FUNCTIONAL, expression, names)
    results = tensors_of(found)
    assert {str(t.device) for t in results} <= {"cuda:0"}
    if results and results[0].requires_grad:
        leaves = [t for t in names.values() if t.requires_grad]
        root, ones = results[0], TORCH.ones_like(results[0])
        grads = TORCH.autograd.grad(root, leaves, ones, create_graph=True, allow_unused=True)
        assert {str(g.device) for g in grads if g is not None} <= {"cuda:0"}
        root.backward(ones)
        assert {str(t.grad.device) for t in leaves if t.grad is not None} <= {"cuda:0"}
    if not any(read in expression for read in READS):
        assert transfers["to_host"] == 0, transfers


@pytest.mark.parametrize("expression", [e for e in ERRORS if e not in DIFFER])
def test_errors_on_a_device_are_those_of_the_cpu(expression: str) -> None:
    defaults.device = "cuda"
    expected, got = GOLDENS[expression], observe(TORCH, FUNCTIONAL, expression)
    assert "error" in got, f"PyTorch raises {expected['error']}, and this does not fail"
    assert issubclass(getattr(builtins, expected["error"]), getattr(builtins, got["error"]))
