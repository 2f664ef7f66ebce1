"""Losses that are minus the logarithm of a probability density: Poisson and Gaussian."""

from __future__ import annotations

import math
from typing import Any

from ..core.grad_mode import no_grad
from ..errors import BadArgument, BadArgumentValue
from .arithmetic import add_scalar, mul, mul_scalar
from .compare import clamp
from .inplace import in_place
from .loss import reduced
from .masks import masked_fill_scalar
from .pointwise import exp, log
from .shape import clone
from .support import check_reduction, want_tensor


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None, eps: float = 1e-8,
    reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Minus the log-likelihood of counts `target` under a rate, given as its logarithm unless ``log_input=False``.

    `full` adds Stirling's approximation of the constant for targets above 1.
    """
    reduction = check_reduction(reduction, size_average, reduce)
    input, target = want_tensor(input, "poisson_nll_loss"), want_tensor(target, "poisson_nll_loss", "target")
    if log_input:
        expected = target * input  # See Note [Right operand first]
        losses = exp(input) - expected
    else:
        losses = input - target * log(add_scalar(input, eps))
    if full:
        constant = mul_scalar(log(mul_scalar(target, 2 * math.pi)), 0.5)
        stirling = target * log(target) - target + constant
        losses = losses + masked_fill_scalar(stirling, target <= 1, 0)
    return reduced(losses, reduction)


def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Any:
    """Minus the log-likelihood of `target` under a normal distribution around `input` with variance `var`, at least `eps`."""
    input, target = want_tensor(input, "gaussian_nll_loss"), want_tensor(target, "gaussian_nll_loss", "target")
    if isinstance(var, float):
        var = mul(input.new_ones(input.shape), var)
    check_reduction(reduction)
    if (var < 0).any():
        raise BadArgumentValue(
            "gaussian_nll_loss() got a negative variance", hint="let the network give its logarithm, or use softplus"
        )
    var = _of_shape(var, tuple(input._data.shape))
    var = clone(var)
    with no_grad():
        in_place(var, "clamp_", clamp, eps)
    losses = 0.5 * (log(var) + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)


def _of_shape(var: Any, shape: tuple[int, ...]) -> Any:
    """The variances beside an input: one for each element, or one for each row."""
    own = tuple(var._data.shape)
    if own == shape or own == (*shape[:-1], 1):
        return var
    if own == shape[:-1]:
        return var.unsqueeze(-1)
    raise BadArgument(
        f"gaussian_nll_loss() got variances of shape {list(own)} for an input of shape {list(shape)}",
        hint="give one for each element, or one for the last dimension",
    )
