"""Random numbers as functions of tensors: ``normal``, ``bernoulli``, ``multinomial``; the state of the stream."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import broadcast_shapes
from ..core.generator import default_generator
from ..core.multinomial import multinomial as draw_multinomial
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, DtypeMismatch
from .creation import empty
from .random_inplace import normal_
from .support import as_int, as_size, on_device_of, want_tensor, zeros_like


def _host(data: Any) -> Any:
    """An array on the CPU, where the stream is."""
    return data.get() if hasattr(data, "get") else np.asarray(data)


@op("NormalBackward1", mean=lambda grad, mean_sizes: zeros_like(grad))
def normal_around(mean, std, generator):
    """Normal numbers around each mean."""
    return _drawn(mean, std, mean, generator)


@op("NormalBackward2", std=lambda grad, std_sizes: zeros_like(grad))
def normal_spread(std, mean, generator):
    """Normal numbers with each deviation."""
    return _drawn(mean, std, std, generator)


@op(
    "NormalBackward3",
    broadcasts=("mean", "std"),
    mean=lambda grad, mean_sizes: zeros_like(grad),
    std=lambda grad, std_sizes: zeros_like(grad),
)
def normal_of(mean, std, generator):
    """Normal numbers around each mean with each deviation."""
    return _drawn(mean, std, mean, generator)


def _drawn(mean: Any, std: Any, like: Any, generator: Any) -> Any:
    """Standard normal numbers of the stream, scaled and moved."""
    if (std < 0).any() if hasattr(std, "any") else std < 0:
        raise BadArgument("normal() takes deviations from 0 on")
    shape = broadcast_shapes(*(getattr(v, "shape", ()) for v in (mean, std)))
    stream = generator or default_generator
    flat = stream.normal(math.prod(shape), 0.0, 1.0, like.dtype).reshape(shape)
    return scalar(on_device_of(like, flat) * std + mean)


def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, out: Any = None,
) -> Any:  # fmt: skip
    """Normally distributed numbers: with the mean and the deviation of tensors, or of two numbers and a size."""
    tensors = [v for v in (mean, std) if isinstance(v, Tensor)]
    for t in tensors:
        if t._data.dtype.kind not in "fcV":
            raise DtypeMismatch(f"normal() takes floating-point tensors, not {t.dtype.name}")
    if not tensors:
        if size is None:
            raise BadArgumentType("normal() of two numbers needs a size", hint="torch.normal(0.0, 1.0, (2, 3))")
        if std < 0:
            raise BadArgument("normal() takes deviations from 0 on")
        made = normal_(empty(*as_size((size,)), dtype=dtype, device=device), mean, std, generator=generator)
        return made.requires_grad_() if requires_grad else made
    if len(tensors) == 2:
        return normal_of(mean, std, generator)
    return normal_around(mean, std, generator) if isinstance(mean, Tensor) else normal_spread(std, mean, generator)


@op("BernoulliBackward0", self=lambda grad: zeros_like(grad))
def bernoulli_of(self, generator):
    """1 with the probability that each element is, else 0."""
    stream = generator or default_generator
    return scalar(on_device_of(self, np.asarray(stream.bernoulli(self.size, _host(self))).reshape(self.shape).astype(self.dtype)))


@op("BernoulliBackward1", self=lambda grad: zeros_like(grad))
def bernoulli_number(self, p, generator):
    """1 with one probability, else 0, in the shape of self."""
    stream = generator or default_generator
    return scalar(on_device_of(self, np.asarray(stream.bernoulli(self.size, p)).reshape(self.shape).astype(self.dtype)))


def bernoulli(input: Any, p: Any = None, *, generator: Any = None) -> Any:
    """1 with the probability that each element of input is, or with `p`, else 0."""
    tensor = want_tensor(input, "bernoulli")
    if p is not None:
        if not 0 <= p <= 1:
            raise BadArgument(f"bernoulli() takes a probability from 0 to 1, not {p}")
        return bernoulli_number(tensor, float(p), generator)
    if tensor._data.dtype.kind not in "fV":
        raise DtypeMismatch(
            f"bernoulli() takes floating-point probabilities, not {tensor.dtype.name}", hint="convert first: x.float()"
        )
    data = tensor._data
    if data.size and not ((data >= 0) & (data <= 1)).all():
        raise BadArgument("bernoulli() takes probabilities from 0 to 1")
    return bernoulli_of(tensor, generator)


def multinomial(input: Any, num_samples: Any, replacement: bool = False, *, generator: Any = None) -> Any:
    """Indices drawn with the probabilities of a vector, or of each row of a matrix."""
    data = want_tensor(input, "multinomial")._data
    found = draw_multinomial(generator or default_generator, _host(data), as_int(num_samples, "num_samples"), bool(replacement))
    return fresh(on_device_of(data, found))


def get_rng_state() -> Tensor:
    """The state of the random stream as a tensor of bytes."""
    return _as_tensor(default_generator.get_state())


def set_rng_state(new_state: Any) -> None:
    """Put the random stream back into a state that get_rng_state() gave."""
    default_generator.set_state(new_state)


def _as_tensor(state: Any) -> Tensor:
    return state if isinstance(state, Tensor) else fresh(np.array(state))
