"""Changes in place: ``op_`` for every op, derived in one way.

Note [In place]
    The operation computes out of place on an alias of the tensor, which has its data, its edge and its version counter, so that the node
    saves the old state. Then the result is written into the tensor's storage, the version moves, and the tensor takes the new edge. What
    the node saved as its ``result`` is the tensor's storage at the new version, as in PyTorch.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import HOST, SCALARS, device_of
from ..core.as_strided import geometry, storage_of, window
from ..core.copy_slices import rebase_view
from ..core.device_operands import at_device
from ..core.modes import modes
from ..core.node import NOWHERE, AccumulateGrad
from ..core.op_support import fresh
from ..core.packed import pack_node
from ..core.tensor import Tensor, TensorMeta
from ..core.version_counter import NO_VERSIONS
from ..core.view import rebase, refuse
from ..errors import BadArgument, DeviceMismatch, DtypeMismatch, LeafInplace, ShapeMismatch
from .arithmetic import mul, torch_add, torch_sub
from .overlap import called, check_operands
from .shape import clone_data


def in_place(self: Tensor, name: str, function: Any, *args: Any, overlaps: bool = False, **kwargs: Any) -> Tensor:
    """Make `self` the result of ``function(self, *args)``. See Note [In place].

    `overlaps`: whether several elements may lie in one place, as those of an expanded tensor do.
    """
    check_leaf(self, name)
    if not overlaps:
        check_overlap(self, name)
    check_operands(self, name, args)
    if modes.grad_enabled and self.requires_grad:
        check_creation(self, name)
    counter = self._ensure_counter()
    before = fresh(self._data, self._edge, counter)
    packs = modes.packs_saved
    hooks, modes.saved_hooks = modes.saved_hooks, ()  # what the node saves is packed when it is complete
    try:
        result = function(before, *args, **kwargs)
    finally:
        modes.saved_hooks = hooks
    check_fits(self, name, result._data)
    node = result._edge if modes.grad_enabled else None
    if node is not None:
        check_creation(self, name)
        keep_old(node, before)
        if packs:
            pack_node(node, self, outputs=False)  # the hooks see operands as they were
    write(self, result._data)
    self._written(name, node)
    if node is not None:
        if getattr(node, "c_result", None) is not None:
            node.s_result, node.c_result, node.v_result = self._data, counter, counter.version
        if modes.instrument is not None and (packs or result._data.dtype != self._data.dtype):
            modes.instrument.saved(node, self)
        if self._meta is not None and self._meta.base is not None:
            rebase_view(self, node)
        else:
            rebase(self, node)
        if packs:
            pack_node(node, self, inputs=False)
            if modes.instrument is not None:
                holder = self if self._meta is None or self._meta.base is None else self._meta.base  # a CopySlices holds the node
                modes.instrument.saved(holder._edge, holder)
    return self


def keep_old(node: Any, before: Tensor) -> None:
    """Where the node saved the tensor itself, let it have a clone with the old values, recorded after it, as PyTorch does."""
    for name in node.saved_names:
        if getattr(node, f"s_{name}", None) is before:
            setattr(node, f"s_{name}", clone_data(before))
            setattr(node, f"v_{name}", 0)


def write(self: Tensor, data: Any) -> None:
    """Put `data` into the tensor's storage."""
    own = self._data
    if own.__class__ in SCALARS:
        self._set_data(own.dtype.type(data))
    else:
        if not modes.host_only:
            at_device(own)
        writable(own)[...] = data


def writable(data: Any) -> Any:
    """`data`, as an array that can be written to: NumPy lets nobody write into what it has broadcast."""
    if data.__class__ is np.ndarray and not data.flags.writeable:
        data = window(storage_of(data), geometry(data))
        if not data.flags.writeable:
            raise BadArgument("this tensor shares memory that may not be written to", hint="use x.clone() first")
    return data


def check_leaf(self: Tensor, name: str) -> None:
    """A leaf that requires grad may be changed under no_grad only, an inference tensor under inference_mode."""
    if self._counter is NO_VERSIONS and not modes.inference:
        raise BadArgument(
            f"{called(name)} would change this tensor, which was made under inference_mode(), outside of it",
            hint="use x.clone(), which makes a normal tensor, or change it under inference_mode() too",
        ).about(self)
    if not modes.grad_enabled:
        return
    meta = self._meta
    base = None if meta is None else meta.base
    if meta is not None and base is not None and base._edge is not None and is_late(meta):
        raise LeafInplace(
            f"{called(name)} would change this tensor, a view that was made before its base had a history, and PyTorch takes it for a leaf "
            "until somebody has asked for its grad_fn",
            hint="take the view again after the change of its base, or change it under torch.no_grad()",
        ).about(self)
    if base is not None and base._edge is not None and base.is_leaf:
        raise LeafInplace(
            f"{called(name)} would change this tensor, which is a view of a leaf that requires grad: it shares the leaf's memory",
            hint="change it under torch.no_grad(), or work on a clone()",
        ).about(self)
    if self._edge.__class__ is AccumulateGrad and self._edge is not NOWHERE:
        raise LeafInplace(
            f"{called(name)} would change this tensor, a leaf that requires grad. A leaf is where gradients end, so its values must stay "
            "those that the graph was computed from",
            hint="change it under torch.no_grad(), or compute a new tensor: x = x + 1",
        ).about(self)


