"""Context managers, also decorators, that switch recording: ``no_grad``, ``enable_grad``, ``set_grad_enabled``, ``inference_mode``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import GeneratorType
from typing import Any

from ..errors import BadArgumentType
from .modes import modes
from .version_counter import NO_VERSIONS


class _Switch:
    """Sets the modes on entry and puts the earlier ones back on exit; used as a decorator it does so around each call."""

    def __init__(self) -> None:
        self._before: list[Any] = []

    def _set(self) -> None:
        raise NotImplementedError

    def _again(self) -> _Switch:
        return type(self)()

    def __enter__(self) -> None:
        self._before.append(modes.snapshot())
        self._set()

    def __exit__(self, *error: object) -> None:
        modes.restore(self._before.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                made = function(*args, **kwargs)
            return self._generator(made) if isinstance(made, GeneratorType) else made

        return wrapped

    def _generator(self, made: GeneratorType[Any, Any, Any]) -> Any:
        """A generator runs its steps under the switch and hands the caller's modes back between them."""
        step, given = made.send, None
        while True:
            with self._again():
                try:
                    item = step(given)
                except StopIteration as end:
                    return end.value
            try:
                given = yield item
                step = made.send
            except GeneratorExit:
                with self._again():
                    made.close()
                raise
            except BaseException as thrown:
                step, given = made.throw, thrown


class no_grad(_Switch):
    """Record nothing inside. ``with torch.no_grad():`` or ``@torch.no_grad()``."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        made.__init__()  # type: ignore[misc]
        return made(function)

    def __init__(self, function: None = None) -> None:
        super().__init__()

    def _set(self) -> None:
        modes.set_grad(False)


class enable_grad(no_grad):
    """Record inside, also within ``no_grad``."""

    def _set(self) -> None:
        modes.set_grad(True)


class set_grad_enabled(_Switch):
    """Switch recording at once; as a context manager, until its end."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise BadArgumentType(f"set_grad_enabled() takes True or False, not {type(mode).__name__}")
        super().__init__()
        self.mode = mode
        self._outside = modes.snapshot()
        modes.set_grad(mode)

    def _again(self) -> _Switch:
        again = set_grad_enabled.__new__(set_grad_enabled)
        _Switch.__init__(again)
        again.mode, again._outside = self.mode, modes.snapshot()
        return again

    def _set(self) -> None:
        # what was current before the constructor is what the end of the block puts back
        self._before[-1] = self._outside
        modes.set_grad(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        modes.restore(self._outside)  # a decorator changes nothing outside of the calls
        return super().__call__(function)


class inference_mode(_Switch):
    """As ``no_grad``, and tensors made inside can never be part of a graph; ``inference_mode(False)`` records again."""

    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)  # @torch.inference_mode, without parentheses

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = mode

    def _again(self) -> _Switch:
        return inference_mode(self.mode)

    def _set(self) -> None:
        modes.new_counter = NO_VERSIONS if self.mode else None
        modes.set_grad(not self.mode)


class set_multithreading_enabled:
    """PyTorch's switch for the threads of its engine: a call, or a context manager. Here it is remembered: the engine has one thread."""

    def __init__(self, mode: bool) -> None:
        self._before, modes.multithreading = modes.multithreading, mode

    def __enter__(self) -> None:
        """Nothing: the call has switched."""

    def __exit__(self, *error: object) -> None:
        modes.multithreading = self._before


def is_multithreading_enabled() -> bool:
    """What ``set_multithreading_enabled`` was told last."""
    return modes.multithreading


def is_grad_enabled() -> bool:
    """Whether operations record now; under ``inference_mode``, whether they would."""
    return modes.grad_asked if modes.inference else modes.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether ``inference_mode`` is on."""
    return modes.inference
