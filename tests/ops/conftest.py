"""NumPy is as quiet about nan and inf as PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def torch() -> Any:
    from op_names import TORCH

    return TORCH
