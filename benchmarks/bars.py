"""The bars agrad has to clear, as a table; docs/performance.md says how they were chosen.

Times are CPU time of one step (forward and backward) on one core, as a ratio to PyTorch's in the same run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PEERS = ("autograd", "mygrad", "mygrad-noguard", "micrograd")
SCENARIO_BAR = 1.4  # a workload as a scenario, nothing recorded, beside the Python API

# workload: agrad / torch, agrad with recording on / torch
STEP_BARS: dict[str, tuple[float, float]] = {
    "chain1k": (0.40, 0.60),
    "chain10k": (0.40, 0.60),
    "chain100k": (0.40, 0.60),
    "chain1m": (0.40, 0.60),
    "dag3": (0.65, 0.90),
    "dag16": (0.65, 0.90),
    "dag256": (0.75, 0.90),
    "fan": (0.40, 0.70),
    "fan64": (0.55, 0.80),
    "fan64k": (0.85, 1.00),
    "mlp": (0.80, 0.85),
    "mlp4096": (0.95, 1.00),
    "elementwise": (0.80, 0.85),
    "double": (0.75, 0.95),
}
BY_HAND_BARS: dict[str, float] = {"mlp": 1.10}  # agrad / NumPy by hand
MEMORY_BARS: dict[str, float] = {"mlp4096": 1.0, "elementwise200": 0.55, "elementwise": 0.55}  # agrad / torch, peak over baseline
BIG_CHAIN_BAR = 0.35  # agrad / torch, largest resident size of a million-node chain's process
STARTUP_BARS: dict[str, float] = {"agrad --help": 6.0, "agrad run": 20.0}  # beside `python -c pass`


@dataclass(frozen=True)
class Check:
    """One ratio beside its bar."""

    what: str  # "agrad"
    beside: str  # "torch"
    ratio: float
    bar: float

    @property
    def passed(self) -> bool:
        return self.ratio <= self.bar

    @property
    def verdict(self) -> str:
        return "pass" if self.passed else "MISS"


def step_checks(workload: str, steps: Mapping[str, float]) -> list[Check]:
    """The bars of `workload` that the measured `steps` (library -> any unit of time) can be held against."""
    pairs: list[tuple[str, str, float]] = []
    if workload in STEP_BARS:
        plain, recording = STEP_BARS[workload]
        pairs += [("agrad", "torch", plain), ("agrad-tuned", "torch", plain), ("agrad-recording", "torch", recording)]
    if workload in BY_HAND_BARS:
        pairs.append(("agrad", "numpy", BY_HAND_BARS[workload]))
    pairs.append(("agrad-scenario", "agrad", SCENARIO_BAR))
    pairs += [("agrad", peer, 1.0) for peer in PEERS]
    return [Check(a, b, steps[a] / steps[b], bar) for a, b, bar in pairs if a in steps and b in steps]
