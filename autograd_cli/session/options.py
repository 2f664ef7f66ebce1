"""How a scenario is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..trace.snapshot import LARGEST


@dataclass
class RunOptions:
    """What the caller chooses; a scenario's own keys stand where this is None.

    Attributes
    ----------
    device, seed
        Instead of the scenario's.
    record : str, optional
        Which passes are kept in full: ``all``, ``first:N,last:M``, ``N..M``.
    events : bool
        Keep the events.
    timeout : float, optional
        Seconds after which the run is stopped with LimitExceeded.
    recording : bool
        False runs without a Recorder: as fast as the library alone, and the Trace has no graph and no passes.
    max_elements : int, optional
        The largest tensor that may be made.
    written_elements : int
        The largest tensor whose elements are in the Trace.
    on_print : callable, optional
        Gets what the script prints as it prints it.
    on_progress : callable, optional
        Called after each pass with (passes done, seconds since the start).
    """

    device: str | None = None
    seed: int | None = None
    record: str | None = None
    events: bool = False
    timeout: float | None = None
    recording: bool = True
    max_elements: int | None = None
    written_elements: int = LARGEST
    on_print: Callable[[str], None] | None = None
    on_progress: Callable[[int, float], None] | None = None
