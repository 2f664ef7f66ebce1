"""SMART mode in memory: the gradients of the same program in one process, whatever is not used; and what it costs."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_cli.errors import BadArgument, WorkerDied
from autograd_cli.session.script_world import ScriptWorld
from autograd_cli.torch_api.modules import modules

from .programs import Program, Run, all_of, code_of, golden
from .random_program import (
    RandomProgram,
    in_one_process,
    live_messages,
    loss_requires_grad,
    must_stall,
    over_workers,
    random_program,
)
from .simulate import Choice, Simulation, every_order
from .test_goldens import same_numbers

torch: Any = modules()["torch"]
SEEDS = st.integers(0, 2**32 - 1)
STALLS = {program.name: program for program in all_of("stalls")}
PROGRAMS = {program.name: program for program in all_of("programs")}
MANY = {"callee_drops_a_call", "diamond_with_a_dead_branch", "starved_behind_a_dead_pair"}  # too many orders to try all


# ---- random programs ----


def check_against_one_process(made: RandomProgram, choose: Choice) -> None:
    """The same leaves have gradients, and the same ones; only live messages take part; what was asked is what the design counts."""
    kinds: Counter[str] = Counter()
    found = over_workers(made, choose, mode="smart", kinds=kinds)
    if found is None:
        return
    for ours, one_process in zip(found, in_one_process(made), strict=True):
        assert (ours is None) == (one_process is None)
        if ours is not None:
            np.testing.assert_allclose(ours, one_process, rtol=1e-12, atol=1e-12)
    live, _ = live_messages(made, whole=False)
    takes_part = {made.steps[number].worker for number in live} - {0}
    assert kinds["Gradient"] == len(live)
    assert (kinds["Collect"], kinds["Summary"], kinds["Plan"]) == (made.workers - 1, made.workers - 1, len(takes_part))


@given(program=SEEDS, order=SEEDS)
@settings(max_examples=300)
def test_any_program_gives_the_gradients_of_one_process(program: int, order: int) -> None:
    check_against_one_process(random_program(program, all_live=False), random.Random(order).choice)


@given(program=SEEDS, order=SEEDS)
@settings(max_examples=150)
def test_losses_of_one_context_one_after_the_other_add_up_as_in_one_process(program: int, order: int) -> None:
    made = random_program(program, all_live=False)
    found = over_workers(made, random.Random(order).choice, mode="smart", passes=3)
    if found is None:
        return
    for ours, one_process in zip(found, in_one_process(made, 3), strict=True):
        assert (ours is None) == (one_process is None)
        if ours is not None:
            np.testing.assert_allclose(ours, one_process, rtol=1e-12, atol=1e-12)


@given(program=SEEDS, order=SEEDS)
@settings(max_examples=100)
def test_where_fast_ends_smart_gives_the_same(program: int, order: int) -> None:
    made = random_program(program, all_live=program % 2 == 0)
    if must_stall(made) or not loss_requires_grad(made):
        return
    fast, smart = (over_workers(made, random.Random(order).choice, mode=mode) for mode in ("fast", "smart"))
    assert fast is not None
    assert smart is not None
    for one, other in zip(fast, smart, strict=True):
        if other is None:
            assert one is None or one == [0.0, 0.0]  # FAST's zeros for the tensors of a message that nothing reaches
        else:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_the_programs_are_of_all_kinds() -> None:
    programs = [random_program(seed, all_live=False) for seed in range(300)]
    kinds = Counter((must_stall(p), live_messages(p) != live_messages(p, whole=False)) for p in programs if loss_requires_grad(p))
    assert sum(kinds[key] for key in kinds if key[0]) > 50
    assert (
        sum(kinds[key] for key in kinds if key[1]) > 5
    )  # a message of which one tensor is live and another leads to more messages


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_thousands_of_programs(block: int) -> None:
    for seed in range(block * 500, block * 500 + 500):
        check_against_one_process(random_program(seed, all_live=False), random.Random(seed).choice)


# ---- what FAST never finishes ----


def rows(leaves: Any) -> list[Any]:
    """(leaf, gradient) of each, as numbers."""
    return sorted([leaf.tolist(), grad.tolist()] for leaf, grad in leaves)


def single_process(program: Program) -> list[Any]:
    """The gradients of a program in one process: a call is a call, and a context is nothing."""
    leaves: dict[int, Any] = {}

    def backward(context_id: int, roots: Any, retain_graph: bool = False) -> None:
        todo = [root.grad_fn for root in roots]
        while todo:
            node = todo.pop()
            if hasattr(node, "variable"):
                leaves[id(node.variable)] = node.variable
            todo.extend(n for n, _ in node.next_functions if n is not None)
        torch.autograd.backward(roots, retain_graph=retain_graph)

    tables = {
        "torch.distributed": {},
        "torch.distributed.rpc": {"rpc_sync": lambda to, func, args=(): func(*args)},
        "torch.distributed.autograd": {"context": lambda: nullcontext(0), "backward": backward},
    }
    world = ScriptWorld(lambda *_, **__: None, 0, tables)
    exec(code_of(program), world.names)
    world.names["main"]()
    return rows((leaf, leaf.grad) for leaf in leaves.values())


def in_smart_mode(program: Program, choose: Choice | None) -> list[Any]:
    """The gradients of a program on all workers, after its last pass; nothing is left anywhere."""
    run = Run(program, choose, "smart")
    found: list[list[Any]] = []
    autograd = run.modules[0]["dist_autograd"]

    class Watched:
        context = autograd.context

        @staticmethod
        def backward(context_id: int, roots: Any, retain_graph: bool = False) -> None:
            autograd.backward(context_id, roots, retain_graph)
            there = [c for w in run.sim.workers if (c := w.contexts.contexts.get(context_id)) is not None]
            found.append(rows(pair for context in there for pair in context.get_gradients().items()))

    run.modules[0]["dist_autograd"] = Watched
    run.main()
    assert all(not w.tasks.waiting and not w._requests and not w.contexts.contexts for w in run.sim.workers)
    assert not any(w.engine.smart.plans for w in run.sim.workers)
    return found[-1]


@pytest.mark.parametrize("name", STALLS)
def test_what_fast_never_finishes_ends_with_the_gradients_of_one_process(name: str) -> None:
    program = STALLS[name]
    expected = single_process(program)
    assert expected
    orders = every_order if name not in MANY else lambda run: [run(random.Random(seed).choice) for seed in range(100)]
    for found in orders(lambda choose: in_smart_mode(program, choose)):
        assert found == expected


def test_the_design_note_s_example_by_hand() -> None:
    """d = a + b is used, e = b * a is not."""
    assert in_smart_mode(STALLS["used_and_unused"], None) == [[[1.0, 2.0], [1.0, 1.0]], [[3.0, 4.0], [1.0, 1.0]]]


# ---- what PyTorch does where FAST ends ----

# Where SMART is not FAST: no zeros for what nothing reaches, as in one process.
NO_ZEROS = {"unused_outputs"}


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - NO_ZEROS))
@pytest.mark.parametrize("seed", [None, *range(4)])
def test_as_pytorch_does_where_every_tensor_counts(name: str, seed: int | None) -> None:
    expected = golden(name)
    run = Run(PROGRAMS[name], None if seed is None else random.Random(seed).choice, "smart")
    assert same_numbers(run.watched(), expected["result"])
    for found, wanted in zip(run.contexts, expected["contexts"], strict=True):
        assert found.get("graph") == wanted.get("graph")
        assert same_numbers(found["gradients"], wanted["gradients"])


# ---- one by one ----

HEAD = """
import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc
"""
UNDEFINED = (
    HEAD
    + """
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return None

