"""Calling the hooks of a node: gradients are shown as Tensors, and what a hook returns takes their place."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentType, GradShapeMismatch
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
    if before is not None and value._data.shape != before.shape:
        raise GradShapeMismatch(
            f"a {hook} returned a gradient of shape {list(value._data.shape)} for one of shape {list(before.shape)}",
            hint="a hook may change the values of a gradient, not its shape",
        )
    return value if before.__class__ is Tensor else value._data


def run_pre_hooks(node: Any, grad: Any, *, captured_only: bool) -> Any:
    """Tensor hooks, then retain_grad, then (unless the gradient is only captured) the node's own pre hooks."""
    hooks, single = node.hooks, node.num_inputs == 1
    grads = [grad] if single else [None] * node.num_inputs if grad is None else list(grad)
    for input_nr, hook in list(hooks.tensor_pre.values()):
        before = grads[input_nr]
        if before is None:
            continue
        after = hook(as_tensor(before))
        _called(node)
        if after is not None:
            grads[input_nr] = like(after, before, "tensor hook")
    for input_nr, keep in hooks.retain.items():
        if grads[input_nr] is not None:
            keep(as_tensor(grads[input_nr]))
    for hook in [] if captured_only else list(hooks.pre.values()):
        changed = hook(tuple(as_tensor(g) for g in grads))
        _called(node)
        if changed is not None:
            changed = changed if isinstance(changed, tuple) else (changed,)
            grads = [g if c is None else like(c, g, "node pre hook") for c, g in zip(changed, grads, strict=True)]
    return grads[0] if single else grads


def run_post_hooks(node: Any, outputs: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
    """The node's post hooks: they see (gradients of the inputs, gradients of the outputs)."""
    given = (grad,) if node.num_inputs == 1 else tuple(grad)
    edges = node.next_edges
    outputs = tuple(outputs[: len(edges)])
    for hook in list(node.hooks.post.values()):
        changed = hook(tuple(as_tensor(g) for g in outputs), tuple(as_tensor(g) for g in given))
        _called(node)
        if changed is not None:
            changed = changed if isinstance(changed, tuple) else (changed,)
            outputs = tuple(g if c is None else like(c, g, "node hook") for c, g in zip(changed, outputs, strict=True))
    return outputs


def run_post_accumulate(node: Any) -> None:
    """The hooks that see a leaf after its ``.grad`` was added to."""
    for hook in list(node.hooks.post_accumulate.values()):
        hook(node.variable)
        _called(node)


def _called(node: Any) -> None:
    if modes.instrument is not None:
        modes.instrument.hook(node)
