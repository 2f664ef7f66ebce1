"""Tests of other folders once more, with the strict device as the default device: what holds on the CPU holds there."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_cli.core.device import defaults

TESTS = Path(__file__).parent.parent
AGAIN = """
ops.test_inplace ops.test_losses nn.test_functions nn.test_layer_cases nn.test_layers nn.test_training_scripts nn.test_module
nn.test_module_hooks nn.test_containers optim.test_trajectories optim.test_optimizer core.test_backward core.test_hooks
core.test_leaves core.test_function core.test_several_outputs core.test_double_backward core.test_checkpoint
core.test_saved_hooks core.test_functional core.test_gradcheck core.test_grad_function core.test_anomaly core.test_grad_mode
"""
# These read values with NumPy, which a tensor on a device refuses, or print a tensor, which names its device.
NOT_HERE = {"test_gradients_are_the_limits_of_differences", "test_a_parameter_is_a_tensor_with_a_mark"}
for name in AGAIN.split():
    folder, _, file = name.partition(".")
    module = importlib.import_module(name if (TESTS / folder / "__init__.py").exists() else file)
    for test in [n for n in vars(module) if n.startswith("test_") and n not in NOT_HERE]:
        globals()[f"test_{file.removeprefix('test_')}_{test.removeprefix('test_')}"] = getattr(module, test)


@pytest.fixture(autouse=True)
def on_the_device(on_the_cpu_again: None) -> Iterator[None]:
    """Factory functions make their tensors on the device."""
    defaults.device = "cuda"
    yield
    defaults.device = None


@pytest.fixture
def torch() -> Any:
    """What the tests of ``ops`` ask for."""
    from op_names import TORCH

    return TORCH
