"""FAST mode in memory: every program in many orders of delivery, with the gradients of the same program in one process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autograd_cli.core.grad_mode import no_grad
from autograd_cli.distributed.messages import show_id
from autograd_cli.errors import (
    BackwardStalled,
    BadArgument,
    ContextReleased,
    NoContext,
    NoGraph,
    NonScalarRoot,
    UnknownFunction,
    UnknownWorker,
)
from autograd_cli.torch_api.modules import modules

from .simulate import Simulation

SEEDS = [None, *range(25)]
torch: Any = modules()["torch"]


def leaf(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def grads_of(sim: Simulation, rank: int, context: int, *leaves: Any) -> list[Any]:
    found = sim.autograd[rank].get_gradients(context)
    return [found[x].tolist() if x in found else None for x in leaves]


def with_context(sim: Simulation, body: Callable[[int], Any]) -> Any:
    """Run `body` as worker 0's script inside a context."""

    def script() -> Any:
        with sim.autograd[0].context() as context:
            return body(context)

    return sim.run(script)


@pytest.mark.parametrize("seed", SEEDS)
def test_worked_example(seed: int | None) -> None:
    sim = Simulation(2, seed=seed)
    t1, t2, t4 = leaf(1.0, 2.0), leaf(3.0, 4.0), leaf(5.0, 6.0)

    def body(context: int) -> Any:
        t3 = sim.rpc[0].rpc_sync("worker1", torch.add, args=(t1, t2))
        assert type(t3.grad_fn).__name__ == "RecvRpcBackward"
        sim.autograd[0].backward(context, [(t3 * t4).sum()])
        assert t1.grad is None
        own = sim.workers[0].contexts.get(context)
        assert [show_id(m) for m in own.sends] == ["0:0"]
        assert [show_id(m) for m in own.recvs] == ["1:0"]
        return grads_of(sim, 0, context, t1, t2, t4)

    assert with_context(sim, body) == [[5.0, 6.0], [5.0, 6.0], [4.0, 6.0]]
    assert all(not w.contexts.contexts for w in sim.workers)  # released everywhere


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_ring_of_nested_calls(seed: int | None, workers: int) -> None:
    functions: dict[str, Any] = {}
    sim = Simulation(workers, functions, seed=seed)
    for rank in range(workers):  # each worker's own function, which calls the next

        def hop(x: Any, left: int, rank: int = rank) -> Any:
            y = x * float(rank + 2)
            return (
                y
                if left == 0
                else sim.rpc[rank].rpc_sync((rank + 1) % workers, functions[f"hop{(rank + 1) % workers}"], (y, left - 1))
            )

        hop.__name__ = f"hop{rank}"
        functions[hop.__name__] = hop
    x = leaf(1.0, -2.0)
    expected = 1.0
    for rank in range(workers):
        expected *= rank + 2

    def body(context: int) -> Any:
        y = sim.rpc[0].rpc_sync(1 % workers, functions[f"hop{1 % workers}"], (x, workers - 1))
        sim.autograd[0].backward(context, [y.sum()])
        return grads_of(sim, 0, context, x)

    assert with_context(sim, body) == [[expected, expected]]


@pytest.mark.parametrize("seed", SEEDS)
def test_diamond_double_use_and_a_leaf_of_the_callee(seed: int | None) -> None:
    weight = leaf(3.0)

    def scaled(x: Any) -> Any:
        return x * weight

    sim = Simulation(3, {"scaled": scaled}, seed=seed)
    x = leaf(2.0)

    def body(context: int) -> Any:
        a = sim.rpc[0].rpc_async(1, torch.mul, (x, x))
        b = sim.rpc[0].rpc_async(2, scaled, (x,))
        y, z = a.wait(), b.wait()
        loss = (y * z + y).sum()  # x^2 * 3x + x^2
        sim.autograd[0].backward(context, [loss])
        return grads_of(sim, 0, context, x), grads_of(sim, 2, context, weight)

    assert with_context(sim, body) == ([[40.0]], [[8.0]])


