"""Adagrad (Duchi et al. 2011)."""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..core.op_support import fresh
from .kernels import add_product, add_quotient, sum_scaled
from .optimizer import Optimizer, Options, check_options, count_step, number


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of all their squares so far."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0,
        eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        check_options(defaults)
        super().__init__(params, defaults)

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """One step of one parameter."""
        step = count_step(state)
        if "sum" not in state:
            state["sum"] = fresh(array_module(p).full(p.shape, group["initial_accumulator_value"], p.dtype))
        total = state["sum"]._storage()
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, p, group["weight_decay"])
        rate = number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        add_product(total, grad, grad, 1)
        add_quotient(p, grad, array_module(p).sqrt(total) + p.dtype.type(group["eps"]), -rate)
