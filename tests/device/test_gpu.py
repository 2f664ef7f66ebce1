"""With a GPU and CuPy: the samples of the op table, a training step and the messages, on the real thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from observe import observe
from op_names import FUNCTIONAL, TORCH
from sampled import CORNERS, ERRORS, SMOOTH
from test_like_pytorch import GOLDENS, check_gradients, check_results
from test_samples import DIFFER

from autograd_cli.core import array
from autograd_cli.core.device import defaults
from autograd_cli.torch_api.modules import modules


def _has_gpu() -> bool:
    try:
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount()) > 0
    except Exception:
        return False


pytestmark = pytest.mark.gpu
if not _has_gpu():
    pytest.skip("no GPU, or no cupy", allow_module_level=True)


@pytest.fixture(autouse=True)
def gpu(on_the_cpu_again: None) -> Iterator[None]:
    """``cuda`` is CuPy's, for this test."""
    before = array.register(array._import_cupy, array._import_special)
    defaults.device = "cuda"
    yield
    defaults.device = None
    array.register(*before)


@pytest.mark.parametrize("expression", [e for e in SMOOTH + CORNERS if e not in DIFFER])
def test_a_sample_on_the_gpu(expression: str) -> None:
    expected, got = GOLDENS[expression], observe(TORCH, FUNCTIONAL, expression)
    check_results(expected, got)
    if "grads" in expected:
        check_gradients(expression, expected, got)


@pytest.mark.parametrize("expression", [e for e in ERRORS if e not in DIFFER])
def test_what_fails_on_the_cpu_fails_on_the_gpu(expression: str) -> None:
    assert "error" in observe(TORCH, FUNCTIONAL, expression)


def test_a_model_is_trained_as_on_the_cpu() -> None:
    torch: Any = modules()["torch"]

    def losses(device: str) -> list[float]:
        torch.manual_seed(0)
        with torch.device("cpu"):
            net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).to(device)
            x, y = torch.rand(16, 3).to(device), torch.randint(0, 2, (16,)).to(device)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
        found = []
        for _ in range(20):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    assert losses("cuda") == pytest.approx(losses("cpu"), rel=1e-3)
