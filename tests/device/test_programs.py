"""Whole programs on a device: what PyTorch 2.13 did with them on the CPU, they do on the device, but for the device they name."""

from __future__ import annotations

import re

import msgspec
import pytest
from golden import HERE, NAMES, Strict, golden

from autograd_cli.pytorch.comparison import compare_traces
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.session.options import RunOptions
from autograd_cli.trace.model import Trace

# What differs on a device, and why.
DIFFER = {
    "numpy_of_graph": "a tensor on a device refuses numpy() for its device",
    "views_asked_everything": "it asks for numpy() too",
    "saved_hooks_double": "its pack hook calls numpy(), which a tensor on a device refuses",
}


def without_devices(trace: Trace) -> Trace:
    """A run whose printed tensors do not name a device, which also moves line breaks."""
    words = re.sub(r",\s+device='cuda:0'", "", trace.stdout).replace("cuda:0", "cpu").split()
    return msgspec.structs.replace(trace, stdout=" ".join(words))


@pytest.mark.parametrize("name", [n for n in NAMES if n not in DIFFER])
def test_a_program_on_a_device_does_what_it_does_on_the_cpu(name: str) -> None:
    found = run_scenario(load_scenario(HERE / "programs" / f"{name}.yaml"), RunOptions(device="cuda"))
    assert compare_traces(without_devices(found), without_devices(golden(name)), Strict()).differences == []
