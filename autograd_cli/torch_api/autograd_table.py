"""The names of ``torch.autograd`` and its submodules, and of ``torch.utils.checkpoint``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import (
    anomaly,
    autograd,
    checkpoint,
    checkpoint_frame,
    function,
    function_ctx,
    grad_mode,
    gradient_edge,
    saved_hooks,
    variable,
)
from ..core.node import Node
from ..extend import func, functional, gradcheck, gradcheck_parts, jacobian
from ..extend.vmap import vmap
from ..nn import functional_call

_GRAD_MODE = {
    "no_grad": grad_mode.no_grad,
    "enable_grad": grad_mode.enable_grad,
    "set_grad_enabled": grad_mode.set_grad_enabled,
    "inference_mode": grad_mode.inference_mode,
}
_THREADS = {"set_multithreading_enabled": grad_mode.set_multithreading_enabled}
_ANOMALY = {"detect_anomaly": anomaly.detect_anomaly, "set_detect_anomaly": anomaly.set_detect_anomaly}
_FUNCTION = {
    "Function": function.Function,
    "FunctionCtx": function_ctx.FunctionCtx,
    "once_differentiable": function.once_differentiable,
}
_GRAPH: dict[str, Any] = {
    "Node": Node,
    "saved_tensors_hooks": saved_hooks.saved_tensors_hooks,
    "save_on_cpu": saved_hooks.save_on_cpu,
    "allow_mutation_on_saved_tensors": saved_hooks.allow_mutation_on_saved_tensors,
    "disable_saved_tensors_hooks": saved_hooks.disable_saved_tensors_hooks,
    "GradientEdge": gradient_edge.GradientEdge,
    "get_gradient_edge": gradient_edge.get_gradient_edge,
    "increment_version": gradient_edge.increment_version,
    "register_multi_grad_hook": gradient_edge.register_multi_grad_hook,
}
CHECKPOINT: dict[str, Any] = {
    "checkpoint": checkpoint.checkpoint,
    "checkpoint_sequential": checkpoint.checkpoint_sequential,
    "set_checkpoint_early_stop": checkpoint.set_checkpoint_early_stop,
    "noop_context_fn": checkpoint.noop_context_fn,
    "CheckpointError": checkpoint_frame.CheckpointError,
    "GraphExecGroup": checkpoint_frame.GraphExecGroup,
    "CheckpointFunction": checkpoint.CheckpointFunction,
}
_FUNCTIONAL = {
    "vjp": functional.vjp,
    "jvp": functional.jvp,
    "vhp": functional.vhp,
    "hvp": functional.hvp,
    "jacobian": jacobian.jacobian,
    "hessian": jacobian.hessian,
}
_GRADCHECK = {"gradcheck": gradcheck.gradcheck, "gradgradcheck": gradcheck.gradgradcheck}
FUNC: dict[str, Any] = {
    name: getattr(func, name) for name in ["grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian"]
}
FUNC |= {"vmap": vmap, "functional_call": functional_call.functional_call}
# What stands in ``torch`` itself.
TORCH: dict[str, Any] = {
    **_GRAD_MODE,
    "vmap": vmap,
    "is_grad_enabled": grad_mode.is_grad_enabled,
    "is_inference_mode_enabled": grad_mode.is_inference_mode_enabled,
    "is_anomaly_enabled": anomaly.is_anomaly_enabled,
    "is_anomaly_check_nan_enabled": anomaly.is_anomaly_check_nan_enabled,
}


def make_autograd(make: Callable[[str, dict[str, Any]], Any]) -> Any:
    """``torch.autograd`` with its submodules; `make` turns a name and a table into a namespace."""
    below = {
        "graph": make("torch.autograd.graph", _GRAPH),
        "function": make("torch.autograd.function", _FUNCTION),
        "functional": make("torch.autograd.functional", _FUNCTIONAL),
        "grad_mode": make("torch.autograd.grad_mode", {**_GRAD_MODE, **_THREADS}),
        "anomaly_mode": make("torch.autograd.anomaly_mode", _ANOMALY),
    }
    own = {
        "backward": autograd.backward,
        "grad": autograd.grad,
        "Function": function.Function,
        "Variable": variable.Variable,
        "is_multithreading_enabled": grad_mode.is_multithreading_enabled,
        **_THREADS,
    }
    # ``torch.autograd.gradcheck`` is the function; the module of that name can be imported from.
    make("torch.autograd.gradcheck", {**_GRADCHECK, "GradcheckError": gradcheck_parts.GradcheckError})
    return make("torch.autograd", {**own, **_GRAD_MODE, **_ANOMALY, **_GRADCHECK, **below})
