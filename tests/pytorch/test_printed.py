"""Which printed lines say the same."""

from __future__ import annotations

import pytest

from autograd_cli.pytorch.printed import same_line

SAME = [
    ("loss 0.1234", "loss 0.1234"),
    ("loss 0.1234", "loss 0.1235"),
    ("tensor([ 9.9999, 1.0000])", "tensor([10.0000, 1.0000])"),
    ("1.2345e-05", "1.2346e-05"),
    ("1.2345e+08", "1.2346e+08"),
    ("-0.0001", "0.0000"),
    ("0.30000001192092896", "0.3000000417232513"),  # a float32 with all its digits: a value, held to rtol
    ("step 3 loss 2.5", "step 3 loss 2.6"),
]
DIFFERENT = [
    ("loss 0.1234", "loss 0.1236"),
    ("loss 0.1234", "loss 0.12345"),
    ("loss 0.1234", "Loss 0.1234"),
    ("step 3", "step 4"),  # an integer is no rounded number
    ("tensor(1.)", "tensor(1)"),
    ("tensor(1., grad_fn=<MulBackward0>)", "tensor(1., grad_fn=<AddBackward0>)"),
    ("[2, 2]", "[2, 3]"),
    ("tensor([ 6., 12.])", "tensor([ 6., 13.])"),  # whole numbers are not rounded either
    ("1e5", "2e5"),
    ("nan", "0.0000"),
    ("0.30000001192092896", "0.3000011920928955"),
    ("v1.5", "v1.6"),
    ("1.5", ""),
]


@pytest.mark.parametrize(("ours", "torch"), SAME)
def test_same(ours: str, torch: str) -> None:
    assert same_line(ours, torch, 1.3e-6)
    assert same_line(torch, ours, 1.3e-6)


@pytest.mark.parametrize(("ours", "torch"), DIFFERENT)
def test_different(ours: str, torch: str) -> None:
    assert not same_line(ours, torch, 1.3e-6)
    assert not same_line(torch, ours, 1.3e-6)


def test_addresses_are_of_no_account() -> None:
    assert same_line("<SinBackward0 object at 0x7f0000000010>", "<SinBackward0 object at 0x7f19c8a0b1f0>", 1.3e-6)
    assert not same_line("<SinBackward0 object at 0x7f0000000010>", "<CosBackward0 object at 0x7f0000000010>", 1.3e-6)
