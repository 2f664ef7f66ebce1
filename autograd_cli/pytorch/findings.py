"""What a comparison has found so far: how much is equal, and each difference."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import UNSET

from ..trace.compare_model import WHAT, ComparedRecord, DifferenceRecord


class Findings:
    """Counts what is equal and keeps what differs."""

    def __init__(self) -> None:
        self.differences: list[DifferenceRecord] = []
        self.equal: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def differ(self, what: str, where: str, ours: Any, torch: Any, **more: Any) -> None:
        """Keep one difference; `more` are the other fields of a `DifferenceRecord`."""
        self.differences.append(DifferenceRecord(what, where, ours, torch, **more))

    def check(self, what: str, where: str, ours: Any, torch: Any, **more: Any) -> bool:
        """Whether two plain things are the same; counted or kept."""
        same = type(ours) is type(torch) and bool(ours == torch)
        if same:
            self.equal[what] += 1
        else:
            self.differ(what, where, ours, torch, **more)
        return same

    def facts(self, what: str, where: str, pairs: dict[str, tuple[Any, Any]], **more: Any) -> bool:
        """Whether all facts (name: ours and PyTorch's) about one thing agree: it counts as one, each fact that differs is kept."""
        wrong = {name: pair for name, pair in pairs.items() if type(pair[0]) is not type(pair[1]) or pair[0] != pair[1]}
        for name, (ours, torch) in wrong.items():
            self.differ(what, f"{where}.{name}", ours, torch, **more)
        self.equal[what] += not wrong
        return not wrong

    def in_order(self) -> list[DifferenceRecord]:
        """The differences, in the order of WHAT."""
        return sorted(self.differences, key=lambda difference: WHAT.index(difference.what))

    def compared(self) -> list[ComparedRecord]:
        """The counts, in the order of WHAT, without what there was nothing of."""
        different = Counter(difference.what for difference in self.differences)
        return [
            ComparedRecord(what, self.equal[what], different[what], self.left_out[what] or UNSET)
            for what in WHAT
            if self.equal[what] or different[what] or self.left_out[what]
        ]
