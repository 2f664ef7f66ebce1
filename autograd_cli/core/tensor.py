"""Tensor: data, its place in the graph, and its gradient.

Note [Tensor]
    ``_data`` is an array or a NumPy scalar (Note [0-d values] in ``array.py``). ``_edge`` is where a gradient of this tensor goes: the
    node that made it, the AccumulateGrad of a leaf, or None when no gradient is wanted. ``_counter`` counts in-place changes and is
    None until somebody aliases the tensor, writes to it or saves it as a result; ``_meta`` is None for tensors that are no views and
    that nobody marked. Operations make tensors with ``object.__new__`` and fill the five slots.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadArgument, BadArgumentType, DeviceMismatch, GradShapeMismatch, NotDifferentiable
from . import dtype as dt
from .array import SCALARS, device_of
from .hooks import RemovableHandle, hooks_of, register
from .modes import modes
from .node import NOWHERE, AccumulateGrad
from .version_counter import NO_VERSIONS, VersionCounter
from .warning import warn


class Size(tuple[int, ...]):
    """torch.Size: a tuple of ints that prints as PyTorch's."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        total = 1
        for n in self:
            total *= n
        return total

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found


class TensorMeta:
    """What only some tensors have.

    Attributes
    ----------
    base : Tensor or None
        The tensor this is a view of.
    view : tuple or None
        How to make the view again from its base: (what comes before it or None, function, arguments).
    creation : str or None
        Of a view: "no_grad" or "multiple" where a change in place is refused (PyTorch's CreationMeta).
    stale : bool
        Of a view: whether its storage has changed since it got its edge, which was `old_edge`. See Note [Stale views] in ``view.py``.
    retains_grad : bool
    is_parameter : bool
    number : NumPy dtype or None
        Of a Python number that became a tensor: the dtype it would have alone (int64, float64), as PyTorch shows it.
    exact : float or None
        Of a Python number beside 2-byte floats: itself, as a float32. See Note [Halves] in ``halves.py``.
    """

    # Defaults on the class, not slots: a view sets two or three of them, and views are made often.
    base: Tensor | None = None
    view: Any = None
    creation: str | None = None
    old_edge: Any = None
    stale: bool = False
    retains_grad: bool = False
    is_parameter: bool = False
    exact: float | None = None
    number: Any = None


