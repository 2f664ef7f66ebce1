"""The operations behind ``F.interpolate``, one for each mode and number of dimensions, as PyTorch records them.

Every mode is linear in the image and goes dimension by dimension, so it is one matrix of shares, (places, size), for each of the last
dimensions; the gradient goes through the transposed ones.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op import op
from .support import on_device_of


def spread_along(x: Any, matrices: Any, back: bool = False) -> Any:
    """An array with each of its last dimensions multiplied by a matrix of shares, transposed on the way `back`."""
    xp = array_module(x)
    for dim, matrix in enumerate(matrices, x.ndim - len(matrices)):
        shares = on_device_of(x, (matrix.T if back else matrix).astype(x.dtype))
        x = xp.moveaxis(xp.moveaxis(x, dim, -1) @ shares.T, -1, dim)
    return xp.ascontiguousarray(x)


def picked_along(x: Any, matrices: Any) -> Any:
    """As ``spread_along`` for matrices with a single 1 in each row: elements are taken, not summed."""
    for dim, matrix in enumerate(matrices, x.ndim - len(matrices)):
        x = x.take(on_device_of(x, matrix.argmax(axis=1)), axis=dim)
    return x


@op("UpsampleNearest1DBackward0", real_only=True, self=lambda grad, matrices: nearest1d_backward(grad, matrices))
def nearest1d(self, matrices):
    """The element that stands nearest, of (N, C, L)."""
    return picked_along(self, matrices)


@op("UpsampleNearest1DBackwardBackward0", grad_output=lambda grad, matrices: nearest1d(grad, matrices))
def nearest1d_backward(grad_output, matrices):
    """The gradient of nearest1d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleNearest2DBackward0", real_only=True, self=lambda grad, matrices: nearest2d_backward(grad, matrices))
def nearest2d(self, matrices):
    """The element that stands nearest, of (N, C, H, W)."""
    return picked_along(self, matrices)


@op("UpsampleNearest2DBackwardBackward0", grad_output=lambda grad, matrices: nearest2d(grad, matrices))
def nearest2d_backward(grad_output, matrices):
    """The gradient of nearest2d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleNearest3DBackward0", real_only=True, self=lambda grad, matrices: nearest3d_backward(grad, matrices))
def nearest3d(self, matrices):
    """The element that stands nearest, of (N, C, D, H, W)."""
    return picked_along(self, matrices)


@op("UpsampleNearest3DBackwardBackward0", grad_output=lambda grad, matrices: nearest3d(grad, matrices))
def nearest3d_backward(grad_output, matrices):
    """The gradient of nearest3d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleNearestExact1DBackward0", real_only=True, self=lambda grad, matrices: exact1d_backward(grad, matrices))
def exact1d(self, matrices):
    """The element whose middle is nearest, of (N, C, L)."""
    return picked_along(self, matrices)


@op("UpsampleNearestExact1DBackwardBackward0", grad_output=lambda grad, matrices: exact1d(grad, matrices))
def exact1d_backward(grad_output, matrices):
    """The gradient of exact1d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleNearestExact2DBackward0", real_only=True, self=lambda grad, matrices: exact2d_backward(grad, matrices))
def exact2d(self, matrices):
    """The element whose middle is nearest, of (N, C, H, W)."""
    return picked_along(self, matrices)


@op("UpsampleNearestExact2DBackwardBackward0", grad_output=lambda grad, matrices: exact2d(grad, matrices))
def exact2d_backward(grad_output, matrices):
    """The gradient of exact2d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleNearestExact3DBackward0", real_only=True, self=lambda grad, matrices: exact3d_backward(grad, matrices))
def exact3d(self, matrices):
    """The element whose middle is nearest, of (N, C, D, H, W)."""
    return picked_along(self, matrices)


@op("UpsampleNearestExact3DBackwardBackward0", grad_output=lambda grad, matrices: exact3d(grad, matrices))
def exact3d_backward(grad_output, matrices):
    """The gradient of exact3d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleLinear1DBackward0", real_only=True, self=lambda grad, matrices: linear1d_backward(grad, matrices))
def linear1d(self, matrices):
    """A mixture of two neighbours."""
    return spread_along(self, matrices)


@op("UpsampleLinear1DBackwardBackward0", grad_output=lambda grad, matrices: linear1d(grad, matrices))
def linear1d_backward(grad_output, matrices):
    """The gradient of linear1d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleBilinear2DBackward0", real_only=True, self=lambda grad, matrices: bilinear2d_backward(grad, matrices))
def bilinear2d(self, matrices):
    """A mixture of four neighbours."""
    return spread_along(self, matrices)


@op("UpsampleBilinear2DBackwardBackward0", grad_output=lambda grad, matrices: bilinear2d(grad, matrices))
def bilinear2d_backward(grad_output, matrices):
    """The gradient of bilinear2d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleTrilinear3DBackward0", real_only=True, self=lambda grad, matrices: trilinear3d_backward(grad, matrices))
def trilinear3d(self, matrices):
    """A mixture of eight neighbours."""
    return spread_along(self, matrices)


@op("UpsampleTrilinear3DBackwardBackward0", grad_output=lambda grad, matrices: trilinear3d(grad, matrices))
def trilinear3d_backward(grad_output, matrices):
    """The gradient of trilinear3d."""
    return spread_along(grad_output, matrices, back=True)


@op("UpsampleBicubic2DBackward0", real_only=True, self=lambda grad, matrices: bicubic2d_backward(grad, matrices))
def bicubic2d(self, matrices):
    """A mixture of sixteen neighbours."""
    return spread_along(self, matrices)


@op("UpsampleBicubic2DBackwardBackward0", grad_output=lambda grad, matrices: bicubic2d(grad, matrices))
def bicubic2d_backward(grad_output, matrices):
    """The gradient of bicubic2d."""
    return spread_along(grad_output, matrices, back=True)


FUNCTIONS: dict[str, tuple[Any, ...]] = {  # by mode and number of dimensions
    "nearest": (nearest1d, nearest2d, nearest3d),
    "nearest-exact": (exact1d, exact2d, exact3d),
    "linear": (linear1d,),
    "bilinear": (None, bilinear2d),
    "bicubic": (None, bicubic2d),
    "trilinear": (None, None, trilinear3d),
}
