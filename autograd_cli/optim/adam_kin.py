"""Adam's kin: Adamax (Kingma and Ba 2015), NAdam (Dozat 2016), RAdam (Liu et al. 2020)."""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from .kernels import add_product, add_quotient, add_scaled, lerp, over, sum_scaled, times
from .optimizer import Optimizer, Options, check_options, count_step, number, number_for, zeros_for


class Adamax(Optimizer):
    """Adam with the largest recent gradient in the place of the root of the mean square."""

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        check_options(defaults)
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        xp = array_module(p)
        beta1, beta2 = (number(beta) for beta in group["betas"])
        step = count_step(state)
        mean, largest = zeros_for(state, "exp_avg", p), zeros_for(state, "exp_inf", p)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, p, group["weight_decay"])
        lerp(mean, grad, 1 - beta1)
        times(largest, beta2)
        xp.maximum(largest, xp.abs(grad) + p.dtype.type(group["eps"]), out=largest)
        add_quotient(p, mean, largest, -number(group["lr"]) / (1 - beta1**step))


class _Decaying(Optimizer):
    """What NAdam and RAdam have in common: decay in the gradient or of the weights."""

    def _decayed(self, p: Any, grad: Any, group: Options) -> Any:
        """The gradient with weight decay, or the weights decayed."""
        decay = group["weight_decay"]
        if decay == 0:
            return grad
        if group["decoupled_weight_decay"]:
            times(p, 1 - number(group["lr"]) * decay)
            return grad
        return sum_scaled(grad, p, decay)

    def _decays_weights(self, group: Options) -> bool:
        return bool(group["decoupled_weight_decay"] and group["weight_decay"] != 0)


class NAdam(_Decaying):
    """Adam with Nesterov's look ahead."""

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        check_options(defaults)
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        lr, decay = number(group["lr"]), group["momentum_decay"]
        beta1, beta2 = (number(beta) for beta in group["betas"])
        step = count_step(state)
        product = number_for(state, "mu_product", 1.0)
        mean, square = zeros_for(state, "exp_avg", p), zeros_for(state, "exp_avg_sq", p)
        grad = self._decayed(p, grad, group)
        mu, following = (beta1 * (1 - 0.5 * 0.96 ** (s * decay)) for s in (step, step + 1))
        product._set_data(product._data.dtype.type(product._data * mu))
        so_far = float(product._data)
        lerp(mean, grad, 1 - beta1)
        times(square, beta2)
        add_product(square, grad, grad, 1 - beta2)
        scale = array_module(p).sqrt(over(square, 1 - beta2**step)) + p.dtype.type(group["eps"])
        add_quotient(p, grad, scale, -lr * (1 - mu) / (1 - so_far))
        add_quotient(p, mean, scale, -lr * following / (1 - so_far * following))

    def writes(self, group: Options) -> int:
        """The gradient and its mean are added one after the other."""
        return 2 + self._decays_weights(group)


class RAdam(_Decaying):
    """Adam that takes plain steps until the mean square is known well enough."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        check_options(defaults)
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        lr, kind = number(group["lr"]), p.dtype.type
        beta1, beta2 = (number(beta) for beta in group["betas"])
        step = count_step(state)
        mean, square = zeros_for(state, "exp_avg", p), zeros_for(state, "exp_avg_sq", p)
        grad = self._decayed(p, grad, group)
        lerp(mean, grad, 1 - beta1)
        times(square, beta2)
        add_product(square, grad, grad, 1 - beta2)
        correction = 1 - beta2**step
        way = mean / kind(1 - beta1**step) * kind(lr)
        # The paper's rho: how many gradients the mean square is worth, at most and by now.
        most = 2 / (1 - beta2) - 1
        now = most - 2 * step * beta2**step / correction
        if now > 5:
            scale = array_module(p).sqrt(square) + kind(group["eps"])
            rectified = ((now - 4) * (now - 2) * most / ((most - 4) * (most - 2) * now)) ** 0.5
            way = way * (kind(correction**0.5) / scale) * kind(rectified)
        add_scaled(p, way, -1)

    def writes(self, group: Options) -> int:
        """The weights are decayed in a change of their own."""
        return 1 + self._decays_weights(group)
