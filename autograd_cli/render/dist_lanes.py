"""A distributed pass in time: a lane a worker, drawn with characters."""

from __future__ import annotations

from autograd_cli.render.labels import ascii_text, clip, printable
from autograd_cli.trace.dist_model import DistPassRecord, WorkerPassRecord

MARKS = {"compute": "▇", "send": "▸", "recv": "◂", "wait": "·"}
ASCII_MARKS = {"compute": "#", "send": ">", "recv": "<", "wait": "."}
WIDEST_LANE = 100
_LONGEST_NAME = 16
_DRAWN = ("wait", "compute", "recv", "send")  # the order of drawing: what is short stays visible on top of what is long


def lanes(one: DistPassRecord, width: int, *, is_ascii: bool = False) -> list[str]:
    """The lanes of a pass in `width` columns, each with its worker's name, and a line that tells the marks; nothing without stages.

    A column is the pass's duration divided by their number. A stage has at least one, so that every message is seen unless a later
    one covers it.
    """
    stages = [stage for part in one.workers.values() for stage in part.stages]
    if not stages:
        return []
    marks = ASCII_MARKS if is_ascii else MARKS
    start, end = min(stage.start for stage in stages), max(stage.end for stage in stages)
    names = {name: clip(ascii_text(printable(name)) if is_ascii else printable(name), _LONGEST_NAME) for name in one.workers}
    margin = max(map(len, names.values()))
    columns = max(10, min(WIDEST_LANE, width - margin - 3))
    lines = [f"{names[name]:>{margin}}  {_lane(part, start, end, columns, marks)}" for name, part in one.workers.items()]
    return [*lines, " " * (margin + 2) + "  ".join(f"{mark} {kind}" for kind, mark in marks.items())]


def _lane(part: WorkerPassRecord, start: float, end: float, columns: int, marks: dict[str, str]) -> str:
    """One worker's stages from `start` to `end`."""
    scale = (columns - 1) / (end - start) if end > start else 0.0
    cells = [" "] * columns
    for stage in sorted(part.stages, key=lambda stage: _DRAWN.index(stage.kind)):
        first, last = int((stage.start - start) * scale), int((stage.end - start) * scale)
        cells[first : last + 1] = marks[stage.kind] * (last + 1 - first)
    return "".join(cells).rstrip()
