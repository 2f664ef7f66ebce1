"""The strict device in the place of the GPU, while the tests of this folder run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))  # whose tests run here again
sys.path.insert(0, str(Path(__file__).parents[1] / "core"))
sys.path.insert(0, str(Path(__file__).parents[1] / "fidelity"))

import strict_device

from autograd_cli.core import array, op
from autograd_cli.core.device import defaults
from autograd_cli.core.modes import modes


@pytest.fixture(scope="package", autouse=True)
def strict() -> Iterator[Any]:
    """``cuda`` is the strict device; afterwards operations are written for the CPU alone again."""
    before = array.register(lambda: strict_device.strict, lambda: strict_device.special)
    array.module_of_device("cuda")
    yield strict_device
    array.register(*before)
    modes.host_only = True
    op.write_anew()


@pytest.fixture(autouse=True)
def on_the_cpu_again() -> Iterator[None]:
    """Each test starts with no default device and with the first device current."""
    strict_device.Device.current_id, array.cuda.index, defaults.device = 0, 0, None
    strict_device.transfers.clear()
    with np.errstate(all="ignore"):
        yield
    defaults.device = None


@pytest.fixture
def transfers() -> Any:
    """The copies between host and device so far, by kind."""
    return strict_device.transfers
