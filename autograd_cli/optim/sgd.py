"""Stochastic gradient descent, with momentum (Polyak 1964; Nesterov as in Sutskever et al. 2013)."""

from __future__ import annotations

from typing import Any

from ..core.op_support import fresh
from ..errors import BadArgumentValue
from .kernels import add_scaled, sum_scaled, times
from .optimizer import Optimizer, Options, check_options, number


class SGD(Optimizer):
    """``p -= lr * grad``, where momentum keeps a running sum of gradients."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0, nesterov: bool = False,
        *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        check_options(defaults)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise BadArgumentValue("nesterov=True needs a momentum and no dampening", hint="for example momentum=0.9")
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        decay, momentum = number(group["weight_decay"]), group["momentum"]
        if decay != 0:
            grad = sum_scaled(grad, p, decay)
        if momentum != 0:
            kept = state.get("momentum_buffer")
            if kept is None:
                kept = state["momentum_buffer"] = fresh(grad.copy())
                buffer = kept._storage()
            else:
                buffer = kept._storage()
                times(buffer, momentum)
                add_scaled(buffer, grad, 1 - group["dampening"])
            grad = sum_scaled(grad, buffer, momentum) if group["nesterov"] else buffer
        add_scaled(p, grad, -number(group["lr"]))
