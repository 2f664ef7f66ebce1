"""``torch.autograd.Function``: operations whose forward and backward the user writes.

Source of the rules: https://docs.pytorch.org/docs/stable/notes/extending.html

Note [The context is the node]
    As in PyTorch, ``ctx`` in forward and backward is the very object that ``grad_fn`` shows, so what a forward sets on it can be read
    there. Each Function class has a node class of its own, named ``<class>Backward``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import BadArgument, BadArgumentType, GraphFreed, NotDifferentiable
from . import dtype as dt
from .array import array_module
from .modes import modes
from .node import Node, edge_to, next_sequence_nr
from .op_support import fresh, modified
from .tensor import Tensor


class FunctionCtx(Node):
    """The context of one call. See Note [The context is the node].

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of the forward, whether its gradient is wanted.
    """

    saved_names = ("saved_tensors",)
    materialize_grads = True
    needs_input_grad: tuple[bool, ...]

    def __init__(self, function: type[Function], args: tuple[Any, ...], record: bool) -> None:
        self.hooks = None
        self._function = function
        self._tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self._count = len(args)
        self._edges = tuple(args[i]._edge if record else None for i in self._tensors)
        self._fits = [(args[i]._data.shape, args[i]._data.dtype) for i in self._tensors]
        self._to_save: tuple[Any, ...] = ()
        self._saved: list[Any] | None = []
        self._dirty: tuple[Tensor, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._outputs: list[tuple[Any, ...]] = []
        self.needs_input_grad = tuple(record and isinstance(a, Tensor) and a._edge is not None for a in args)
        self.sequence_nr = 0

    # ---- what a forward may say ----

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for the backward; only inputs and outputs belong here, and what is None."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise BadArgumentType(
                    f"save_for_backward() takes tensors and None, not {type(t).__name__}",
                    hint="keep other things as ctx.name = value",
                )
        self._to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs the forward changes in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients come to the backward as zeros (the default) or as None."""
        self.materialize_grads = value

    # ---- what a backward reads ----

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved.

        Raises
        ------
        GraphFreed, InplaceModified
        """
        if self._saved is None:
            raise GraphFreed(
                "this graph was used by an earlier backward pass, which freed the tensors saved in it",
                hint="call the first backward() with retain_graph=True, or run the forward again",
            )
        found: list[Any] = []
        for entry in self._saved:
            if entry is None:
                found.append(None)
                continue
            tensor, version, output_nr = entry
            if tensor._version != version:
                modified(self, "saved_tensors", tensor._version, version)
            # An output was kept without its history, which would be a reference cycle: it gets it back here.
            found.append(tensor if output_nr is None else fresh(tensor._data, edge_to(self, output_nr), tensor._counter))
        return tuple(found)

    # ---- the node ----

    more_edges = ()

    @property
    def next_edges(self) -> tuple[Any, ...]:
        return self._edges

    def name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {self._address():#x}>"

    def saved(self) -> list[tuple[str, Any, int]]:
        return [("saved_tensors", entry[0], entry[1]) for entry in self._saved or () if entry is not None]

    def release(self) -> None:
        self._saved = None

    def apply(self, grad: Any) -> Any:
        grads = [grad] if self.num_inputs == 1 else list(grad)
        results = self._run([None if g is None else fresh(g) for g in grads])
        return tuple(None if r is None else r._data for r in results)

    def apply_release(self, grad: Any) -> Any:
        results = self.apply(grad)
        self.release()
        return results

    def apply_tensor(self, grad: Any) -> Any:
        return self._run([grad] if self.num_inputs == 1 else list(grad))

    def _run(self, grads: list[Any]) -> tuple[Any, ...]:
        """Call the user's backward and check what it returned."""
        if self.materialize_grads:
            grads = [_zeros(*self._outputs[i]) if g is None and self._outputs[i] else g for i, g in enumerate(grads)]
        returned = self._function.backward(self, *grads)
        if not isinstance(returned, tuple):
            returned = (returned,)
        while len(returned) > self._count and returned[-1] is None:
            returned = returned[:-1]
        if len(returned) != self._count:
            raise BadArgument(
                f"{self._function.__name__}.backward returned {len(returned)} gradients, and its forward has {self._count} arguments",
                hint="return one gradient for each argument of the forward, None for those without",
            )
        return tuple(self._check(i, returned[i], position) for position, i in enumerate(self._tensors)) + self._check_rest(
            returned
        )

    def _check_rest(self, returned: tuple[Any, ...]) -> tuple[()]:
        for i, r in enumerate(returned):
            if r is not None and i not in self._tensors:
                raise BadArgument(
                    f"{self._function.__name__}.backward returned a gradient for argument {i}, which is no tensor",
                    hint="return None for it",
                )
        return ()

    def _check(self, argument: int, gradient: Any, position: int) -> Any:
        if gradient is None or self._edges[position] is None:
            return None
        if not isinstance(gradient, Tensor):
            found = type(gradient).__name__
            raise BadArgumentType(
                f"{self._function.__name__}.backward returned {found} for argument {argument}; a gradient is a tensor or None"
            )
        return gradient

    @property
    def fits(self) -> Any:
        """Shapes and dtypes of the tensor arguments, for validate_outputs."""
        return tuple(self._fits)


