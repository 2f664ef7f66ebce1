"""Which passes of a long run are kept in full."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import BadArgumentValue

if TYPE_CHECKING:
    from .recorder import Recorder

ALL_UP_TO = 8


@dataclass
class KeepPolicy:
    """``first`` and ``last`` passes are kept once there are more than ``up_to``; or those in ``window`` (one-based, inclusive)."""

    first: int = 2
    last: int = 2
    up_to: int = ALL_UP_TO
    everything: bool = False
    window: tuple[int, int] | None = None

    @classmethod
    def parse(cls, text: str | None) -> KeepPolicy:
        """``all``, ``first:N,last:M`` (either may be left out) or ``N..M``; None is the default."""
        if text is None:
            return cls()
        if text == "all":
            return cls(everything=True)
        if found := re.fullmatch(r"(\d+)\.\.(\d+)", text):
            low, high = int(found[1]), int(found[2])
            if 1 <= low <= high:
                return cls(window=(low, high))
        parts = dict(p.split(":", 1) for p in text.split(",") if ":" in p)
        if (
            parts
            and set(parts) <= {"first", "last"}
            and all(v.isdigit() for v in parts.values())
            and text.count(",") == len(parts) - 1
        ):
            first, last = int(parts.get("first", 0)), int(parts.get("last", 0))
            return cls(first=first, last=last, up_to=first + last)
        raise BadArgumentValue(
            f"--record {text}: not understood", hint="write all, first:N,last:M or N..M, for example first:1,last:3 or 10..12"
        )

    def keeps(self, index: int, total: int) -> bool:
        """Whether pass `index` (from 0) of `total` so far is kept."""
        if self.everything:
            return True
        if self.window is not None:
            return self.window[0] <= index + 1 <= self.window[1]
        return total <= self.up_to or index < self.first or index >= total - self.last

    def apply(self, recorder: Recorder) -> None:
        """Drop what the newest pass makes superfluous."""
        total = len(recorder.passes)
        if recorder.log is not None:
            recorder.log.segment = total
        dropped = [] if self.everything else [i for i in recorder.segments if not self.keeps(i, total)]
        if not dropped:
            return
        for i in dropped:
            row = recorder.passes[i]
            row.elided, row.order, row.dependencies = True, [], {}
            del recorder.segments[i]
        if recorder.log is not None:
            recorder.log.drop(set(dropped), {recorder.passes[i].number for i in dropped})
