"""Futures: what a callback runs in, and what is wrong with a call."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.core.modes import modes
from autograd_cli.distributed.futures import Future, futures_table
from autograd_cli.errors import BadArgument, BadArgumentType
from autograd_cli.torch_api.modules import modules

from .simulate import Simulation

torch = modules()["torch"]


def started(sim: Simulation) -> Future:
    """A call of worker1 whose answer has not come."""
    return sim.rpc[0].rpc_async("worker1", torch.add, args=(torch.ones(2), 1))


def test_value_before_it_is_there() -> None:
    sim = Simulation(2)

    def script() -> tuple[bool, Any, bool, Any]:
        future = started(sim)
        before = future.done()
        with pytest.raises(BadArgument, match="not done"):
            future.value()
        waited = future.wait().tolist()
        return before, waited, future.done(), future.value().tolist()

    assert sim.run(script) == (False, [2.0, 2.0], True, [2.0, 2.0])


def test_callback_has_the_grad_mode_of_the_call_but_no_context_unless_at_once() -> None:
    sim = Simulation(2)
    tasks = sim.workers[0].tasks

    def state(_: Future) -> tuple[bool, bool]:
        return tasks.current_context is not None, modes.grad_enabled

    def script() -> tuple[Any, ...]:
        tasks.current_context = sim.workers[0].contexts.new_context().context_id
        with torch.no_grad():
            future = started(sim)
            inside = future.then(state)
        outside = future.then(state)
        chained = outside.then(state)
        return inside.wait(), outside.wait(), chained.wait(), future.then(state).wait()

    assert sim.run(script) == ((False, False), (False, False), (False, False), (True, True))


@pytest.mark.parametrize("name", ["collect_all", "wait_all"])
@pytest.mark.parametrize("given", [None, 3, [3], "ab"])
def test_what_is_no_list_of_futures(name: str, given: Any) -> None:
    sim = Simulation(2)
    with pytest.raises(BadArgumentType, match=f"torch.futures.{name}"):
        sim.run(lambda: futures_table(sim.workers[0].tasks)[name](given))


def test_callback_that_is_no_function() -> None:
    sim = Simulation(2)
    with pytest.raises(BadArgumentType, match="takes a function"):
        sim.run(lambda: started(sim).then(3))


def test_keyboard_interrupt_in_a_callback_is_not_turned_into_a_result() -> None:
    sim = Simulation(2)

    def interrupted(_: Future) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sim.run(lambda: started(sim).then(interrupted).wait())
