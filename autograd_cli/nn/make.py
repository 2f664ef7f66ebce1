"""New parameters and buffers, as the constructors of layers make them."""

from __future__ import annotations

import math
from typing import Any

from ..ops import creation
from . import init
from .parameter import parameter_of


def new_parameter(*shape: int, device: Any = None, dtype: Any = None) -> Any:
    """A parameter of a shape, to be initialised."""
    return parameter_of(creation.empty(shape, device=device, dtype=dtype))


def draw_uniform(parameter: Any, fan_in: int) -> None:
    """Numbers from [-1 / sqrt(fan_in), 1 / sqrt(fan_in)): PyTorch's default for biases, and for all of a recurrent layer."""
    bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
    init.uniform_(parameter, -bound, bound)
