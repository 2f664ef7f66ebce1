"""Calling the hooks of a node: gradients are shown as Tensors, and what a hook returns takes their place."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgument, BadArgumentType, DeviceMismatch, DtypeMismatch, GradShapeMismatch
from . import dtype as dt
from .array import device_of
from .modes import modes
from .op_support import fresh
from .tensor import Tensor


def as_tensor(grad: Any) -> Any:
    """A gradient as hooks see it."""
    return grad if grad is None or grad.__class__ is Tensor else fresh(grad)


def like(value: Any, before: Any, hook: str) -> Any:
    """What a hook returned, as the engine carries it; it may not change the shape."""
    if not isinstance(value, Tensor):
        raise BadArgumentType(f"a {hook} returned {type(value).__name__}; it may return a tensor or None")
    if before is None:
        _check_still_none(value, hook)
    old = before._data if before.__class__ is Tensor else before
    if old is not None and value._data.shape != old.shape:
        raise GradShapeMismatch(
            f"a {hook} returned a gradient of shape {list(value._data.shape)} for one of shape {list(old.shape)}",
            hint="a hook may change the values of a gradient, not its shape",
        )
    if old is not None and value._data.dtype != old.dtype:
        raise DtypeMismatch(
            f"a {hook} returned a gradient of {value.dtype.name} for one of {dt.of(old).name}",
            hint="a hook may change the values of a gradient, not its dtype",
        )
    if old is not None and device_of(value._data) != device_of(old):
        raise DeviceMismatch(
            f"a {hook} returned a gradient on {device_of(value._data)} for one on {device_of(old)}",
            hint="a hook may change the values of a gradient, not its device",
        )
    return value if before.__class__ is Tensor else value._data


def likes(changed: Any, before: tuple[Any, ...] | list[Any], hook: str) -> list[Any]:
    """As ``like`` for a hook of a node, which returns a tuple with one entry each; None is no gradient."""
    if not isinstance(changed, tuple):
        raise BadArgumentType(f"a {hook} returned {type(changed).__name__}; it may return a tuple of tensors or None")
    if len(changed) != len(before):
        raise BadArgument(f"a {hook} returned {len(changed)} gradients where {len(before)} belong")
    return [None if new is None else like(new, old, hook) for new, old in zip(changed, before, strict=True)]


def run_pre_hooks(node: Any, grad: Any, *, captured_only: bool) -> Any:
    """Tensor hooks, then retain_grad, then (unless the gradient is only captured) the node's own pre hooks."""
    hooks, single = node.hooks, node.num_inputs == 1
    grads = [grad] if single else [None] * node.num_inputs if grad is None else list(grad)
    for input_nr, hook in _by_input(list(hooks.tensor_pre.values())):
        before = grads[input_nr]
        shown = as_tensor(before)
        after = hook(shown)
        _called(node)
        if before is None:
            _check_still_none(after, "tensor hook")
        else:  # a hook may also change the gradient in place: a 0-d one is a scalar, so look again
            grads[input_nr] = like(shown if after is None else after, before, "tensor hook")
    for input_nr, keep in hooks.retain.items():
        if grads[input_nr] is not None:
            keep(as_tensor(grads[input_nr]))
    for hook in [] if captured_only else list(hooks.pre.values()):
        changed = hook(tuple(as_tensor(g) for g in grads))
        _called(node)
        if changed is not None:
            grads = likes(changed, grads, "node pre hook")
    return grads[0] if single else grads


def _by_input(entries: list[Any]) -> list[Any]:
    """(input_nr, hook) in the order of calling: the hooks of one output of the forward stay together."""
    first = {input_nr: place for place, (input_nr, _) in reversed(list(enumerate(entries)))}
    return sorted(entries, key=lambda entry: first[entry[0]]) if len(first) > 1 else entries


def _check_still_none(value: Any, hook: str) -> None:
    if value is not None:
        raise BadArgument(f"a {hook} returned a gradient where none had arrived", hint="return None for a gradient that is None")


def run_post_hooks(node: Any, outputs: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
    """The node's post hooks: they see (gradients of the inputs, gradients of the outputs)."""
    given = (grad,) if node.num_inputs == 1 else tuple(grad)
    edges = node.next_edges
    outputs = tuple(outputs[: len(edges)])
    for hook in list(node.hooks.post.values()):
        changed = hook(tuple(as_tensor(g) for g in outputs), tuple(as_tensor(g) for g in given))
        _called(node)
        if changed is not None:
            outputs = tuple(likes(changed, outputs, "node hook"))
    return outputs


def run_post_accumulate(node: Any) -> None:
    """The hooks that see a leaf after its ``.grad`` was added to."""
    for hook in list(node.hooks.post_accumulate.values()):
        returned = hook(node.variable)
        _called(node)
        if returned is not None and returned is not node.variable:
            kind = BadArgument if isinstance(returned, Tensor) else BadArgumentType
            raise kind(
                f"a post-accumulate-grad hook returned {type(returned).__name__}, and nothing would become of it",
                hint="change the leaf's .grad in the hook instead, and return None",
            )


def _called(node: Any) -> None:
    if modes.instrument is not None:
        modes.instrument.hook(node)
