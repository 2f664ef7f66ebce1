"""Options of the losses that ``samples.py`` does not reach, with numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.errors import BadArgumentValue
from autograd_cli.ops.loss_robust import huber_loss, kl_div, smooth_l1_loss


def test_mean_of_a_weighted_huber_loss_is_over_the_elements(torch: Any) -> None:
    input, target, weight = torch.zeros(2), torch.tensor([1.0, 3.0]), torch.tensor([2.0, 4.0])
    assert huber_loss(input, target, reduction="none", weight=weight).tolist() == [1.0, 10.0]
    assert huber_loss(input, target, reduction="sum", weight=weight).item() == 11.0
    assert huber_loss(input, target, weight=weight).item() == 5.5


def test_weights_of_another_shape_are_refused(torch: Any) -> None:
    with pytest.raises(BadArgumentValue, match=r"huber_loss\(\) takes weights of the input's shape \[2\], not \[1\]"):
        huber_loss(torch.zeros(2), torch.ones(2), weight=torch.ones(1))


def test_old_options_stand_in_the_place_of_reduction(torch: Any) -> None:
    input, target = torch.zeros(2), torch.tensor([1.0, 3.0])
    for loss in (smooth_l1_loss, lambda *args, **options: kl_div(target, input + 1, **options)):
        assert loss(input, target, size_average=False).item() == loss(input, target, reduction="sum").item()
        assert loss(input, target, reduce=False).tolist() == loss(input, target, reduction="none").tolist()
        assert loss(input, target, size_average=True, reduction="sum").item() == loss(input, target).item()
