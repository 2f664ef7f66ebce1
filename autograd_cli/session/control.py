"""What the coordinator and its workers say to each other, beside the messages between workers."""

from __future__ import annotations

from typing import Union

import msgspec

from ..distributed.messages import AnyMessage, Message

COORDINATOR = -1  # the coordinator's rank


class Printed(Message, tag=100):
    """A worker's script printed something."""

    text: str


class Live(Message, tag=101):
    """Stages that began: (time, kind, message id, peer) each."""

    events: list[tuple[float, str, str | None, int | None]]
    dropped: int


class ScriptEnded(Message, tag=102):
    """The script of a worker has ended."""

    ok: bool


class Stop(Message, tag=103):
    """Send your report and end; ``abort``: without waiting for anything."""

    abort: bool
    reason: str | None


class Report(Message, tag=104):
    """A worker's part of the document travels beside this, as JSON."""


AnyControl = Union[AnyMessage, Printed, Live, ScriptEnded, Stop, Report]  # noqa: UP007


class PassPartRecord(msgspec.Struct):
    """One worker's part of a pass, with ids for keys."""

    context: str
    number: int
    mode: str
    is_root: bool
    failed: bool
    raised: bool  # the last node of ``order`` did
    elided: bool
    line: int | None
    roots: list[int]
    dependencies: dict[str, int]
    order: list[int]
    stages: list[tuple[str, int | None, str | None, str | None, float, float]]
    start: float
    end: float
