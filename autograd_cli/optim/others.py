"""Adadelta (Zeiler 2012), ASGD (Polyak and Juditsky 1992), Rprop (Riedmiller and Braun 1993)."""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..errors import BadArgumentValue
from .kernels import add_product, add_scaled, sum_scaled, times
from .optimizer import Optimizer, Options, check_options, count_step, number, number_for, zeros_for


class Adadelta(Optimizer):
    """Gradients in units of the steps taken so far."""

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0, foreach: bool | None = None,
        *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        check_options(defaults)
        if not 0 <= rho <= 1:
            raise BadArgumentValue(f"rho is between 0 and 1, not {rho}")
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        xp, rho, eps = array_module(p), group["rho"], p.dtype.type(group["eps"])
        count_step(state)
        square, moved = zeros_for(state, "square_avg", p), zeros_for(state, "acc_delta", p)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, p, group["weight_decay"])
        times(square, rho)
        add_product(square, grad, grad, 1 - rho)
        step = xp.sqrt(moved + eps) / xp.sqrt(square + eps) * grad
        times(moved, rho)
        add_product(moved, step, step, 1 - rho)
        add_scaled(p, step, -number(group["lr"]))


class ASGD(Optimizer):
    """Gradient descent that keeps the mean of the places it has been at, in the state as ``ax``."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6, weight_decay: float = 0,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
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
        lr, lambd = number(group["lr"]), group["lambd"]
        step = count_step(state)
        eta, mu = number_for(state, "eta", lr), number_for(state, "mu", 1.0)
        mean = zeros_for(state, "ax", p)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, p, group["weight_decay"])
        rate = float(eta._data)
        times(p, 1 - lambd * rate)
        add_scaled(p, grad, -rate)
        if mu._data != 1:
            add_scaled(mean, p - mean, float(mu._data))
        else:
            mean[...] = p
        for kept, value in ((eta, lr / (1 + lambd * lr * step) ** group["alpha"]), (mu, 1 / max(1, step - group["t0"]))):
            kept._set_data(kept._data.dtype.type(value))

    def writes(self, group: Options) -> int:
        """The weights are decayed in a change of their own."""
        return 2


class Rprop(Optimizer):
    """Steps of the gradient's sign, longer while it stays and shorter when it turns."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2), step_sizes: tuple[float, float] = (1e-6, 50),
        *, capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        check_options(defaults)
        if not 0 < etas[0] < 1 < etas[1]:
            raise BadArgumentValue(f"etas are a number below 1 and one above, not {etas[0]} and {etas[1]}")
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        xp, kind = array_module(p), p.dtype.type
        (shrink, grow), (least, most) = group["etas"], group["step_sizes"]
        count_step(state)
        before = zeros_for(state, "prev", p)
        fresh = "step_size" not in state
        size = zeros_for(state, "step_size", p)
        if fresh:
            size[...] = number(group["lr"])
        product = grad * before
        factor = xp.where(product > 0, kind(grow), xp.where(product < 0, kind(shrink), kind(1)))
        size *= factor
        xp.minimum(xp.maximum(size, kind(least)), kind(most), out=size)
        grad = xp.where(product < 0, kind(0), grad)
        add_product(p, xp.sign(grad), size, -1)
        before[...] = grad
