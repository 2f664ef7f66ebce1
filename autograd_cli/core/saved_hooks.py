"""``torch.autograd.graph.saved_tensors_hooks`` and its kin: what becomes of the tensors that operations save.

Source of the rules: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import BadArgument, ScriptError
from . import mode_listener
from .modes import modes
from .tensor import Tensor


class saved_tensors_hooks:
    """Inside the block every tensor that an operation saves goes through `pack_hook`, and what that returned through `unpack_hook`
    when a backward pass asks for it. Of nested blocks the innermost counts.

    Parameters
    ----------
    pack_hook : callable
        Takes the tensor, returns anything.
    unpack_hook : callable
        Takes what `pack_hook` returned, returns a tensor with the same content.
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if modes.saved_hooks and modes.saved_hooks[-1][0] is None:
            raise BadArgument(modes.saved_hooks[-1][1])
        modes.saved_hooks = (*modes.saved_hooks, (self.pack_hook, self.unpack_hook))
        mode_listener.use()

    def __exit__(self, *error: object) -> None:
        modes.saved_hooks = modes.saved_hooks[:-1]
        mode_listener.leave()


class save_on_cpu(saved_tensors_hooks):
    """Inside the block, tensors that operations save are kept in the memory of the CPU, and brought back to their device when a
    backward pass asks for them."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> tuple[Any, Tensor]:
            # On the CPU nothing is copied; without its history, the tensor does not keep its own node alive.
            return tensor.device, tensor.detach() if tensor.device.type == "cpu" else tensor.cpu()  # type: ignore[attr-defined]

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            where, tensor = packed
            return tensor if where.type == "cpu" else tensor.to(where)  # type: ignore[attr-defined]

        super().__init__(pack, unpack)


class OutsideBlock(ScriptError, AssertionError):
    """What belongs to a block was used outside of it."""

    kind_name = "BadArgument"


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Inside the block a tensor may be changed in place although an operation saved it: of all that is saved a copy is kept.

    PyTorch copies a tensor when it is changed, which a program can tell by the memory it takes only.
    """

    def __init__(self) -> None:
        super().__init__(self._pack, self._unpack)

    def __enter__(self) -> Any:
        if any(isinstance(getattr(pack, "__self__", None), allow_mutation_on_saved_tensors) for pack, _ in modes.saved_hooks):
            raise BadArgument(
                "a block of allow_mutation_on_saved_tensors() stands inside another", hint="one around both is enough"
            )
        super().__enter__()
        return self

    def _pack(self, tensor: Tensor) -> Tensor:
        return tensor.detach().clone()  # type: ignore[attr-defined,no-any-return]

    def _unpack(self, copy: Tensor) -> Tensor:
        if all(pack != self.pack_hook for pack, _ in modes.saved_hooks):
            raise OutsideBlock(
                "this graph was recorded inside a block of allow_mutation_on_saved_tensors(), and can be used inside it only",
                hint="call backward() before the block ends",
            )
        return copy


class disable_saved_tensors_hooks:
    """Inside the block, setting saved-tensor hooks is an error with this `error_message`. Also a decorator."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message
        self._before: list[Any] = []

    def __enter__(self) -> None:
        if modes.packs_saved:
            raise BadArgument(self.error_message, hint="some saved-tensor hooks are set here already")
        self._before.append(modes.saved_hooks)
        modes.saved_hooks = (*modes.saved_hooks, (None, self.error_message))

    def __exit__(self, *error: object) -> None:
        modes.saved_hooks = self._before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with disable_saved_tensors_hooks(self.error_message):
                return function(*args, **kwargs)

        return wrapped
