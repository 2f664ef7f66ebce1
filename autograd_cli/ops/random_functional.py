"""Functions of ``torch.nn.functional`` that draw random numbers, beside dropout."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.generator import default_generator
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentValue
from .arithmetic import add_scalar, mul, mul_scalar
from .gather import scatter
from .inplace import in_place
from .reduce import argmax
from .softmax import softmax
from .support import on_device_of, want_tensor, wrap_dim

ALPHA = 1.7580993408473766  # minus the limit of selu at minus infinity, from which alpha dropout takes its name


@op("RreluWithNoiseBackward0", real_only=True, self=lambda grad, noise: grad * noise)
def rrelu_with_noise(self, noise: Tensor):
    """Self times slopes that were drawn."""
    return self * noise


@op("RreluWithNoiseBackward1", real_only=True, self=lambda grad, noise: grad * noise)
def rrelu_over(self, noise: Tensor):
    """The in-place form, which PyTorch records by another name."""
    return self * noise


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """A sample of a relaxed one-of-n choice; `hard` gives a one-hot vector whose gradient is that of the relaxed one."""
    data = want_tensor(logits, "gumbel_softmax", "logits")._data
    noise = -np.log(default_generator.exponential(data.size, 1, data.dtype)).reshape(data.shape)
    soft = softmax((logits + fresh(scalar(on_device_of(data, noise)))) / tau, dim)
    if not hard:
        return soft
    index = argmax(soft, dim, True)
    zeros = fresh(array_module(data).zeros(data.shape, data.dtype))
    return scatter(zeros, wrap_dim(dim, data.ndim), index, 1.0) - soft.detach() + soft


def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
    """Negative values times a random slope, in training one for each element, else their mean."""
    data = want_tensor(input, "rrelu")._data
    if lower > upper:
        raise BadArgument(f"rrelu() takes its slopes between lower and upper, and {lower} is more than {upper}")
    if not training:
        slope = np.full(data.shape, (lower + upper) / 2, data.dtype)
        slope[np.asarray(_host(data)) > 0] = 1
        return _with_slopes(input, _tensor(data, slope), inplace)
    host = _host(data)
    noise = np.ones(host.shape, host.dtype)
    below = host <= 0
    noise[below] = default_generator.uniform(int(below.sum()), lower, upper, np.float64)
    return _with_slopes(input, _tensor(data, noise), inplace)


def _alpha(name: str, by_channel: bool, doc: str) -> Any:
    def function(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
        data = want_tensor(input, name)._data
        if not 0 <= p <= 1:
            raise BadArgumentValue(f"the probability p of {name}() is between 0 and 1, not {p}")
        if by_channel and data.ndim < 2:
            raise BadArgument(f"{name}() takes a tensor with channels, of two dimensions or more")
        if not training or p == 0 or not data.size:
            return input
        if p == 1:
            return in_place(input, f"{name}_", mul, 0) if inplace else mul(input, 0)
        shape = (*data.shape[:2], *(1,) * (data.ndim - 2)) if by_channel else data.shape
        kept = default_generator.bernoulli(math.prod(shape), 1 - p).astype(data.dtype).reshape(shape)
        a = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
        shift = add_scalar(mul_scalar(add_scalar(_tensor(data, kept), -1), ALPHA * a), ALPHA * a * p)
        noise = mul_scalar(_tensor(data, kept), a)
        if inplace:
            return in_place(input, f"{name}_", mul, noise).add_(shift)  # type: ignore[attr-defined]
        return mul(input, noise) + shift

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _with_slopes(input: Any, slopes: Tensor, inplace: bool) -> Any:
    return in_place(input, "rrelu_", rrelu_over, slopes) if inplace else rrelu_with_noise(input, slopes)


def _host(data: Any) -> Any:
    return data if isinstance(data, (np.ndarray, np.generic)) else data.get()


def _tensor(like: Any, array: Any) -> Tensor:
    return fresh(scalar(on_device_of(like, array)))


alpha_dropout = _alpha("alpha_dropout", False, "Dropout for selu: dropped elements get its limit, and mean and variance stay.")
feature_alpha_dropout = _alpha("feature_alpha_dropout", True, "alpha_dropout of whole channels.")
