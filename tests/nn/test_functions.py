"""Functions of nn give PyTorch's values, gradients and nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.torch_api.modules import modules

from .functions import FUNCTIONS, observe

GOLDENS: dict[str, Any] = json.loads(Path(__file__).with_name("functions.json").read_text())


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_values_gradients_and_nodes_are_pytorchs(expression: str) -> None:
    values, grads, name = observe(modules()["torch"], modules()["torch.nn.functional"], expression)
    want_values, want_grads, want_name = GOLDENS[expression]
    # Some of PyTorch's float64 kernels hold their constants (1/6, 1/alpha) in float32.
    np.testing.assert_allclose(values, want_values, rtol=2e-7, atol=1e-9)
    np.testing.assert_allclose(grads, want_grads, rtol=2e-7, atol=1e-9)
    assert name == want_name
