"""Complex numbers in the engine. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import numpy as np
import pytest
from under_test import PYTORCH, leaf, numbers, torch

our_own = pytest.mark.skipif(PYTORCH, reason="our own words")


def complex_leaf(*values):
    return torch.tensor(values or (1 + 2j, -0.5j), dtype=torch.complex128, requires_grad=True)


def test_a_step_against_the_gradient_goes_downhill():
    z = complex_leaf()
    loss = (z * z - 1).abs().sum()
    loss.backward()
    with torch.no_grad():
        assert ((z - 0.01 * z.grad) ** 2 - 1).abs().sum() < loss


def test_of_a_real_operand_the_real_part_is_left():
    z, x = complex_leaf(1 + 2j), leaf(3.0, 4.0)
    (z * x).sum().backward(torch.tensor(1j, dtype=torch.complex128))
    assert x.grad.dtype == torch.float64
    assert numbers(x.grad) == [2.0, 2.0]


def test_the_implied_gradient_is_for_real_roots():
    z = complex_leaf()
    with pytest.raises(RuntimeError):
        z.sum().backward()
    with pytest.raises(RuntimeError):
        z.sum().backward(torch.tensor(1.0, dtype=torch.float64))
    z.sum().backward(torch.tensor(1j, dtype=torch.complex128))
    assert z.grad.tolist() == [1j, 1j]


def test_grad_of_a_complex_leaf_is_complex():
    z = complex_leaf()
    with pytest.raises(RuntimeError):
        z.grad = torch.zeros(2)
    z.grad = torch.zeros(2, dtype=torch.complex128)
    z.real.sum().backward()
    assert z.grad.tolist() == [1, 1]


def test_a_conjugate_follows_its_base_and_the_base_follows_it():
    z = torch.tensor([1 + 2j, 3 - 1j])
    c, d = z.conj(), z.conj()[0]
    z.mul_(2)
    assert c.tolist() == [2 - 4j, 6 + 2j]
    assert d.item() == 2 - 4j
    c.add_(1j)
    assert z.tolist() == [2 + 3j, 6 - 3j]
    assert d.item() == 2 - 3j
    z.imag.zero_()
    assert c.tolist() == [2, 6]
    d.fill_(1j)
    assert z.tolist() == [-1j, 6]
    assert z._version == c._version == 4


def test_a_conjugate_that_is_conjugated_is_none():
    z = complex_leaf()
    assert z.conj().is_conj()
    assert not z.conj().conj().is_conj()
    assert not z.is_conj()
    assert not (z.conj() * 1).is_conj()
    assert z.conj().resolve_conj().tolist() == z.conj().tolist()
    assert z.resolve_conj() is z


def test_real_is_a_view_and_a_real_tensor_is_its_own():
    z, x = complex_leaf(), leaf(1.0, 2.0)
    y = z * 1
    y.real.mul_(0)
    assert y.tolist() == [2j, -0.5j]
    assert y._version == 1
    assert x.real is x
    assert x.conj() is x


def test_hooks_see_complex_gradients():
    z, seen = complex_leaf(), []
    y = z * 1j
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.imag.sum().backward()
    assert seen == [[1j, 1j]]
    assert z.grad.tolist() == [1, 1]


def test_a_pass_that_frees_the_graph_frees_complex_nodes_too():
    z = complex_leaf()
    loss = (z * z).real.sum()
    loss.backward()
    with pytest.raises(RuntimeError):
        loss.backward()


def test_create_graph_and_a_plain_pass_give_the_same():
    z = complex_leaf()
    (plain,) = torch.autograd.grad((z.exp() * z.abs()).imag.sum(), z)
    (recorded,) = torch.autograd.grad((z.exp() * z.abs()).imag.sum(), z, create_graph=True)
    assert plain.tolist() == recorded.detach().tolist()


def test_saved_tensor_hooks_see_complex_tensors():
    z, seen = complex_leaf(), []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.dtype) or t, lambda t: t):
        loss = (z * z).abs().sum()
    loss.backward()
    assert set(seen) == {torch.complex128}
    assert z.grad.abs().sum() > 0


WAYS = {
    "tensor": lambda: torch.tensor([1j]),
    "dtype": lambda: torch.zeros(1, dtype=torch.complex64),
    "array": lambda: torch.from_numpy(np.array([1j])),
    "number": lambda: leaf(1.0) * 1j,
    "NumPy's number": lambda: leaf(1.0) * np.complex128(1j),
    "minus": lambda: 1j - leaf(1.0),
    "power": lambda: leaf(1.0) ** 1j,
    "conversion": lambda: leaf(1.0).to(torch.complex128),
    "cfloat": lambda: leaf(1.0).cfloat(),
    "complex": lambda: torch.complex(leaf(1.0), leaf(2.0)),
    "polar": lambda: torch.polar(leaf(1.0), leaf(2.0)),
    "pairs": lambda: torch.view_as_complex(leaf(1.0, 2.0)),
    "where": lambda: torch.where(torch.tensor(True), leaf(1.0), 1j),
    "full": lambda: torch.full((1,), 1j),
}


@our_own
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_a_complex_tensor_tells_the_operations(way, monkeypatch):
    from autograd_cli.core.modes import modes

    monkeypatch.setattr(modes, "complex_seen", False)
    made = WAYS[way]()
    assert made.is_complex()
    assert modes.complex_seen


@our_own
def test_a_real_program_does_not_look_for_complex_numbers(monkeypatch):
    from autograd_cli.core.modes import modes

    monkeypatch.setattr(modes, "complex_seen", False)
    x = leaf(1.0, 2.0)
    (x.exp() * x.to(torch.float32) ** 2).sum().backward()
    assert not modes.complex_seen
