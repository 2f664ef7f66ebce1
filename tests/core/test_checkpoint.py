"""Checkpointing: what runs again and when, and that memory falls. Holds for PyTorch too where it can: see under_test.py."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
from under_test import PYTORCH, leaf, numbers, torch

module = torch.utils.checkpoint if not PYTORCH else __import__("torch.utils.checkpoint").utils.checkpoint
checkpoint = module.checkpoint
our_own = pytest.mark.skipif(PYTORCH, reason="our own measure")


class Logged:
    """Functions that say how far they ran."""

    def __init__(self):
        self.log = []

    def inner(self, x):
        self.log.append("inner")
        y = x.sin()
        self.log.append("between")
        z = y.exp()
        self.log.append("end")
        return z * 2

    def outer(self, x):
        self.log.append("outer")
        return checkpoint(self.inner, x.cos(), use_reentrant=False).tanh() * x

    def taken(self):
        taken, self.log = " ".join(self.log), []
        return taken


@pytest.mark.parametrize(("reentrant", "again"), [(True, "inner between end"), (False, "inner between")])
def test_the_function_runs_again_in_the_backward_and_no_further_than_needed(reentrant, again):
    part, x = Logged(), leaf(0.5, 1)
    y = checkpoint(part.inner, x, use_reentrant=reentrant)
    assert part.taken() == "inner between end"
    y.sum().backward()
    assert part.taken() == again
    other = leaf(0.5, 1)
    part.inner(other).sum().backward()
    assert numbers(x.grad) == numbers(other.grad)


def test_without_stopping_early_it_runs_to_its_end():
    part, x = Logged(), leaf(0.5, 1)
    with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint(part.inner, x, use_reentrant=False)
    part.taken()
    y.sum().backward()
    assert part.taken() == "inner between end"


def test_checkpoints_in_checkpoints():
    part, x = Logged(), leaf(0.5, 1)
    y = checkpoint(part.outer, x, use_reentrant=False)
    assert part.taken() == "outer inner between end"
    y.sum().backward()
    assert part.taken() == "outer inner between end inner between"


def test_each_pass_computes_for_itself():
    part, x = Logged(), leaf(0.5, 1)
    y = checkpoint(part.inner, x, use_reentrant=False)
    part.taken()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert part.taken() == "inner between inner between"


def test_what_was_saved_can_be_looked_at_without_a_pass():
    part, x = Logged(), leaf(0.5, 1)
    y = checkpoint(part.inner, x, use_reentrant=False)
    part.taken()
    saved = y.grad_fn.next_functions[0][0]._saved_result
    assert numbers(saved) == numbers(x.detach().sin().exp())
    assert part.taken() == "inner between"
    y.sum().backward()
    assert part.taken() == "inner between"


def test_an_input_that_was_changed_cannot_be_computed_from():
    x = leaf(0.5, 1) * 1
    y = checkpoint(torch.sin, x, use_reentrant=False)
    x.add_(1)
    with pytest.raises(RuntimeError, match=r"changed in place|modified"):
        y.sum().backward()


def test_a_shape_that_differs_is_found():
    sizes = [2, 3]

    def part(x):
        return (x[:1] * torch.ones(sizes.pop(0), dtype=torch.float64)).exp().sum()

    y = checkpoint(part, leaf(0.5, 1), use_reentrant=False)
    with pytest.raises(RuntimeError, match=r"shape|metadata"):
        y.backward()


def test_the_generator_goes_on_where_it_was():
    torch.manual_seed(1)
    y = checkpoint(lambda x: torch.nn.functional.dropout(x).sin(), leaf(*[1.0] * 8), use_reentrant=False)
    first = torch.rand(1)
    y.sum().backward()
    second = torch.rand(1)
    torch.manual_seed(1)
    torch.nn.functional.dropout(torch.ones(8, dtype=torch.float64))
    assert (numbers(first), numbers(second)) == (numbers(torch.rand(1)), numbers(torch.rand(1)))


# ---- memory ----

WIDTH, DEPTH, PARTS = 20_000, 60, 6  # a chain that saves two tensors of 160 kB for each layer


def chain(x):
    for _ in range(DEPTH // PARTS):
        x = x.sin().exp().log()
    return x


def bytes_at_the_end_of_the_forward(run):
    """What a forward leaves alive, and the gradient it ends in."""
    x = leaf(*([0.5] * WIDTH))
    gc.collect()
    tracemalloc.start()
    y = x
    for _ in range(PARTS):
        y = run(chain, y)
    alive, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    y.sum().backward()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return alive, peak, x.grad


@our_own
@pytest.mark.parametrize("reentrant", [True, False])
def test_memory_falls(reentrant):
    kept, peak, expected = bytes_at_the_end_of_the_forward(lambda f, x: f(x))
    alive, low_peak, gradient = bytes_at_the_end_of_the_forward(lambda f, x: checkpoint(f, x, use_reentrant=reentrant))
    # one tensor for each part instead of all that its layers save: sin its input, exp its result, log its input
    one = WIDTH * 8
    assert kept > DEPTH * 2 * one
    assert alive < (PARTS + 3) * one
    assert low_peak < peak / 3  # the parts that are left, and all of one part
    assert numbers(gradient) == numbers(expected)


# ---- in the Trace ----


def trace_of(reentrant, **options):
    from autograd_cli.trace.assemble import assemble
    from autograd_cli.trace.model import ScenarioRecord
    from autograd_cli.trace.recorder import Recorder

    x = leaf(0.5, 1)
    with Recorder(**options) as recorder:
        y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=reentrant)
        y.sum().backward()
    return assemble(recorder, {"y": y}, scenario=ScenarioRecord(None, None, 0, "cpu", "float32"), stdout="", error=None)


@our_own
def test_the_pass_inside_is_marked_and_the_node_is_one():
    from autograd_cli.render.selection import choose_pass

    trace = trace_of(True)
    assert [p.inside == "checkpoint" for p in trace.passes] == [False, True]
    assert choose_pass(trace) == 0  # a picture shows the pass that the user asked for
    names = [n.name for n in trace.graph.nodes]
    assert names.count("CheckpointFunctionBackward") == 1


@our_own
def test_what_is_computed_again_is_no_part_of_the_graph():
    trace = trace_of(False)
    assert sorted(n.name for n in trace.graph.nodes) == ["AccumulateGrad", "ExpBackward0", "SinBackward0", "SumBackward0"]
    assert len(trace.passes) == 1


def test_a_pass_in_a_hook_computes_for_itself():
    def part(a):
        x = a.sin().cos()
        return x, x.sin()

    a = leaf(1.0)
    (inner,) = torch.autograd.grad(part(a)[0], a)
    (outer,) = torch.autograd.grad(part(a)[1], a)
    x, out = checkpoint(part, a, use_reentrant=False)
    out.grad_fn.register_hook(lambda given, taken: x.backward(retain_graph=True))
    out.backward(retain_graph=True)
    assert numbers(a.grad) == pytest.approx(numbers(inner + outer))


def differentiated(function):
    def derivative(x):
        with torch.enable_grad():
            (g,) = torch.autograd.grad(function(x), x, create_graph=True)
        return g

    return derivative


def checkpointed(function):
    return lambda x: checkpoint(function, x, use_reentrant=False)


@pytest.mark.parametrize("stop", [True, False])
def test_gradients_taken_inside_checkpoints_that_are_inside_gradients(stop):
    d, c = differentiated, checkpointed

    def f(x):
        return x.sin().exp().sin()

    x = leaf(0.7)
    with module.set_checkpoint_early_stop(stop):
        for plain, ways in (
            (d(d(f)), (d(c(d(f))), c(d(d(c(f)))), d(c(d(c(f)))))),
            (d(d(d(f))), (d(c(d(d(c(f))))), d(c(d(c(d(c(f)))))))),
        ):
            for way in ways:
                assert numbers(way(x)) == pytest.approx(numbers(plain(x)), rel=1e-5)
