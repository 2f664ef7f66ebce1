"""``torch.utils.checkpoint``: keep the inputs of a part of the forward instead of what it saves, and compute it again in the backward.

Source of the rules: https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ..errors import BadArgument, BadArgumentValue
from . import autograd, mode_listener
from .checkpoint_frame import CheckpointFrame
from .device_streams import get_states, set_states
from .function import Function
from .grad_mode import enable_grad, no_grad
from .instrument import inside
from .modes import modes
from .tensor import Tensor
from .warning import warn


def noop_context_fn() -> tuple[Any, Any]:
    """No context for the forward, and none for computing it again."""
    return nullcontext(), nullcontext()


class early_stop:
    """Whether computing again ends as soon as all that is needed is there; None leaves it to each call."""

    enabled: bool | None = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Inside the block, say for all checkpoints whether computing again may stop early."""
    before, early_stop.enabled = early_stop.enabled, enable
    try:
        yield
    finally:
        early_stop.enabled = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Run ``function(*args)`` without keeping what its operations save; the backward pass runs it again.

    Parameters
    ----------
    function : callable
    use_reentrant : bool
        True: one node, CheckpointFunctionBackward, whose backward is a pass of its own. False (the better choice): the nodes of the
        operations are in the graph as ever, and what they saved is computed again when the first of them is asked for it.
    preserve_rng_state : bool
        Draw the same random numbers again (dropout); default True.
    context_fn : callable
        Gives two context managers: for the forward, and for computing again. Not with `use_reentrant`.
    determinism_check : {"default", "none"}
        Whether shapes and dtypes have to be the same the second time.
    """
    if use_reentrant is None:
        warn("CheckpointUseReentrant")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise BadArgumentValue(
                f"checkpoint() with use_reentrant=True takes no keyword arguments for the function: {', '.join(kwargs)}",
                hint="give them by position, or use use_reentrant=False",
            )
        if context_fn is not noop_context_fn or debug:
            raise BadArgumentValue("context_fn and debug need use_reentrant=False")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise BadArgumentValue(f'determinism_check is "default" or "none", not {determinism_check!r}')
    return _without_reentrant(function, args, kwargs, preserve, context_fn, determinism_check, early_stop)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Run the functions (or a Sequential) one after the other, in `segments` parts of which all but the last are checkpoints."""
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise BadArgumentValue(f"checkpoint_sequential() got unknown arguments: {', '.join(kwargs)}")
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)
    if not 1 <= segments <= len(parts):
        raise BadArgumentValue(f"checkpoint_sequential() cannot make {segments} parts of {len(parts)} functions")
    size = len(parts) // segments
    end = size * (segments - 1)
    for start in range(0, end, size):
        run = _one_after_the_other(parts[start : start + size])
        input = checkpoint(run, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _one_after_the_other(parts[end:])(input)


def _one_after_the_other(functions: list[Any]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run


@contextmanager
def _same_random_numbers(state: Any) -> Iterator[None]:
    """Draw from `state` (None: from where the generators are); afterwards they are where they were."""
    if state is None:
        yield
        return
    before = get_states()
    set_states(state)
    try:
        yield
    finally:
        set_states(before)


# ---- reentrant: one node, and a pass inside the pass ----


class CheckpointFunction(Function):
    """The operation behind ``use_reentrant=True``."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Run the function without recording."""
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warn("CheckpointWithoutGrad")
        ctx.run_function = run_function
        ctx.state = get_states() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.tensor_indices = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.tensor_indices))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run it again, recording, and take that graph's backward pass."""
        if modes.graph_task is None or not modes.graph_task[1]:
            raise BadArgument(
                "checkpoint(use_reentrant=True) cannot be used with grad() or with backward(inputs=...): its backward is a pass of its own",
                hint="use checkpoint(..., use_reentrant=False)",
            )
        inputs = list(ctx.inputs)
        for i, tensor in zip(ctx.tensor_indices, ctx.saved_tensors, strict=True):
            inputs[i] = _leaf_like(tensor)
        with _same_random_numbers(ctx.state), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=False) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise BadArgument(
                "no result of the function requires grad, so that there is nothing to compute again",
                hint="leave checkpoint() out here",
            )
        with inside("checkpoint"):
            autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return None, None, *(i.grad if isinstance(i, Tensor) else None for i in inputs)


def _leaf_like(tensor: Tensor) -> Tensor:
    leaf = tensor.detach()
    leaf.requires_grad = tensor.requires_grad
    return leaf


# ---- not reentrant: saved-tensor hooks that compute again ----


def _without_reentrant(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    preserve: bool,
    context_fn: Callable[[], tuple[Any, Any]],
    determinism_check: str,
    stop: bool,
) -> Any:
    forward_context, recompute_context = context_fn()
    state = get_states() if preserve else None
    if not modes.grad_enabled:
        return function(*args, **kwargs)

    def run_again(*inputs: Any) -> None:
        with _same_random_numbers(state), recompute_context, enable_grad(), mode_listener.nobody_listens():
            function(*inputs, **kwargs)

    stop = stop if early_stop.enabled is None else early_stop.enabled
    frame = CheckpointFrame(run_again, args, stop_early=stop, check=determinism_check == "default")
    with frame.hooks(), forward_context:
        result = function(*args, **kwargs)
    frame.forward_completed = True
    return result
