"""Random programs over workers against the same program in one process, and FAST's condition for coming to an end."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_cli.errors import BackwardStalled

from .random_program import (
    dead_messages,
    in_one_process,
    live_messages,
    loss_requires_grad,
    must_stall,
    over_workers,
    random_program,
)

SEEDS = st.integers(0, 2**32 - 1)


def agree(distributed: list[Any], local: list[Any]) -> None:
    """The same gradients; FAST may give zeros to a leaf that only unused outputs of a live message reach."""
    for ours, one_process in zip(distributed, local, strict=True):
        if one_process is None:
            assert ours is None or ours == [0.0, 0.0]
        else:
            np.testing.assert_allclose(ours, one_process, rtol=1e-12, atol=1e-12)


@given(program=SEEDS, order=SEEDS)
@settings(max_examples=200)
def test_programs_whose_messages_all_count_give_the_gradients_of_one_process(program: int, order: int) -> None:
    made = random_program(program, all_live=True)
    assert dead_messages(made) == set()
    found = over_workers(made, random.Random(order).choice)
    assert found is not None
    agree(found, in_one_process(made))


@given(program=SEEDS, order=SEEDS)
@settings(max_examples=400)
def test_fast_stalls_exactly_where_a_worker_of_the_pass_has_a_dead_message(program: int, order: int) -> None:
    made = random_program(program, all_live=False)
    choose = random.Random(order).choice
    if must_stall(made) and loss_requires_grad(made):
        with pytest.raises(BackwardStalled, match="PyTorch would"):
            over_workers(made, choose)
        return
    found = over_workers(made, choose)
    if found is not None:
        agree(found, in_one_process(made))


def test_a_stall_says_of_each_message_whether_the_roots_reach_it() -> None:
    said = {True: 0, False: 0}
    for seed in range(400):
        made = random_program(seed, all_live=False)
        if not (must_stall(made) and loss_requires_grad(made)):
            continue
        steps: dict[str, int] = {}
        with pytest.raises(BackwardStalled) as caught:
            over_workers(made, random.Random(seed).choice, steps)
        live, _ = live_messages(made)
        pattern = r"send function (\d+:\d+): its recv function on worker\d (is not reached)?"
        for message, unreached in re.findall(pattern, str(caught.value)):
            assert (steps[message] in live) is not bool(unreached)
            said[bool(unreached)] += 1
    assert min(said.values()) > 50


def test_both_kinds_of_programs_are_among_them() -> None:
    programs = [random_program(seed, all_live=False) for seed in range(300)]
    stalls = [must_stall(p) and loss_requires_grad(p) for p in programs]
    assert 30 < sum(stalls) < 270
    assert any(dead_messages(p) and not stall for p, stall in zip(programs, stalls, strict=True))
    assert any(live_messages(p)[0] and not stall for p, stall in zip(programs, stalls, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_thousands_of_programs(block: int) -> None:
    for seed in range(block * 500, block * 500 + 500):
        made = random_program(seed, all_live=True)
        found = over_workers(made, random.Random(seed).choice)
        assert found is not None
        agree(found, in_one_process(made))
