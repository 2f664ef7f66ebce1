"""``rot90``: a plane of a tensor turned."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from ..core.op import op


@op("Rot90Backward0", self=lambda grad, k, dims: rot90_of(grad, -k, dims))
def rot90_of(xp, self, k, dims):
    """Self turned by 90 degrees, k times, in the plane of two dimensions."""
    return xp.rot90(self, k, dims).copy()
