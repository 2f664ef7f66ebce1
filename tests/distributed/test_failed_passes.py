"""A pass that fails leaves nothing on any worker, whatever was under way; the next pass of the context is right."""

from __future__ import annotations

import random
from typing import Any

import pytest

from autograd_cli.errors import BadArgument, ContextReleased

from .programs import Program, Run
from .simulate import Choice, every_order

MODES = pytest.mark.parametrize("mode", ["fast", "smart"])
HEAD = """
import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

w = torch.tensor([3.0, 5.0], requires_grad=True)
broken = [True]

def fail(grad):
    if broken[0]:
        raise ValueError("no gradient today")

def repair():
    broken[0] = False

def watched(x):
    y = x * w
    y.register_hook(fail)
    return y * 2

def weigh(x):
    return x * w

def both(x):
    return rpc.rpc_sync("worker2", watched, args=(x,)) + rpc.rpc_sync("worker1", weigh, args=(x,))

def held(rank, context_id):
    return [g.tolist() for g in dist_autograd.get_gradients(context_id).values()]
"""
# Worker 2 fails; worker 1 computes beside it, done before, during or after, as the messages come.
BESIDE = (
    HEAD
    + """
def main(seen, expected):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a = rpc.rpc_sync("worker1", weigh, args=(x,))
        b = rpc.rpc_sync("worker2", watched, args=(x,))
        loss = (a * b).sum()
        for _ in range(2):
            try:
                dist_autograd.backward(context_id, [loss], retain_graph=True)
            except ValueError as error:
                seen(context_id, str(error))
        rpc.rpc_sync("worker2", repair)
        dist_autograd.backward(context_id, [loss], retain_graph=True)
        seen(context_id, None)
        return context_id
"""
)
# Worker 1 is engaged by worker 0, sends on to worker 2, which fails, and to itself.
BEHIND = (
    HEAD
    + """
def main(seen, expected):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = rpc.rpc_sync("worker1", both, args=(x,)).sum()
        try:
            dist_autograd.backward(context_id, [loss], retain_graph=True)
        except ValueError as error:
            seen(context_id, str(error))
        rpc.rpc_sync("worker2", repair)
        dist_autograd.backward(context_id, [loss])
        seen(context_id, None)
        return context_id
"""
)


def gradients(run: Run, context_id: int) -> list[list[Any]]:
    """The gradients on each worker."""
    found = [worker.contexts.contexts.get(context_id) for worker in run.sim.workers]
    return [[] if c is None else [g.tolist() for g in c.get_gradients().values()] for c in found]


def failing(program: Program, choose: Choice | None, mode: str) -> tuple[list[Any], list[str]]:
    """What is there after each pass, and the errors."""
    run = Run(program, choose, mode)
    there: list[Any] = []
    errors: list[str] = []

    def seen(context_id: int, error: str | None) -> None:
        if error is not None:
            errors.append(error)
            running = [w.contexts.contexts[context_id].running for w in run.sim.workers]
            assert running == [None, None, None]
        there.append(gradients(run, context_id))

    run.main(seen, None)
    assert all(not w.tasks.waiting and not w._requests and not w.engine.smart.plans for w in run.sim.workers)
    return there, errors


@MODES
def test_nothing_is_left_beside_a_failure_in_many_orders(mode: str) -> None:
    nothing: list[list[Any]] = [[], [], []]
    good = [[[2 * 2 * 9.0, 2 * 2 * 2 * 25.0]], [[6.0, 40.0]], [[6.0, 40.0]]]  # of 2 w1 w2 x^2, by hand
    for seed in range(300):
        there, errors = failing(Program("beside", BESIDE, 3), random.Random(seed).choice, mode)
        assert there == [nothing, nothing, good]
        assert all("no gradient today" in error for error in errors)


@MODES
def test_nothing_is_left_behind_a_failure_in_many_orders(mode: str) -> None:
    nothing: list[list[Any]] = [[], [], []]
    good = [[[9.0, 15.0]], [[1.0, 2.0]], [[2.0, 4.0]]]  # of 2 x w2 + x w1, by hand
    for seed in range(300):
        there, errors = failing(Program("behind", BEHIND, 3), random.Random(seed).choice, mode)
        assert there == [nothing, good]
        assert "no gradient today" in errors[0]


@MODES
def test_an_earlier_pass_keeps_its_gradients_when_a_later_one_fails(mode: str) -> None:
    text = BESIDE.replace("broken = [True]", "broken = [False]")
    text = text.replace("def repair():\n    broken[0] = False", "def repair():\n    broken[0] = True")
    text = text.replace("for _ in range(2):", "for _ in range(1):").replace(
        '        dist_autograd.backward(context_id, [loss], retain_graph=True)\n        seen(context_id, None)\n',
        """        seen(context_id, None)
        held = dist_autograd.get_gradients(context_id)[x]
        before = held.tolist()
        try:
            dist_autograd.backward(context_id, [loss])
        except ValueError as error:
            seen(context_id, str(error))
        assert held.tolist() == before
""",
    )  # fmt: skip
    assert text.count("backward(context_id") == 2
    for seed in range(100):
        there, errors = failing(Program("later", text, 3), random.Random(seed).choice, mode)
        assert there[0] == there[1] == [[[36.0, 200.0]], [[6.0, 40.0]], [[6.0, 40.0]]]
        assert len(errors) == 1


