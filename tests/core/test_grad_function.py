"""``torch.autograd.grad`` and ``backward(inputs=...)``. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import pytest
from under_test import PYTORCH, leaf, numbers, torch

grad = torch.autograd.grad


def test_grad_returns_gradients_and_accumulates_nothing():
    a, b = leaf(1, 2), leaf(3, 4)
    found = grad((a * b).sum(), [a, b])
    assert [numbers(g) for g in found] == [[3, 4], [1, 2]]
    assert a.grad is None
    assert b.grad is None


def test_one_input_alone_still_gives_a_tuple():
    a = leaf(1, 2)
    found = grad((a * 2).sum(), a)
    assert isinstance(found, tuple)
    assert numbers(found[0]) == [2, 2]


def test_gradients_of_inner_tensors_and_of_the_output_itself():
    a = leaf(1, 2)
    y = a * 2
    z = (y * y).sum()
    assert [numbers(g) for g in grad(z, [z, y, a])] == [1, [4, 8], [8, 16]]


def test_the_same_input_twice_is_answered_twice():
    a = leaf(1, 2)
    assert [numbers(g) for g in grad((a * 3).sum(), [a, a])] == [[3, 3], [3, 3]]


def test_several_outputs_are_summed():
    a = leaf(1, 2)
    y = a * 2
    assert numbers(grad([y.sum(), (y * 3).sum()], [a])[0]) == [8, 8]


def test_grad_outputs_weigh_the_outputs_and_none_stands_for_one():
    a = leaf(1, 2)
    weights = torch.tensor([10.0, 20.0], dtype=torch.float64)
    assert numbers(grad([a * 1, (a * 3).sum()], [a], grad_outputs=[weights, None])[0]) == [13, 23]


def test_an_input_that_is_not_used_is_an_error_unless_allowed():
    a, b = leaf(1, 2), leaf(3, 4)
    with pytest.raises(RuntimeError, match="graph"):
        grad((a * 2).sum(), [a, b])
    found = grad((a * 2).sum(), [a, b], allow_unused=True)
    assert [numbers(g) for g in found] == [[2, 2], None]


def test_materialize_grads_gives_zeros_for_unused_inputs():
    a, b = leaf(1, 2), leaf(3, 4, 5)
    found = grad((a * 2).sum(), [a, b], materialize_grads=True)
    assert [numbers(g) for g in found] == [[2, 2], [0, 0, 0]]
    assert found[1].dtype == torch.float64
    with pytest.raises(ValueError, match="allow_unused"):
        grad((a * 2).sum(), [b], materialize_grads=True, allow_unused=False)


def test_an_input_that_does_not_require_grad_is_an_error():
    a = leaf(1, 2)
    with pytest.raises(RuntimeError, match="require"):
        grad((a * 2).sum(), [torch.ones(2)])


def test_no_inputs_is_an_error():
    a = leaf(1, 2)
    with pytest.raises(RuntimeError, match="empty"):
        grad((a * 2).sum(), [])
    with pytest.raises(RuntimeError, match="empty"):
        (a * 2).sum().backward(inputs=[])


def executed(call, nodes):
    """The names of the nodes whose pre hooks ran during `call`."""
    seen = []
    handles = [node.register_prehook(lambda _, name=name: seen.append(name)) for name, node in nodes.items()]
    call()
    for handle in handles:
        handle.remove()
    return seen


def small_graph():
    a, b = leaf(1, 2), leaf(3, 4)
    y = a.exp()
    w = b.exp()
    z = (y * w).sum()
    nodes = {"sum": z.grad_fn, "mul": z.grad_fn.next_functions[0][0], "exp a": y.grad_fn, "exp b": w.grad_fn}
    nodes |= {"a": y.grad_fn.next_functions[0][0], "b": w.grad_fn.next_functions[0][0]}
    return a, b, y, w, z, nodes


def test_grad_runs_only_what_leads_to_the_inputs_and_not_the_captured_node():
    a, _, y, _, z, nodes = small_graph()
    assert executed(lambda: grad(z, [a], retain_graph=True), nodes) == ["sum", "mul", "exp a"]
    assert executed(lambda: grad(z, [y], retain_graph=True), nodes) == ["sum", "mul"]
    assert executed(lambda: grad(z, [z], retain_graph=True), nodes) == []


def test_backward_with_inputs_runs_only_what_leads_to_them_and_accumulates_there():
    a, b, _, _, z, nodes = small_graph()
    assert executed(lambda: z.backward(inputs=[a], retain_graph=True), nodes) == ["sum", "mul", "exp a", "a"]
    assert a.grad is not None
    assert b.grad is None


def test_backward_with_an_inner_input_fills_its_grad_and_stops_there():
    a, _, y, w, z, nodes = small_graph()
    assert executed(lambda: z.backward(inputs=[y], retain_graph=True), nodes) == ["sum", "mul", "exp a"]
    assert numbers(y.grad) == numbers(w)
    assert y.retains_grad
    assert a.grad is None


def test_backward_with_an_unused_input_does_nothing_to_it():
    a, b = leaf(1, 2), leaf(3, 4)
    (a * 2).sum().backward(inputs=[b])
    assert (a.grad, b.grad) == (None, None)
    (a * 2).sum().backward(inputs=[a, b])
    assert numbers(a.grad) == [2, 2]
    assert b.grad is None


@pytest.mark.parametrize("call", [lambda z, u: grad(z, [u], allow_unused=True), lambda z, u: z.backward(inputs=[u])])
def test_the_hooks_of_the_only_root_are_called_even_when_it_leads_to_no_input(call):
    a, u, seen = leaf(1, 2), leaf(3, 4), []
    z = (a * 2).sum()
    z.retain_grad()
    z.register_hook(lambda g: seen.append("tensor"))
    z.grad_fn.register_prehook(lambda go: seen.append("node"))
    call(z, u)
    assert seen == ["tensor"]
    assert numbers(z.grad) == 1


def test_of_several_roots_only_those_that_lead_to_an_input_have_their_hooks_called():
    a, b, seen = leaf(1, 2), leaf(3, 4), []
    y, z = (a * 2).sum(), (b * 2).sum()
    y.register_hook(lambda g: seen.append("y"))
    z.register_hook(lambda g: seen.append("z"))
    grad([y, z], [b])
    assert seen == ["z"]


def test_a_refused_backward_leaves_its_inputs_as_they_were():
    a = leaf(1, 2)
    y = a * 2
    with pytest.raises(RuntimeError, match="require"):
        torch.ones(1).backward(inputs=[y])
    assert not y.retains_grad


def test_a_gradient_that_goes_to_two_inputs_unchanged_is_one_tensor():
    a, b, given = leaf(1, 2), leaf(3, 4), torch.ones(2, dtype=torch.float64)
    found = grad(a + b, [a, b], given)
    assert found[0] is found[1]
    assert found[0] is given


def test_backward_accepts_one_input_alone():
    a, b = leaf(1, 2), leaf(3, 4)
    (a * b).sum().backward(inputs=a)
    assert numbers(a.grad) == [3, 4]
    assert b.grad is None


def test_grad_frees_only_what_it_ran():
    a, b, _, _, z, _ = small_graph()
    grad(z, [a])
    with pytest.raises(RuntimeError, match="second time" if PYTORCH else "freed"):
        grad(z, [b])


def test_is_grads_batched_is_one_pass_a_row():
    a = leaf(1, 2)
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    (found,) = grad(a * a, [a], grad_outputs=rows, is_grads_batched=True)
    assert numbers(found) == [[2, 0], [0, 4]]


@pytest.mark.parametrize("wrong", [3, None])
def test_outputs_and_inputs_are_tensors(wrong):
    a = leaf(1, 2)
    with pytest.raises(TypeError):
        grad((a * 2).sum(), wrong)
    with pytest.raises((TypeError, AttributeError)):
        torch.autograd.backward(wrong)


def test_is_grads_batched_with_create_graph_can_be_differentiated():
    a = leaf(1, 2)
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    (found,) = grad(a**3, [a], grad_outputs=rows, is_grads_batched=True, create_graph=True)
    assert found.requires_grad
    assert numbers(grad(found.sum(), a)[0]) == [6, 12]
