"""The Trace of a distributed run: the ``agrad/dist@1`` document of OUTPUT.md."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from .model import ErrorRecord, Graph, Json, ScenarioRecord, WarningRecord


class SendRecord(msgspec.Struct):
    """A send function of a context."""

    message_id: str
    to: str
    node: int | None
    tensors: int


class RecvRecord(msgspec.Struct, rename={"source": "from"}):
    """A recv function of a context."""

    message_id: str
    source: str
    node: int | None
    tensors: int


class GradientRecord(msgspec.Struct):
    """A gradient accumulated in a context."""

    variable: str | None
    owner_expression: str | None
    shape: list[int]
    value: Json
    dtype: str = "float32"


class ContextRecord(msgspec.Struct):
    """A distributed autograd context on one worker, as it stood when its last pass ended."""

    id: str
    known_workers: list[str]
    sends: list[SendRecord]
    recvs: list[RecvRecord]
    gradients: list[GradientRecord]


class DistErrorRecord(ErrorRecord):
    """Why a run failed, and on which worker."""

    worker: str | None = None

    @classmethod
    def of(cls, error: ErrorRecord, worker: str | None = None) -> DistErrorRecord:
        """`error`, and the worker that it happened on."""
        return cls(**msgspec.structs.asdict(error), worker=worker)


class WorkerRecord(msgspec.Struct):
    """One worker."""

    name: str
    rank: int
    pid: int
    host: str
    device: str
    status: str
    stdout: str
    variables: dict[str, Json]
    graph: Graph
    contexts: list[ContextRecord]
    error: DistErrorRecord | UnsetType | None = UNSET


class StageRecord(msgspec.Struct):
    """What a worker did for a while in a pass: ``compute``, ``send``, ``recv`` or ``wait``. Times in seconds since the run began."""

    stage: int
    kind: str
    node: int | None
    message_id: str | None
    peer: str | None
    start: float
    end: float


class WorkerPassRecord(msgspec.Struct):
    """A pass on one worker. ``failed``: the last node of ``order`` raised."""

    dependencies: dict[str, int]
    order: list[int]
    stages: list[StageRecord]
    failed: bool | UnsetType = UNSET


class DistPassRecord(msgspec.Struct):
    """A distributed pass. ``elided``: of a long run's middle; its workers tell neither nodes nor stages."""

    context: str
    mode: str
    root_worker: str
    roots: list[int]
    line: int | None
    workers: dict[str, WorkerPassRecord]
    messages: dict[str, int]
    bytes: dict[str, int]
    duration: float
    failed: bool | UnsetType = UNSET
    elided: bool | UnsetType = UNSET


class MessageRecord(msgspec.Struct, rename={"source": "from"}):
    """A message between workers. ``received`` is None for one that never arrived."""

    kind: str
    source: str
    to: str
    message_id: str | None
    function: str | None
    bytes: int
    sent: float
    received: float | None


class DistTrace(msgspec.Struct):
    """A whole distributed run."""

    format: str
    scenario: ScenarioRecord
    engine: str
    mode: str
    status: str
    error: DistErrorRecord | None
    warnings: list[WarningRecord]
    workers: list[WorkerRecord]
    passes: list[DistPassRecord]
    messages: list[MessageRecord]
    events: list[dict[str, Json]] | UnsetType = UNSET
