"""Schedules that go up and down, or several at once: CyclicLR (Smith 2017) and ChainedScheduler."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import BadArgumentValue
from .lr_scheduler import LRScheduler

SCALES: dict[str, tuple[str, Callable[[float, float], float]]] = {  # by mode: what is scaled by, and how (gamma, x)
    "triangular": ("cycle", lambda gamma, x: 1.0),
    "triangular2": ("cycle", lambda gamma, x: 1 / 2.0 ** (x - 1)),
    "exp_range": ("iterations", lambda gamma, x: gamma**x),
}


class CyclicLR(LRScheduler):
    """Rates that climb from base_lr to max_lr and come down again, with momentum the other way round."""

    def __init__(
        self, optimizer: Any, base_lr: Any, max_lr: Any, step_size_up: int = 2000, step_size_down: int | None = None,
        mode: str = "triangular", gamma: float = 1.0, scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
        cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        groups = optimizer.param_groups
        base = _for_each("base_lr", groups, base_lr)
        if last_epoch == -1:
            for group, rate in zip(groups, base, strict=True):
                group["lr"] = rate
        self.max_lrs = _for_each("max_lr", groups, max_lr)
        up, down = float(step_size_up), float(step_size_up if step_size_down is None else step_size_down)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        if mode not in SCALES and scale_fn is None:
            raise BadArgumentValue(f"mode is triangular, triangular2 or exp_range, not {mode!r}", hint="or give a scale_fn")
        self.mode, self.gamma = mode, gamma
        self._custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else SCALES[mode][0]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if not {"momentum", "betas"} & set(optimizer.defaults):
                raise BadArgumentValue(
                    "CyclicLR cycles momentum, and this optimizer has neither momentum nor betas",
                    hint="give cycle_momentum=False",
                )
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = _for_each("base_momentum", groups, base_momentum)
            self.max_momentums = _for_each("max_momentum", groups, max_momentum)
            if last_epoch == -1:
                for group, low, high in zip(groups, self.base_momentums, self.max_momentums, strict=True):
                    self._set_momentum(group, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def scale_fn(self, x: float) -> float:
        """What the height of a cycle is multiplied by."""
        return self._custom(x) if self._custom is not None else SCALES[self.mode][1](self.gamma, x)

    def get_lr(self) -> list[float]:
        """The rates now."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


def _for_each(name: str, groups: list[Any], value: Any) -> list[float]:
    """An option for each group."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(groups)
    if len(value) != len(groups):
        raise BadArgumentValue(f"{name} has {len(value)} values for {len(groups)} parameter groups")
    return list(value)


class ChainedScheduler(LRScheduler):
    """Several schedules of one optimizer, one after another in each step."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Any = None) -> None:
        if not schedulers:
            raise BadArgumentValue("ChainedScheduler takes at least one scheduler")
        optimizer = optimizer or schedulers[0].optimizer
        for i, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise BadArgumentValue(f"scheduler {i} of ChainedScheduler belongs to another optimizer")
        self._schedulers = list(schedulers)
        self.optimizer = optimizer
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, epoch: Any = None) -> None:
        """One step of each."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Its own state and that of each schedule."""
        own = {name: value for name, value in self.__dict__.items() if name not in ("optimizer", "_schedulers")}
        return own | {"_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict()`` returned."""
        states = state_dict["_schedulers"]
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, states, strict=True):
            scheduler.load_state_dict(state)
