"""The smallest and the largest element in one operation."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.op import op
from .named import named
from .reduce import check_not_empty, scale_by_count
from .support import want_tensor, wrap_dim


@op(
    "AminmaxBackward0",
    real_only=True,
    broadcasts=("self",),
    outputs=("min", "max"),
    num_grads=2,
    self=lambda grads, self, min, max, dim, keepdim: by_extremes(grads, self, min, max, dim, keepdim),
)
def aminmax_dim(self, dim, keepdim):
    """The smallest and the largest elements; equal ones share the gradient."""
    axis = dim if self.ndim else None
    return self.min(axis=axis, keepdims=keepdim), self.max(axis=axis, keepdims=keepdim)


def by_extremes(grads: Any, self: Any, least: Any, most: Any, dim: int | None, keepdim: bool) -> Any:
    """PyTorch's aminmax_backward."""
    dims = () if dim is None else (dim,)
    parts = [scale_by_count(g, self, r, dims, keepdim) for g, r in zip(grads, (least, most), strict=True) if g is not None]
    return None if not parts else parts[0] if len(parts) == 1 else parts[0] + parts[1]


# ---- what scripts call ----


def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """(min, max) of all elements, or along one dimension."""
    input = want_tensor(input, "aminmax")
    check_not_empty(input, "aminmax", dim)
    least, most = aminmax_dim(input, None if dim is None else wrap_dim(dim, input._data.ndim), keepdim)
    return named("aminmax", min=least, max=most)
