"""Learning-rate schedulers: each ``step()`` sets the rate of every parameter group for the next epoch.

Note [Step by step]
    As in PyTorch, most rates are worked out from the last one and not from the first, so that several schedulers can be chained. The
    last digits of a rate are those of this recursion.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..core.warning import warn
from ..errors import BadArgumentType, BadArgumentValue
from .optimizer import Optimizer, Options


class LRScheduler:
    """Base: subclasses write ``get_lr``.

    Parameters
    ----------
    optimizer : Optimizer
    last_epoch : int
        -1 to begin; the epoch before, to go on.
    """

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise BadArgumentType(f"a scheduler takes an optimizer, not {type(optimizer).__name__}")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"param_groups[{i}] has no initial_lr, which going on from last_epoch = {last_epoch} needs")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch, one a group."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr()")

    def get_last_lr(self) -> list[Any]:
        """The rates that are in force."""
        return self._last_lr

    def current(self) -> list[Any]:
        """The rates of the optimizer's groups."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def scaled(self, factor: float) -> list[Any]:
        """The rates of the optimizer's groups times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch (or to `epoch`)."""
        if self._step_count == 1 and not self.optimizer._steps_taken:
            warn("SchedulerBeforeOptimizer")
        if epoch is not None:
            warn("SchedulerEpoch")
        self._step_count += 1
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = getattr(self, "closed_form", None) if epoch is not None else None
        self._set(self.get_lr() if closed is None else closed())

    def _set(self, rates: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self.current()

    def state_dict(self) -> Options:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: Options) -> None:
        """Take over what ``state_dict()`` returned."""
        self.__dict__.update(state_dict)


def per_group(optimizer: Optimizer, value: Any, what: str) -> list[Any]:
    """One value for each parameter group: `value` is one for all of them, or a list."""
    count = len(optimizer.param_groups)
    given = list(value) if isinstance(value, (list, tuple)) else [value] * count
    if len(given) != count:
        raise BadArgumentValue(f"{count} parameter groups need as many {what}, not {len(given)}")
    return given


class LambdaLR(LRScheduler):
    """The first rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas = per_group(optimizer, lr_lambda, "functions")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LRScheduler):
    """The last rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas = per_group(optimizer, lr_lambda, "functions")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        if self._is_initial:
            return self.current()
        return [rate * f(self.last_epoch) for f, rate in zip(self.lr_lambdas, self.current(), strict=True)]


class StepLR(LRScheduler):
    """Every step_size epochs the rate is multiplied by gamma."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self.current()
        return self.scaled(self.gamma)

    def closed_form(self) -> list[Any]:
        """The rates of any epoch."""
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """At each milestone the rate is multiplied by gamma."""

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        if self.last_epoch not in self.milestones:
            return self.current()
        return self.scaled(self.gamma ** self.milestones[self.last_epoch])

    def closed_form(self) -> list[Any]:
        """The rates of any epoch."""
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The rate times a factor until total_iters epochs have passed."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise BadArgumentValue(f"factor is between 0 and 1, not {factor}")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        if self.last_epoch == 0:
            return self.scaled(self.factor)
        return self.current() if self.last_epoch != self.total_iters else self.scaled(1.0 / self.factor)

    def closed_form(self) -> list[Any]:
        """The rates of any epoch."""
        return [base * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The rate times a factor that goes from start_factor to end_factor in total_iters epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise BadArgumentValue(f"start_factor is greater than 0 and at most 1, not {start_factor}")
        if not 0 <= end_factor <= 1:
            raise BadArgumentValue(f"end_factor is between 0 and 1, not {end_factor}")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch. See Note [Step by step]."""
        if self.last_epoch == 0:
            return self.scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.current()
        way = self.end_factor - self.start_factor
        return self.scaled(1.0 + way / (self.total_iters * self.start_factor + (self.last_epoch - 1) * way))

    def closed_form(self) -> list[Any]:
        """The rates of any epoch."""
        way, done = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [base * (self.start_factor + way * done / self.total_iters) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Every epoch the rate is multiplied by gamma."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        return self.current() if self._is_initial else self.scaled(self.gamma)

    def closed_form(self) -> list[Any]:
        """The rates of any epoch."""
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The rate falls to zero in total_iters epochs, as a power of the time that is left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch. See Note [Step by step]."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.current()
        left, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return self.scaled((left / before) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """The rate follows half a cosine from its first value to eta_min in T_max epochs (Loshchilov and Hutter 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch. See Note [Step by step]."""
        if self._is_initial:
            return self.current()
        if self._step_count == 1 and self.last_epoch > 0:
            return self.closed_form()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            turn = 1 - math.cos(math.pi / self.T_max)
            return [r + (base - self.eta_min) * turn / 2 for base, r in zip(self.base_lrs, self.current(), strict=True)]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (rate - self.eta_min) + self.eta_min for rate in self.current()]

    def closed_form(self) -> list[Any]:
        """The rates of any epoch."""
        turn = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * turn / 2 for base in self.base_lrs]
