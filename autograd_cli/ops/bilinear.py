"""Products of three tensors: what is behind ``F.bilinear``."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.op import op
from ..errors import ShapeMismatch
from .shape import reshape
from .support import want_tensor


@op(
    "TrilinearBackward0",
    real_only=True,
    i1=lambda grad, i2, i3, axes: trilinear(grad, i2, i3, (axes[3], axes[1], axes[2], axes[0])),
    i2=lambda grad, i1, i3, axes: trilinear(i1, grad, i3, (axes[0], axes[3], axes[2], axes[1])),
    i3=lambda grad, i1, i2, axes: trilinear(i1, i2, grad, (axes[0], axes[1], axes[3], axes[2])),
)
def trilinear(xp, i1, i2, i3, axes):
    """The sum of products of three tensors; `axes` names the dimensions of each, and of the result, by letters."""
    first, second, third, result = axes
    return xp.einsum(f"{first},{second},{third}->{result}", i1, i2, i3, optimize=True)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """``input1 @ weight[o] @ input2`` for each output o, plus bias.

    Parameters
    ----------
    input1, input2 : Tensor
        (*, H1) and (*, H2).
    weight : Tensor
        (outputs, H1, H2).
    """
    a, b = want_tensor(input1, "bilinear", "input1")._data.shape, want_tensor(input2, "bilinear", "input2")._data.shape
    w = want_tensor(weight, "bilinear", "weight")._data.shape
    if len(w) != 3 or not a or not b or a[:-1] != b[:-1] or (a[-1], b[-1]) != w[1:]:
        raise ShapeMismatch(
            f"bilinear() got inputs of shapes {list(a)} and {list(b)} for a weight of shape {list(w)}",
            hint="they are (*, H1), (*, H2) and (outputs, H1, H2)",
        )
    rows = trilinear(reshape(input1, (-1, a[-1])), weight, reshape(input2, (-1, b[-1])), ("ni", "oij", "nj", "no"))
    found = reshape(rows, (*a[:-1], w[0]))
    return found if bias is None else found + bias
