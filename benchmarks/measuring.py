"""Clocks and memory readings."""

from __future__ import annotations

import time
from pathlib import Path

PHASES = ("forward", "backward", "step", "free")


def clocks() -> tuple[float, float]:
    """Wall clock and CPU time of this process, in seconds."""
    return time.perf_counter(), time.process_time()


def phases(start: tuple[float, float], middle: tuple[float, float], end: tuple[float, float], free: float) -> dict[str, float]:
    """CPU seconds of a pass's phases, and the wall clock of the step (forward and backward)."""
    return {
        "forward": middle[1] - start[1],
        "backward": end[1] - middle[1],
        "step": end[1] - start[1],
        "free": free,
        "wall": end[0] - start[0],
    }


def status_mib(key: str) -> float:
    """A memory figure of this process from /proc (``VmRSS``, ``VmHWM``), in MiB. Linux only."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no {key}")


def reset_peak() -> None:
    """Make VmHWM begin again at the present size. Linux only."""
    Path("/proc/self/clear_refs").write_text("5")
