"""What one worker tells of a run: its messages, its stages, and in the end its part of the document.

Note [Matching messages]
    Messages of one worker to another arrive in the order in which they were sent, so the k-th that was sent is the k-th that was
    received: no number has to travel with them for the report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from ..distributed.dist_engine import DistPass
from ..distributed.messages import (
    DISCOVERY,
    AnyMessage,
    Call,
    Cleanup,
    Collect,
    Failure,
    Gradient,
    Plan,
    Reply,
    Summary,
    show_id,
)
from ..errors import BackwardStalled, Interrupted, RemoteFailure, WorkerDied
from ..trace.recorder import Recorder

_FROM_ELSEWHERE = (RemoteFailure, BackwardStalled, WorkerDied, Interrupted)  # errors of a pass that no node of this worker raised
_KINDS = {Call: "call", Reply: "reply", Failure: "reply", Gradient: "gradient", Cleanup: "cleanup"}
_KINDS |= dict.fromkeys(DISCOVERY, "discovery")
_STEPS = {Collect: "collect", Summary: "summary", Plan: "plan"}  # of a discovery


class Sent(msgspec.Struct, array_like=True):
    """A message that left this worker."""

    kind: str
    to: int
    message_id: str | None
    function: str | None
    bytes: int
    time: float
    context: int | None
    run: int | None  # the pass that it belongs to


class Received(msgspec.Struct, array_like=True):
    """A message that came to this worker."""

    kind: str
    source: int
    time: float
    message_id: str | None


class Stage(msgspec.Struct, array_like=True):
    """See StageRecord; ``key`` is the Recorder's key of the node."""

    kind: str
    key: int | None
    message_id: str | None
    peer: int | None
    start: float
    end: float


class PassPart(msgspec.Struct, array_like=True):
    """This worker's part of one pass. ``index`` finds the pass among those of the Recorder."""

    context: int
    number: int  # of the pass, the same on all workers
    mode: str
    index: int
    is_root: bool
    stages: list[Stage]
    failed: bool
    raised: bool  # a node of this worker did


def _shown(function: str | None) -> str | None:
    """A function's name as the script has it."""
    return function.rpartition(".")[2] if function is not None and function.startswith("script.") else function


def _order(run: DistPass) -> list[int]:
    """The keys of the nodes that have run in a pass, as far as it is recorded."""
    return [] if run.token is None else run.token.order