@MODES
def test_what_comes_late_of_a_failed_pass_is_refused(mode: str) -> None:
    """The root fails at a leaf of its own while a gradient is on its way to worker 1."""
    text = (
        HEAD
        + """
def main(seen, expected):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a = rpc.rpc_sync("worker1", weigh, args=(x,))
        b = rpc.rpc_sync("worker0", weigh, args=(x,))
        b.register_hook(fail)
        loss = (a * b).sum()
        try:
            dist_autograd.backward(context_id, [loss], retain_graph=True)
        except ValueError as error:
            seen(context_id, str(error))
        repair()
        dist_autograd.backward(context_id, [loss])
        seen(context_id, None)
"""
    )
    outcomes = every_order(lambda choose: failing_of_two(Program("late", text, 2), choose, mode))
    assert all(there == [[[], []], [[[18.0, 100.0], [3.0, 20.0]], [[3.0, 20.0]]]] for there in outcomes)


def failing_of_two(program: Program, choose: Choice, mode: str) -> list[Any]:
    """As ``failing``, over two workers, gradients in a fixed order."""
    run = Run(program, choose, mode)
    there: list[Any] = []
    run.main(lambda context_id, _: there.append([sorted(g, reverse=True) for g in gradients(run, context_id)]), None)
    return there


@MODES
def test_two_workers_cannot_run_a_pass_of_one_context_at_the_same_time(mode: str) -> None:
    """A hook of the pass starts another on the worker that it reached."""
    text = (
        HEAD
        + """
ids = []
extra = (w * 2).sum()

def again(grad):
    dist_autograd.backward(ids[0], [extra])

def take(context_id):
    ids.append(context_id)

def hooked(x):
    y = x * w
    y.register_hook(again)
    return y

def main(seen, expected):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        rpc.rpc_sync("worker1", take, args=(context_id,))
        loss = rpc.rpc_sync("worker1", hooked, args=(x,)).sum()
        try:
            dist_autograd.backward(context_id, [loss])
        except RuntimeError as error:
            return str(error)
"""
    )
    message = Run(Program("again", text, 2), None, mode).main(None, None)
    assert "a backward pass of context 0:0 is running on this worker already" in message


@MODES
def test_a_released_context_is_refused_by_its_state(mode: str) -> None:
    """A tensor of one context used in a later one: its recv function has no context any more."""
    text = (
        HEAD
        + """
kept = []

def keep(x):
    kept.append(x * 2)
    return x * 3

def use(y):
    return y * kept[0]

def main(expected, seen):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with dist_autograd.context() as context_id:
        rpc.rpc_sync("worker1", keep, args=(x,))
    with dist_autograd.context() as context_id:
        loss = rpc.rpc_sync("worker1", use, args=(x,)).sum()
        try:
            dist_autograd.backward(context_id, [loss])
        except RuntimeError as error:
            return str(error), len(dist_autograd.get_gradients(context_id))
"""
    )
    message, count = Run(Program("stale", text, 2), None, mode).main(None, None)
    assert "on worker1" in message
    assert "recv function of message 0:0" in message
    assert count == 0


def test_local_backward_through_a_recv_function_is_refused_with_what_to_do() -> None:
    text = (
        HEAD
        + """
def main(expected, seen):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with dist_autograd.context() as context_id:
        rpc.rpc_sync("worker1", weigh, args=(x,)).sum().backward()
"""
    )
    with pytest.raises(ContextReleased) as caught:
        Run(Program("local", text, 2)).main(None, None)
    assert "dist_autograd.backward(context_id, [loss])" in (caught.value.hint or "")


def test_a_gradient_for_a_message_that_was_never_sent_is_refused() -> None:
    from autograd_cli.distributed.messages import Failure, Gradient

    run = Run(Program("none", HEAD + "\ndef main(a, b):\n    pass\n", 2))
    worker = run.sim.workers[0]
    context = worker.contexts.new_context().context_id
    answers: list[Any] = []
    worker._send = lambda to, message, buffers: answers.append(message)
    worker.receive(1, Gradient(7, context, 99, 0, False, [], []), [])
    worker.receive(1, Gradient(8, context + 5, 99, 0, False, [], []), [])
    assert [type(a) for a in answers] == [Failure, Failure]
    assert [a.kind for a in answers] == [BadArgument.__name__, "NoContext"]
    assert worker.contexts.get(context).running is None
