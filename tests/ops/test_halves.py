"""float16 and bfloat16 are computed as PyTorch's CPU kernels do: most results are equal to the bit, the others nearly so."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from halves import observe_half
from op_names import FUNCTIONAL, TORCH

from autograd_cli.core import dtype as dt

pytest.importorskip("ml_dtypes")

STEP = {"torch.float16": 2**-10, "torch.bfloat16": 2**-7, "torch.float32": 2**-20, "torch.float64": 2**-20}
# Where a sum's terms cancel, or where one of PyTorch's own kernels overflows or rounds in a way of its own.
OTHERWISE = frozenset(
    """
float16 torch.logsumexp(b,(0,2),keepdim=True)
float16 x.softmax(0)
float16 torch.ldexp(x,k[:1])
float16 torch.linalg.matrix_exp(x)
float16 torch.matrix_exp(b)
float16 x.matrix_exp()
float16 B.softmax(-1)
float16 F.layer_norm(B,(40,))
float16 F.kl_div(B,B.softmax(1))
float16 F.scaled_dot_product_attention(b,c,b)
float16 F.cross_entropy(B,B.softmax(1).detach())
bfloat16 x.softmax(0)
bfloat16 F.softmin(x,0)
bfloat16 torch.ldexp(x,k[:1])
bfloat16 torch.linalg.matrix_exp(x)
bfloat16 torch.matrix_exp(b)
bfloat16 x.matrix_exp()
bfloat16 B.logsumexp(1)
bfloat16 F.kl_div(B,B.softmax(1))
bfloat16 F.scaled_dot_product_attention(b,c,b)
bfloat16 B.softmax(1,dtype=torch.float32)
""".strip().split("\n")
)


@cache
def goldens() -> dict[str, Any]:
    """PyTorch's answers."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "goldens_halves.json").read_text(encoding="utf-8"))
    return found


@cache
def observed(dtype: str, expression: str) -> dict[str, Any]:
    """agrad's answer."""
    names = SimpleNamespace(**vars(TORCH), bfloat16=dt.want_bfloat16()) if not hasattr(TORCH, "bfloat16") else TORCH
    return observe_half(names, FUNCTIONAL, expression, getattr(names, dtype))


def close(ours: Any, theirs: Any) -> bool:
    """Whether two results have one dtype and shape, and numbers that differ by a few last bits at most."""
    if isinstance(ours, str) or isinstance(theirs, str) or ours[:2] != theirs[:2]:
        return bool(ours == theirs)
    step = STEP.get(ours[0], 0)
    pairs = [(float(a), float(b)) for a, b in zip(ours[2], theirs[2], strict=True)]
    scale = max((abs(b) for _, b in pairs if math.isfinite(b)), default=0.0)
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= step * (2 * max(abs(a), abs(b)) + scale) for a, b in pairs
    )


@pytest.mark.parametrize("recorded", goldens())
def test_like_pytorch(recorded: str) -> None:
    ours, theirs = observed(*recorded.split(" ", 1)), goldens()[recorded]
    assert ours.get("error") == theirs.get("error")
    if recorded in OTHERWISE:
        return
    for part in ("results", "grads"):
        a, b = ours.get(part, []), theirs.get(part, [])
        assert len(a) == len(b)
        assert all(close(x, y) for x, y in zip(a, b, strict=True))


def test_most_results_are_equal_to_the_bit() -> None:
    records = [(observed(*recorded.split(" ", 1)), theirs) for recorded, theirs in goldens().items()]
    assert sum(ours == theirs for ours, theirs in records) > 0.9 * len(records)
