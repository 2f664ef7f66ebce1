"""Tensor as Python sees it: operators, protocols, conversions, names that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_cli.errors import Unsupported
from autograd_cli.ops import methods


def test_prints_as_pytorch(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert str(x) == "tensor([1., 2.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 4.], grad_fn=<MulBackward0>)"
    assert f"{x.sum():.2f}" == "3.00"
    assert str(x.detach().max(0)) == "torch.return_types.max(\nvalues=tensor(2.),\nindices=tensor(1))"


def test_numpy_shares_memory_and_refuses_a_graph(torch: Any) -> None:
    x = torch.zeros(2)
    x.numpy()[0] = 3
    assert x.tolist() == [3, 0]
    array = np.ones(2)
    y = torch.from_numpy(array)
    y.add_(1)
    assert array.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="lose the graph"):
        torch.ones(1, requires_grad=True).numpy()


def test_iteration_gives_the_rows_of_one_unbind(torch: Any) -> None:
    x = torch.ones(3, 2, requires_grad=True)
    rows = list(x)
    assert [r.grad_fn.name() for r in rows] == ["UnbindBackward0"] * 3
    assert len({id(r.grad_fn) for r in rows}) == 1
    assert [r.output_nr for r in rows] == [0, 1, 2]


def test_numbers_on_the_left(torch: Any) -> None:
    x = torch.tensor([2.0, 4.0])
    assert (1 + x).tolist() == [3, 5]
    assert (1 - x).tolist() == [-1, -3]
    assert (8 / x).tolist() == [4, 2]
    assert (2**x).tolist() == [4, 16]
    assert (9 // x).tolist() == [4, 2]
    assert (9 % x).tolist() == [1, 1]
    assert (x < 3).tolist() == [True, False]


def test_equality_with_other_things_is_false(torch: Any) -> None:
    x = torch.ones(2)
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    assert x in [x]


def test_missing_names_are_unsupported_or_unknown(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "known_names", lambda: frozenset({"sparse_mask"}))
    x = torch.ones(1)
    with pytest.raises(Unsupported):
        x.sparse_mask  # noqa: B018
    with pytest.raises(AttributeError):
        x.nosuch  # noqa: B018
    assert not hasattr(x, "nosuch")


def test_to_keeps_the_tensor_when_nothing_changes(torch: Any) -> None:
    x = torch.ones(2)
    assert x.float() is x
    assert x.to(torch.float32) is x
    assert x.to("cpu") is x
    assert x.to(torch.float64).dtype is torch.float64


def test_backward_of_every_part_of_a_split(torch: Any) -> None:
    x = torch.arange(5.0).requires_grad_()
    a, b, c = x.split(2)
    (a.sum() * 2 + c.sum() * 3).backward()
    assert x.grad.tolist() == [2, 2, 0, 0, 3]
    assert b.grad_fn is a.grad_fn


def test_huge_tensors_are_refused_before_they_are_allocated(torch: Any) -> None:
    from autograd_cli.errors import LimitExceeded

    for make in (torch.zeros, torch.rand, torch.randn, torch.ones):
        with pytest.raises(LimitExceeded):
            make(10**6, 10**6)
    with pytest.raises(LimitExceeded):
        torch.arange(10**12)


def test_elements_of_an_index_that_come_twice_get_both_gradients(torch: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    x[torch.tensor([0, 0, 2])].sum().backward()
    x[torch.tensor([True, False, True])].sum().backward()
    assert x.grad.tolist() == [3, 0, 2]


def test_relu_lets_no_gradient_of_infinity_through(torch: Any) -> None:
    x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    x.relu().backward(torch.tensor([float("inf"), float("nan"), 5.0]))
    assert x.grad.tolist() == [0, 0, 5]