def three(x, y):
    z = x * y
    return z * 2, z * 3, z * 4

def main(one_process):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = torch.tensor([3.0, 4.0], requires_grad=True)
        first, second, third = three(x, y) if one_process else rpc.rpc_sync("worker1", three, args=(x, y))
        loss = (first * Nothing.apply(second) * Nothing.apply(third)).sum()
        if one_process:
            loss.backward()
            return x.grad.tolist(), y.grad.tolist()
        dist_autograd.backward(context_id, [loss])
        grads = dist_autograd.get_gradients(context_id)
        return grads[x].tolist(), grads[y].tolist()
"""
)


def test_a_live_tensor_whose_gradient_is_undefined_is_waited_for_like_any_other() -> None:
    program = Program("undefined", UNDEFINED, 2)
    assert Run(program, None, "smart").main(False) == Run(program).main(True)


HELD = (
    HEAD
    + """
held = {}

def hold(x):
    held["a"], held["b"] = x * x, x * 3
    return held["a"]

def products(p, q):
    return p * p, p * q

def saved_of(name):
    try:
        held[name].grad_fn._saved_self
        return "kept"
    except RuntimeError:
        return "freed"

def other(y):
    return held["a"] * 2 + held["b"] * y

def main(seen):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        first = rpc.rpc_sync("worker1", hold, args=(x,))
        second = rpc.rpc_sync("worker1", other, args=(x * 5,))
        a, b = rpc.rpc_sync("worker1", products, args=(x + 0, x + x))
        before = seen(context_id)
        dist_autograd.backward(context_id, [(a * x).sum()])
        alive = [seen(context_id) == before, rpc.rpc_sync("worker1", saved_of, args=("a",))]
        dist_autograd.backward(context_id, [first.sum() + b.sum()])
        dead = rpc.rpc_sync("worker1", saved_of, args=("a",))
        return [*alive, dead, dist_autograd.get_gradients(context_id)[x].tolist()]
