"""The events of a run, in order."""

from __future__ import annotations

import time
from typing import Any


class EventLog:
    """Collects events; see OUTPUT.md, "Events". Times are seconds since the log was made."""

    def __init__(self, worker: str | None = None) -> None:
        self.worker = worker
        self.pass_index: int | None = None
        self.segment = 0
        self.events: list[dict[str, Any]] = []
        self.start = time.perf_counter()  # workers of one run get one start
        self._seq = 0

    def add(self, kind: str, **fields: Any) -> None:
        """Add an event; fields that start with an underscore are not written out."""
        event = {
            "seq": self._seq,
            "t": time.perf_counter() - self.start,
            "worker": self.worker,
            "device": "cpu",
            "pass": self.pass_index,
            "kind": kind,
            "_segment": self.segment,
        }
        event.update(fields)
        self._seq += 1
        self.events.append(event)

    def take_back(self, node: int, *kinds: str) -> None:
        """Forget that `node` was recorded, a moment ago: it turned out to be no node of its own. Or only events of some `kinds` since."""
        later = []
        while self.events:
            event = self.events.pop()
            self._seq = event["seq"]
            mine = event.get("node") == node
            if not mine or (kinds and event["kind"] not in kinds):
                later.append(event)
            if mine and event["kind"] == "record":
                break
        for event in reversed(later):
            event["seq"] = self._seq
            self._seq += 1
            self.events.append(event)

    def drop(self, segments: set[int], passes: set[int]) -> None:
        """Forget the events of these passes, and those outside of any pass that belong to these segments."""
        self.events = [
            e for e in self.events if (e["pass"] not in passes if e["pass"] is not None else e["_segment"] not in segments)
        ]
