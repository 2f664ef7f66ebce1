"""How tensors print."""

from __future__ import annotations

from ..core import dtype as dt
from ..core.array import device_of, put_on
from ..core.tensor import Tensor
from ..errors import ViewInplace


def text(self: Tensor) -> str:
    """What ``print(self)`` shows, as PyTorch's."""
    from ..core.printing import tensor_text

    try:
        grad_fn = self.grad_fn
        name = None if grad_fn is None else grad_fn.name().rpartition("::")[2]
    except ViewInplace:
        name = "Invalid"
    shown = tensor_text(
        put_on(self._data, "cpu"),
        requires_grad=self.requires_grad,
        grad_fn_name=name,
        default_dtype=dt.default.dtype,
        device=device_of(self._data),
    )
    return f"Parameter containing:\n{shown}" if self._meta is not None and self._meta.is_parameter else shown


def formatted(self: Tensor, spec: str) -> str:
    """``format(self, spec)``: a 0-d tensor formats as its number."""
    from ..core.printing import format_text

    return format_text(put_on(self._data, "cpu"), spec, lambda: text(self))
