"""Roots, broadcasts, dtypes, what is freed and what may not be changed. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import warnings

import pytest
from under_test import PYTORCH, leaf, numbers, torch

FREED = "second time" if PYTORCH else "freed"
MODIFIED = "modified by an inplace" if PYTORCH else "changed in place since"

# ---- roots ----


def test_a_root_with_one_element_needs_no_gradient_whatever_its_shape():
    a = torch.tensor([[[3.0]]], requires_grad=True)
    (a * 2).backward()
    assert numbers(a.grad) == [[[2]]]


def test_a_root_with_several_elements_needs_a_gradient_of_its_shape():
    a = leaf(1, 2)
    with pytest.raises(RuntimeError, match="scalar outputs" if PYTORCH else "one element only"):
        (a * 2).backward()
    with pytest.raises(RuntimeError, match="shape"):
        (a * 2).backward(torch.ones(3, dtype=torch.float64))
    (a * 2).backward(torch.tensor([1.0, 10.0], dtype=torch.float64))
    assert numbers(a.grad) == [2, 20]


def test_a_root_must_require_grad():
    with pytest.raises(RuntimeError, match="require"):
        torch.ones(1).backward()
    with pytest.raises(RuntimeError, match="require"):
        leaf(1).detach().backward()


def test_several_roots_one_feeding_another_and_one_twice():
    a = leaf(1, 2)
    y = (a * 2).sum()
    z = y * 10
    torch.autograd.backward([y, z, y])
    assert numbers(a.grad) == [24, 24]


def test_several_roots_each_with_its_own_gradient_or_none():
    a = leaf(1, 2)
    torch.autograd.backward([a * 1, (a * 3).sum()], [torch.tensor([10.0, 20.0], dtype=torch.float64), None])
    assert numbers(a.grad) == [13, 23]


def test_as_many_gradients_as_roots():
    a = leaf(1, 2)
    with pytest.raises(RuntimeError, match="gradients"):
        torch.autograd.backward([a.sum(), a.sum()], [None])


def test_a_gradient_takes_the_dtype_of_its_root():
    a = leaf(1, 2, dtype=torch.float32)
    (a * 2).backward(torch.ones(2, dtype=torch.float64))
    (a * 2).backward(torch.ones(2, dtype=torch.int64))
    assert a.grad.dtype == torch.float32
    assert numbers(a.grad) == [4, 4]


def test_a_gradient_does_not_change_between_real_and_complex():
    a = leaf(1, 2, dtype=torch.float32)
    with pytest.raises(RuntimeError, match="complex"):
        (a * 2).backward(torch.ones(2, dtype=torch.complex64))


# ---- broadcasts are undone ----


@pytest.mark.parametrize(
    ("shape", "other"),
    [
        ((), (3,)),
        ((3,), ()),
        ((), ()),
        ((1,), (3,)),
        ((3,), (2, 3)),
        ((2, 1), (1, 3)),
        ((1, 3), (2, 1)),
        ((2, 1, 3), (4, 1)),
        ((4, 1), (2, 1, 3)),
        ((1, 1), (5,)),
        ((5,), (1, 1)),
        ((1,), ()),
        ((), (1, 1)),
        ((0,), (1,)),
        ((2, 0), (1,)),
    ],
)
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div"])
def test_a_broadcast_is_undone_on_both_sides(shape, other, operation):
    a = (torch.arange(1, 1 + _size(shape), dtype=torch.float64).reshape(shape) / 7).requires_grad_()
    b = (torch.arange(2, 2 + _size(other), dtype=torch.float64).reshape(other) / 5).requires_grad_()
    y = getattr(torch, operation)(a, b)
    y.sum().backward()
    whole = y.detach() * 0
    slopes = {
        "add": (whole + 1, whole + 1),
        "sub": (whole + 1, whole - 1),
        "mul": (whole + b.detach(), whole + a.detach()),
        "div": (whole + 1 / b.detach(), whole - a.detach() / (b.detach() * b.detach())),
    }[operation]
    for tensor, slope in zip((a, b), slopes, strict=True):
        assert tensor.grad.shape == tensor.shape
        wanted = _summed(numbers(slope), tuple(y.shape), tuple(tensor.shape))
        assert _flat(numbers(tensor.grad)) == pytest.approx(wanted, rel=1e-14)


def _size(shape):
    total = 1
    for n in shape:
        total *= n
    return total


def _flat(values):
    return [v for item in values for v in _flat(item)] if isinstance(values, list) else [values]


def _summed(values, shape, target):
    """Sum nested lists of `shape` down to `target` place by place, without any array library."""
    sums = [0.0] * _size(target)
    for position, value in enumerate(_flat(values)):
        index = []
        for n in reversed(shape):
            position, i = divmod(position, n)
            index.insert(0, i)
        place = 0
        for n, i in zip(target, index[len(index) - len(target) :], strict=True):
            place = place * n + (i if n != 1 else 0)
        sums[place] += value
    return sums


def test_a_gradient_has_the_dtype_of_its_leaf_when_dtypes_mix():
    a, b = leaf(1, 2, dtype=torch.float32), leaf(3, 4, dtype=torch.float64)
    y = a * b
    y.sum().backward()
    assert y.dtype == torch.float64
    assert (a.grad.dtype, b.grad.dtype) == (torch.float32, torch.float64)
    assert numbers(a.grad) == [3, 4]


def test_a_complex_gradient_is_made_real_for_a_real_leaf():
    a = leaf(1, 2, dtype=torch.float32)
    y = a * torch.tensor([1 + 2j, 3 - 1j])
    y.backward(torch.tensor([1 + 0j, 1 + 0j]))
    assert a.grad.dtype == torch.float32
    assert numbers(a.grad) == [1, 3]


# ---- what a pass frees ----


def test_a_second_pass_through_a_node_that_saved_tensors_is_refused():
    a, b = leaf(1, 2), leaf(3, 4)
    y = (a * b).sum()
    y.backward()
    with pytest.raises(RuntimeError, match=FREED):
        y.backward()
    assert numbers(a.grad) == [3, 4]


@pytest.mark.parametrize("function", [lambda a: a + a, lambda a: a - 1, lambda a: -a], ids=["add", "sub", "neg"])
def test_a_second_pass_through_nodes_that_saved_nothing_works(function):
    a = leaf(1, 2)
    y = function(a).sum()
    y.backward()
    first = numbers(a.grad)
    y.backward()
    assert numbers(a.grad) == [2 * g for g in first]


def test_retain_graph_keeps_the_saved_tensors_for_the_next_pass():
    a, b = leaf(1, 2), leaf(3, 4)
    y = (a * b).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    assert numbers(a.grad) == [9, 12]
    with pytest.raises(RuntimeError, match=FREED):
        y.backward()


def test_create_graph_keeps_the_graph_unless_told_otherwise():
    a = leaf(1, 2)
    y = (a * a).sum()
    torch.autograd.grad(y, [a], create_graph=True)
    torch.autograd.grad(y, [a], create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match=FREED):
        torch.autograd.grad(y, [a])


def test_a_shared_part_of_two_graphs_is_freed_with_the_first():
    a = leaf(1, 2)
    shared = a.exp()
    one, two = (shared * 2).sum(), (shared * 3).sum()
    one.backward()
    with pytest.raises(RuntimeError, match=FREED):
        two.backward()


# ---- changes in place before the backward ----


def test_a_saved_input_that_was_changed_is_found():
    a, b = leaf(1, 2), torch.tensor([3.0, 4.0], dtype=torch.float64)
    y = (a * b).sum()
    b.add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.backward()
    assert a.grad is None


def test_a_saved_result_that_was_changed_is_found():
    a = leaf(1, 2)
    y = a.exp()
    y.detach().mul_(2)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.sum().backward()


def test_detached_tensors_share_the_version():
    a = leaf(1, 2)
    y = a * 2
    d = y.detach()
    e = d.detach()
    e.add_(1)
    assert (y._version, d._version, e._version) == (1, 1, 1)


def test_a_change_before_the_tensor_was_saved_does_not_matter():
    a, b = leaf(1, 2), torch.tensor([3.0, 4.0], dtype=torch.float64)
    b.add_(1)
    y = (a * b).sum()
    y.backward()
    assert numbers(a.grad) == [4, 5]


def test_a_change_through_data_is_not_found_and_changes_the_gradient():
    a = leaf(0, 0)
    y = a.exp()
    y.data.mul_(100)
    y.sum().backward()
    assert y._version == 0
    assert numbers(a.grad) == [100, 100]


def test_a_change_of_a_tensor_that_no_needed_gradient_uses_does_not_matter():
    a, b = leaf(1, 2), torch.tensor([3.0, 4.0], dtype=torch.float64)
    y = (a + b).sum()
    b.add_(1)
    y.backward()
    c = torch.tensor([5.0, 6.0], dtype=torch.float64)
    z = (a * c).sum()  # a's value is saved for c's gradient only, which nobody wants
    a.data.add_(1)
    a.detach().add_(1)
    z.backward()
    assert numbers(a.grad) == [6, 7]


def test_a_zero_dimensional_saved_tensor_is_watched_too():
    a, b = leaf(2), torch.tensor(3.0, dtype=torch.float64)
    y = a * b
    b.add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.backward()


def test_a_pass_that_was_refused_is_refused_in_the_same_words_when_repeated():
    a, b = leaf(1, 2), leaf(3, 4)
    c = b * 1
    y = (a * c).sum()
    c.detach().add_(1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=MODIFIED):
            y.backward()


# ---- numbers that are not finite, and none at all ----


def test_infinities_and_nan_flow_through():
    a = leaf(0.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's remarks: a script runs with them switched off
        a.log().sum().backward()
    assert numbers(a.grad) == [float("inf"), -1.0]


def test_an_empty_tensor_has_an_empty_gradient():
    a = torch.zeros((0, 3), dtype=torch.float64, requires_grad=True)
    (a * 2).sum().backward()
    assert tuple(a.grad.shape) == (0, 3)
