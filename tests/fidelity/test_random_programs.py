"""Random programs without PyTorch: their gradients are the limits of differences, and nobody who listens changes anything.

With PyTorch, ``fuzz.py`` compares them with it.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_program import program, smooth_program
from saved_bytes import Watching
from shrink import shrink

from autograd_cli import torch
from autograd_cli.errors import InplaceModified
from autograd_cli.scenario.model import Scenario
from autograd_cli.scenario.script import Script
from autograd_cli.session import local
from autograd_cli.session.local import run_scenario, run_state
from autograd_cli.session.options import RunOptions
from autograd_cli.trace import codec

SEEDS = st.integers(0, 10**6)
STEP = 1e-6


class Leaves:
    """Stands for ``torch.randn`` in a program: draws the leaves, and moves each by `amount` in a direction of its own."""

    def __init__(self, amount: float) -> None:
        self.amount, self.rng = amount, np.random.RandomState(0)
        self.made: list[tuple[Any, Any]] = []

    def __call__(self, shape: tuple[int, ...], requires_grad: bool) -> Any:
        direction = torch.tensor(self.rng.uniform(-1, 1, shape).tolist())
        leaf = (torch.randn(shape) + self.amount * direction).requires_grad_(requires_grad)
        self.made.append((leaf, direction))
        return leaf


def total_of(text: str, seed: int, amount: float) -> tuple[Any, Leaves]:
    """The root of a smooth program, its leaves moved."""
    leaves = Leaves(amount)
    names = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "leaf": leaves}
    torch.manual_seed(seed)
    exec(compile(re.sub(r"torch\.randn\(", "leaf(", text), "<program>", "exec"), names)
    return names["total"], leaves


@settings(max_examples=200)
@given(SEEDS)
def test_gradients_are_the_limits_of_differences(seed: int) -> None:
    text = smooth_program(seed)
    with run_state(scenario(text, seed), RunOptions(), "cpu"):
        total, leaves = total_of(text, seed, 0.0)
        try:
            total.backward()
        except InplaceModified:  # a result that was saved was changed again: there is no gradient
            assume(False)
        along = sum(float((leaf.grad * direction).sum()) for leaf, direction in leaves.made if leaf.grad is not None)
        before, here, after = (float(total_of(text, seed, amount)[0]) for amount in (-STEP, 0.0, STEP))
    assume(math.isfinite(along) and all(map(math.isfinite, (before, here, after))))
    limit = (after - before) / (2 * STEP)
    bend = abs(after - 2 * here + before) / STEP  # how far the slope moves within a step
    assert abs(along - limit) <= 1e-5 * max(1.0, abs(limit)) + bend, text


@settings(max_examples=60)
@given(SEEDS)
def test_bytes_saved_less_bytes_released_are_what_nodes_hold(seed: int) -> None:
    text, recorders = program(seed), []

    class Kept(Watching):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            recorders.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "EventRecorder", Kept)
        run_scenario(scenario(text, seed), RunOptions(events=True))
    (recorder,) = recorders
    assert [held for held, _ in recorder.steps] == [told for _, told in recorder.steps], text


@settings(max_examples=80)
@given(SEEDS)
def test_a_recorded_run_is_the_same_run(seed: int) -> None:
    text = program(seed)
    heard, unheard = (run_scenario(scenario(text, seed), RunOptions(recording=recording)) for recording in (True, False))
    assert heard.stdout == unheard.stdout, text
    assert values(heard) == values(unheard), text
    assert kind(heard) == kind(unheard), text


def test_the_same_seed_writes_the_same_program() -> None:
    assert program(7) == program(7) != program(8)


def test_a_program_that_differs_is_shrunk() -> None:
    text = "a = 1\nif a:\n    b = 2\n    c = 3\nd = a + 1\n"
    assert shrink(text, lambda shorter: "c = 3" in shorter) == "if a:\n    c = 3\n"


@pytest.mark.torch
@settings(max_examples=100)
@given(SEEDS)
def test_programs_do_what_they_do_in_pytorch(seed: int) -> None:
    from fuzz import found_in

    text = program(seed)
    assert not found_in(text, seed), text


def scenario(text: str, seed: int) -> Scenario:
    """A program as a scenario."""
    return Scenario(Path("random.py"), Script.whole_file(text, "random.py"), seed=seed, dtype="float64")


def values(trace: Any) -> Any:
    """The variables, without the numbers of their nodes: a run that nobody records has none."""
    document = json.loads(codec.encode(trace))["variables"]
    return json.loads(json.dumps(document), object_hook=lambda d: {k: v for k, v in d.items() if k not in ("node", "grad_fn")})


def kind(trace: Any) -> Any:
    """The type and the line of what stopped a run."""
    return trace.error and (trace.error.type, trace.error.line)
