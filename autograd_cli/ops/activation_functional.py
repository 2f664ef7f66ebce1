"""Activations that can write into their input (``inplace=True``), as scripts call them.

Where PyTorch's in-place form has a derivative of its own, from the result, it is declared here: its node has the number 1.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.op import op
from ..errors import BadArgument
from .activation import SELU_ALPHA, SELU_SCALE, elu_, elu_backward, hardtanh_, leaky_relu_, leaky_relu_backward, relu, silu_
from .activation_more import celu_, hardsigmoid_, hardswish_, mish_, threshold_, threshold_backward_above
from .inplace import in_place


@op(
    "LeakyReluBackward1",
    real_only=True,
    self=lambda grad, result, negative_slope: leaky_relu_backward(grad, result, negative_slope),
)
def leaky_relu_written(self, negative_slope):
    """leaky_relu in place."""
    return leaky_relu_(self, negative_slope)


@op("EluBackward1", real_only=True, self=lambda grad, result, alpha, scale: elu_backward(grad, result, alpha, scale, 1, True))
def elu_written(self, alpha, scale):
    """elu in place."""
    return elu_(self, alpha, scale)


@op("CeluBackward1", real_only=True, self=lambda grad, result, alpha: elu_backward(grad, result, alpha, 1, 1 / alpha, True))
def celu_written(self, alpha):
    """celu in place."""
    return celu_(self, alpha)


@op("ThresholdBackward1", real_only=True, self=lambda grad, self, threshold: threshold_backward_above(grad, self, threshold))
def threshold_written(self, threshold, value):
    """threshold in place."""
    return threshold_(self, threshold, value)


# ---- what scripts call ----


WRITING = ["leaky_relu", "elu", "selu", "celu", "relu6", "hardtanh", "threshold", "silu", "mish", "hardswish", "hardsigmoid"]
ENDING = ["relu_", "leaky_relu_", "elu_", "selu_", "celu_", "hardtanh_", "threshold_"]  # ``F.relu_(x)``


def ending(name: str) -> Any:
    """``F.relu_`` and its like: the function of that name with ``inplace=True``."""
    function: Any = functional_relu if name == "relu_" else globals()[name[:-1]]

    def method(input: Any, *args: Any, **more: Any) -> Any:
        return function(input, *args, **more, inplace=True)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"``F.{name[:-1]}``, in place."
    return method


def functional_relu(input: Any, inplace: bool = False) -> Any:
    """``F.relu``: the positive part."""
    return in_place(input, "relu_", relu) if inplace else relu(input)


def relu6(input: Any, inplace: bool = False) -> Any:
    """Input, at least 0 and at most 6."""
    return in_place(input, "relu6_", hardtanh_, 0, 6) if inplace else hardtanh_(input, 0, 6)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Input where it is positive, else negative_slope * input."""
    return in_place(input, "leaky_relu_", leaky_relu_written, negative_slope) if inplace else leaky_relu_(input, negative_slope)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Input where it is positive, else alpha * (exp(input) - 1)."""
    return in_place(input, "elu_", elu_written, alpha, 1) if inplace else elu_(input, alpha, 1)


def selu(input: Any, inplace: bool = False) -> Any:
    """elu with the factors that keep mean and variance."""
    return in_place(input, "selu_", elu_written, SELU_ALPHA, SELU_SCALE) if inplace else elu_(input, SELU_ALPHA, SELU_SCALE)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Input where it is positive, else alpha * (exp(input / alpha) - 1)."""
    if alpha == 0:
        raise BadArgument("alpha of celu() cannot be 0")
    return in_place(input, "celu_", celu_written, alpha) if inplace else celu_(input, alpha)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Input, at least min_val and at most max_val; no gradient at the bounds."""
    return in_place(input, "hardtanh_", hardtanh_, min_val, max_val) if inplace else hardtanh_(input, min_val, max_val)


def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """Input where it is above the threshold, else a value."""
    return in_place(input, "threshold_", threshold_written, threshold, value) if inplace else threshold_(input, threshold, value)


def silu(input: Any, inplace: bool = False) -> Any:
    """Input times its sigmoid."""
    return in_place(input, "silu_", silu_) if inplace else silu_(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """Input times tanh(softplus(input))."""
    return in_place(input, "mish_", mish_) if inplace else mish_(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """input * min(max(input + 3, 0), 6) / 6."""
    return in_place(input, "hardswish_", hardswish_) if inplace else hardswish_(input)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """min(max(input + 3, 0), 6) / 6."""
    return in_place(input, "hardsigmoid_", hardsigmoid_) if inplace else hardsigmoid_(input)
