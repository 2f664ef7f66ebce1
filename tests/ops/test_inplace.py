"""Changes in place: values, versions, what nodes keep, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.core.grad_mode import no_grad
from autograd_cli.errors import BadArgument, DtypeMismatch, InplaceModified, LeafInplace, ShapeMismatch, ViewInplace


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def test_change_moves_the_version_of_all_that_share_the_storage(torch: Any) -> None:
    x = torch.zeros(2, 3)
    row, flat = x[0], x.view(6)
    row.add_(1)
    flat.mul_(2)
    assert (x._version, row._version, flat._version) == (2, 2, 2)
    assert x.tolist() == [[2, 2, 2], [0, 0, 0]]


def test_change_of_a_0d_view_reaches_its_base(torch: Any) -> None:
    x = torch.zeros(3)
    x[1].fill_(5)
    x[2] += 7
    assert x.tolist() == [0, 5, 7]


def test_change_of_a_0d_tensor_reaches_its_detached_alias(torch: Any) -> None:
    x = torch.tensor(1.0)
    alias = x.detach()
    x.add_(2)
    assert alias.item() == 3
    assert alias._version == 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "bool"])
def test_random_numbers_in_a_0d_tensor_leave_its_dtype(torch: Any, dtype: str) -> None:
    x = torch.tensor(1, dtype=getattr(torch, dtype))
    for change in (lambda: x.bernoulli_(), lambda: x.random_(0, 2), lambda: x.random_()):
        assert change() is x
        assert x.dtype is getattr(torch, dtype)


def test_data_shares_the_values_but_not_the_version(torch: Any) -> None:
    x = torch.ones(2)
    x.data.mul_(3)
    assert (x.tolist(), x._version) == ([3, 3], 0)


def test_a_leaf_can_be_changed_under_no_grad_and_stays_a_leaf(torch: Any) -> None:
    w = leaf(torch, 1.0, 2.0)
    with no_grad():
        w -= 0.5 * torch.ones(2)
        w.mul_(2)
        w[0] = 9
    assert w.is_leaf
    assert w.requires_grad
    assert (w.tolist(), w._version) == ([9, 3], 3)
    (w * w).sum().backward()
    assert w.grad.tolist() == [18, 6]


def test_a_result_changed_in_place_has_the_gradient_of_both_steps(torch: Any) -> None:
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    y += x
    y.mul_(x)  # 4 x**2
    y.sum().backward()
    assert x.grad.tolist() == [8, 16]


def test_a_tensor_multiplied_by_itself_in_place_has_lost_what_the_backward_needs(torch: Any) -> None:
    y = leaf(torch, 1.0, 2.0) * 3
    y.mul_(y)
    with pytest.raises(InplaceModified, match="`other`"):
        y.sum().backward()


def test_result_saved_by_a_change_in_place_is_the_new_state(torch: Any) -> None:
    x = leaf(torch, 0.0, 1.0)
    y = (x * 1).exp_()
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([1.0, 2.718281828], abs=1e-6)


def test_change_after_exp_in_place_is_noticed(torch: Any) -> None:
    x = leaf(torch, 0.0, 1.0)
    y = (x * 1).exp_()
    y.add_(1)
    with pytest.raises(InplaceModified):
        y.sum().backward()


def test_saved_operand_changed_in_place_is_noticed(torch: Any) -> None:
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    a = x * 1
    y = a * w
    a.add_(1)
    with pytest.raises(InplaceModified, match="MulBackward0 saved `self` at version 0"):
        y.backward()


def test_a_change_of_a_row_is_recorded_on_the_whole(torch: Any) -> None:
    x = leaf(torch, 1.0, 2.0)
    whole = x * 3
    row = whole[0]
    row.mul_(x[1])
    assert (type(whole.grad_fn).__name__, type(row.grad_fn).__name__) == ("CopySlices", "AsStridedBackward0")
    whole.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]  # d(3 x0 x1 + 3 x1)


def test_what_pytorch_refuses_to_change_is_refused(torch: Any) -> None:
    whole = leaf(torch, 1.0, 2.0) * 1
    with no_grad():
        hidden = whole[0:1]
    for part in (whole.split(1)[0], whole.unbind()[0], hidden):
        with pytest.raises(ViewInplace):
            part.add_(1)


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (LeafInplace, lambda torch: leaf(torch, 1.0).add_(1)),
        (LeafInplace, lambda torch: leaf(torch, 1.0)[0].add_(1)),
        (LeafInplace, lambda torch: leaf(torch, 1.0).__setitem__(0, 1.0)),
        (ShapeMismatch, lambda torch: torch.zeros(3).add_(torch.ones(2, 3))),
        (DtypeMismatch, lambda torch: torch.zeros(3, dtype=torch.long).mul_(1.5)),
        (BadArgument, lambda torch: torch.zeros(1).expand(3).add_(1)),
        (BadArgument, lambda torch: torch.zeros(1).expand(3).fill_(torch.tensor(1.0))),
    ],
)
def test_change_is_refused_and_nothing_moves(torch: Any, error: type[BaseException], change: Any) -> None:
    with pytest.raises(error):
        change(torch)


def test_augmented_assignment_keeps_the_object(torch: Any) -> None:
    x = same = torch.ones(2)
    x += 1
    x *= torch.tensor([1.0, 2.0])
    x /= 2
    x -= 1
    x **= 2
    assert x is same
    assert x.tolist() == [0, 1]


def test_assignment_takes_every_kind_of_index(torch: Any) -> None:
    x = torch.zeros(3, 4)
    x[0] = 1
    x[1, 2:] = torch.tensor([5.0, 6.0])
    x[x == 0] = -1
    x[torch.tensor([2, 2]), torch.tensor([0, 3])] = 8
    x[..., 1] = torch.tensor([7, 7, 7])
    assert x.tolist() == [[1, 7, 1, 1], [-1, 7, 5, 6], [8, 7, -1, 8]]
    assert x._version == 5
