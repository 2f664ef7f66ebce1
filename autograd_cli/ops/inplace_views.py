"""The shape of a tensor changed in place: ``t_``, ``transpose_``, ``squeeze_``, ``unsqueeze_``, ``as_strided_``.

Note [The shape in place]
    The values stay where they are, and the tensor sees them otherwise. Such a change is recorded on the tensor alone: where it is a view,
    its base keeps its history, since nothing of it changed. The version moves all the same, so other views get theirs anew.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.as_strided import as_strided_at, as_strided_backward
from ..core.modes import modes
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.view import set_history
from .inplace import check_creation, check_leaf
from .shape import t, transpose_dims
from .sizes import squeeze_all, squeeze_dim, squeeze_dims, squeeze_result, unsqueeze_at, unsqueeze_to
from .strided import asked_place
from .support import wrap_dim, wrap_dims


@op("TBackward1", self=lambda grad: t(grad))
def t_here(self):
    """The transpose of a matrix; vectors stay as they are."""
    return t(self)


@op("TransposeBackward1", self=lambda grad, dim0, dim1: transpose_dims(grad, dim0, dim1))
def transpose_here(self, dim0, dim1):
    """Self with two dimensions exchanged."""
    return transpose_dims(self, dim0, dim1)


@op("UnsqueezeBackward1", self=lambda grad, dim: squeeze_dim(grad, dim))
def unsqueeze_here(self, dim):
    """Self with a dimension of size 1 put in."""
    return unsqueeze_at(self, dim)


@op("SqueezeBackward3", self=lambda grad, self_sizes: unsqueeze_to(grad, None, self_sizes))
def squeeze_all_here(self):
    """Self without its dimensions of size 1."""
    return squeeze_all(self)


@op("SqueezeBackward5", self=lambda grad, dim, self_sizes: unsqueeze_to(grad, dim, self_sizes))
def squeeze_dims_here(self, dim):
    """Self without some dimensions where their size is 1."""
    return squeeze_dims(self, dim)


@op(
    "AsStridedBackward1",
    self=lambda grad, self_geometry, size, stride, storage_offset: as_strided_backward(
        grad, self_geometry, size, stride, storage_offset
    ),
)
def as_strided_here(self, self_geometry, size, stride, storage_offset):
    """The elements of self's storage at a place of it."""
    return as_strided_at(self, self_geometry, size, stride, storage_offset)


def _seen(self: Tensor, name: str, function: Any, *args: Any) -> Tensor:
    """Let `self` see its values as ``function(self, *args)`` does. See Note [The shape in place]."""
    check_leaf(self, name)
    if modes.grad_enabled and self.requires_grad:
        check_creation(self, name)
    old = self._edge
    result = function(fresh(self._storage(), old, self._ensure_counter()), *args)
    self._set_data(result._data)
    recorded = modes.grad_enabled and result._edge is not None
    self._written(name, result._edge if recorded else None)
    if recorded:
        set_history(self, old, result._edge)
    return self


def t_(self: Tensor) -> Tensor:
    """``t``, in place."""
    return _seen(self, "t_", t_here)


def transpose_(self: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """``transpose``, in place."""
    ndim = self._data.ndim
    return _seen(self, "transpose_", transpose_here, wrap_dim(dim0, ndim), wrap_dim(dim1, ndim))


def unsqueeze_(self: Tensor, dim: Any) -> Tensor:
    """``unsqueeze``, in place."""
    return _seen(self, "unsqueeze_", unsqueeze_here, wrap_dim(dim, self._data.ndim + 1))


def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """``squeeze``, in place."""
    ndim = self._data.ndim
    if dim is None:
        return _seen(self, "squeeze_", squeeze_all_here)
    if isinstance(dim, (tuple, list)):
        return _seen(self, "squeeze_", squeeze_dims_here, wrap_dims(dim, ndim) if dim else ())
    return _seen(self, "squeeze_", squeeze_result, wrap_dim(dim, ndim))


def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """``as_strided``, in place."""
    own, place = asked_place(self, "as_strided_", size, stride, storage_offset)
    return _seen(self, "as_strided_", as_strided_here, own, *place)