class WorkerReport:
    """Listens to a Worker and its Recorder.

    Parameters
    ----------
    start : float
        ``time.perf_counter()`` at the start of the run: the same clock for all processes of a machine.
    live : callable, optional
        Gets (time, kind, message_id, peer) of each stage as it begins, for the live view.
    """

    def __init__(
        self, rank: int, recorder: Recorder, start: float, live: Callable[[float, str, str | None, int | None], None] | None
    ) -> None:
        self.rank, self.recorder, self.start, self.live = rank, recorder, start, live
        self.sent_messages: list[Sent] = []
        self.received_messages: list[Received] = []
        self.passes: list[PassPart] = []
        self.message_of: dict[int, tuple[str, int]] = {}  # key of a send or recv function: (message id, peer)
        if recorder.log is not None:
            recorder.log.start = start
        self._open: dict[int, list[Stage]] = {}
        self._computing: dict[int, list[tuple[Stage, int]]] = {}  # compute stages under way, and how many nodes had run before
        self._waiting_since: dict[int, float] = {}

    def now(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self.start

    # ---- messages ----

    def sent(self, to: int, message: AnyMessage, size: int, function: str | None) -> None:
        kind = _KINDS.get(type(message))
        if kind is None:
            return
        number = getattr(message, "message", None)
        shown = None if number is None else show_id(number)
        name = _shown(function)
        if kind == "discovery":  # what it says is its header
            name, size = _STEPS[type(message)], len(msgspec.msgpack.encode(message))
        now = self.now()
        context, run = getattr(message, "context", None), getattr(message, "run", None)
        self.sent_messages.append(Sent(kind, to, shown, name, size, now, context, run))
        if isinstance(message, Gradient):
            self._stage(message.context, Stage("send", self._key(message.context, message.message, "recvs"), shown, to, now, now))
        self._log(kind, "send", shown, to, name, size)
        self._tell(kind, shown, to, "send")

    def received(self, source: int, message: AnyMessage, size: int) -> None:
        kind = _KINDS.get(type(message))
        if kind is None:
            return
        now = self.now()
        number = getattr(message, "message", None)
        shown = None if number is None else show_id(number)
        self.received_messages.append(Received(kind, source, now, shown))
        name = _STEPS.get(type(message)) or _shown(getattr(message, "function", None))
        self._log(kind, "receive", shown, source, name, size)
        if isinstance(message, Gradient):
            key = self._key(message.context, message.message, "sends")
            self._stage(message.context, Stage("recv", key, shown, source, now, now))
            if self.recorder.log is not None and key is not None:
                self.recorder.log.add("ready", node=key, why="message")
        self._tell(kind, shown, source, "recv")

    def _log(self, kind: str, way: str, message_id: str | None, peer: int, function: str | None, size: int) -> None:
        """The message's event; the rank of the peer becomes its name in the document."""
        if self.recorder.log is None:
            return
        fields: dict[str, Any] = {"bytes": size} if kind == "gradient" else {"function": function} if function else {}
        name = kind if kind == "cleanup" else f"{'discover' if kind == 'discovery' else kind}_{way}"
        fields |= {"way": way} if kind == "cleanup" else {"message_id": message_id}
        self.recorder.log.add(name, peer=peer, **fields)

    contexts: Any = None  # the worker's container, set by the session

    def _key(self, context: int, message: int, table: str) -> int | None:
        from ..trace.kept import key_of

        found = None if self.contexts is None else self.contexts.contexts.get(context)
        node = None if found is None else getattr(found, table).get(message)
        return None if node is None else key_of(node)

    def _tell(self, kind: str, message_id: str | None, peer: int, way: str) -> None:
        if self.live is not None:
            self.live(self.now(), f"{way} {kind}", message_id, peer)

    # ---- passes ----

    def _stage(self, context: int, stage: Stage) -> None:
        """Add a stage, and before it the wait that it ends."""
        stages = self._open.setdefault(context, [])
        since = self._waiting_since.pop(context, None)
        if since is not None and stage.start > since:
            came = stage.kind == "recv"
            stages.append(
                Stage("wait", stage.key if came else None, stage.message_id if came else None, stage.peer if came else None, since,
                      stage.start)
            )  # fmt: skip
        stages.append(stage)

    def pass_began(self, run: DistPass, roots: Any) -> None:
        self._open.setdefault(run.context.context_id, [])
        if run.mode == "smart" and roots:  # the caller asks first what is live
            self._waiting_since[run.context.context_id] = self.now()

    def computing(self, run: DistPass, starts: bool) -> None:
        context, now = run.context.context_id, self.now()
        if starts:
            stage = Stage("compute", None, None, None, now, now)
            self._computing.setdefault(context, []).append((stage, len(_order(run))))
            self._stage(context, stage)
        elif context in self._open:
            self._end_compute(run, now)
            self._waiting_since[context] = now
        else:
            return  # the pass failed meanwhile
        if self.live is not None:
            self.live(now, "compute" if starts else "wait", None, None)

    def _end_compute(self, run: DistPass, now: float) -> None:
        """A compute stage ends; its node is the first that ran, the send function that a message was for left out where more did."""
        under_way = self._computing.get(run.context.context_id)
        if not under_way:
            return
        stage, before = under_way.pop()
        stage.end = now
        ran = _order(run)[before:]
        received = {s.key for s in self._open.get(run.context.context_id, ()) if s.kind == "recv"}
        stage.key = next((key for key in ran if key not in received), ran[0] if ran else None)

    def pass_ended(self, run: DistPass, error: BaseException | None) -> None:
        context, now = run.context.context_id, self.now()
        while self._computing.get(context):  # where it failed
            self._end_compute(run, now)
        stages = self._open.pop(context, [])
        since = self._waiting_since.pop(context, None)
        if since is not None and run.engaged_by is None and now > since:
            stages.append(Stage("wait", None, None, None, since, now))
        raised = error is not None and not isinstance(error, _FROM_ELSEWHERE)
        index = len(self.recorder.passes) - 1
        is_root = run.engaged_by is None
        self.passes.append(PassPart(context, run.number, run.mode, index, is_root, stages, error is not None, raised))
        if self.live is not None:
            self.live(now, "failed" if error is not None else "done", None, None)
