"""Linear layers, and layers that only change the shape."""

from __future__ import annotations

import math
from typing import Any

from ..ops import linalg, shape
from ..ops.bilinear import bilinear
from . import init
from .make import draw_uniform, new_parameter
from .module import Module


class Identity(Module):
    """Gives back what it gets, whatever it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Module):
    """``input @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features : int
        Sizes of the last dimension of input and output.
    bias : bool
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = new_parameter(out_features, in_features, device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            draw_uniform(self.bias, self.weight._data.shape[1])

    def forward(self, input: Any) -> Any:
        """(*, in_features) → (*, out_features)."""
        own = self._parameters
        return linalg.linear(input, own["weight"], own["bias"])

    def extra_repr(self) -> str:
        """Sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """``x1 @ weight[o] @ x2`` for each output, plus bias."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = new_parameter(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        draw_uniform(self.weight, self.in1_features)
        if self.bias is not None:
            draw_uniform(self.bias, self.in1_features)

    def forward(self, input1: Any, input2: Any) -> Any:
        """(*, in1_features) and (*, in2_features) → (*, out_features)."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Flatten(Module):
    """Makes the dimensions from start_dim to end_dim one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """The input, flattened."""
        return shape.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Any) -> Any:
        """The input with more dimensions."""
        return shape.unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Dimension and sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
