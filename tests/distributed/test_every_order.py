"""Every order in which messages can arrive: the same results, graph and gradients, to the last bit."""

from __future__ import annotations

import random

import pytest

from .programs import Program, Run, all_of
from .simulate import Choice, every_order

PROGRAMS = {program.name: program for program in all_of("programs")}
# More orders than can be tried one by one; `ring` has 5 040.
MANY = {"async_calls", "driver_ring", "ring", "round_trips"}


def outcome(program: Program, choose: Choice) -> tuple[object, ...]:
    """What must not depend on the order."""
    run = Run(program, choose)
    result = run.watched()
    left = [(len(w.contexts.contexts), len(w.tasks.waiting), len(w._requests)) for w in run.sim.workers]
    counts = sum(w.sent_count for w in run.sim.workers), sum(w.received_count for w in run.sim.workers)
    assert counts[0] == counts[1]
    return result, run.contexts, left


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - MANY))
def test_every_order_has_the_same_outcome(name: str) -> None:
    outcomes = every_order(lambda choose: outcome(PROGRAMS[name], choose))
    assert all(one == outcomes[0] for one in outcomes)
    assert outcomes[0][2] == [(0, 0, 0)] * PROGRAMS[name].workers  # no context, task or request is left


@pytest.mark.parametrize("name", sorted(MANY))
def test_random_orders_have_the_same_outcome(name: str) -> None:
    first = outcome(PROGRAMS[name], random.Random(0).choice)
    for seed in range(1, 150):
        assert outcome(PROGRAMS[name], random.Random(seed).choice) == first


@pytest.mark.long
@pytest.mark.parametrize("name", ["ring", "async_calls"])
def test_each_of_very_many_orders_has_the_same_outcome(name: str) -> None:
    outcomes = every_order(lambda choose: outcome(PROGRAMS[name], choose), at_most=200_000)
    assert all(one == outcomes[0] for one in outcomes)


def test_orders_are_enumerated_without_a_gap() -> None:
    """Three messages over three pairs: six orders, each once."""

    def run(choose: Choice) -> tuple[tuple[int, int], ...]:
        waiting = [(0, 1), (0, 2), (1, 2)]
        taken = []
        while waiting:
            pair = choose(waiting)
            waiting.remove(pair)
            taken.append(pair)
        return tuple(taken)

    orders = every_order(run)
    assert len(orders) == len(set(orders)) == 6