def is_late(meta: TensorMeta) -> bool:
    """Whether a view had no history when its storage was changed, and has not been looked at since."""
    return meta.stale and meta.old_edge is None and meta.creation is None


def check_creation(self: Tensor, name: str) -> None:
    """Views that PyTorch lets nobody change in place while recording: see TensorMeta.creation."""
    if self._meta is not None and self._meta.creation is not None:
        refuse(self, self._meta.creation, f"{called(name)} would change this tensor,")


def check_overlap(self: Tensor, name: str) -> None:
    """An expanded tensor has several elements in one place of memory."""
    data = self._data
    if (
        data.__class__ not in SCALARS
        and 0 in data.strides
        and any(s == 0 and n > 1 for s, n in zip(data.strides, data.shape, strict=True))
    ):
        raise BadArgument(
            f"{called(name)} would change several elements of this tensor at once: it was expanded, and they share one place in memory",
            hint="use x.clone() first",
        ).about(self)


def check_fits(self: Tensor, name: str, data: Any) -> None:
    """The result must have the tensor's shape, and a dtype that can become the tensor's."""
    own = self._data
    if data.shape != own.shape:
        raise ShapeMismatch(
            f"{called(name)} cannot put a result of shape {list(data.shape)} into this tensor, whose shape is {list(own.shape)}",
            hint="a change in place keeps the shape; write x = x + y instead",
        ).about(self)
    if not modes.host_only and device_of(data) != device_of(own):
        raise DeviceMismatch(
            f"{called(name)} cannot put a result on {device_of(data)} into this tensor, which is on {device_of(own)}",
            hint="move the operands to the tensor's device first, or the tensor to theirs",
        ).about(self)
    if dt.of(data).category > dt.of(own).category:
        raise DtypeMismatch(
            f"{called(name)} cannot put a result of dtype {dt.of(data).name} into this tensor, whose dtype is {dt.of(own).name}",
            hint="convert the tensor first: x = x.float()",
        ).about(self)


# ---- quick ways for what optimizers do ----


def _direct(self: Tensor, other: Any) -> Any:
    """The operand as an array, where nothing has to be recorded, promoted or broadcast to a larger shape; else None."""
    own = self._data
    if modes.halves_seen and own.dtype in dt.HALVES:  # numbers are not rounded first: see Note [Halves] in halves.py
        return None
    if own.__class__ is not np.ndarray or not own.flags.writeable or 0 in own.strides or self._counter is NO_VERSIONS:
        return None
    kind = other.__class__
    if kind is Tensor:
        if modes.grad_enabled and (self.requires_grad or other._edge is not None):
            return None
        if other._counter is not None and other._counter is self._counter:
            return None  # they may share memory
        data = other._data
        if not modes.host_only and data.__class__ not in HOST:
            return None
        return data if data.dtype is own.dtype and (data.shape == own.shape or not data.shape) else None
    if (kind is float or kind is int) and own.dtype.kind == "f" and not (modes.grad_enabled and self.requires_grad):
        return other
    return None


def add_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self += alpha * other``."""
    data = _direct(self, other)
    if data is None:
        return in_place(self, "add_", torch_add, other, alpha=alpha)
    np.add(self._data, data if alpha == 1 else data * alpha, out=self._data)
    self._written("add_")
    return self


def sub_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self -= alpha * other``."""
    data = _direct(self, other)
    if data is None:
        return in_place(self, "sub_", torch_sub, other, alpha=alpha)
    np.subtract(self._data, data if alpha == 1 else data * alpha, out=self._data)
    self._written("sub_")
    return self


def mul_(self: Tensor, other: Any) -> Tensor:
    """``self *= other``."""
    data = _direct(self, other)
    if data is None:
        return in_place(self, "mul_", mul, other)
    np.multiply(self._data, data, out=self._data)
    self._written("mul_")
    return self


# ---- every op_ ----

MAY_OVERLAP = ("masked_fill_", "index_put_", "index_fill_", "tril_", "triu_")  # what PyTorch does to expanded tensors too


def derived(name: str, function: Any) -> Any:
    """The in-place form of an out-of-place function."""

    overlaps = name in MAY_OVERLAP

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return in_place(self, name, function, *args, overlaps=overlaps, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"``{name[:-1]}``, in place."
    return method