@pytest.mark.parametrize("seed", SEEDS)
def test_an_unused_result_of_a_live_message_gets_zeros(seed: int | None) -> None:
    def two(x: Any, y: Any) -> Any:
        return [x * 2, {"second": (y * 3, 7)}]

    sim = Simulation(2, {"two": two}, seed=seed)
    x, y = leaf(1.0), leaf(1.0)

    def body(context: int) -> Any:
        first, more = sim.rpc[0].rpc_sync(1, two, (x, y))
        assert more["second"][1] == 7
        sim.autograd[0].backward(context, [first.sum()])
        return grads_of(sim, 0, context, x, y)

    assert with_context(sim, body) == [[2.0], [0.0]]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_passes_add_up_and_the_second_needs_what_the_first_freed(seed: int | None) -> None:
    sim = Simulation(2, seed=seed)
    x, y = leaf(2.0), leaf(5.0)

    def body(context: int) -> Any:
        loss = sim.rpc[0].rpc_sync(1, torch.mul, (x, y)).sum()
        sim.autograd[0].backward(context, [loss], retain_graph=True)
        first = sim.autograd[0].get_gradients(context)[x]
        sim.autograd[0].backward(context, [loss, loss])
        with pytest.raises(RuntimeError, match="freed"):
            sim.autograd[0].backward(context, [loss])
        return first.tolist(), grads_of(sim, 0, context, x, y)

    assert with_context(sim, body) == ([15.0], [[15.0], [6.0]])  # a held gradient is an alias, as in PyTorch


@pytest.mark.parametrize("seed", SEEDS)
def test_an_error_in_the_pass_leaves_nothing_and_the_context_usable(seed: int | None) -> None:
    sim = Simulation(2, seed=seed)
    x = leaf(2.0)
    broken = [True]

    def fail(grad: Any) -> None:
        if broken[0]:
            raise ValueError("no gradient today")

    def body(context: int) -> Any:
        def watched(a: Any) -> Any:
            b = a * 3
            b.register_hook(fail)
            return b * 2

        sim.workers[1].functions.script["watched"] = watched  # type: ignore[index]
        loss = (sim.rpc[0].rpc_sync(1, watched, (x,)) * x).sum()
        with pytest.raises(ValueError, match="no gradient today"):
            sim.autograd[0].backward(context, [loss], retain_graph=True)
        assert grads_of(sim, 0, context, x) == [None]
        broken[0] = False
        sim.autograd[0].backward(context, [loss])
        return grads_of(sim, 0, context, x)

    shared: dict[str, Any] = {}
    for worker in sim.workers:
        worker.functions.script = shared
    assert with_context(sim, body) == [[24.0]]


def call_that_raises(sim: Simulation, a: Any, b: Any) -> None:
    with pytest.raises(RuntimeError):
        sim.rpc[0].rpc_sync(1, torch.mm, (a, b))


STALLS = {
    "a result that is not used": lambda sim, a, b: sim.rpc[0].rpc_sync(1, torch.add, (a, b)),
    "a call that raised and was caught": call_that_raises,
    "an argument that is ignored": lambda sim, a, b: sim.rpc[0].rpc_sync(1, torch.zeros_like, (a,)),
}


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize("name", STALLS)
def test_fast_says_that_it_waits_for_ever(name: str, seed: int | None) -> None:
    sim = Simulation(2, seed=seed)
    a, b = leaf(1.0), leaf(2.0)

    def body(context: int) -> Any:
        used = sim.rpc[0].rpc_sync(1, torch.mul, (a, b))
        STALLS[name](sim, a, b)
        with pytest.raises(BackwardStalled, match="worker0 waits for the gradient of send function 0:1") as caught:
            sim.autograd[0].backward(context, [used.sum()])
        return str(caught.value), grads_of(sim, 0, context, a)

    message, grads = with_context(sim, body)
    assert "PyTorch would" in message
    assert grads == [None]


def test_outcome_in_pytorch_hang_or_time_out() -> None:
    """Where only the caller waits, PyTorch hangs; where an engaged worker does, its caller's RPC times out."""
    for both, outcome in ((False, "for ever"), (True, "time-out of 60 s")):
        sim = Simulation(2)
        a, b = leaf(1.0), leaf(2.0)

        def body(context: int, both: bool = both, sim: Simulation = sim, a: Any = a, b: Any = b) -> str:
            used = sim.rpc[0].rpc_sync(1, torch.mul, (a, b)) if both else (a * b)
            sim.rpc[0].rpc_sync(1, torch.add, (a, b))
            with pytest.raises(BackwardStalled) as caught:
                sim.autograd[0].backward(context, [used.sum()])
            return str(caught.value)

        assert outcome in with_context(sim, body)


