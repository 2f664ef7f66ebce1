"""Schedulers that look at a metric, restart, follow one another, or go up and down once."""

from __future__ import annotations

import math
from typing import Any

from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from .lr_scheduler import LRScheduler, per_group
from .optimizer import Optimizer, Options


class ReduceLROnPlateau(LRScheduler):
    """The rate is multiplied by `factor` when a metric has not improved for `patience` epochs."""

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise BadArgumentValue(f"factor is below 1, not {factor}")
        if not isinstance(optimizer, Optimizer):
            raise BadArgumentType(f"a scheduler takes an optimizer, not {type(optimizer).__name__}")
        if mode not in ("min", "max"):
            raise BadArgumentValue(f"mode is 'min' or 'max', not {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise BadArgumentValue(f"threshold_mode is 'rel' or 'abs', not {threshold_mode!r}")
        self.min_lrs = per_group(optimizer, min_lr, "min_lr")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self.last_epoch = self.cooldown_counter = self.num_bad_epochs = 0
        self.best = math.inf if mode == "min" else -math.inf
        self._last_lr = self.current()

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was so recent that bad epochs do not count."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Look at the metric of an epoch."""
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                old, new = float(group["lr"]), max(float(group["lr"]) * self.factor, least)
                if old - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self.current()

    def is_better(self, value: float) -> bool:
        """Whether a metric improves on the best by more than the threshold."""
        if self.threshold_mode == "rel":
            return (
                value < self.best * (1.0 - self.threshold) if self.mode == "min" else value > self.best * (self.threshold + 1.0)
            )
        return value < self.best - self.threshold if self.mode == "min" else value > self.best + self.threshold


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine after another, each T_mult times as long (Loshchilov and Hutter 2017)."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise BadArgumentValue(f"T_0 is a whole number greater than 0, not {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise BadArgumentValue(f"T_mult is a whole number from 1 on, not {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of the next epoch."""
        turn = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * turn / 2 for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go on to the next epoch, or to `epoch`, which may lie between two."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())

    def _go_to(self, epoch: Any) -> None:
        if epoch < 0:
            raise BadArgumentValue(f"an epoch cannot be negative, and this is {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            restarts = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**restarts


class SequentialLR(LRScheduler):
    """Schedulers one after another, changing at the milestones."""

    def __init__(self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int], last_epoch: int = -1) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise BadArgumentValue(f"{len(schedulers)} schedulers need {len(schedulers) - 1} milestones, not {len(milestones)}")
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise BadArgumentValue("all schedulers of a SequentialLR must belong to its optimizer")
        self._schedulers, self._milestones = schedulers, milestones
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:  # each scheduler has set its own first rate: undo all but the first's
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._is_initial = True
        schedulers[0]._update_lr(None)
        schedulers[0]._is_initial = False
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch."""
        self.last_epoch += 1
        place = sum(milestone <= self.last_epoch for milestone in self._milestones)
        scheduler = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class OneCycleLR(LRScheduler):
    """The rate goes up to max_lr and then down to almost nothing, once (Smith and Topin 2018)."""

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
        base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
        three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise BadArgumentValue("OneCycleLR needs total_steps, or epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if anneal_strategy not in ("cos", "linear"):
            raise BadArgumentValue(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps, self._cosine = total_steps, anneal_strategy == "cos"
        up, end = float(pct_start * total_steps) - 1, total_steps - 1
        self._phases = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            down = float(2 * pct_start * total_steps) - 2
            self._phases.append((down, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
            self._phases.append((end, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
        else:
            self._phases.append((end, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        self.cycle_momentum = cycle_momentum
        self.use_beta1 = "betas" in optimizer.defaults
        if cycle_momentum and not (self.use_beta1 or "momentum" in optimizer.defaults):
            raise BadArgumentValue("cycle_momentum=True needs an optimizer with momentum or betas")
        if last_epoch == -1:
            self._begin(optimizer, max_lr, max_momentum, base_momentum, div_factor, final_div_factor)
        super().__init__(optimizer, last_epoch)

    def _begin(self, optimizer: Optimizer, max_lr: Any, most: Any, least: Any, div: float, final_div: float) -> None:
        groups = optimizer.param_groups
        for group, peak in zip(groups, per_group(optimizer, max_lr, "max_lr"), strict=True):
            group.update(initial_lr=peak / div, max_lr=peak, min_lr=peak / div / final_div)
        if self.cycle_momentum:
            highs, lows = per_group(optimizer, most, "max_momentum"), per_group(optimizer, least, "base_momentum")
            for group, high, low in zip(groups, highs, lows, strict=True):
                self._set_momentum(group, high)
                group.update(max_momentum=high, base_momentum=low)

    def _set_momentum(self, group: Options, value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _between(self, start: float, end: float, share: float) -> float:
        if self._cosine:
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self) -> list[Any]:
        """The rates of the next step; the momentum is set as well."""
        step = self.last_epoch
        if step > self.total_steps:
            raise BadArgument(f"OneCycleLR was made for {self.total_steps} steps, and this is step {step}")
        start = 0.0
        for phase in self._phases:
            end, from_lr, to_lr, from_momentum, to_momentum = phase
            if step <= end or phase is self._phases[-1]:
                break
            start = end
        share, rates = (step - start) / (end - start), []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[from_lr], group[to_lr], share))
            if self.cycle_momentum:
                self._set_momentum(group, self._between(group[from_momentum], group[to_momentum], share))
        return rates
