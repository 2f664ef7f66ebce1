"""Whole programs on a device: what PyTorch 2.13 did with them on the CPU, they do on the device, but for the device they name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical
from compare import differences

from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.session.options import RunOptions
from autograd_cli.trace import codec

FIDELITY = Path(__file__).parent.parent / "fidelity"
NAMES = sorted(path.stem for path in (FIDELITY / "programs").glob("*.yaml"))
# What differs on a device, and why.
DIFFER = {
    "numpy_of_graph": "a tensor on a device refuses numpy() for its device",
    "views_asked_everything": "it asks for numpy() too",
    "saved_hooks_double": "its pack hook calls numpy(), which a tensor on a device refuses",
}


def run(name: str) -> Any:
    """The document of a program that ran on the device."""
    return json.loads(
        codec.encode(run_scenario(load_scenario(FIDELITY / "programs" / f"{name}.yaml"), RunOptions(device="cuda")))
    )


def without_devices(document: Any) -> Any:
    """A canonical document whose printed tensors do not name a device, which also moves line breaks."""
    words = re.sub(r",\s+device='cuda:0'", "", document["stdout"]).replace("cuda:0", "cpu").split()
    return {**document, "stdout": " ".join(words)}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in DIFFER])
def test_a_program_on_a_device_does_what_it_does_on_the_cpu(name: str) -> None:
    golden = json.loads((FIDELITY / "goldens" / f"{name}.json").read_text(encoding="utf-8"))
    found = list(differences(without_devices(canonical(golden)), without_devices(canonical(run(name)))))
    assert not found, "\n".join(found[:12])
