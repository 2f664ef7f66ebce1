"""Every sample gives what PyTorch gives: values, dtypes, graphs, gradients, second gradients, kinds of error."""

from __future__ import annotations

import builtins
import math
from itertools import zip_longest
from typing import Any

import pytest
from observe import Record, observe
from op_names import FUNCTIONAL, TORCH
from sampled import CORNERS, ERRORS, SMOOTH, goldens

GOLDENS: dict[str, Record] = goldens()
FLOAT32_DIGITS, FLOAT64_DIGITS = 1e-6, 1e-9
DIGITS = {"torch.float32": FLOAT32_DIGITS, "torch.complex64": FLOAT32_DIGITS}
WIDE = ("torch.float64", "torch.complex128")

# Graphs that differ from PyTorch's, and why.
GRAPHS_THAT_DIFFER = {
    "r.cumprod(1)": "PyTorch writes the gradients into slices of one tensor",
    "x.trace()": "PyTorch fills the diagonal with index_fill",
    "torch.linalg.det(b*torch.tensor([1.,0.],dtype=torch.float64)[:,None,None])": "PyTorch views the values that it puts",
    "torch.linalg.pinv(b)": "in a difference of two memory orders PyTorch keeps that of the first",
    "torch.linalg.lstsq(b,c).solution": "the same",
    "torch.block_diag(x,v,s)": "PyTorch sums a dimension of size 1 away",
    "torch.tensordot(x,y)": "PyTorch permutes and flattens the second tensor first",
    "x.masked_fill(x>1,s)": "PyTorch sums a masked_select",
    "torch.polar(x,y)": "PyTorch computes both gradients with one common subexpression",
    "(a*1).real.mul_(x)": "PyTorch fills a storage in the backward of as_strided",
    "put(a*1,0,0).cumprod(0)": "PyTorch writes the gradients into slices of one tensor",
}


def close(a: Any, b: Any, digits: float) -> bool:
    """Whether two records' numbers agree."""
    if a is None or b is None:  # PyTorch may leave out a gradient that is zero
        return all(abs(v) <= digits for v in (a or b or []))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y, digits) for x, y in zip(a, b, strict=True))
    if isinstance(a, float | int) and isinstance(b, float | int):
        return math.isclose(a, b, rel_tol=digits, abs_tol=digits)
    return bool(a == b)


def check_results(expected: Record, got: Record) -> None:
    """Values, dtypes, shapes and graphs of the results agree."""
    assert "error" not in got, got
    assert len(got["results"]) == len(expected["results"])
    for theirs, ours in zip(expected["results"], got["results"], strict=True):
        if isinstance(theirs, str):
            assert ours == theirs
            continue
        assert (ours["dtype"], ours["shape"], ours["graph"]) == (theirs["dtype"], theirs["shape"], theirs["graph"])
        digits = DIGITS.get(theirs["dtype"], 1e-3 if "float16" in theirs["dtype"] else FLOAT64_DIGITS)
        assert close(ours["values"], theirs["values"], digits), (ours["values"], theirs["values"])


def check_gradients(expression: str, expected: Record, got: Record) -> None:
    """Gradients, second gradients and the graphs of the backward pass agree."""
    digits = 1e-8 if all(r["dtype"] in WIDE for r in expected["results"] if isinstance(r, dict)) else 1e-3
    assert close(got["grads"], expected["grads"], digits), (got["grads"], expected["grads"])
    if expected.get("second") or got.get("second"):
        theirs, ours = expected.get("second") or [], got.get("second") or []
        for a, b in zip_longest(theirs, ours):
            assert close(b, a, digits), (a, b)
    if expression not in GRAPHS_THAT_DIFFER:
        assert got["grad_graphs"] == expected["grad_graphs"]
        assert got["recorded"] == expected["recorded"]


@pytest.mark.parametrize("expression", SMOOTH + CORNERS)
def test_values_and_graphs_are_pytorchs(expression: str) -> None:
    check_results(GOLDENS[expression], observe(TORCH, FUNCTIONAL, expression))


@pytest.mark.parametrize("expression", [e for e in SMOOTH + CORNERS if "grads" in GOLDENS[e]])
def test_gradients_are_pytorchs(expression: str) -> None:
    check_gradients(expression, GOLDENS[expression], observe(TORCH, FUNCTIONAL, expression))


@pytest.mark.parametrize("expression", ERRORS)
def test_errors_have_pytorchs_type(expression: str) -> None:
    expected, got = GOLDENS[expression], observe(TORCH, FUNCTIONAL, expression)
    assert "error" in got, f"PyTorch raises {expected['error']}, and this does not fail"
    theirs, ours = getattr(builtins, expected["error"]), getattr(builtins, got["error"])
    assert issubclass(theirs, ours), f"PyTorch raises {theirs}, and this {ours}"
    assert ours not in (Exception, BaseException)
