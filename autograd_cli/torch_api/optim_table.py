"""The names of ``torch.optim`` and ``torch.optim.lr_scheduler``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..optim import (
    adagrad,
    adam,
    adam_kin,
    lbfgs,
    lr_scheduler,
    lr_scheduler_cycles,
    lr_scheduler_more,
    optimizer,
    others,
    rmsprop,
    sgd,
)

OPTIM: dict[str, Any] = {
    "Optimizer": optimizer.Optimizer,
    "SGD": sgd.SGD,
    "Adam": adam.Adam,
    "AdamW": adam.AdamW,
    "RMSprop": rmsprop.RMSprop,
    "Adagrad": adagrad.Adagrad,
    "LBFGS": lbfgs.LBFGS,
    "Adamax": adam_kin.Adamax,
    "NAdam": adam_kin.NAdam,
    "RAdam": adam_kin.RAdam,
    "Adadelta": others.Adadelta,
    "ASGD": others.ASGD,
    "Rprop": others.Rprop,
}
for _name, _found in OPTIM.items():  # what type(optimizer) shows
    _found.__module__ = f"torch.optim.{_name.lower()}"

_SCHEDULERS: dict[Any, str] = {
    lr_scheduler: "LRScheduler LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR "
    "PolynomialLR CosineAnnealingLR",
    lr_scheduler_cycles: "CyclicLR ChainedScheduler",
    lr_scheduler_more: "ReduceLROnPlateau CosineAnnealingWarmRestarts SequentialLR OneCycleLR",
}
LR_SCHEDULER: dict[str, Any] = {name: getattr(home, name) for home, names in _SCHEDULERS.items() for name in names.split()}
for _found in LR_SCHEDULER.values():
    _found.__module__ = "torch.optim.lr_scheduler"


def make_optim(make: Callable[[str, dict[str, Any]], Any]) -> Any:
    """``torch.optim`` with its submodule; `make` turns a name and a table into a namespace."""
    return make("torch.optim", {**OPTIM, "lr_scheduler": make("torch.optim.lr_scheduler", LR_SCHEDULER)})
