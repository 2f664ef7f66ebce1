"""Layers that learn their input's size from the first input: ``LazyLinear`` and its kin.

Until then their parameters are empty. The first call gives them their shape and their values, in place, so that an optimizer made before
keeps them, and makes the layer an ordinary one.
"""

from __future__ import annotations

from typing import Any

from ..core.array import array_module
from ..errors import BadArgumentValue
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .make import new_parameter
from .module import Module


class _Lazy(Module):
    """The way from a lazy layer to an ordinary one."""

    becomes: type[Module]
    _waiting: Any

    def _wait(self) -> None:
        self._waiting = self.register_forward_pre_hook(_infer)

    def reset_parameters(self) -> None:
        """Draw new values, once it is known how many."""
        if "_waiting" not in self.__dict__ or self._waiting is None:
            return
        super().reset_parameters()  # type: ignore[misc]

    def has_uninitialized_params(self) -> bool:
        """Whether the layer has not seen its first input."""
        return self._waiting is not None

    def _take_size(self, input: Any) -> None:
        """Note the size of the first input and shape the parameters."""
        raise NotImplementedError


def _infer(module: Any, args: tuple[Any, ...]) -> None:
    """The first call of a lazy layer."""
    if not args:
        raise BadArgumentValue(f"the first call of {type(module).__name__} needs its input by position")
    module._take_size(args[0])
    module.reset_parameters()
    module._waiting.remove()
    del module._waiting
    module.__class__ = module.becomes


def materialize(parameter: Any, *shape: int) -> None:
    """Give an empty parameter its shape; it stays the same object."""
    data, wanted = parameter._storage(), parameter.requires_grad
    parameter._edge = None
    parameter._set_data(array_module(data).empty(shape, data.dtype))
    parameter.requires_grad_(wanted)


class LazyLinear(_Lazy, Linear):
    """Linear, with in_features from the first input."""

    becomes = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Module.__init__(self)
        self.in_features, self.out_features = 0, out_features
        self.weight = new_parameter(0, device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(0, device=device, dtype=dtype) if bias else None)
        self._wait()

    def _take_size(self, input: Any) -> None:
        self.in_features = input.shape[-1]
        materialize(self.weight, self.out_features, self.in_features)
        if self.bias is not None:
            materialize(self.bias, self.out_features)


class _LazyConv(_Lazy):
    """A convolution with in_channels from the first input."""

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, *args: Any, bias: bool = True, **kwargs: Any
    ) -> None:
        device, dtype = kwargs.get("device"), kwargs.get("dtype")
        super().__init__(0, 0, kernel_size, stride, padding, *args, bias=False, **kwargs)
        self.out_channels = out_channels
        if bias:
            self.bias = new_parameter(0, device=device, dtype=dtype)
        self._wait()

    def _take_size(self: Any, input: Any) -> None:
        if input.dim() not in (self.dims + 1, self.dims + 2):
            raise BadArgumentValue(
                f"{type(self).__name__} takes an input of {self.dims + 1} or {self.dims + 2} dimensions, not {input.dim()}"
            )
        self.in_channels = input.shape[-self.dims - 1]
        if self.in_channels % self.groups or self.out_channels % self.groups:
            raise BadArgumentValue(
                f"in_channels, {self.in_channels}, and out_channels, {self.out_channels}, must be divisible by groups, {self.groups}"
            )
        ends = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        materialize(self.weight, ends[0], ends[1] // self.groups, *self.kernel_size)
        if self.bias is not None:
            materialize(self.bias, self.out_channels)


class _LazyNorm(_Lazy):
    """A batch normalisation with num_features from the first input."""

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()

    def _take_size(self: Any, input: Any) -> None:
        self._check(input)
        self.num_features = input.shape[1]
        for parameter in (self.weight, self.bias):
            if parameter is not None:
                materialize(parameter, self.num_features)
        if self.track_running_stats:
            for buffer in (self.running_mean, self.running_var):
                buffer._set_data(array_module(buffer._data).empty(self.num_features, buffer._data.dtype))
            self.reset_running_stats()


def _made(name: str, base: type[_Lazy], becomes: type[Module], doc: str) -> Any:
    return type(name, (base, becomes), {"becomes": becomes, "__doc__": doc, "__module__": __name__})


_CONVOLUTIONS = (Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
LAZY: dict[str, Any] = {"LazyLinear": LazyLinear}
LAZY |= {
    f"Lazy{kind.__name__}": _made(
        f"Lazy{kind.__name__}", _LazyConv, kind, f"{kind.__name__}, with in_channels from the first input."
    )
    for kind in _CONVOLUTIONS
}
LAZY |= {
    f"Lazy{kind.__name__}": _made(
        f"Lazy{kind.__name__}", _LazyNorm, kind, f"{kind.__name__}, with num_features from the first input."
    )
    for kind in (BatchNorm1d, BatchNorm2d, BatchNorm3d)
}
