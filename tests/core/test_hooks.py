"""Hooks of tensors and nodes: when they run, what they see, what they may change. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import pytest
from under_test import leaf, numbers, torch

# ---- hooks of tensors ----


def test_hooks_of_a_tensor_run_in_the_order_in_which_they_were_registered_each_on_the_result_of_the_last():
    a, seen = leaf(1, 2), []
    a.register_hook(lambda g: (seen.append(("first", numbers(g))), g * 10)[1])
    a.register_hook(lambda g: seen.append(("second", numbers(g))))
    a.register_hook(lambda g: (seen.append(("third", numbers(g))), g + 1)[1])
    (a * 2).sum().backward()
    assert seen == [("first", [2, 2]), ("second", [20, 20]), ("third", [20, 20])]
    assert numbers(a.grad) == [21, 21]


def test_what_a_hook_of_an_inner_tensor_returns_flows_on():
    a = leaf(1, 2)
    y = a * 2
    y.register_hook(lambda g: g * 10)
    (y * 3).sum().backward()
    assert numbers(a.grad) == [60, 60]


def test_a_hook_sees_the_whole_gradient_of_a_tensor_that_is_used_twice_once():
    a, seen = leaf(1, 2), []
    y = a * 2
    y.register_hook(lambda g: seen.append(numbers(g)))
    (y * 3 + y * 4).sum().backward()
    assert seen == [[7, 7]]


@pytest.mark.parametrize("values", [(1, 2), (3,)], ids=["1-d", "0-d"])
def test_a_hook_may_change_the_gradient_in_place(values):
    a = leaf(*values)

    def change(g):
        g.mul_(7)

    a.register_hook(change)
    (a * 2).sum().backward()
    assert numbers(a.grad) == numbers(torch.full_like(a.detach(), 14))


def test_a_hook_that_was_removed_is_not_called():
    a, seen = leaf(1, 2), []
    handle = a.register_hook(seen.append)
    (a * 2).sum().backward()
    handle.remove()
    handle.remove()
    (a * 2).sum().backward()
    assert len(seen) == 1


def test_a_handle_is_a_context_manager_that_removes_its_hook():
    a, seen = leaf(1, 2), []
    with a.register_hook(seen.append):
        (a * 2).sum().backward()
    (a * 2).sum().backward()
    assert len(seen) == 1


def test_a_hook_that_removes_a_later_one_stops_it_from_the_next_pass_on():
    a, seen, handles = leaf(1, 2), [], []

    def first(g):
        seen.append("first")
        handles[1].remove()

    handles += [a.register_hook(first), a.register_hook(lambda g: seen.append("second"))]
    (a * 2).sum().backward()
    (a * 2).sum().backward()
    assert seen == ["first", "second", "first"]


def test_hooks_run_without_recording_unless_the_pass_records():
    a, seen = leaf(1, 2), []
    a.register_hook(lambda g: seen.append((torch.is_grad_enabled(), g.requires_grad)))
    (a * a).sum().backward()
    (a * a).sum().backward(create_graph=True)
    assert seen == [(False, False), (True, True)]


def test_a_hook_may_run_a_pass_of_its_own():
    a, b = leaf(1, 2), leaf(3, 4)

    def inner(g):
        with torch.enable_grad():
            (b * 5).sum().backward()

    a.register_hook(inner)
    (a * 2).sum().backward()
    assert numbers(a.grad) == [2, 2]
    assert numbers(b.grad) == [5, 5]


def test_the_hook_of_a_root_sees_the_gradient_that_was_given():
    a, seen = leaf(1, 2), []
    y = a * 2
    y.register_hook(lambda g: seen.append(numbers(g)))
    y.backward(torch.tensor([5.0, 6.0], dtype=torch.float64))
    assert seen == [[5, 6]]


def test_hooks_are_called_for_gradients_that_grad_captures():
    a = leaf(1, 2)
    y = a * 2
    y.register_hook(lambda g: g * 10)
    z = (y * 3).sum()
    assert numbers(torch.autograd.grad(z, [y], retain_graph=True)[0]) == [30, 30]
    assert numbers(torch.autograd.grad(z, [a], retain_graph=True)[0]) == [60, 60]
    # asked for both, y's own gradient is taken before its hooks: they run when its node does
    assert [numbers(g) for g in torch.autograd.grad(z, [y, a])] == [[3, 3], [60, 60]]


@pytest.mark.parametrize(
    ("hook", "error"),
    [(lambda g: g[:1], RuntimeError), (lambda g: 3, TypeError), (lambda g: g.float(), RuntimeError)],
    ids=["shape", "type", "dtype"],
)
def test_a_hook_may_not_change_shape_type_or_dtype(hook, error):
    a = leaf(1, 2)
    a.register_hook(hook)
    with pytest.raises(error, match="hook"):
        (a * 2).sum().backward()
    assert a.grad is None


def test_an_exception_in_a_hook_leaves_the_pass_as_it_is():
    a, b = leaf(1, 2), leaf(3, 4)

    def fail(g):
        raise KeyError("mine")

    a.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        (a * 2 + b.exp()).sum().backward()
    assert a.grad is None
    assert numbers(a.detach()) == [1, 2]


@pytest.mark.parametrize("register", ["register_hook", "register_post_accumulate_grad_hook"])
def test_hooks_need_a_tensor_that_requires_grad(register):
    with pytest.raises(RuntimeError):
        getattr(torch.ones(2), register)(print)


# ---- post-accumulate hooks ----


def test_a_post_accumulate_hook_sees_the_leaf_with_its_gradient():
    a, seen = leaf(1, 2), []
    a.register_post_accumulate_grad_hook(lambda p: seen.append((p is a, numbers(p.grad))))
    (a * 2).sum().backward()
    (a * 2).sum().backward(inputs=[a])
    assert seen == [(True, [2, 2]), (True, [4, 4])]


def test_a_post_accumulate_hook_may_use_the_gradient_up():
    a = leaf(1, 2)
    a.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None))
    (a * 2).sum().backward()
    assert a.grad is None


def test_a_post_accumulate_hook_is_not_called_by_grad():
    a, seen = leaf(1, 2), []
    a.register_post_accumulate_grad_hook(seen.append)
    torch.autograd.grad((a * 2).sum(), [a])
    assert seen == []


def test_a_post_accumulate_hook_belongs_to_a_leaf():
    with pytest.raises(RuntimeError, match="leaf"):
        (leaf(1, 2) * 2).register_post_accumulate_grad_hook(print)


def test_a_leaf_has_its_gradient_before_inner_nodes_recorded_earlier_run():
    # the first gradient of `w` is complete while the pass still works on the rest
    a, w, seen = leaf(1, 2), leaf(3, 4), []
    y = a.exp()
    y.register_hook(lambda g: seen.append(("y", numbers(w.grad))))
    w.register_post_accumulate_grad_hook(lambda p: seen.append("w"))
    (y * w).sum().backward()
    assert seen[0] == "w"
    assert seen[1][1] is not None


# ---- hooks of nodes ----


def test_hooks_around_a_node_run_in_pytorchs_order():
    a, seen = leaf(1, 2), []
    y = a.exp() * 1
    node = y.grad_fn
    node.register_hook(lambda gi, go: seen.append(("post", numbers(gi[0]), numbers(go[0]))))
    node.register_prehook(lambda go: seen.append(("pre", numbers(go[0]))))
    y.register_hook(lambda g: seen.append(("tensor", numbers(g))))
    y.sum().backward()
    assert seen == [("tensor", [1, 1]), ("pre", [1, 1]), ("post", [1, 1], [1, 1])]


def test_node_hooks_replace_what_goes_in_and_what_comes_out():
    a = leaf(1, 2)
    y = a * 2
    y.grad_fn.register_prehook(lambda go: (go[0] * 3,))
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, None))
    y.sum().backward()
    assert numbers(a.grad) == [60, 60]


def test_node_hooks_of_a_leafs_accumulategrad():
    a, seen = leaf(1, 2), []
    node = (a * 1).grad_fn.next_functions[0][0]
    node.register_prehook(lambda go: (go[0] * 3,))
    node.register_hook(lambda gi, go: seen.append((gi, numbers(go[0]), numbers(a.grad))))
    (a * 2).sum().backward()
    assert numbers(a.grad) == [6, 6]
    assert seen == [((), [6, 6], [6, 6])]


@pytest.mark.parametrize(
    ("hook", "error"),
    [(lambda gi, go: (gi[0],), RuntimeError), (lambda gi, go: gi[0], TypeError), (lambda gi, go: (3, None), TypeError)],
    ids=["count", "no tuple", "no tensor"],
)
def test_what_a_node_hook_returns_must_fit(hook, error):
    a = leaf(1, 2)
    y = a * 2
    y.grad_fn.register_hook(hook)
    with pytest.raises(error):
        y.sum().backward()


@pytest.mark.parametrize(
    ("hook", "error"), [(lambda go: go + go, RuntimeError), (lambda go: go[0], TypeError)], ids=["count", "no tuple"]
)
def test_what_a_node_pre_hook_returns_must_fit(hook, error):
    a = leaf(1, 2)
    y = a * 2
    y.grad_fn.register_prehook(hook)
    with pytest.raises(error):
        y.sum().backward()


def test_a_hook_registered_while_the_pass_runs_is_called_if_its_node_is_still_to_come():
    a, seen = leaf(1, 2), []
    y = a.exp()
    z = y * 2
    z.register_hook(lambda g: y.register_hook(lambda g: seen.append("late")) and None)
    z.sum().backward()
    assert seen == ["late"]