"""
)


@pytest.mark.parametrize("seed", [None, *range(20)])
def test_what_is_dead_keeps_its_saved_tensors_for_the_pass_that_needs_them(seed: int | None) -> None:
    """x^3, whose message brought 2x^2 too; then that, and the x^2 of an earlier call: 3x^2 + 4x + 2x.

    Send functions have all their edges again after each pass.
    """
    run = Run(Program("held", HELD, 2), None if seed is None else random.Random(seed).choice, "smart")

    def seen(context_id: int) -> list[Any]:
        sends = [send for w in run.sim.workers for send in w.contexts.contexts[context_id].sends.values()]
        return [(send.message_id, send.edges) for send in sends]

    assert run.main(seen) == [True, "kept", "freed", [9.0, 24.0]]


def test_a_gradient_may_overtake_the_plan() -> None:
    """Worker 2 hears of the pass from worker 1 first: the plan from worker 0 is delivered last of all."""
    program = PROGRAMS["nested_call"]

    class Late:
        """Deliver to worker 2 from worker 0 only where nothing else is under way, once the calls are over."""

        waited = 0

        def __call__(self, waiting: list[tuple[int, int]]) -> tuple[int, int]:
            others = [pair for pair in waiting if pair != (0, 2)]
            self.waited += bool(others) and len(others) < len(waiting)
            return (others or waiting)[0]

    late = Late()
    run = Run(program, late, "smart")
    assert same_numbers(run.watched(), golden("nested_call")["result"])
    assert same_numbers(run.contexts[0]["gradients"], golden("nested_call")["contexts"][0]["gradients"])
    assert late.waited


def test_a_message_without_a_send_function_is_found_before_anything_runs() -> None:
    """Worker 1 keeps what came of a call under no_grad, and the loss uses it: no gradient can go back."""
    text = (
        HEAD
        + """
kept = []

def keep(x):
    kept.append(x * 2)

def use(y):
    return y * kept[0]

def main(counts):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with torch.no_grad():
            rpc.rpc_sync("worker1", keep, args=(x,))
        loss = rpc.rpc_sync("worker1", use, args=(x,)).sum()
        dist_autograd.backward(context_id, [loss])