def test_no_grad_calls_record_nothing_and_results_are_leaves() -> None:
    weight = leaf(3.0)
    sim = Simulation(2, {"f": lambda x: x * weight})
    sim.workers[0].functions.script["f"].__name__ = "f"  # type: ignore[attr-defined]
    x = leaf(2.0)

    def body(context: int) -> None:
        with no_grad():
            plain = sim.rpc[0].rpc_sync(1, sim.workers[0].functions.script["f"], (x,))
        assert plain.is_leaf
        assert plain.requires_grad
        assert not sim.workers[0].contexts.get(context).sends

    with_context(sim, body)


def test_known_workers_are_those_that_metadata_went_to() -> None:
    sim = Simulation(3, {"f": lambda x: x})
    sim.workers[0].functions.script["f"].__name__ = "f"  # type: ignore[attr-defined]

    def body(context: int) -> None:
        known = sim.workers[0].contexts.get(context).known_workers
        sim.rpc[0].rpc_sync(1, torch.add, (torch.ones(2), 1))
        assert list(known) == []  # a torch function, and nothing recorded
        sim.rpc[0].rpc_sync(2, sim.workers[0].functions.script["f"], (1,))
        assert list(known) == [2]  # a Python function always carries the context

    with_context(sim, body)


def test_mistakes_are_errors_of_their_kind() -> None:
    sim = Simulation(2)
    x = leaf(1.0, 2.0)

    def body(context: int) -> None:
        backward = sim.autograd[0].backward
        for error, call in (
            (NonScalarRoot, lambda: backward(context, [x * 2])),
            (NoGraph, lambda: backward(context, [torch.ones(())])),
            (NoGraph, lambda: backward(context, [leaf(1.0)])),
            (BadArgument, lambda: backward(context, [])),
            (TypeError, lambda: backward(context, [None])),
            (NoContext, lambda: backward(100, [x.sum()])),
            (BadArgument, lambda: sim.autograd[0].context().__enter__()),
            (UnknownWorker, lambda: sim.rpc[0].rpc_sync("worker7", torch.add, (x, x))),
            (UnknownFunction, lambda: sim.rpc[0].rpc_sync(1, lambda a: a, (x,))),
            (TypeError, lambda: sim.rpc[0].rpc_sync(1, torch.add, (object(), x))),
        ):
            with pytest.raises(error):
                call()

    with_context(sim, body)
    with pytest.raises(ContextReleased):
        sim.run(lambda: sim.autograd[0].get_gradients(0))


def test_remote_exceptions_keep_value_and_type_errors_and_turn_the_rest_into_runtime_errors() -> None:
    raised = {
        "ValueError": ValueError("v"),
        "TypeError": TypeError("t"),
        "KeyError": KeyError("k"),
        "RuntimeError": RuntimeError("r"),
    }

    def fail(name: str) -> None:
        raise raised[name]

    sim = Simulation(2, {"fail": fail})

    def script() -> None:
        for name in raised:
            kept = name if name in ("ValueError", "TypeError") else "RuntimeError"
            with pytest.raises(Exception, match=f"on worker1: {name}") as caught:
                sim.rpc[0].rpc_sync(1, fail, (name,))
            assert isinstance(caught.value, {"ValueError": ValueError, "TypeError": TypeError}.get(kept, RuntimeError))

    sim.run(script)


def test_a_thousand_nested_hops() -> None:
    functions: dict[str, Any] = {}
    sim = Simulation(3, functions)
    for rank in range(3):

        def hop(n: int, rank: int = rank) -> int:
            return 0 if n == 0 else sim.rpc[rank].rpc_sync((rank + 1) % 3, functions[f"hop{(rank + 1) % 3}"], (n - 1,)) + 1

        hop.__name__ = f"hop{rank}"
        functions[hop.__name__] = hop
    assert sim.run(lambda: sim.rpc[0].rpc_sync(1, functions["hop1"], (1000,))) == 1000


def test_what_was_sent_does_not_change_with_its_source() -> None:
    sim = Simulation(2)

    def body(context: int) -> Any:
        x = leaf(1.0, 2.0)
        y = x * 1
        future = sim.rpc[0].rpc_async(1, torch.mul, (y, 2.0))
        y.data.zero_()
        return future.wait().tolist()

    assert with_context(sim, body) == [2.0, 4.0]
