"""The Trace: everything a run has to tell, as plain data in the shape of OUTPUT.md's ``agrad/run@1`` document.

Renderers read nothing else; they never see a Node or a Tensor. The codec (``trace/codec.py``) writes these structs as they stand.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

ACCUMULATE_GRAD_NR = 2**64 - 1  # the sequence number of every AccumulateGrad, as in PyTorch

Json = Any  # a VALUE of OUTPUT.md: nested dicts, lists, numbers and strings


class EdgeRecord(msgspec.Struct, frozen=True):
    """An edge of the graph: the node a gradient flows to and the index of that node's input."""

    node: int
    input: int


class SavedRecord(msgspec.Struct):
    """A tensor that a node saved for its backward; ``bytes`` is its size."""

    name: str
    shape: list[int]
    dtype: str
    version: int
    bytes: int


class NodeRecord(msgspec.Struct):
    """A node of the recorded graph. Shape and dtype are those of the forward result (of the leaf, for AccumulateGrad)."""

    id: int
    name: str
    sequence_nr: int
    variable: str | None
    line: int | None
    device: str
    shape: list[int] | None
    dtype: str | None
    next: list[EdgeRecord | None]
    saved: list[SavedRecord]
    message_id: str | UnsetType = UNSET
    peer: str | UnsetType = UNSET
    unknown: list[str] | UnsetType = UNSET  # of PyTorch's nodes: fields that it does not show

    @property
    def is_leaf(self) -> bool:
        """Whether this is the AccumulateGrad of a leaf."""
        return self.name == "AccumulateGrad"


class PassRecord(msgspec.Struct):
    """One backward() or grad(). ``dependencies`` is keyed by the node's id as a string, as JSON wants it."""

    kind: str
    line: int | None
    roots: list[int]
    dependencies: dict[str, int]
    order: list[int]
    duration: float
    peak_bytes: int
    failed: bool | UnsetType = UNSET
    restricted: bool | UnsetType = UNSET
    elided: bool | UnsetType = UNSET
    inside: str | UnsetType = UNSET
    nodes: int | UnsetType = UNSET  # of an elided pass: how many nodes it evaluated


class CauseRecord(msgspec.Struct):
    """One event that led to an error."""

    what: str
    line: int | None
    node: int | None
    variable: str | None
    version: int | None
    source: str | None = None  # the text of the line


class ErrorRecord(msgspec.Struct):
    """Why a run failed."""

    kind: str
    type: str
    message: str
    line: int | None
    column: int | None
    source: str | None
    hint: str | None
    node: int | None
    variable: str | None
    causes: list[CauseRecord]


class WarningRecord(msgspec.Struct):
    """Something worth telling that did not stop the run."""

    kind: str
    message: str
    line: int | None


class ScenarioRecord(msgspec.Struct):
    """What was run."""

    path: str | None
    title: str | None
    seed: int
    device: str
    dtype: str


class Graph(msgspec.Struct):
    """Every node recorded in the run, also those no pass reached."""

    nodes: list[NodeRecord]


class Trace(msgspec.Struct, kw_only=True):
    """A whole run; the ``agrad/run@1`` document, or ``agrad/graph@1``, which is the same without variables."""

    format: str
    scenario: ScenarioRecord
    status: str
    error: ErrorRecord | None
    warnings: list[WarningRecord]
    stdout: str
    variables: dict[str, Json] = msgspec.field(default_factory=dict)
    graph: Graph
    passes: list[PassRecord]
    events: list[dict[str, Json]] | UnsetType = UNSET
