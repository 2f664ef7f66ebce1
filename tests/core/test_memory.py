"""Nothing keeps a graph alive but those who use it: no cycles, no recursion, buffers that go when they are done with."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

from autograd_cli import torch
from autograd_cli.core.node import Node
from autograd_cli.core.tensor import Tensor


@pytest.fixture
def no_collector():
    """The garbage collector stands still, so that only reference counts free anything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive() -> list[object]:
    return [o for o in gc.get_objects() if isinstance(o, (Node, Tensor))]


def leaf(n=3):
    return torch.ones(n, dtype=torch.float64, requires_grad=True)


def program(a, b):
    y = (a * b + a.exp()).tanh()
    z = (y / (b * b + 1)).sum()
    return y, z


def plain(a, b):
    program(a, b)[1].backward()


def retained(a, b):
    y, z = program(a, b)
    y.retain_grad()
    z.backward(retain_graph=True)
    z.backward()


def recorded(a, b):
    (g,) = torch.autograd.grad(program(a, b)[1], [a], create_graph=True)
    g.sum().backward()


def never_used(a, b):
    program(a, b)


def with_hooks(a, b):
    y, z = program(a, b)
    y.register_hook(lambda g: g * 2)
    a.register_hook(lambda g: None)
    z.grad_fn.register_hook(lambda gi, go: None)
    z.grad_fn.register_prehook(lambda go: None)
    z.backward()


def with_removed_hooks(a, b):
    handle = a.register_post_accumulate_grad_hook(lambda p: None)
    plain(a, b)
    handle.remove()


def with_views(a, b):
    y = (a.view(3, 1) * b).sum(0)[1:]
    y.sum().backward()


def refused(a, b):
    c = b * 1
    z = (a * c).sum()
    c.detach().add_(1)
    with pytest.raises(RuntimeError):
        z.backward()


@pytest.mark.parametrize(
    "work", [plain, retained, recorded, never_used, with_hooks, with_removed_hooks, with_views], ids=lambda f: f.__name__
)
def test_all_is_freed_without_the_garbage_collector(work, no_collector):
    before = len(alive())
    work(leaf(), leaf())
    assert len(alive()) == before


def test_a_refused_pass_frees_all_once_its_exception_is_gone():
    gc.collect()
    before = len(alive())
    refused(leaf(), leaf())
    gc.collect()  # pytest's own record of the exception is a cycle
    assert len(alive()) == before


def test_a_leaf_with_a_hook_dies_with_its_last_owner(no_collector):
    a = leaf()
    a.register_hook(lambda g: g)
    ref = weakref.ref(a)
    del a
    assert ref() is None


def test_the_graph_goes_with_the_root(no_collector):
    a = leaf()
    y = a.exp()
    node = weakref.ref(y.grad_fn)
    z = y.sum()
    del y
    assert node() is not None
    del z
    assert node() is None


def test_a_pass_lets_saved_tensors_go_as_it_runs(no_collector):
    a = leaf()
    held = []
    y = a.exp() * 2
    exp = y.grad_fn.next_functions[0][0]
    exp.register_prehook(lambda go: held.append(saved()))
    node = y.grad_fn
    saved = weakref.ref(next(t for _, t, _ in node.saved() if t is not None))
    z = y.sum()
    del y, node
    z.backward()
    assert held == [None]  # the number 2, saved by mul for exp's gradient, was gone when exp ran


def test_gradients_do_not_pile_up_along_a_chain(no_collector):
    y = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    for _ in range(50):
        y = y * 1.5
    seen, held = [], []

    def look(go):
        seen.append(weakref.ref(go[0]._data))
        held.append(sum(ref() is not None for ref in seen))

    z = y.sum()
    node = y.grad_fn
    while node.next_functions:
        node.register_prehook(look)
        node = node.next_functions[0][0]
    z.backward()
    assert len(held) == 50
    assert max(held) <= 2


CHAINS = [100_000, pytest.param(1_000_000, marks=pytest.mark.long)]


@pytest.mark.parametrize("length", CHAINS)
def test_a_long_chain_is_recorded_run_and_freed_with_the_usual_recursion_limit(length, no_collector):
    assert sys.getrecursionlimit() <= 1000
    before = len(alive())
    a = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = a
    for _ in range(length):
        y = y + 1.0
    y.backward()
    assert (a.grad.item(), y.item()) == (1.0, 1.0 + length)
    del y
    assert len(alive()) == before + 3  # a, its AccumulateGrad and its gradient


@pytest.mark.parametrize("length", [100_000])
@pytest.mark.parametrize("how", ["hooks", "inputs", "create_graph"])
def test_a_long_chain_in_the_counted_loop(length, how, no_collector):
    before = len(alive())
    a = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = a
    for _ in range(length):
        y = y * 1.0
    if how == "hooks":
        a.register_hook(lambda g: g * 2)
        y.backward()
        assert a.grad.item() == 2.0
    elif how == "inputs":
        assert torch.autograd.grad(y, [a])[0].item() == 1.0
    else:
        (g,) = torch.autograd.grad(y, [a], create_graph=True)
        assert g.item() == 1.0
        del g
    del y, a
    assert len(alive()) == before


@pytest.mark.parametrize("length", [100_000])
def test_a_long_chain_that_nobody_differentiates_is_freed_too(length, no_collector):
    before = len(alive())
    y = a = leaf(1)
    for _ in range(length):
        y = (y + a).exp() * 0.0
    del y, a
    assert len(alive()) == before
