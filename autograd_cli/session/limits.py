"""Limits on a run: time."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BadArgumentValue, LimitExceeded, Unsupported


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Stop what runs inside with LimitExceeded after `seconds`.

    The alarm of the operating system interrupts the running script, so no thread has to watch it.
    """
    if seconds is None:
        yield
        return
    if not (seconds > 0 and math.isfinite(seconds)):
        raise BadArgumentValue(f"--timeout {seconds}: a time-out is a number of seconds above 0")
    if not hasattr(signal, "SIGALRM"):
        raise Unsupported("--timeout needs an operating system with SIGALRM, which this one does not have")
    if threading.current_thread() is not threading.main_thread():
        raise Unsupported("a time-out works in the main thread only")

    def stop(*_: Any) -> None:
        raise LimitExceeded(
            f"the script ran longer than {seconds:g} s and was stopped",
            hint="look for a loop without end, or give --timeout a larger number",
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)  # again and again: a `finally` may loop, too
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
