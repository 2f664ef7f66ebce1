"""The programs that PyTorch's RPC was recorded with: the same results, graphs, ids and gradients, whatever the order of delivery."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from .programs import Program, Run, all_of, golden

PROGRAMS = all_of("programs")
SEEDS = [None, *range(8)]


def same_numbers(found: Any, expected: Any) -> bool:
    """Whether two nested lists are equal, numbers to 1e-6."""
    if isinstance(expected, (list, tuple)):
        return isinstance(found, (list, tuple)) and len(found) == len(expected) and all(map(same_numbers, found, expected))
    if isinstance(expected, float):
        return isinstance(found, float) and bool(np.isclose(found, expected, rtol=1e-6, atol=1e-7))
    return type(found) is type(expected) and bool(found == expected)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
@pytest.mark.parametrize("seed", SEEDS)
def test_as_pytorch_does(program: Program, seed: int | None) -> None:
    expected = golden(program.name)
    run = Run(program, None if seed is None else random.Random(seed).choice)
    assert same_numbers(run.watched(), expected["result"])
    assert len(run.contexts) == len(expected["contexts"])
    for found, wanted in zip(run.contexts, expected["contexts"], strict=True):
        assert found["id"] == wanted["id"]
        assert found.get("graph") == wanted.get("graph")
        for rank, (ours, theirs) in enumerate(zip(found["gradients"], wanted["gradients"], strict=True)):
            assert same_numbers(ours, theirs), f"worker{rank}: {ours} is not {theirs}"
    assert all(not worker.contexts.contexts for worker in run.sim.workers), "a context outlived its release"


def test_every_program_was_recorded() -> None:
    for program in PROGRAMS:
        assert golden(program.name)["workers"] == program.workers
        assert golden(program.name)["torch"].startswith("2.13")
