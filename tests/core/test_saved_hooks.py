"""Saved-tensor hooks, and what nodes say that they saved. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import gc
import weakref

import pytest
from under_test import PYTORCH, leaf, numbers, torch

graph = torch.autograd.graph


def logging_hooks(log):
    def pack(x):
        log.append(("pack", numbers(x)))
        return x.detach()

    def unpack(x):
        log.append(("unpack", numbers(x)))
        return x

    return graph.saved_tensors_hooks(pack, unpack)


def test_inputs_are_packed_before_results_and_numbers_not_at_all():
    a, log = leaf(1, 2), []
    with logging_hooks(log):
        y = (a * 3).pow(2).exp() / a
    assert [what for what, _ in log] == ["pack"] * 4  # pow: self; exp: result; div: other, self
    log.clear()
    y.sum().backward()
    assert [numbers for _, numbers in log[:2]] == [[1, 2], numbers(torch.exp(torch.tensor([9.0, 36.0], dtype=torch.float64)))]
    assert len(log) == 4


def test_the_hook_is_called_without_recording_and_sees_the_tensor_itself():
    a, seen = leaf(1, 2), []
    with graph.saved_tensors_hooks(lambda x: seen.append((x is a, torch.is_grad_enabled())) or 0, lambda x: a):
        y = a.sin()
    y.sum().backward()
    assert seen == [(True, False)]
    assert numbers(a.grad) == numbers(a.detach().cos())


def test_a_pass_that_records_gets_the_history_of_what_was_saved():
    a = leaf(1, 2)
    with logging_hooks([]):
        y = (a * a).sum()
    (g,) = torch.autograd.grad(y, a, create_graph=True)
    g.sum().backward()
    assert numbers(a.grad) == [2, 2]


def test_a_freed_packed_tensor_is_freed_as_any():
    a = leaf(1, 2)
    with logging_hooks([]):
        y = a.exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match=r"second time|freed"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="freed"):
        _ = y.grad_fn._saved_result


def test_what_was_packed_is_let_go_with_the_graph():
    class Payload:
        pass

    a, refs = leaf(1, 2), []

    def pack(x):
        made = Payload()
        made.tensor = x.detach()
        refs.append(weakref.ref(made))
        return made

    gc.disable()
    try:
        with graph.saved_tensors_hooks(pack, lambda p: p.tensor):
            y, z = a.exp().sum(), a.sin()
        y.backward()
        assert refs[0]() is None
        assert refs[1]() is not None
        del z
        assert refs[1]() is None
    finally:
        gc.enable()


def test_outside_of_the_block_nothing_is_packed():
    a, log = leaf(1, 2), []
    with logging_hooks(log):
        pass
    a.exp().sum().backward()
    assert log == []


def test_an_error_in_the_block_ends_the_hooks():
    a, log = leaf(1, 2), []
    with pytest.raises(KeyError), logging_hooks(log):
        raise KeyError
    a.exp().sum().backward()
    assert log == []


def test_tensors_packed_in_place_of_a_view_and_of_a_change_in_place():
    a, log = leaf(1, 2, 3), []
    with logging_hooks(log):
        b = a * 1
        c = b[1:]
        c.mul_(c.detach() * 2)
        b.tanh_()
    b.sum().backward()
    values = [1.0, 2 * 4.0, 3 * 6.0]
    slopes = [1.0, 4.0, 6.0]
    expected = [
        s * (1 - numbers(torch.tanh(torch.tensor(v, dtype=torch.float64))) ** 2) for v, s in zip(values, slopes, strict=True)
    ]
    assert numbers(a.grad) == pytest.approx(expected)


def test_saved_attributes_are_those_of_pytorch():
    a = leaf(1, 2)
    product = a * a.detach()
    assert [n for n in dir(product.grad_fn) if n.startswith("_saved")] == ["_saved_other", "_saved_self"]
    assert [n for n in dir(a.exp().grad_fn) if n.startswith("_saved")] == ["_saved_result"]
    assert a.exp().grad_fn._saved_result.grad_fn.name() == "ExpBackward0"
    assert not hasattr(product.grad_fn, "_saved_result")
    assert product.grad_fn._saved_self is None  # nobody wants the gradient of the other one


def test_saved_attributes_know_a_change_in_place():
    a, b = leaf(1, 2), torch.ones(2, dtype=torch.float64)
    y = a * b
    b.add_(1)
    with pytest.raises(RuntimeError, match=r"changed in place|modified"):
        _ = y.grad_fn._saved_other


def test_metadata_is_a_dictionary_of_the_node():
    y = leaf(1, 2) * 2
    y.grad_fn.metadata["mine"] = 5
    assert y.grad_fn.metadata == {"mine": 5}
    assert (y * 2).grad_fn.metadata == {}


def test_disabling_hooks_inside_hooks_is_refused():
    with pytest.raises(RuntimeError, match="none here"), logging_hooks([]), graph.disable_saved_tensors_hooks("none here"):
        pass


def test_save_on_cpu_changes_nothing_on_the_cpu():
    a = leaf(1, 2)
    with graph.save_on_cpu():
        y = (a * a).exp().sum()
    y.backward()
    b = leaf(1, 2)
    (b * b).exp().sum().backward()
    assert numbers(a.grad) == numbers(b.grad)


def test_several_gradients_one_hook():
    a, seen = leaf(1, 2), []
    b, c = a * 2, a * 3
    handle = graph.register_multi_grad_hook([a, b, c], lambda grads: seen.append([numbers(g) for g in grads]))
    (b + c).sum().backward(retain_graph=True)
    b.sum().backward(retain_graph=True)
    handle.remove()
    c.sum().backward()
    assert seen == [[[5, 5], [1, 1], [1, 1]], [[2, 2], [1, 1], None]]


@pytest.mark.skipif(PYTORCH, reason="our own structure")
def test_plain_operations_are_not_listened_to_once_the_hooks_are_gone():
    from autograd_cli.core.modes import modes

    with logging_hooks([]):
        assert modes.instrument is not None
    assert modes.instrument is None
