"""Passes that record themselves, twice and more often: against closed forms and finite differences. Holds for PyTorch too."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from under_test import leaf, name_of, numbers, torch

grad = torch.autograd.grad


def derivative(function, x, times):
    """The `times`-th derivative of `function` at the 0-d leaf `x`."""
    y = function(x)
    for _ in range(times):
        (y,) = grad(y, [x], create_graph=True)
    return y


CLOSED = [
    ("x**4", lambda x: x**4, lambda v, n: [4 * v**3, 12 * v**2, 24 * v, 24.0][n - 1]),
    ("exp(2x)", lambda x: (x * 2).exp(), lambda v, n: 2**n * math.exp(2 * v)),
    ("1/x", lambda x: 1 / x, lambda v, n: (-1) ** n * math.factorial(n) * v ** (-n - 1)),
    ("log x", lambda x: x.log(), lambda v, n: (-1) ** (n - 1) * math.factorial(n - 1) * v**-n),
    ("sin x", lambda x: x.sin(), lambda v, n: [math.cos(v), -math.sin(v), -math.cos(v), math.sin(v)][n - 1]),
    ("x*x*x", lambda x: x * x * x, lambda v, n: [3 * v * v, 6 * v, 6.0][n - 1]),
    ("tanh x", lambda x: x.tanh(), lambda v, n: _tanh_derivative(math.tanh(v), n)),
]


def _tanh_derivative(t, n):
    s = 1 - t * t
    return [s, -2 * t * s, s * (6 * t * t - 2), s * (16 * t - 24 * t**3)][n - 1]


CASES = [
    pytest.param(function, closed, times, id=f"{name}, {times}")
    for name, function, closed in CLOSED
    for times in (1, 2, 3, 4)
    if (name, times) != ("x*x*x", 4)  # the third derivative is a constant without a graph: see the next test
]


@pytest.mark.parametrize(("function", "closed", "times"), CASES)
def test_repeated_derivatives_equal_their_closed_form(function, closed, times):
    assert derivative(function, leaf(0.7), times).item() == pytest.approx(closed(0.7, times), rel=1e-12)


def test_the_derivative_of_a_constant_gradient_has_no_graph():
    x = leaf(0.7)
    (g,) = grad(x * 3, [x], create_graph=True)
    assert not g.requires_grad
    with pytest.raises(RuntimeError, match="require"):
        grad(g, [x])


def elementwise(kind, x, y):
    return [lambda: x * y, lambda: x + y, lambda: x - y, lambda: x.tanh(), lambda: (x * y).exp(), lambda: x / (y * y + 1)][kind]()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6), st.integers(0, 10))
def test_second_derivatives_of_random_programs_equal_differences_of_the_first(steps, seed):
    values = [math.sin(seed + k) * 0.8 for k in range(5)]

    def program(tensors):
        known = list(tensors)
        for kind, i, j in steps:
            known.append(elementwise(kind, known[-1 - i % len(known)], known[-1 - j % len(known)]))
        return (known[-1] * known[len(known) // 2]).sum()

    def first(values):
        """The gradient, weighted: a plain pass."""
        leaves = build(values)
        found = grad(program(leaves), leaves, materialize_grads=True)
        return sum((w * g).sum().item() for w, g in zip((0.3, -0.7), found, strict=True))

    def build(values):
        return leaf(*values[:2]), leaf(values[2])  # a vector and a 0-d tensor: broadcasts are undone while recording

    leaves = build(values)
    found = grad(program(leaves), leaves, create_graph=True, materialize_grads=True)
    weighted = (0.3 * found[0]).sum() + (-0.7 * found[1]).sum()
    if not weighted.requires_grad:
        return
    second = grad(weighted, leaves, materialize_grads=True)
    exact = [*numbers(second[0]), numbers(second[1])]
    for k in range(3):
        step = 1e-5
        shifted = [[v + sign * step * (i == k) for i, v in enumerate(values)] for sign in (1, -1)]
        difference = (first(shifted[0]) - first(shifted[1])) / (2 * step)
        assert exact[k] == pytest.approx(difference, rel=1e-5, abs=1e-6)


def test_a_gradient_penalty_reaches_the_weights():
    w, x = leaf(2, 3), leaf(1, -1)
    y = (w * x * x).sum()
    (g,) = grad(y, [x], create_graph=True)  # 2 w x
    (g * g).sum().backward()
    assert numbers(w.grad) == [8 * 2 * 1, 8 * 3 * 1]
    assert numbers(x.grad) == [8 * 4 * 1, 8 * 9 * -1]


def test_the_gradient_given_for_a_root_takes_part_in_the_graph():
    x, v = leaf(1, 2), leaf(3, 4)
    (g,) = grad(x * x, [x], grad_outputs=v, create_graph=True)  # 2 x v
    assert [numbers(t) for t in grad(g.sum(), [x, v])] == [[6, 8], [2, 4]]


def test_nodes_of_the_recorded_pass_have_pytorchs_names():
    a, b = leaf(2, 3), leaf(4)
    (ga, gb) = grad((a * b).sum(), [a, b], create_graph=True)
    assert name_of(ga.grad_fn) == "MulBackward0"
    assert name_of(gb.grad_fn).startswith("SumBackward")


def test_a_saved_result_is_differentiated_through():
    x = leaf(0.3)
    y = x.exp()
    (g,) = grad(y, [x], create_graph=True)
    y.detach().mul_(1)  # a change in place, found by the second pass as by the first
    with pytest.raises(RuntimeError):
        grad(g, [x])


def test_a_third_pass_through_graphs_of_two_passes():
    x = leaf(0.5, -0.5)
    y = (x**3).sum()
    (first,) = grad(y, [x], create_graph=True)
    (second,) = grad(first.sum(), [x], create_graph=True)
    (second.sum() + first.sum() + y).backward()
    assert numbers(x.grad) == pytest.approx([6 + 6 * v + 3 * v * v for v in (0.5, -0.5)])