class Function:
    """Base of operations written by the user: static methods ``forward(ctx, ...)`` and ``backward(ctx, *grads)``."""

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The computation; runs without recording."""
        raise NotImplementedError("a torch.autograd.Function needs a static method forward")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """One gradient for each argument of the forward, from one for each of its results."""
        raise NotDifferentiable(
            "this torch.autograd.Function has no static method backward", hint="add one to differentiate through it"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the forward and record it."""
        if kwargs:
            raise BadArgumentType(f"{cls.__name__}.apply() takes no keyword arguments", hint="pass them by position")
        modes.order_matters = True  # its backward could look at .grad
        record = modes.grad_enabled and any(isinstance(a, Tensor) and a._edge is not None for a in args)
        ctx = _node_class(cls)(cls, args, record)
        before = modes.grad_enabled
        modes.grad_enabled = False
        try:
            setup = getattr(cls, "setup_context", None)
            result = cls.forward(*args) if setup is not None else cls.forward(ctx, *args)
            if setup is not None:
                setup(ctx, args, result)
        finally:
            modes.grad_enabled = before
        several = isinstance(result, tuple)
        outputs = _wrap(ctx, args, list(result) if several else [result], record)
        return tuple(outputs) if several else outputs[0]


def _wrap(ctx: FunctionCtx, args: tuple[Any, ...], outputs: list[Any], record: bool) -> list[Any]:
    """Give the results their history, and keep what was saved."""
    for tensor in ctx._dirty:
        tensor._ensure_counter().version += 1
        if not any(tensor is o for o in outputs):
            raise BadArgument(
                f"{ctx._function.__name__} marked a tensor dirty that its forward does not return",
                hint="return every tensor it changes in place",
            )
    made: list[Any] = []
    for i, output in enumerate(outputs):
        ctx._outputs.append((output._data.shape, output._data.dtype) if isinstance(output, Tensor) else ())
        made.append(_output(ctx, i, output, args, record) if isinstance(output, Tensor) else output)
    ctx.num_inputs = max(1, len(outputs))
    if record:
        ctx.sequence_nr = next_sequence_nr()
        ctx._saved = [None if t is None else _saved(t, outputs, made) for t in ctx._to_save]
        if modes.instrument is not None:
            modes.instrument.record(ctx, next(m for m in made if isinstance(m, Tensor)))
    else:
        ctx._saved = None
    return made


def _output(ctx: FunctionCtx, i: int, output: Tensor, args: tuple[Any, ...], record: bool) -> Tensor:
    dirty = any(output is t for t in ctx._dirty)
    if not dirty and any(
        output is a for a in args
    ):  # an argument returned as it came: a view of it, so that it gets a history of its own
        output = output.detach()
    plain = any(output is t for t in ctx._non_differentiable) or dt.of(output._data).category < dt.FLOATING
    if record and not plain:
        output._edge = edge_to(ctx, i)
    return output


def _saved(tensor: Tensor, outputs: list[Any], made: list[Any]) -> tuple[Tensor, int, int | None]:
    """(tensor, version, which output it is); an output is kept without its history."""
    for i, (output, result) in enumerate(zip(outputs, made, strict=True)):
        if tensor is output:
            kept = fresh(result._data, None, result._ensure_counter())
            return kept, result._version, i
    return tensor, tensor._version, None


_node_classes: dict[type[Function], type[FunctionCtx]] = {}


def _node_class(function: type[Function]) -> type[FunctionCtx]:
    if function not in _node_classes:
        made = type(f"{function.__name__}Backward", (FunctionCtx,), {"__module__": "torch.autograd.function"})
        _node_classes[function] = made
    return _node_classes[function]


def _zeros(shape: tuple[int, ...], dtype: Any) -> Tensor:
    import numpy as np

    return fresh(array_module(np.empty(0)).zeros(shape, dtype)[()])


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a backward cannot be differentiated itself: doing so is an error instead of a wrong result."""

    @functools.wraps(backward)
    def wrapped(ctx: FunctionCtx, *grads: Any) -> Any:
        before = modes.grad_enabled
        modes.grad_enabled = False
        try:
            results = backward(ctx, *grads)
        finally:
            modes.grad_enabled = before
        if not (before and any(isinstance(g, Tensor) and g._edge is not None for g in grads)):
            return results
        many = results if isinstance(results, tuple) else (results,)
        marked = tuple(_refuse(r) if isinstance(r, Tensor) else r for r in many)
        return marked if isinstance(results, tuple) else marked[0]

    return wrapped


class _OnceDifferentiable(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return fresh(x._data)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotDifferentiable(
            "this backward is marked @once_differentiable, and a second derivative was asked for",
            hint="write it in differentiable operations",
        )


def _refuse(result: Tensor) -> Any:
    leaf = fresh(result._data)
    leaf.requires_grad_()
    before = modes.grad_enabled
    modes.grad_enabled = True
    try:
        return _OnceDifferentiable.apply(leaf)
    finally:
        modes.grad_enabled = before
