"""Fifty steps of every optimizer, and fifty epochs of every scheduler, go where PyTorch's go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.torch_api.modules import modules

from .trajectories import OPTIMIZERS, SCHEDULERS, follow, lines, rates

TORCH: Any = modules()["torch"]
GOLDENS: dict[str, Any] = json.loads(Path(__file__).with_name("goldens.json").read_text(encoding="utf-8"))


def close(ours: Any, theirs: Any, digits: float = 1e-10) -> None:
    np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), rtol=digits, atol=digits)


@pytest.mark.parametrize("constructor", lines(OPTIMIZERS))
def test_trajectory_is_pytorchs(constructor: str) -> None:
    theirs, ours = GOLDENS[constructor], follow(TORCH, constructor)
    assert ours["text"] == theirs["text"]
    close(ours["losses"], theirs["losses"])
    assert ours["versions"] == theirs["versions"]
    for mine, other in zip(ours["parameters"], theirs["parameters"], strict=True):
        close(mine, other)
    assert ours.get("groups") == theirs.get("groups")
    assert list(ours.get("state", {})) == list(theirs.get("state", {}))
    for number, state in theirs.get("state", {}).items():
        assert list(ours["state"][number]) == list(state)
        for name, value in state.items():
            close(ours["state"][number][name], value)


@pytest.mark.parametrize("constructor", lines(OPTIMIZERS))
def test_float32_losses_are_pytorchs_to_rounding(constructor: str) -> None:
    close(follow(TORCH, constructor, "float32")["losses"], GOLDENS[f"{constructor} float32"], 2e-4)


@pytest.mark.parametrize("constructor", lines(SCHEDULERS))
def test_rates_are_pytorchs_to_the_last_digit(constructor: str) -> None:
    assert rates(TORCH, constructor) == GOLDENS[constructor]
