"""``torch.autograd.Function``: operations whose forward and backward the user writes.

Source of the rules: https://docs.pytorch.org/docs/stable/notes/extending.html
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import BadArgument, BadArgumentType, LeafInplace, NotDifferentiable, ScriptError, Unsupported, ViewInplace
from . import dtype as dt
from .array import device_of
from .as_strided import as_strided_at, geometry
from .copy_slices import rebase_view
from .function_ctx import FunctionCtx
from .grad_mode import no_grad
from .modes import modes
from .node import Node, edge_to, next_sequence_nr
from .op_support import fresh
from .tensor import Tensor
from .view import rebase


class NoBackward(ScriptError, NotImplementedError):
    """A custom Function without a backward."""

    kind_name = "NotDifferentiable"


class Function:
    """Base of operations written by the user: static methods ``forward(ctx, ...)`` and ``backward(ctx, *grads)``.

    With a third one, ``setup_context(ctx, inputs, output)``, the forward takes no context.
    """

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The computation; runs without recording."""
        raise NoBackward("a torch.autograd.Function needs a static method forward", hint="write forward(ctx, ...)")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """What a forward without context leaves for the backward."""
        raise NoBackward("this torch.autograd.Function has no static method setup_context")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """One gradient for each argument of the forward, from one for each of its results."""
        raise NoBackward("this torch.autograd.Function has no static method backward", hint="add one to differentiate through it")

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """For forward mode, which agrad does not have: a Function may define it, and it is not called."""
        raise Unsupported("agrad has no forward-mode differentiation, which `jvp` of a torch.autograd.Function is for")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """For PyTorch's vmap; here ``torch.func.vmap`` calls the forward once for each element, and this is not called."""
        raise Unsupported(
            "`vmap` of a torch.autograd.Function is not called by agrad, whose vmap takes one element after the other"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a Function is applied, not called."""
        raise BadArgument(
            f"an instance of {type(self).__name__} cannot be called", hint=f"write {type(self).__name__}.apply(...), on the class"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the forward and record it."""
        with_setup = cls.setup_context is not Function.setup_context
        if kwargs or with_setup:
            args = _bind(cls, args, kwargs, with_setup)
        modes.order_matters = True  # its backward could look at .grad
        record = modes.grad_enabled and any(isinstance(a, Tensor) and a._edge is not None for a in args)
        ctx = _node_class(cls)(cls, args, record)
        if record:
            ctx.sequence_nr = next_sequence_nr()  # before those of a graph that the forward makes for itself
        before, modes.grad_enabled = modes.grad_enabled, False
        try:
            result = cls.forward(*args) if with_setup else cls.forward(ctx, *args)
            if with_setup:
                cls.setup_context(ctx, args, result)
        finally:
            modes.grad_enabled = before
        several = isinstance(result, tuple)
        outputs = _wrap(ctx, args, list(result) if several else [result], record)
        return tuple(outputs) if several else outputs[0]

    @classmethod
    def _user_backward(cls) -> Callable[..., Any]:
        """The backward, which may be called ``vjp`` too."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise BadArgument(
                f"{cls.__name__} has both backward and vjp, which are two names of one thing", hint="keep one of them"
            )
        return cls.vjp


_signatures: WeakKeyDictionary[Callable[..., Any], inspect.Signature] = WeakKeyDictionary()  # a function holds its whole script


def _signature(forward: Callable[..., Any]) -> inspect.Signature:
    found = _signatures.get(forward)
    if found is None:
        _signatures[forward] = found = inspect.signature(forward)
    return found


def _bind(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any], with_setup: bool) -> tuple[Any, ...]:
    """Arguments by position, with the defaults of a forward that takes no context."""
    try:
        bound = _signature(cls.forward).bind(*(() if with_setup else (None,)), *args, **kwargs)
    except TypeError as error:
        raise BadArgumentType(f"{cls.__name__}.forward(): {error}") from None
    if with_setup:
        bound.apply_defaults()
    if bound.kwargs:
        raise BadArgumentType(
            f"{cls.__name__}.forward() has arguments that can only be given by keyword: {', '.join(bound.kwargs)}",
            hint="let the forward take them by position",
        )
    return bound.args if with_setup else bound.args[1:]


_node_classes: WeakKeyDictionary[type[Function], type[FunctionCtx]] = WeakKeyDictionary()


def _node_class(function: type[Function]) -> type[FunctionCtx]:
    if function not in _node_classes:
        made = type(f"{function.__name__}Backward", (FunctionCtx,), {"__module__": "torch.autograd.function"})
        _node_classes[function] = made
    return _node_classes[function]


# ---- results ----


def _wrap(ctx: FunctionCtx, args: tuple[Any, ...], outputs: list[Any], record: bool) -> list[Any]:
    """Give the results their history, and keep what was saved."""
    for tensor in ctx._dirty:
        tensor._written(ctx._function.__name__)
        if record and all(tensor is not t for t in ctx._non_differentiable):
            _check_leaf(tensor, ctx._function.__name__)
        if not any(tensor is o for o in outputs):
            raise BadArgument(
                f"{ctx._function.__name__} marked a tensor dirty that its forward does not return",
                hint="return every tensor it changes in place",
            )
    ctx.num_inputs = max(1, len(outputs))
    made: list[Any] = []
    for i, output in enumerate(outputs):
        known = isinstance(output, Tensor)
        ctx._outputs.append((output._data.shape, output._data.dtype, device_of(output._data)) if known else ())
        made.append(_output(ctx, i, output, args, record) if known else output)
    _mark_views(ctx, made)
    if record:
        ctx.keep(outputs, made)
        shown = next((m for m in made if isinstance(m, Tensor)), None)
        if modes.instrument is not None and shown is not None and not _is_in_copy_slices(ctx, shown):
            modes.instrument.record(ctx, shown)
    return made


def _output(ctx: FunctionCtx, i: int, output: Tensor, args: tuple[Any, ...], record: bool) -> Tensor:
    """One result with its history (PyTorch's ``set_history``)."""
    is_input = any(output is a for a in args)
    dirty = any(output is t for t in ctx._dirty)
    differentiable = (
        record and dt.of(output._data).category >= dt.FLOATING and all(output is not t for t in ctx._non_differentiable)
    )
    if not differentiable:
        if is_input:
            if dirty:
                return output
            return output.detach() if output.requires_grad else _view_without_history(output)
        if output._edge is not None and (output._meta is None or output._meta.base is None):
            output._edge = None
        return output
    if dirty:
        _rebase(ctx, i, output, is_input)
        return output
    if is_input:  # a view of it, so that it gets a history of its own
        output = _view_without_history(output)
    output._edge = edge_to(ctx, i)
    return output


def _view_without_history(tensor: Tensor) -> Any:
    place = geometry(tensor._storage())
    with no_grad():
        return as_strided_at(tensor, place, *place)


def _check_leaf(tensor: Tensor, name: str) -> None:
    """A leaf that requires grad may not be changed, nor a view of one."""
    base = None if tensor._meta is None else tensor._meta.base
    owner = tensor if base is None or base._edge is None else base
    if owner.is_leaf and owner._edge is not None:
        which = "a leaf tensor that requires grad" if owner is tensor else "a view of a leaf tensor that requires grad"
        raise LeafInplace(
            f"{name} changed {which} in place, and the graph could not say what its gradient means",
            hint="apply it under torch.no_grad(), or to a clone()",
        )


def _rebase(ctx: FunctionCtx, i: int, output: Tensor, is_input: bool) -> None:
    """An input that was changed in place gets the new history, and so does its base when it is a view."""
    name = ctx._function.__name__
    output._grad = None  # as in PyTorch: it was that of an earlier value
    if output._meta is None or output._meta.base is None:
        rebase(output, edge_to(ctx, i))
        return
    if not is_input:
        raise BadArgument(
            f"{name} marked a tensor dirty that is no input of it, but a view of something its forward made",
            hint="only inputs that are changed in place belong into ctx.mark_dirty()",
        )
    assert output._meta is not None
    if output._meta.creation is not None:
        raise ViewInplace(
            f"{name} changed a view in place whose history cannot be rewritten: one of several that one operation made, "
            "or one made under no_grad() or in a custom Function",
            hint="give it a clone() of the view",
        )
    if ctx.num_inputs > 1:
        raise ViewInplace(
            f"{name} changed a view in place and has several outputs: the history of its base could not be written",
            hint="give it a clone() of the view, or return the changed tensor alone",
        )
    rebase_view(output, ctx)


def _is_in_copy_slices(ctx: FunctionCtx, shown: Tensor) -> bool:
    """Whether the node became part of a CopySlices, which is what was recorded."""
    return shown._edge is not None and shown._edge.function is not ctx and ctx.num_inputs == 1


def _mark_views(ctx: FunctionCtx, made: list[Any]) -> None:
    """Results that are views of inputs must not be changed in place: their history is this node's, not that of their base."""
    tensors = [m for m in made if isinstance(m, Tensor)]
    views = [t for t in tensors if t._meta is not None and t._meta.base is not None]
    if not views:
        return
    several = sum(t._edge is not None for t in tensors) > 1
    for tensor in views:
        meta = tensor._meta
        if meta is not None and meta.creation is not None and all(tensor is not d for d in ctx._dirty):
            meta.creation = "multiple" if several and tensor._edge is not None else "function"


# ---- once ----


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a backward cannot be differentiated itself: doing so is an error instead of a wrong result."""

    @functools.wraps(backward)
    def wrapped(ctx: FunctionCtx, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        if not (modes.grad_enabled and any(isinstance(g, Tensor) and g._edge is not None for g in grads)):
            return results
        many = results if isinstance(results, tuple) else (results,)
        refused = Error(many)
        marked = tuple(refused.mark(r, i) if isinstance(r, Tensor) else r for i, r in enumerate(many))
        return marked if isinstance(results, tuple) else marked[0]

    return wrapped


class Error(Node):
    """Stands behind the gradients of a backward that can be differentiated only once: running it is the error."""

    __slots__ = ("edges", "num_inputs")
    more_edges = ()

    def __init__(self, results: tuple[Any, ...]) -> None:
        self.hooks = None
        self.sequence_nr = next_sequence_nr()
        tensors = [r for r in results if isinstance(r, Tensor)]
        self.edges = tuple(fresh(r._data).requires_grad_()._edge if isinstance(r, Tensor) else None for r in results)
        self.num_inputs = max(1, len(results))
        if modes.instrument is not None and tensors:
            modes.instrument.record(self, tensors[0])

    def mark(self, result: Tensor, i: int) -> Tensor:
        """`result`, the `i`-th of the backward, with this node as its history."""
        return fresh(result._data, edge_to(self, i))

    @property
    def next_edges(self) -> tuple[Any, ...]:
        return self.edges

    def name(self) -> str:
        """PyTorch's long name."""
        return "torch::autograd::Error"

    def apply(self, grad: Any) -> Any:
        """Refuse.

        Raises
        ------
        NotDifferentiable
        """
        raise NotDifferentiable(
            "this backward is marked @once_differentiable, and a second derivative was asked for",
            hint="write it in differentiable operations",
        )

    apply_release = apply_tensor = apply
