"""``F.local_response_norm``: channels that damp their neighbours (Krizhevsky et al. 2012, section 3.3)."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentValue
from .arithmetic import mul
from .pad import pad
from .pool import avg_pool2d, avg_pool3d
from .power import pow_scalar
from .shape import view
from .sizes import squeeze, unsqueeze
from .support import want_tensor


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Input (N, C, …) divided by (k + alpha * the mean square of `size` neighbouring channels) ** beta."""
    shape = want_tensor(input, "local_response_norm")._data.shape
    if len(shape) < 3:
        raise BadArgumentValue(f"local_response_norm() takes three dimensions or more, not shape {list(shape)}")
    if not input._data.size:
        return input
    border = (size // 2, (size - 1) // 2)
    squares = mul(input, input)
    if len(shape) == 3:
        near = squeeze(avg_pool2d(pad(unsqueeze(squares, 1), (0, 0, *border)), (size, 1), 1), 1)
    else:
        planes = view(squares, (shape[0], 1, shape[1], shape[2], -1))
        near = squeeze(avg_pool3d(pad(planes, (0, 0, 0, 0, *border)), (size, 1, 1), 1), 1)
        near = view(near, shape)
    return input / pow_scalar(near * alpha + k, beta)
