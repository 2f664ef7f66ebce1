"""Layers have PyTorch's initial parameters, results, gradients, nodes and texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.torch_api.modules import modules

from .layers import LAYERS, observe

GOLDENS: dict[str, Any] = json.loads(Path(__file__).with_name("layers.json").read_text())


@pytest.mark.parametrize("name", LAYERS)
def test_layer_is_pytorchs(name: str) -> None:
    text, result, sums, grad, node = observe(modules()["torch"], modules()["torch.nn"], name)
    want_text, want_result, want_sums, want_grad, want_node = GOLDENS[name]
    assert text == want_text
    np.testing.assert_allclose(result, want_result, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sums, want_sums, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(grad, want_grad, rtol=1e-9, atol=1e-11)
    assert node == want_node


TORCH: Any = modules()["torch"]


@pytest.mark.parametrize(
    ("cell", "input", "states", "kind"),
    [
        ("RNNCell", (4, 2, 3), [(4, 2, 2)], ValueError),
        ("LSTMCell", (4, 2, 3), [(2, 2), (2, 2)], ValueError),
        ("LSTMCell", (2, 4), [(2, 2), (2, 2)], RuntimeError),
        ("LSTMCell", (2, 3), [(2, 2), (1, 2)], RuntimeError),
        ("GRUCell", (2, 3), [(1, 2)], RuntimeError),
        ("RNNCell", (2, 3), [(2, 1)], RuntimeError),
    ],
)
def test_a_cell_refuses_what_does_not_fit(cell: str, input: Any, states: Any, kind: type[Exception]) -> None:
    given = tuple(TORCH.zeros(*shape) for shape in states)
    with pytest.raises(kind, match=cell):
        getattr(TORCH.nn, cell)(3, 2)(TORCH.ones(*input), given if cell == "LSTMCell" else given[0])
