"""Running sums in logarithms: logcumsumexp."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import DtypeMismatch
from .compare import gt, lt, where_self
from .pointwise import abs, exp, log
from .rearrange import flip
from .support import want_tensor, wrap_dim


@op(
    "LogcumsumexpBackward0",
    contiguous=True,
    real_only=True,
    self=lambda grad, self, result, dim: logcumsumexp_backward(grad, self, result, dim),
)
def logcumsumexp_at(xp, self, dim):
    """The logarithm of the running sums of exponentials along a dimension."""
    if not self.ndim:
        return self + 0
    if xp is np:
        return np.logaddexp.accumulate(self, axis=dim)
    sums = self.copy()
    for k in range(1, self.shape[dim]):
        now, before = ((slice(None),) * dim + (i,) for i in (k, k - 1))
        sums[now] = xp.logaddexp(sums[before], sums[now])
    return sums


def logcumsumexp_backward(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """PyTorch's logcumsumexp_backward: in logarithms, the positive and the negative part of the gradient apart."""
    if grad.__class__ is not Tensor:
        return logcumsumexp_backward(fresh(grad), fresh(self), fresh(result), dim)._data
    if not grad._data.ndim or not grad._data.size:
        return grad
    least = fresh(grad._data.dtype.type(np.finfo(grad._data.dtype).min))
    size = log(abs(grad))
    positive = where_self(gt(grad, 0), size, least)
    negative = where_self(lt(grad, 0), size, least)

    def part(logs: Any) -> Any:
        return exp(flip(logcumsumexp_at(flip(logs - result, dim), dim), dim) + self)

    return part(positive) - part(negative)


def logcumsumexp(input: Any, dim: Any) -> Any:
    """The logarithm of the running sums of exponentials along `dim`, computed without overflow."""
    data = want_tensor(input, "logcumsumexp")._data
    if data.dtype.kind not in "fV":
        raise DtypeMismatch(
            f"logcumsumexp() works on floating-point numbers, not on {dt.of(data).name}", hint="convert them: x.float()"
        )
    return logcumsumexp_at(input, wrap_dim(dim, data.ndim))
