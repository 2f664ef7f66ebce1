"""Nodes with several inputs (their forward had several outputs): hooks, captures and gradients that never come. Holds for PyTorch too."""

from __future__ import annotations

import pytest
from under_test import leaf, name_of, numbers, torch

grad = torch.autograd.grad


def parts(a):
    """Three outputs of one node."""
    return (a * 1).unbind(0)


def test_outputs_know_their_number():
    x, y, z = parts(leaf(1, 2, 3))
    assert [t.output_nr for t in (x, y, z)] == [0, 1, 2]
    assert x.grad_fn is y.grad_fn is z.grad_fn
    w = y * 2
    assert [(name_of(f), nr) for f, nr in w.grad_fn.next_functions if f is not None] == [("UnbindBackward0", 1)]


def test_an_output_that_nobody_uses_counts_as_zeros():
    a = leaf(1, 2, 3)
    _, y, _ = parts(a)
    (y * 5).backward()
    assert numbers(a.grad) == [0, 5, 0]


def test_gradients_of_one_output_add_up_and_each_output_keeps_its_own():
    a = leaf(1, 2, 3)
    x, y, z = parts(a)
    (x * 2 + y * 3 + x * 4 + z * z).backward()
    assert numbers(a.grad) == [6, 3, 6]


def test_hooks_belong_to_one_output_each_and_those_of_one_output_follow_each_other():
    a, seen = leaf(1, 2, 3), []
    x, y, z = parts(a)
    z.register_hook(lambda g: seen.append(("z", g.item())))
    x.register_hook(lambda g: (seen.append(("x", g.item())), g * 10)[1])
    z.register_hook(lambda g: seen.append(("z again", g.item())))
    (x * 2 + y * 3 + z * 4).backward()
    assert seen == [("z", 4), ("z again", 4), ("x", 2)]
    assert numbers(a.grad) == [20, 3, 4]


def test_the_hook_of_an_output_without_a_gradient_is_called_with_none_and_may_not_make_one():
    a, seen = leaf(1, 2, 3), []
    x, y, _ = parts(a)
    x.register_hook(seen.append)
    loss = y * 3
    loss.backward(retain_graph=True)
    assert seen == [None]
    x.register_hook(lambda g: torch.ones((), dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"(?i)none"):
        loss.backward()


def test_retained_gradients_of_single_outputs():
    a = leaf(1, 2, 3)
    x, y, z = parts(a)
    x.retain_grad()
    z.retain_grad()
    (x * 2 + y * 3).backward()
    assert (numbers(x.grad), z.grad) == (2, None)
    assert y.retains_grad is False


def test_a_node_pre_hook_sees_one_gradient_an_output():
    a, seen = leaf(1, 2, 3), []
    x, _, z = parts(a)
    x.grad_fn.register_prehook(lambda go: seen.append([None if g is None else g.item() for g in go]))
    (x * 2 + z * 4).backward()
    assert seen == [[2, None, 4]]


def test_grad_of_single_outputs():
    a = leaf(1, 2, 3)
    x, y, z = parts(a)
    loss = x * 2 + z * z
    assert [numbers(g) for g in grad(loss, [z, x], retain_graph=True)] == [6, 2]
    assert grad(loss, [y], allow_unused=True, retain_graph=True) == (None,)
    assert [numbers(g) for g in grad(loss, [x, a])] == [2, [2, 0, 6]]


def test_an_output_as_root_and_two_outputs_as_roots():
    a = leaf(1, 2, 3)
    x, y, _ = parts(a)
    y.backward(retain_graph=True)
    assert numbers(a.grad) == [0, 1, 0]
    torch.autograd.backward([x, y, x])
    assert numbers(a.grad) == [2, 2, 0]


def test_backward_into_one_output_fills_its_grad():
    a = leaf(1, 2, 3)
    x, y, _ = parts(a)
    (x * 2 + y * 3).backward(inputs=[y])
    assert numbers(y.grad) == 3
    assert (a.grad, x.retains_grad) == (None, False)


def test_second_derivatives_through_outputs():
    a = leaf(1, 2, 3)
    x, y, _ = parts(a)
    (g,) = grad(x * x * y, [a], create_graph=True)
    assert numbers(g) == [4, 1, 0]
    (h,) = grad(g.sum(), [a])
    assert numbers(h) == [2 * 2 + 2 * 1, 2 * 1, 0]


@pytest.mark.parametrize("used", [(0,), (1,), (0, 2), (2, 1, 0)])
def test_the_number_of_edges_into_a_node_is_what_it_waits_for(used):
    a = leaf(1, 2, 3)
    outputs, order = parts(a), []
    outputs[0].grad_fn.register_prehook(lambda go: order.append("unbind"))
    total = 0
    for i in used:
        term = outputs[i].exp()
        term.grad_fn.register_prehook(lambda go: order.append("exp"))
        total = total + term
    total.backward()
    assert order == ["exp"] * len(used) + ["unbind"]
