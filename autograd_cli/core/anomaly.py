"""Anomaly mode: a backward pass that makes a NaN stops at the node that made it.

Source of the rules: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

from . import mode_listener
from .modes import modes
from .warning import warn


class set_detect_anomaly:
    """Switch anomaly mode on or off at once; as a context manager, until its end.

    Parameters
    ----------
    mode : bool
    check_nan : bool
        Look for NaN in the gradients. Without, only the places of the forward are kept.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (modes.anomaly, modes.check_nan)
        _switch(bool(mode), check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _switch(*self._before)


class detect_anomaly(set_detect_anomaly):
    """``with torch.autograd.detect_anomaly():`` anomaly mode inside the block.

    Raises
    ------
    AnomalyDetected
        In a backward pass, with the name of the node and the line of its forward.
    """

    def __init__(self, check_nan: bool = True) -> None:
        warn("AnomalyMode")
        self._before = (modes.anomaly, modes.check_nan)
        self._check_nan = check_nan

    def __enter__(self) -> None:
        self._before = (modes.anomaly, modes.check_nan)
        _switch(True, self._check_nan)


def _switch(on: bool, check_nan: bool) -> None:
    if on and not modes.anomaly:
        mode_listener.use()
    elif modes.anomaly and not on:
        mode_listener.leave()
    modes.anomaly, modes.check_nan = on, check_nan


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return modes.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN."""
    return modes.check_nan
