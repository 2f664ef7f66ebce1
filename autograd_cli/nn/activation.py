"""Activations as modules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..errors import BadArgumentType, BadArgumentValue
from ..ops import activation, activation_functional, activation_more, random_functional, softmax
from . import init
from .make import new_parameter
from .module import Module


class Activation(Module):
    """A function of the input and of options.

    Attributes
    ----------
    function : callable
        Called with the input and with the options by name.
    _options : dict
        The constructor's parameters and their defaults.
    _shown : tuple of str
        Those that the printed form shows; ``inplace`` is shown where it is True.
    """

    function: Any = None
    _options: Mapping[str, Any] = MappingProxyType({})
    _shown: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        names = list(self._options)
        given = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(names) or not set(given) <= set(names) or any(n in kwargs for n in names[: len(args)]):
            raise BadArgumentType(f"{type(self).__name__}() takes {', '.join(names) or 'no arguments'}")
        for name, value in {**self._options, **given}.items():
            setattr(self, name, value)

    def forward(self, input: Any) -> Any:
        """The function of the input."""
        own, kind = self.__dict__, type(self)
        options = {name: own[name] for name in kind._options}
        return kind.function(input, **options)

    def extra_repr(self) -> str:
        """Options."""
        parts = [
            f"{name}={getattr(self, name)}" if name != "approximate" else f"approximate={self.approximate!r}"
            for name in self._shown
        ]
        return ", ".join(parts + (["inplace=True"] if getattr(self, "inplace", False) else []))


def _activation(name: str, function: Any, doc: str, shown: str = "", **options: Any) -> type[Activation]:
    """An Activation class with these options."""
    body = {
        "__doc__": doc,
        "function": staticmethod(function),
        "_options": options,
        "_shown": tuple(shown.split()),
    }
    return type(name, (Activation,), body)


ReLU = _activation("ReLU", activation_functional.functional_relu, "The positive part.", inplace=False)
ReLU6 = _activation("ReLU6", activation_functional.relu6, "At least 0 and at most 6.", inplace=False)
LeakyReLU = _activation(
    "LeakyReLU",
    activation_functional.leaky_relu,
    "Negative values times negative_slope.",
    "negative_slope",
    negative_slope=0.01,
    inplace=False,
)
ELU = _activation(
    "ELU", activation_functional.elu, "alpha * (exp(x) - 1) for negative values.", "alpha", alpha=1.0, inplace=False
)
CELU = _activation(
    "CELU", activation_functional.celu, "alpha * (exp(x / alpha) - 1) for negative values.", "alpha", alpha=1.0, inplace=False
)
SELU = _activation("SELU", activation_functional.selu, "ELU with the factors that keep mean and variance.", inplace=False)
GELU = _activation(
    "GELU", activation.gelu, "x times the probability of a smaller normal number.", "approximate", approximate="none"
)
SiLU = _activation("SiLU", activation_functional.silu, "x times its sigmoid.", inplace=False)
Mish = _activation("Mish", activation_functional.mish, "x times tanh(softplus(x)).", inplace=False)
Hardswish = _activation("Hardswish", activation_functional.hardswish, "x * min(max(x + 3, 0), 6) / 6.", inplace=False)
Hardsigmoid = _activation("Hardsigmoid", activation_functional.hardsigmoid, "min(max(x + 3, 0), 6) / 6.", inplace=False)
Hardtanh = _activation(
    "Hardtanh",
    activation_functional.hardtanh,
    "At least min_val and at most max_val.",
    "min_val max_val",
    min_val=-1.0,
    max_val=1.0,
    inplace=False,
)
Threshold = _activation(
    "Threshold", activation_functional.threshold, "Values up to the threshold become `value`.", "threshold value", threshold=0.0, value=0.0,
    inplace=False,
)  # fmt: skip
Tanh = _activation("Tanh", activation.tanh, "Hyperbolic tangent.")
Sigmoid = _activation("Sigmoid", activation.sigmoid, "1 / (1 + exp(-x)).")
LogSigmoid = _activation("LogSigmoid", activation.logsigmoid, "The logarithm of sigmoid.")
Softsign = _activation("Softsign", activation_more.softsign, "x / (1 + abs(x)).")
Tanhshrink = _activation("Tanhshrink", activation_more.tanhshrink, "x - tanh(x).")
Softplus = _activation(
    "Softplus", activation.softplus, "log(1 + exp(beta * x)) / beta.", "beta threshold", beta=1.0, threshold=20.0
)
Softmax = _activation("Softmax", softmax.functional_softmax, "Exponentials along dim, divided by their sum.", "dim", dim=None)
LogSoftmax = _activation("LogSoftmax", softmax.functional_log_softmax, "The logarithm of softmax.", "dim", dim=None)
Softmin = _activation("Softmin", softmax.softmin, "Softmax of -x.", "dim", dim=None)
GLU = _activation("GLU", activation_more.glu, "The first half of dim times the sigmoid of the second.", "dim", dim=-1)


class PReLU(Module):
    """Negative values times a learned slope, one for all or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = new_parameter(num_parameters, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give all slopes their first value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        """The input with negative values scaled."""
        return activation_more.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many slopes."""
        return f"num_parameters={self.num_parameters}"


class _Shrink(Module):
    function: Any = None

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Any) -> Any:
        """The input with what is near 0 set to 0."""
        return type(self).function(input, self.lambd)

    def extra_repr(self) -> str:
        """How near."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """0 from -lambd to lambd."""

    function = staticmethod(activation_more.hardshrink)


class Softshrink(_Shrink):
    """Moved towards 0 by lambd."""

    function = staticmethod(activation_more.softshrink)


class RReLU(Module):
    """Negative values times a slope, drawn for each in training."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Any) -> Any:
        """The input with negative values scaled."""
        return random_functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Slopes."""
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class Softmax2d(Module):
    """Softmax over the channels of each pixel, (N, C, H, W)."""

    def forward(self, input: Any) -> Any:
        """The shares of the channels."""
        if input.dim() not in (3, 4):
            raise BadArgumentValue(f"Softmax2d takes (N, C, H, W) or (C, H, W), not {input.dim()} dimensions")
        return softmax.softmax(input, -3)