"""
    )
    run = Run(Program("no_grad", text, 2), None, "smart")
    with pytest.raises(BadArgument, match="worker0 has no send function for message 0:0") as caught:
        run.main(None)
    assert "no_grad" in str(caught.value.hint)
    assert run.sim.kinds["Gradient"] == run.sim.kinds["Plan"] == run.sim.kinds["Abort"] == 0


def test_a_worker_that_dies_while_it_is_asked_is_named_and_the_context_is_free_again() -> None:
    text = HEAD + "def main():\n    pass\n"
    run = Run(Program("asked", text, 3), None, "smart")
    sim = run.sim
    worker = sim.workers[0]
    x = torch.tensor([2.0], requires_grad=True)
    step = sim.step

    def dies() -> bool:
        if sim.kinds["Collect"] == 1 and 2 not in worker.gone:
            worker.lost(2, "it was killed")
        return step()

    sim.step = dies  # type: ignore[method-assign]

    def script() -> Any:
        with sim.autograd[0].context() as context_id:
            loss = sim.rpc[0].rpc_sync("worker1", torch.mul, args=(x, x)).sum()
            with pytest.raises(WorkerDied, match="worker2 is gone: it was killed"):
                sim.autograd[0].backward(context_id, [loss])
            return worker.contexts.get(context_id).running, sim.autograd[0].get_gradients(context_id)

    assert sim.run(script) == (None, {})


@pytest.mark.parametrize("calls", [1, 50])
def test_the_round_costs_the_same_however_often_the_ways_cross(calls: int) -> None:
    """A driver's ring over three workers, and ten calls that nobody uses: 2 questions, 2 answers, 2 plans at most."""
    sim = Simulation(3, mode="smart")
    x = torch.tensor([1.0], requires_grad=True)

    def script() -> Any:
        with sim.autograd[0].context() as context_id:
            y = x
            for k in range(calls):
                y = sim.rpc[0].rpc_sync(1 + k % 2, torch.mul, args=(y, 1.0))
            for k in range(10):
                sim.rpc[0].rpc_sync(1 + k % 2, torch.mul, args=(x, 1.0))
            sim.autograd[0].backward(context_id, [y.sum()])
            return sim.autograd[0].get_gradients(context_id)[x].tolist()

    assert sim.run(script) == [1.0]
    assert (sim.kinds["Collect"], sim.kinds["Summary"], sim.kinds["Plan"]) == (2, 2, min(calls, 2))
    assert sim.kinds["Gradient"] == 2 * calls


TWO_CALLERS = (
    HEAD
    + """
w = torch.tensor([3.0, 5.0], requires_grad=True)

def also(context_id, x):
    y = rpc.rpc_sync("worker2", torch.mul, args=(x, w))
    return went_well(context_id, y)

def went_well(context_id, y):
    try:
        dist_autograd.backward(context_id, [y.sum()])
        return True
    except RuntimeError as error:
        assert "run at the same time" in str(error)
        return False

def main():
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = rpc.rpc_sync("worker2", torch.mul, args=(x, x))
        other = rpc.rpc_async("worker1", also, args=(context_id, x))
        mine = went_well(context_id, y)
        theirs = other.wait()
        return mine, theirs, [g.tolist() for g in dist_autograd.get_gradients(context_id).values()]
"""
)


def test_of_two_callers_at_the_same_time_each_pass_counts_or_is_refused_and_leaves_nothing() -> None:
    """x^2 by worker 0, x w by worker 1, in one context."""
    gradients = {(True, True): [[5.0, 9.0]], (True, False): [[2.0, 4.0]], (False, True): [[3.0, 5.0]], (False, False): []}
    seen = set()
    for seed in range(300):
        run = Run(Program("two_callers", TWO_CALLERS, 3), random.Random(seed).choice, "smart")
        mine, theirs, found = run.main()
        assert found == gradients[mine, theirs]
        assert not any(w.tasks.waiting or w._requests or w.contexts.contexts or w.engine.smart.plans for w in run.sim.workers)
        seen.add((mine, theirs))
    assert len(seen) >= 3


def test_what_was_recorded_after_a_pass_is_part_of_the_next() -> None:
    sim = Simulation(2, mode="smart")
    x = torch.tensor([3.0], requires_grad=True)

    def script() -> Any:
        with sim.autograd[0].context() as context_id:
            y = sim.rpc[0].rpc_sync("worker1", torch.add, args=(x, x))
            sim.autograd[0].backward(context_id, [y.sum()])
            z = sim.rpc[0].rpc_sync("worker1", torch.mul, args=(y, x))
            sim.autograd[0].backward(context_id, [z.sum()])
            return sim.autograd[0].get_gradients(context_id)[x].tolist()

    assert sim.run(script) == [2.0 + 12.0]  # of 2x, and of 2x^2


def test_a_pass_may_choose_another_mode_than_the_worker_s() -> None:
    sim = Simulation(2)
    x = torch.tensor([3.0], requires_grad=True)

    def script() -> Any:
        with sim.autograd[0].context() as context_id:
            sim.rpc[0].rpc_sync("worker1", torch.mul, args=(x, x))
            y = sim.rpc[0].rpc_sync("worker1", torch.mul, args=(x, x))
            sim.workers[0].engine.backward(context_id, [y.sum()], mode="smart")
            return sim.autograd[0].get_gradients(context_id)[x].tolist()

    assert sim.run(script) == [6.0]
