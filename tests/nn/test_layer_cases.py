"""Every layer has PyTorch's text, weights, results, memory layout, graph with its order, gradients, second gradients and running
statistics; and, without PyTorch, gradients that are the limits of differences."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.torch_api.modules import modules

from .layer_cases import call, cases, make, observe, total

TORCH: Any = modules()["torch"]
GOLDENS: dict[str, Any] = json.loads(Path(__file__).with_name("layer_cases.json").read_text(encoding="utf-8"))
STEP = 1e-6
RANDOM = ("Dropout(0.3) ", "Dropout2d", "dropout=0.", "Transformer")  # another mask in each call
NOT_SMOOTH = ("MaxPool", "max_norm")


def close(ours: Any, theirs: Any, digits: float = 1e-7) -> bool:
    """Whether nested lists of numbers agree."""
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(close(ours[k], theirs[k], digits) for k in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(close(a, b, digits) for a, b in zip(ours, theirs, strict=True))
    if theirs is None or ours is None:  # PyTorch may leave out a gradient that is zero
        return ours is theirs or not any(ours or theirs or [])
    return math.isclose(ours, theirs, rel_tol=digits, abs_tol=digits)


@pytest.mark.parametrize("case", cases())
def test_layer_is_pytorchs(case: str) -> None:
    theirs, ours = GOLDENS[case], observe(TORCH, case)
    assert ours["text"] == theirs["text"]
    assert close(ours["state"], theirs["state"])
    assert close(ours["results"], theirs["results"])
    assert ours["layout"] == theirs["layout"]
    assert ours["nodes"] == theirs["nodes"]
    assert ours["graphs"] == theirs["graphs"]
    assert close(ours["buffers"], theirs["buffers"])
    assert ("grads" in ours) == ("grads" in theirs)
    assert close(ours.get("grads"), theirs.get("grads"))
    assert close(ours.get("second"), theirs.get("second"), 1e-6)


@pytest.mark.parametrize("case", [c for c in cases() if not any(word in c for word in RANDOM + NOT_SMOOTH)])
def test_gradients_are_the_limits_of_differences(case: str) -> None:
    layer = make(TORCH, case)
    results, leaves = call(TORCH, layer, case)
    grads = TORCH.autograd.grad(total(TORCH, results), leaves, allow_unused=True)
    parameters = list(layer.parameters())
    for parameter, grad in zip(parameters, grads[len(leaves) - len(parameters) :], strict=True):
        direction = np.random.RandomState(0).uniform(-1, 1, parameter.shape)
        kept = parameter.data.clone()
        values = []
        for step in (STEP, -STEP):
            parameter.data.copy_(kept + TORCH.tensor(direction * step))
            values.append(total(TORCH, call(TORCH, layer, case)[0]).item())
        parameter.data.copy_(kept)
        expected = (values[0] - values[1]) / (2 * STEP)
        along = 0.0 if grad is None else float((grad.numpy() * direction).sum())
        assert along == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_float32_lstm_takes_the_plain_path() -> None:
    output, _ = TORCH.nn.LSTM(3, 2)(TORCH.ones(2, 1, 3))
    assert output.grad_fn.name() == "StackBackward0"
