"""Printing, against what PyTorch printed (tests/goldens/printing.json, recorded by record_printing.py)."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from autograd_cli.core import print_options
from autograd_cli.core.printing import format_text, tensor_text
from autograd_cli.core.tensor import Size
from autograd_cli.errors import BadArgumentType, BadArgumentValue

GOLDENS = Path(__file__).parents[1] / "goldens"
printing_cases = SimpleNamespace(**runpy.run_path(str(GOLDENS / "printing_cases.py")))
CASES = json.loads((GOLDENS / "printing.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(autouse=True)
def default_print_options():
    print_options.set_printoptions(profile="default")
    yield
    print_options.set_printoptions(profile="default")


def float32(values) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize("dtype", sorted({case["dtype"] for case in CASES}))
def test_prints_what_pytorch_printed(dtype):
    cases = [case for case in CASES if case["dtype"] == dtype]
    if printing_cases.numpy_dtype(dtype) is None:
        pytest.skip("ml_dtypes is not installed")
    for case in cases:
        assert printing_cases.printed(case) == case["text"], {key: value for key, value in case.items() if key != "text"}


def test_the_goldens_cover_every_dtype_and_many_shapes():
    assert len(CASES) >= 250
    dtypes = {case["dtype"] for case in CASES}
    assert dtypes == {*printing_cases.FLOATS, *printing_cases.INTEGERS, *printing_cases.COMPLEX}
    assert {len(case["shape"]) for case in CASES} == {0, 1, 2, 3, 4}


# The texts below are those that PyTorch 2.13 prints for the same tensors.


def test_whole_numbers_show_only_the_point():
    assert tensor_text(float32([1, 2, 30])) == "tensor([ 1.,  2., 30.])"


def test_a_result_shows_its_grad_fn_and_a_leaf_that_it_requires_grad():
    array = float32([[1.5, 2], [3, 4]])
    expected = "tensor([[1.5000, 2.0000],\n        [3.0000, 4.0000]]"
    assert tensor_text(array, grad_fn_name="AddBackward0", requires_grad=True) == expected + ", grad_fn=<AddBackward0>)"
    assert tensor_text(array, requires_grad=True) == expected + ", requires_grad=True)"


def test_the_default_dtype_is_not_shown():
    array = np.array([1.5])
    assert tensor_text(array) == "tensor([1.5000], dtype=torch.float64)"
    assert tensor_text(array, default_dtype=np.dtype(np.float64)) == "tensor([1.5000])"
    assert tensor_text(float32([1.5]), default_dtype=np.dtype(np.float64)) == "tensor([1.5000], dtype=torch.float32)"


def test_another_device_is_shown_first():
    assert tensor_text(np.array([1, 2], np.int32), device="cuda:0") == "tensor([1, 2], device='cuda:0', dtype=torch.int32)"


def test_an_indent_moves_the_following_lines():
    text = tensor_text(float32([[1], [2]]), indent=4)
    assert text == "tensor([[1.],\n" + " " * 12 + "[2.]])"


def test_a_numpy_scalar_prints_as_a_tensor_without_dimensions():
    assert tensor_text(np.float32(2.5), grad_fn_name="SumBackward0") == "tensor(2.5000, grad_fn=<SumBackward0>)"


def test_a_summary_reads_only_the_edges():
    array = np.broadcast_to(np.float32(0.5), (10**6, 10**6))  # 4 TB, were it copied
    assert tensor_text(array).startswith("tensor([[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000],\n")


def test_size_text():
    assert [str(Size(shape)) for shape in ((), (3,), (3, 3))] == ["torch.Size([])", "torch.Size([3])", "torch.Size([3, 3])"]


def test_format_of_a_single_number_is_pythons():
    assert format_text(float32(2.0), ".3f", str) == "2.000"
    assert format_text(np.array(7), "05d", str) == "00007"
    assert format_text(np.array(True), "", str) == "True"
    assert format_text(float32(0.1), "", str) == "0.10000000149011612"  # a float32 as Python's float


def test_format_of_more_numbers_takes_no_specification():
    assert format_text(float32([1, 2]), "", lambda: "the whole tensor") == "the whole tensor"
    with pytest.raises(BadArgumentType, match="single number"):
        format_text(float32([1, 2]), ".3f", str)


def test_each_call_sets_sci_mode_anew():
    print_options.set_printoptions(sci_mode=True)
    assert tensor_text(float32([1.5])) == "tensor([1.5000e+00])"
    print_options.set_printoptions(precision=2)
    assert tensor_text(float32([1.5])) == "tensor([1.50])"


def test_options_of_a_with_block_end_with_it():
    def fail_within():
        with print_options.printoptions(precision=1, sci_mode=True):
            assert print_options.get_printoptions()["precision"] == 1
            raise KeyError

    with pytest.raises(KeyError):
        fail_within()
    assert print_options.get_printoptions() == {
        "precision": 4,
        "threshold": 1000,
        "edgeitems": 3,
        "linewidth": 80,
        "sci_mode": None,
    }


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"profile": "fancy"}, BadArgumentValue),
        ({"precision": -1}, BadArgumentValue),
        ({"precision": 2.5}, BadArgumentType),
        ({"linewidth": "wide"}, BadArgumentType),
        ({"threshold": float("nan")}, BadArgumentValue),
    ],
)
def test_impossible_options_change_nothing(options, error):
    before = print_options.get_printoptions()
    with pytest.raises(error):
        print_options.set_printoptions(edgeitems=5, **options)
    assert print_options.get_printoptions() == before
