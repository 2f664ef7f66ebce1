"""RMSprop (Hinton 2012), centered as in Graves 2013."""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from .kernels import add_product, add_quotient, add_scaled, lerp, sum_scaled, times
from .optimizer import Optimizer, Options, check_options, count_step, number, zeros_for


class RMSprop(Optimizer):
    """Gradients divided by the root of a running mean of their squares."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0, momentum: float = 0,
        centered: bool = False, capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        check_options(defaults)
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        lr, alpha, momentum = number(group["lr"]), group["alpha"], group["momentum"]
        count_step(state)
        square = zeros_for(state, "square_avg", p)
        buffer = zeros_for(state, "momentum_buffer", p) if momentum > 0 else None
        mean = zeros_for(state, "grad_avg", p) if group["centered"] else None
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, p, group["weight_decay"])
        times(square, alpha)
        add_product(square, grad, grad, 1 - alpha)
        spread = square.copy()
        if mean is not None:
            lerp(mean, grad, 1 - alpha)
            add_product(spread, mean, mean, -1)
        scale = array_module(p).sqrt(spread) + p.dtype.type(group["eps"])
        if buffer is None:
            add_quotient(p, grad, scale, -lr)
        else:
            times(buffer, momentum)
            add_quotient(buffer, grad, scale, 1)
            add_scaled(p, buffer, -lr)