class Tensor:
    """A multi-dimensional array that remembers how it was computed. Methods are added by ``ops/methods.py``."""

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_counter",
        "_data",
        "_edge",
        "_grad",
        "_meta",
    )  # the first for what scripts put there
    _data: Any
    _edge: Any
    _grad: Tensor | None
    _counter: VersionCounter | None
    _meta: TensorMeta | None
    __module__ = "torch"  # what type(x) shows
    __array_priority__ = 1000  # NumPy leaves `array * tensor` to us

    @staticmethod
    def _leaf(data: Any, requires_grad: bool = False) -> Tensor:
        """A new leaf around an array. Calling the class is what scripts do: ``torch.Tensor(2, 3)``."""
        self: Tensor = object.__new__(Tensor)
        self._data = data[()] if data.__class__ is np.ndarray and not data.shape else data
        self._grad = None
        self._counter = modes.new_counter
        self._meta = None
        self._edge = AccumulateGrad(self) if requires_grad else None
        return self

    # ---- what it is ----

    @property
    def shape(self) -> Size:
        """The size of each dimension."""
        return Size(self._data.shape)

    @property
    def dtype(self) -> dt.dtype:
        """The element type."""
        return dt.of(self._data)

    @property
    def device(self) -> Any:
        """Where the data lives."""
        from .device import device

        return device(device_of(self._data))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        ndim: int = self._data.ndim
        return ndim

    # ---- its place in the graph ----

    @property
    def grad_fn(self) -> Any:
        """The node that made this tensor; None for a leaf."""
        edge = self._edge
        if edge is None or edge.__class__ is AccumulateGrad:
            return None
        return edge.function

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` this is."""
        return 0 if self._edge is None else int(self._edge.input_nr)

    @property
    def is_leaf(self) -> bool:
        """Whether no operation that recorded made this tensor."""
        return self._edge is None or self._edge.__class__ is AccumulateGrad

    def _was_leaf(self) -> bool:
        """As ``is_leaf``, but a stale view keeps its old history: only who needs the new one asks for it."""
        meta = self._meta
        edge = self._edge if meta is None or not meta.stale else meta.old_edge
        return edge is None or edge.__class__ is AccumulateGrad

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for it."""
        # A view made under no_grad of a base that requires grad has no history, and yet PyTorch says that it requires grad.
        base = None if self._meta is None else self._meta.base
        return (base is not None and base._edge is not None) or self._edge is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if type(wanted) is not bool:
            raise BadArgument(f"requires_grad is True or False, not {type(wanted).__name__}")
        if not self.is_leaf:
            raise _computed(self)
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Say whether gradients are wanted for this leaf, in place."""
        if type(requires_grad) is not bool:
            raise BadArgumentType(f"requires_grad is True or False, not {type(requires_grad).__name__}")
        if bool(requires_grad) == (self._edge is not None) and self._edge is not NOWHERE:
            return self
        if not self.is_leaf:
            raise _computed(self)
        if requires_grad and dt.of(self._data).category < dt.FLOATING:
            raise NotDifferentiable(
                f"only floating point and complex tensors can require grad, and this tensor is {dt.of(self._data).name}",
                hint="make it float first: x.float(), or dtype=torch.float32",
            ).about(self)
        if requires_grad and self._counter is NO_VERSIONS and not modes.inference:
            raise BadArgument(
                "this tensor was made under inference_mode(), and outside of it nothing can be recorded for it",
                hint="use a clone() of it: x = x.clone().requires_grad_()",
            ).about(self)
        self._edge = AccumulateGrad(self) if requires_grad else None
        return self

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient of a leaf (or of a tensor after ``retain_grad``)."""
        grad = self._grad
        if grad is None and modes.instrument is not None and not self._was_leaf() and not self.retains_grad:
            warn("NonLeafGrad", self)
        return grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            if not isinstance(grad, Tensor):
                raise BadArgumentType(f".grad takes a tensor or None, not {type(grad).__name__}")
            if grad is self:
                raise BadArgument("a tensor cannot be its own .grad", hint="give it a clone()")
            if grad._data.shape != self._data.shape:
                raise GradShapeMismatch(
                    f"the gradient put into .grad has shape {list(grad._data.shape)}, and this tensor has shape {list(self._data.shape)}",
                    hint="a gradient has one number for each element of its tensor, so it has the same shape",
                ).about(self)
            if grad._data.dtype != self._data.dtype:
                raise BadArgument(
                    f"the gradient put into .grad is {grad.dtype.name}, and this tensor is {self.dtype.name}",
                    hint=f"convert it: grad.to(torch.{self.dtype.name})",
                ).about(self)
            if device_of(grad._data) != device_of(self._data):
                raise DeviceMismatch(
                    f"the gradient put into .grad is on {device_of(grad._data)}, and this tensor is on {device_of(self._data)}",
                    hint="move the gradient with .to(tensor.device)",
                ).about(self)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def retains_grad(self) -> bool:
        """Whether ``retain_grad`` was called on this non-leaf."""
        return self._meta is not None and self._meta.retains_grad

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in ``.grad``."""
        if self._edge is None:
            raise BadArgument(
                "retain_grad() keeps a gradient, and this tensor does not require grad: it gets none",
                hint="set requires_grad=True on the leaves before the forward",
            ).about(self)
        if self.is_leaf or self.retains_grad:
            return
        self._ensure_meta().retains_grad = True
        modes.order_matters = True
        hooks_of(self._edge.function).retain[self._edge.input_nr] = _keep_grad(self)

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad)` whenever the gradient of this tensor is known; what it returns replaces the gradient."""
        if self._edge is None:
            raise BadArgument(
                "a hook sees the gradient of its tensor, and this tensor does not require grad: it gets none",
                hint="set requires_grad=True on the leaves before the forward",
            ).about(self)
        modes.order_matters = True
        node = self._edge.function
        return register(hooks_of(node).tensor_pre, (self._edge.input_nr, hook))

    def register_post_accumulate_grad_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(leaf)` whenever this leaf's ``.grad`` was added to."""
        if self._edge is None or not self.is_leaf:
            raise BadArgument(
                "a post-accumulate-grad hook sees the .grad of a leaf once it is filled, and this tensor is no leaf that requires grad",
                hint="use register_hook() for the gradient of a tensor that was computed",
            ).about(self)
        modes.order_matters = True
        self._edge.keep = self
        return register(hooks_of(self._edge).post_accumulate, hook, self._edge.let_go)

    # ---- storage ----

    @property
    def _version(self) -> int:
        counter = self._counter
        if counter is NO_VERSIONS:
            raise BadArgument("a tensor made under inference_mode() has no version: nobody counts its changes").about(self)
        return 0 if counter is None else counter.version

    def is_inference(self) -> bool:
        """Whether this tensor was made under ``inference_mode``. See Note [Inference tensors]."""
        return self._counter is NO_VERSIONS

    def _ensure_counter(self) -> VersionCounter:
        if self._counter is None:
            self._counter = VersionCounter()
        return self._counter

    def _written(self, operation: str, node: Any = None) -> None:
        """Count a change of the values: the version moves, the views of the storage become stale, and who listens is told.

        `node` is the one that was recorded for `operation`, if there is one.
        """
        self._ensure_counter().bump()
        if modes.complex_seen:
            from .conjugates import sync_conjugates

            sync_conjugates(self)
        if modes.instrument is not None and self._counter is not NO_VERSIONS:
            modes.instrument.write(self, operation, node)

    def _ensure_meta(self) -> TensorMeta:
        if self._meta is None:
            self._meta = TensorMeta()
        return self._meta

    def _storage(self) -> Any:
        """The data as an array that others may share. See Note [0-d values]."""
        if self._data.__class__ in SCALARS:
            self._set_data(np.array(self._data))
        return self._data

    def _set_data(self, data: Any) -> None:
        self._data = data
        if self._edge.__class__ is AccumulateGrad:
            self._edge.data = data

    def detach(self) -> Tensor:
        """The same values, cut off the graph; storage and version are shared."""
        detached = Tensor.__new__(Tensor)
        detached._data = self._storage()
        detached._grad = None
        detached._edge = None
        detached._counter = self._ensure_counter()
        detached._meta = None
        return detached

    if not TYPE_CHECKING:  # or every name would be an attribute

        def __getattr__(self, name: str) -> Any:
            if name == "_edge":  # See Note [Stale views] in view.py
                from .view import renewed_edge

                return renewed_edge(self)
            return self._without(name)

    def _without(self, name: str) -> Any:
        """What is said of an attribute that there is not; the op table knows more."""
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> Any:
        return (Tensor._leaf, (np.asarray(self._data), self._edge is not None))


def _keep_grad(tensor: Tensor) -> Any:
    """The hook of ``retain_grad``: holds the tensor weakly, since the tensor holds the node."""
    ref = weakref.ref(tensor)

    def keep(grad: Tensor) -> None:
        from .basic_ops import add, clone_gradient

        target = ref()
        if target is not None:
            before = target._grad
            target._grad = clone_gradient(grad) if before is None else add(before, grad)

    return keep


def _computed(tensor: Tensor) -> BadArgument:
    return BadArgument(
        "requires_grad can be set on leaf tensors only, and this tensor was computed",
        hint="use detach() for a tensor that takes no part in the graph",
    ).about(tensor)
