"""Calling a module that has hooks.

Note [Full backward hooks]
    As in PyTorch, the inputs and the outputs of a module with backward hooks each pass through one identity function, which shows in
    the graph as ``BackwardHookFunctionBackward``: the gradients that this node sees are those that the hooks are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.function import Function
from ..core.modes import modes
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument

if TYPE_CHECKING:
    from .module import Module


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module(*args, **kwargs)`` with everything that is registered on it."""
    for hook, with_kwargs in list(module._forward_pre_hooks.values()):
        found = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if with_kwargs and found is not None:
            if not (isinstance(found, tuple) and len(found) == 2):
                raise BadArgument("a forward pre-hook with kwargs returns None or (args, kwargs)")
            args, kwargs = found
        elif found is not None:
            args = found if isinstance(found, tuple) else (found,)
    backward = None
    if module._backward_hooks or module._backward_pre_hooks:
        backward = BackwardHook(module, list(module._backward_hooks.values()), list(module._backward_pre_hooks.values()))
        args = backward.on_inputs(args)
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in list(module._forward_hooks.values()):
        found = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        if found is not None:
            result = found
    return result if backward is None else backward.on_outputs(result)


class BackwardHookFunction(Function):
    """The identity. See Note [Full backward hooks]."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """The arguments as they are."""
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients as they are."""
        return grads


class BackwardHook:
    """The backward hooks of one call. See Note [Full backward hooks]."""

    def __init__(self, module: Module, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs: list[int] | None = None  # which arguments are tensors; None when none requires grad
        self.count_in = self.count_out = 0

    def on_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, those that are tensors passed through the identity."""
        args, self.inputs, node = _through_identity(args)
        self.count_in = len(args)
        if node is not None:
            node.register_hook(self._inputs_known)
        return args

    def on_outputs(self, result: Any) -> Any:
        """The outputs, passed through the identity."""
        outputs, places, node = _through_identity(result if isinstance(result, tuple) else (result,))
        self.count_out = len(outputs)
        if node is not None:
            node.register_prehook(lambda grads: self._outputs_known(places or [], grads))
        return outputs if isinstance(result, tuple) else outputs[0]

    def _outputs_known(self, places: list[int], grads: tuple[Any, ...]) -> tuple[Any, ...] | None:
        shown = _spread(places, grads, self.count_out)
        for hook in self.pre_hooks:
            shown = _replaced(shown, hook(self.module, shown), "pre-hook")
        self.grad_outputs = shown
        if self.inputs is None:  # no input needs a gradient, so its node will never run
            warn("HookWithoutInputs", module=type(self.module).__name__)
            for hook in self.hooks:
                if hook(self.module, (None,) * self.count_in, shown) is not None:
                    raise BadArgument("a backward hook cannot replace gradients of inputs that need none")
            self.grad_outputs = None
        return tuple(shown[i] for i in places) if self.pre_hooks else None

    def _inputs_known(self, grad_inputs: tuple[Any, ...], _: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if self.grad_outputs is None:  # the gradient came to the input without passing the output
            return None
        places = self.inputs or []
        shown = _spread(places, grad_inputs, self.count_in)
        for hook in self.hooks:
            shown = _replaced(shown, hook(self.module, shown, self.grad_outputs), "hook")
        self.grad_outputs = None
        return tuple(shown[i] for i in places)


def _through_identity(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (modes.grad_enabled and any(values[i].requires_grad for i in places)):
        return values, None, None
    made = BackwardHookFunction.apply(*(values[i] for i in places))
    result = list(values)
    for i, tensor in zip(places, made, strict=True):
        result[i] = tensor
    node = next(t.grad_fn for t in made if t.grad_fn is not None)
    return tuple(result), places, node


def _replaced(shown: tuple[Any, ...], found: Any, what: str) -> tuple[Any, ...]:
    """What a hook returned, in the place of what it was shown; None leaves that as it is."""
    if found is None:
        return shown
    given = found if isinstance(found, tuple) else (found,)
    if len(given) != len(shown):
        raise BadArgument(f"a backward {what} returned {len(given)} gradients where {len(shown)} belong")
    return given


def _spread(places: list[int], grads: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Gradients put at the places of the tensors, None elsewhere."""
    spread: list[Any] = [None] * count
    for i, grad in zip(places, grads, strict=True):
        spread[i] = grad
    return tuple(spread)
