"""Adam (Kingma and Ba 2015), AdamW (Loshchilov and Hutter 2019), with AMSGrad (Reddi et al. 2018)."""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from .kernels import add_product, add_quotient, lerp, over, sum_scaled, times
from .optimizer import Optimizer, Options, check_options, count_step, number, zeros_for


class Adam(Optimizer):
    """Steps of running means of gradients, divided by the root of running means of their squares."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        check_options(defaults)
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        xp = array_module(p)
        lr, decay = number(group["lr"]), group["weight_decay"]
        beta1, beta2 = (number(beta) for beta in group["betas"])
        step = count_step(state)
        mean, square = zeros_for(state, "exp_avg", p), zeros_for(state, "exp_avg_sq", p)
        largest = zeros_for(state, "max_exp_avg_sq", p) if group["amsgrad"] else None
        if decay != 0:
            if group["decoupled_weight_decay"]:
                times(p, 1 - lr * decay)
            else:
                grad = sum_scaled(grad, p, decay)
        lerp(mean, grad, 1 - beta1)
        times(square, beta2)
        add_product(square, grad, grad, 1 - beta2)
        if largest is not None:
            xp.maximum(largest, square, out=largest)
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        scale = xp.sqrt(square if largest is None else largest)
        scale = over(scale, correction2**0.5)
        scale = scale + p.dtype.type(group["eps"])
        add_quotient(p, mean, scale, -(lr / correction1))

    def writes(self, group: Options) -> int:
        """The weights are decayed in a change of their own."""
        return 2 if group["decoupled_weight_decay"] and group["weight_decay"] != 0 else 1


class AdamW(Adam):
    """Adam whose weight decay is not part of the gradient."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2,
        amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
