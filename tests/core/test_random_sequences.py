"""Random sequences of operations, hooks, changes in place and passes: everything comes out as recorded from PyTorch."""

from __future__ import annotations

import json
import math

import pytest
from random_sequences import RECORDED, run

SEQUENCES = json.loads(RECORDED.read_text(encoding="utf-8"))["sequences"]


def same(ours, theirs):
    """Equal, numbers within the rounding of float32."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(ours) and math.isnan(theirs))
    return ours == theirs


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's remarks on overflows: scripts run with them switched off
@pytest.mark.parametrize("recorded", SEQUENCES, ids=lambda r: f"seed{r['seed']}")
def test_a_random_sequence_goes_as_in_pytorch(recorded):
    ours = json.loads(json.dumps(run(recorded["seed"])))
    for key in ("happened", "left"):
        for step, (a, b) in enumerate(zip(ours[key], recorded[key], strict=False)):
            assert same(a, b), f"{key}[{step}]: {a} here, {b} in PyTorch"
        assert len(ours[key]) == len(recorded[key])


def test_the_recordings_reach_what_they_are_for():
    kinds = {str(h[0] if isinstance(h, list) else h) for s in SEQUENCES for h in s["happened"]}
    assert {"grad", "hook", "accumulated", "backward", "error", "mul_", "retain_grad", "requires_grad_"} <= kinds
