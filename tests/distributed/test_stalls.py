"""Passes that can never end: told at once, in every order of delivery, with what PyTorch was seen to do."""

from __future__ import annotations

import random
import re

import pytest

from autograd_cli.distributed.messages import show_id
from autograd_cli.errors import BackwardStalled

from .programs import Program, Run, all_of, golden
from .simulate import Choice, every_order

STALLS = {program.name: program for program in all_of("stalls")}
OUTCOMES = {
    "hang": "PyTorch would wait here for ever",
    "time-out": "PyTorch would fail after its RPC time-out of 60 s",
}
MANY = {"callee_drops_a_call", "starved_behind_a_dead_pair"}  # too many orders to try all


def stall(program: Program, choose: Choice | None) -> str:
    """The message of the stall; afterwards no pass runs, no task waits and no context is left."""
    run = Run(program, choose)
    with pytest.raises(BackwardStalled) as caught:
        run.main()
    run.sim.settle()
    for worker in run.sim.workers:
        assert not worker.tasks.waiting
        assert not worker.contexts.contexts
        assert all(context.running is None or worker.rank for context in worker.contexts.ended.values())
    return str(caught.value)


@pytest.mark.parametrize("name", STALLS)
def test_outcome_is_the_one_that_pytorch_has(name: str) -> None:
    orders = every_order if name not in MANY else lambda run: [run(random.Random(seed).choice) for seed in range(60)]
    messages = set(orders(lambda choose: stall(STALLS[name], choose)))
    expected = golden("stalls")[name]
    for message in messages:
        assert [text in message for text in OUTCOMES.values()] == [key == expected for key in OUTCOMES]
    if name not in MANY:
        assert len(messages) == 1  # the explanation does not depend on the order either


@pytest.mark.parametrize(
    ("name", "waiting"),
    [
        ("unused_result", [("worker0", "0:0", "worker1")]),
        ("used_and_unused", [("worker0", "0:1", "worker1"), ("worker1", "1:1", "worker0")]),
        ("own_parameter_returned", [("worker0", "0:0", "worker1")]),
        ("two_losses", [("worker0", "0:1", "worker1"), ("worker1", "1:1", "worker0")]),
        ("unused_call_to_self", [("worker0", "0:0", "worker0"), ("worker0", "0:1", "worker0")]),
        ("diamond_with_a_dead_branch", [("worker0", "0:1", "worker2")]),
    ],
)
def test_the_message_names_who_waits_for_which_function(name: str, waiting: list[tuple[str, str, str]]) -> None:
    message = stall(STALLS[name], None)
    pattern = r"(worker\d) waits for the gradient of send function (\d+:\d+): its recv function on (worker\d) is not reached"
    assert re.findall(pattern, message) == waiting


HEAD = """
import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
"""
# Worker 2 would go on, but no gradient comes to it: the dead send function on worker 0 counts as one that z waits for.
STARVED = (
    HEAD
    + """
        z = rpc.rpc_sync("worker2", torch.mul, args=(a, 2.0)) * 3
        rpc.rpc_sync("worker1", torch.add, args=(z, 1.0))
        dist_autograd.backward(context_id, [z.sum()])
"""
)


def test_of_those_that_starve_the_message_does_not_say_that_the_roots_do_not_reach_them() -> None:
    for message in set(every_order(lambda choose: stall(Program("starved", STARVED, 3), choose))):
        assert message.partition(". ")[2].startswith(
            "worker0 waits for the gradient of send function 0:1: its recv function on worker1 is not reached from the roots; "
            "worker0 waits for the gradient of send function 0:0: its recv function on worker2 waits for gradients itself. "
        )
    message = stall(STALLS["callee_drops_a_call"], None)
    assert "send function 1:0: its recv function on worker2 is not reached from the roots; " in message
    assert "send function 0:0: its recv function on worker1 waits for gradients itself. " in message


def test_where_nothing_was_recorded_there_is_no_recv_function_to_reach() -> None:
    message = stall(STALLS["call_without_grad_then_real"], None)
    assert "worker1 waits for the gradient of send function 1:0: worker0 recorded no recv function for it. " in message


def test_of_many_that_wait_the_first_are_named_and_the_others_counted() -> None:
    unused = """
        for _ in range(10):
            rpc.rpc_sync("worker1", torch.mul, args=(a, 2.0))
        b = rpc.rpc_sync("worker1", torch.mul, args=(a, 3.0))
        dist_autograd.backward(context_id, [b.sum()])
"""
    message = stall(Program("many", HEAD + unused, 2), None)
    assert re.findall(r"send function (\d+:\d+)", message) == [f"0:{i}" for i in range(6)]
    assert "; 14 more wait likewise. PyTorch would fail" in message


def test_the_context_is_usable_after_a_stall() -> None:
    """The stall was given up on every worker: with the other loss in the sum, the same context's pass ends."""
    text = """
import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

def main(expected, seen):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = rpc.rpc_sync("worker1", torch.mul, args=(a, b)).sum()
        d = rpc.rpc_sync("worker1", torch.add, args=(a, b)).sum()
        try:
            dist_autograd.backward(context_id, [c], retain_graph=True)
        except expected:
            seen.append(len(dist_autograd.get_gradients(context_id)))
        dist_autograd.backward(context_id, [c, d])
        grads = dist_autograd.get_gradients(context_id)
        return [grads[a].tolist(), grads[b].tolist()]
"""
    for seed in range(40):
        seen: list[int] = []
        run = Run(Program("again", text, 2), random.Random(seed).choice)
        assert run.main(BackwardStalled, seen) == [[4.0, 5.0], [2.0, 3.0]]
        assert seen == [0]


def test_a_busy_worker_is_waited_for() -> None:
    """A worker that has not received a message yet may still send: asking early is no reason to give up."""
    text = STALLS["used_and_unused"].text.replace("[d.sum()]", "[(d + e).sum()]")
    text = text.replace('rpc.rpc_sync("worker1", torch.mul', 'e = rpc.rpc_sync("worker1", torch.mul')
    run = Run(Program("busy", text, 2))
    asked = 0
    sim = run.sim
    step = sim.step

    def ask_before_each_step() -> bool:
        nonlocal asked
        for worker in sim.workers:
            worker.on_idle()
        asked += 1
        return step()

    sim.step = ask_before_each_step  # type: ignore[method-assign]
    run.main()
    assert asked > 10


def test_ids_are_shown_as_worker_and_counter() -> None:
    assert [show_id(n) for n in (0, 7, 1 << 48, (2 << 48) + 5, (1 << 64) - 1)] == [
        "0:0",
        "0:7",
        "1:0",
        "2:5",
        f"65535:{2**48 - 1}",
    ]
