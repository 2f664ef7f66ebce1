"""0-d values of every dtype are known to live on the CPU, also of one that is registered later."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autograd_cli.core import dtype as dt
from autograd_cli.core.array import HOST, SCALARS


def test_scalars_of_every_dtype_live_on_the_cpu() -> None:
    assert {known.type for known in dt.dtype._of_numpy} == SCALARS
    assert SCALARS < HOST


def test_bfloat16_scalars_live_on_the_cpu() -> None:
    pytest.importorskip("ml_dtypes")
    script = (
        "from autograd_cli import torch\n"
        "x = torch.ones(2, 3, dtype=torch.bfloat16, requires_grad=True)\n"
        "y = (x * 2).sum()\n"
        "y.backward()\n"
        "print(y.device, y.item(), x.grad.tolist(), torch.zeros_like(y).device)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "cpu 12.0 [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]] cpu\n"
