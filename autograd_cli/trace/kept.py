"""What a Recorder keeps: entries of nodes, rows of passes, and the segments they are dropped by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.node import ACCUMULATE_GRAD_NR


class Entry(NamedTuple):
    """What is known of a node. The Recorder writes plain tuples of this form: making a NamedTuple costs more than a record may.

    Nothing in it is tracked by the garbage collector (no classes, no lists), so that a large recording does not slow it down.
    """

    name: str
    key: int
    line: int | None
    offset: int  # of the bytecode: tells one run of a statement from the next
    shape: tuple[int, ...] | None
    dtype: Any
    device: str
    edges: tuple[
        Any, ...
    ]  # of each target its key, or (key, input_nr) for an input other than the first; None where there is none
    saved: Any  # name, shape, dtype, version of each saved tensor, one after the other


class PassRow:
    """What is known of one pass; nodes by key.

    ``number`` counts passes by their start. A pass that starts while another one runs (in a hook, say) knows that one as ``outer``,
    and ``outer_running``, the line that was being evaluated there.
    """

    __slots__ = (
        "dependencies", "duration", "elided", "evaluated", "failed", "inside", "kind", "line", "live", "number", "order", "outer",
        "outer_running", "peak_bytes", "released", "restricted", "roots", "start",
    )  # fmt: skip

    def __init__(self, kind: str, line: int | None, roots: list[int], start: float, number: int, outer: PassRow | None) -> None:
        self.kind, self.line, self.roots, self.start, self.number, self.outer = kind, line, roots, start, number, outer
        self.outer_running: int | None = None
        self.live = 0  # bytes of gradients that are under way
        self.dependencies: dict[int, int] = {}
        self.order: list[int] = []
        self.evaluated = 0
        self.duration = 0.0
        self.peak_bytes = 0
        self.failed = self.restricted = self.elided = self.released = False
        self.inside: str | None = None


SHARED_NUMBERS = (ACCUMULATE_GRAD_NR, 0)  # sequence numbers that many nodes have: of leaves, and of recv functions


def key_of(node: Any) -> int:
    """The number the Recorder knows a node by."""
    number: int = node.sequence_nr
    return -1 - node.leaf_nr if number in SHARED_NUMBERS else number


def saved_of(entry: Any) -> Iterator[tuple[str, tuple[int, ...], Any, int]]:
    """Of each tensor that the node of an Entry saved: name, shape, dtype and version."""
    saved = entry[8]
    return zip(saved[::4], saved[1::4], saved[2::4], saved[3::4], strict=True)


def target_of(edge: Any) -> tuple[int, int]:
    """(key, input_nr) of an edge of an Entry."""
    return edge if edge.__class__ is tuple else (edge, 0)


class Segment:
    """What was recorded up to the end of one pass. See Note [Segments] in ``recorder.py``.

    Attributes
    ----------
    entries : dict of int to Entry
        By key, in the order of recording.
    pinned : dict of int to Entry
        Entries of older segments that this one leads to: they are kept as long as this one is.
    """

    __slots__ = ("entries", "pinned")

    def __init__(self) -> None:
        self.entries: dict[int, Any] = {}
        self.pinned: dict[int, Any] = {}

    def get(self, key: int) -> Any:
        """The entry of `key`, or None."""
        return self.entries.get(key) or self.pinned.get(key)
