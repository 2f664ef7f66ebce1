"""no_grad and its relatives: nested, as decorators, around generators, left by exceptions. Holds for PyTorch too."""

from __future__ import annotations

import pytest
from under_test import leaf, torch

on = torch.is_grad_enabled


@pytest.fixture(autouse=True)
def mode_is_put_back():
    assert on()
    yield
    assert on()


def test_nothing_is_recorded_under_no_grad():
    a = leaf(1, 2)
    with torch.no_grad():
        y = a * 2
        assert not y.requires_grad
        assert y.grad_fn is None
    assert (a * 2).requires_grad


def test_modes_nest_and_come_back_one_by_one():
    seen = [on()]
    with torch.no_grad():
        seen.append(on())
        with torch.enable_grad():
            seen.append(on())
            with torch.no_grad():
                seen.append(on())
            seen.append(on())
        seen.append(on())
    assert [*seen, on()] == [True, False, True, False, True, False, True]


@pytest.mark.parametrize("enter", [torch.no_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False)])
def test_an_exception_leaves_the_mode_as_it_was(enter):
    def leave_by_exception():
        with enter():
            raise KeyError(on())

    with pytest.raises(KeyError, match="False"):
        leave_by_exception()
    assert on()


@pytest.mark.parametrize("switch", [torch.no_grad, torch.inference_mode])
def test_decorators_with_and_without_parentheses(switch):
    @switch()
    def one():
        """Says so."""
        return on()

    @switch
    def two(value, *, more):
        return on(), value, more

    assert one() is False
    assert one.__name__ == "one"
    assert one.__doc__ == "Says so."
    assert two(3, more=4) == (False, 3, 4)


def test_a_decorated_function_may_call_itself():
    @torch.no_grad()
    def count(n):
        return [on(), *(count(n - 1) if n else [])]

    assert count(3) == [False] * 4


def test_a_decorated_function_that_raises_leaves_the_mode_as_it_was():
    @torch.no_grad()
    def fail():
        raise KeyError

    with pytest.raises(KeyError):
        fail()


def test_enable_grad_as_a_decorator_records_under_no_grad():
    @torch.enable_grad()
    def square(x):
        return x * x

    with torch.no_grad():
        assert square(leaf(1, 2)).requires_grad


def test_one_object_may_be_entered_again_while_it_is_open():
    switch = torch.no_grad()
    with switch:
        with torch.enable_grad(), switch:
            assert not on()
        assert not on()


def test_set_grad_enabled_as_a_call_stays():
    torch.set_grad_enabled(False)
    assert not on()
    torch.set_grad_enabled(True)
    assert on()


def test_set_grad_enabled_as_a_context_puts_back_what_was_before_it_was_made():
    with torch.no_grad():
        with torch.set_grad_enabled(True):
            assert on()
        assert not on()
    switch = torch.set_grad_enabled(False)
    assert not on()
    with switch:
        assert not on()
    assert on()


def test_set_grad_enabled_as_a_decorator_switches_inside_only():
    @torch.set_grad_enabled(False)
    def inside():
        return on()

    assert on()
    assert inside() is False
    assert on()


# ---- generators ----


def test_a_generator_runs_its_steps_under_the_mode_and_its_caller_does_not():
    @torch.no_grad()
    def steps():
        yield on()
        yield on()

    seen = []
    for inside in steps():
        seen.append((inside, on()))
    assert seen == [(False, True), (False, True)]


def test_a_generator_can_be_sent_to_and_thrown_into():
    @torch.no_grad()
    def steps():
        got = []
        try:
            while True:
                got.append((yield on()))
        except ValueError:
            yield got, on()
        yield "end"

    it = steps()
    assert [next(it), it.send(5), it.send(6)] == [False, False, False]
    assert it.throw(ValueError()) == ([5, 6], False)
    assert next(it) == "end"


def test_a_generator_that_is_closed_cleans_up_under_the_mode():
    closing = []

    @torch.no_grad()
    def steps():
        try:
            yield 1
        finally:
            closing.append(on())

    it = steps()
    next(it)
    it.close()
    assert closing == [False]


def test_what_a_generator_returns_arrives():
    @torch.no_grad()
    def inner():
        yield 1
        return 7

    def outer():
        return (yield from inner())

    it = outer()
    next(it)
    with pytest.raises(StopIteration) as stop:
        next(it)
    assert stop.value.value == 7


def test_an_exception_of_a_generator_arrives():
    @torch.no_grad()
    def steps():
        yield 1
        raise KeyError("mine")

    it = steps()
    next(it)
    with pytest.raises(KeyError, match="mine"):
        next(it)


# ---- inference mode ----


def test_inference_mode_is_told_apart_and_nests():
    assert not torch.is_inference_mode_enabled()
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        assert not on()
        with torch.inference_mode(False):
            assert not torch.is_inference_mode_enabled()
            assert on()
        assert torch.is_inference_mode_enabled()
    assert not torch.is_inference_mode_enabled()


def test_inference_mode_false_records_also_under_no_grad():
    with torch.no_grad(), torch.inference_mode(False):
        assert (leaf(1, 2) * 2).requires_grad


# ---- the backward pass ----


def test_a_pass_works_under_no_grad_on_what_was_recorded_before():
    a = leaf(1, 2)
    y = (a * a).sum()
    with torch.no_grad():
        y.backward()
    assert a.grad.tolist() == [2, 4]


def test_a_pass_leaves_the_mode_as_it_was_also_when_it_fails():
    a, b = leaf(1, 2), torch.tensor([3.0, 4.0], dtype=torch.float64)
    y = (a * b).sum()
    b.add_(1)
    for create in (False, True):
        with pytest.raises(RuntimeError):
            y.backward(create_graph=create)
        assert on()
        with torch.no_grad():
            with pytest.raises(RuntimeError):
                y.backward(create_graph=create)
            assert not on()
