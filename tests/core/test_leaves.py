"""What a backward pass does to the ``.grad`` of leaves and of retained tensors. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import gc

import pytest
from under_test import leaf, name_of, numbers, torch


def test_gradients_of_two_leaves_are_never_the_same_storage():
    a, b = leaf(1, 2), leaf(3, 4)
    (a + b).sum().backward()
    a.grad.mul_(100)
    assert numbers(b.grad) == [1, 1]


def test_the_gradient_given_for_a_root_is_not_the_leafs_gradient():
    a, given = leaf(1, 2), torch.ones(2, dtype=torch.float64)
    (a + 0).backward(given)
    a.grad.mul_(100)
    assert numbers(given) == [1, 1]


def test_a_leaf_as_root_gets_a_copy_of_the_gradient():
    a, given = leaf(1, 2), torch.ones(2, dtype=torch.float64)
    a.backward(given)
    a.grad.mul_(100)
    assert numbers(given) == [1, 1]


def test_a_saved_tensor_is_not_the_leafs_gradient():
    a, factor = leaf(1, 2), torch.tensor([3.0, 4.0], dtype=torch.float64)
    (a * factor).backward(torch.ones(2, dtype=torch.float64))
    a.grad.mul_(100)
    assert numbers(factor) == [3, 4]


@pytest.mark.parametrize("values", [(1, 2), (3,)], ids=["1-d", "0-d"])
def test_a_second_pass_adds_to_the_same_grad_in_place(values):
    a = leaf(*values)
    (a * 2).sum().backward()
    first, version = a.grad, a.grad._version
    (a * 5).sum().backward()
    assert a.grad is first
    assert first._version > version
    assert numbers(a.grad * 1) == numbers(torch.full_like(a.detach(), 7))


def test_accumulating_into_a_grad_that_was_set_by_hand_changes_that_tensor():
    a, mine = leaf(1, 2), torch.tensor([10.0, 20.0], dtype=torch.float64)
    a.grad = mine
    (a * 2).sum().backward()
    assert numbers(mine) == [12, 22]


def test_a_retained_reference_to_grad_survives_setting_it_to_none():
    a = leaf(1, 2)
    (a * 2).sum().backward()
    old = a.grad
    a.grad = None
    (a * 3).sum().backward()
    assert numbers(old) == [2, 2]
    assert numbers(a.grad) == [3, 3]


def test_a_leaf_used_many_times_gets_the_sum():
    a = leaf(2, 3)
    (a * a * a + a).sum().backward()
    assert numbers(a.grad) == [13, 28]


def test_a_leaf_switched_off_after_the_forward_gets_nothing():
    a, b = leaf(1, 2), leaf(3, 4)
    y = (a * b).sum()
    a.requires_grad_(False)
    y.backward()
    assert a.grad is None
    assert numbers(b.grad) == [1, 2]


def test_a_leaf_that_only_the_graph_holds_does_not_disturb_the_pass():
    b = leaf(3, 4)

    def forward():
        a = leaf(1, 2)
        return (a * b).sum()

    y = forward()
    gc.collect()
    y.backward()
    assert numbers(b.grad) == [1, 2]


def test_a_post_accumulate_hook_of_a_leaf_that_only_the_graph_holds_sees_it_accumulate():
    seen = []

    def forward():
        a = leaf(1, 2)
        a.register_post_accumulate_grad_hook(lambda p: seen.append(numbers(p.grad)))
        return (a * 2).sum()

    y = forward()
    gc.collect()
    y.backward(retain_graph=True)
    y.backward()
    assert seen == [[2, 2], [4, 4]]


def test_nothing_is_accumulated_into_tensors_that_do_not_require_grad():
    a, b = leaf(1, 2), torch.tensor([3.0, 4.0], dtype=torch.float64)
    (a * b).sum().backward()
    assert b.grad is None


def test_inner_tensors_keep_no_gradient_unless_asked():
    a = leaf(1, 2)
    y = a * 2
    y.sum().backward()
    assert y.grad is None


# ---- retain_grad ----


def test_retain_grad_fills_grad_of_an_inner_tensor():
    a = leaf(1, 2)
    y = a * 2
    y.retain_grad()
    (y * 3).sum().backward()
    assert (y.retains_grad, a.retains_grad) == (True, False)
    assert numbers(y.grad) == [3, 3]


def test_a_retained_gradient_adds_up_over_passes():
    a = leaf(1, 2)
    y = a * 2
    y.retain_grad()
    z = (y * 3).sum()
    z.backward(retain_graph=True)
    z.backward()
    assert numbers(y.grad) == [6, 6]


def test_retained_gradients_are_copies():
    a = leaf(1, 2)
    y = a * 2
    z = y + 0
    y.retain_grad()
    z.retain_grad()
    z.sum().backward()
    z.grad.mul_(100)
    assert numbers(y.grad) == [1, 1]


def test_retain_grad_sees_the_gradient_after_all_hooks_whenever_they_were_registered():
    a = leaf(1, 2)
    y = a * 1
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.register_hook(lambda g: g * 5)
    y.sum().backward()
    assert numbers(y.grad) == [10, 10]
    assert numbers(a.grad) == [10, 10]


def test_retain_grad_of_a_leaf_changes_nothing_and_twice_is_once():
    a = leaf(1, 2)
    a.retain_grad()
    y = a * 2
    y.retain_grad()
    y.retain_grad()
    y.sum().backward()
    assert numbers(y.grad) == [1, 1]
    assert numbers(a.grad) == [2, 2]


def test_retain_grad_needs_a_tensor_that_requires_grad():
    with pytest.raises(RuntimeError, match="retain_grad"):
        torch.ones(2).retain_grad()


def test_a_retained_tensor_that_nobody_holds_any_more_is_passed_over():
    a = leaf(1, 2)
    y = a * 2
    y.retain_grad()
    z = (y * 3).sum()
    del y
    z.backward()
    assert numbers(a.grad) == [6, 6]


# ---- while recording ----


def test_with_create_graph_two_leaves_do_not_share_a_gradient():
    a, b = leaf(1, 2), leaf(3, 4)
    (a + b).sum().backward(create_graph=True)
    assert a.grad is not b.grad
    a.grad.mul_(100)
    assert numbers(b.grad) == [1, 1]


def test_with_create_graph_the_first_gradient_of_a_leaf_is_a_recorded_copy():
    a = leaf(2, 3)
    (a * a).sum().backward(create_graph=True)
    node = a.grad.grad_fn
    assert name_of(node) == "CopyBackwards"
    assert [f and name_of(f) for f, _ in node.next_functions] == [None, "AddBackward0"]


def test_with_create_graph_a_second_gradient_makes_a_new_recorded_sum():
    a = leaf(2, 3)
    (a * a).sum().backward(create_graph=True)
    first = a.grad
    (a * a).sum().backward(create_graph=True)
    assert a.grad is not first
    assert name_of(a.grad.grad_fn) == "AddBackward0"
    assert numbers(first) == [4, 6]
    assert numbers(a.grad) == [8, 12]


def test_a_plain_pass_adds_in_place_to_a_gradient_that_has_a_graph():
    a = leaf(2, 3)
    (a * a).sum().backward(create_graph=True)
    first = a.grad
    (a * 3).sum().backward()
    assert a.grad is first
    assert name_of(first.grad_fn) == "CopyBackwards"
    assert numbers(first) == [7, 9]


# ---- what .grad may be set to ----


@pytest.mark.parametrize("make", [lambda: torch.ones(3, dtype=torch.float64), lambda: torch.ones(2, dtype=torch.float32)])
def test_grad_of_another_shape_or_dtype_is_refused(make):
    a = leaf(1, 2)
    with pytest.raises(RuntimeError):
        a.grad = make()


def test_grad_must_be_a_tensor():
    with pytest.raises(TypeError):
        leaf(1, 2).grad = 3
