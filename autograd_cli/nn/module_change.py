"""What changes a module and all that is below it at once: train and eval, dtypes and devices, gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..core import dtype as dt
from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue

if TYPE_CHECKING:
    from .module import Module


class ModuleChange:
    """What Module can do to itself and to what is below it."""

    training: bool
    children: Callable[[], Iterator[Module]]
    modules: Callable[[], Iterator[Module]]
    parameters: Callable[[], Iterator[Tensor]]

    def apply(self, fn: Callable[[Module], Any]) -> Any:
        """Call `fn` on every module below, and then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)  # type: ignore[arg-type]
        return self

    def train(self, mode: bool = True) -> Any:
        """Say that this module and all below are being trained, or not."""
        if not isinstance(mode, bool):
            raise BadArgumentValue(f"train() takes True or False, not {mode!r}")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Any:
        """Say that this module and all below are used, not trained."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Say for all parameters whether gradients are wanted."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter._grad is None:
                continue
            if set_to_none:
                parameter._grad = None
            else:
                parameter._grad = parameter._grad.detach()
                parameter._grad.zero_()  # type: ignore[attr-defined]

    def _apply(self, change: Callable[[Tensor], Tensor]) -> Any:
        """Put `change` of every parameter and buffer in its place; parameters stay the same objects."""
        for module in self.modules():
            for parameter in module._parameters.values():
                if parameter is not None:
                    _replace(parameter, change)
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = change(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Move to a device, or floating-point tensors to a dtype, in place."""
        wanted = [v for v in (*args, *kwargs.values()) if isinstance(v, dt.dtype)]
        if wanted and not (wanted[0].is_floating_point or wanted[0].is_complex):
            raise BadArgumentType(f"a module can be made of floating-point numbers, not of {wanted[0].name}")
        places = [v for v in (*args, kwargs.get("device")) if not isinstance(v, (dt.dtype, Tensor, bool))]
        others = [v for v in args if isinstance(v, Tensor)]
        moved = [*places, *(other.device for other in others)]
        kinds = [*wanted, *(other.dtype for other in others)]

        def change(tensor: Any) -> Tensor:
            result: Any = tensor
            for place in moved:
                result = result.to(place)
            for kind in kinds if tensor.dtype.is_floating_point else ():
                result = result.to(kind)
            found: Tensor = result
            return found

        return self._apply(change)

    def float(self) -> Any:
        """Make all floating-point parameters and buffers float32."""
        return self.to(dt.float32)

    def double(self) -> Any:
        """Make all floating-point parameters and buffers float64."""
        return self.to(dt.float64)

    def half(self) -> Any:
        """Make all floating-point parameters and buffers float16."""
        return self.to(dt.float16)

    def bfloat16(self) -> Any:
        """Make all floating-point parameters and buffers bfloat16."""
        return self.to(dt.want_bfloat16())

    def cpu(self) -> Any:
        """Move to the CPU."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Any:
        """Move to a GPU."""
        return self.to("cuda" if device is None else device)


def _replace(parameter: Any, change: Callable[[Tensor], Tensor]) -> None:
    """Give a parameter, and its gradient, other data."""
    gradient = parameter._grad
    parameter.data = change(parameter.data)
    if gradient is not None:
        parameter._grad = change(gradient.detach())
