"""A comparison with PyTorch as plain data: the ``agrad/compare@1`` document."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from .model import ErrorRecord, Json, ScenarioRecord

# Everything that is compared, in the order in which it is told: what may be the cause of other differences comes first.
WHAT = (
    "error",
    "node",
    "edge",
    "saved",
    "sequence",
    "variable",
    "value",
    "gradient",
    "pass",
    "dependencies",
    "order",
    "stdout",
)


class DifferenceRecord(msgspec.Struct):
    """One thing that agrad does otherwise than PyTorch.

    ``what`` is a word of WHAT, ``where`` says of what in words that a reader of the scenario knows; ``line`` is a line of the scenario
    and ``node`` the id of a node of agrad's run.
    """

    what: str
    where: str
    ours: Json
    torch: Json
    line: int | None = None
    node: int | None = None
    note: str | None = None


class ComparedRecord(msgspec.Struct):
    """How much of one kind was compared; ``left_out`` counts what is too large."""

    what: str
    equal: int
    different: int
    left_out: int | UnsetType = UNSET


class CompareTrace(msgspec.Struct, kw_only=True):
    """What one scenario does in agrad beside what it does in PyTorch."""

    format: str = "agrad/compare@1"
    scenario: ScenarioRecord
    torch: str | None
    status: str
    error: ErrorRecord | None
    compared: list[ComparedRecord]
    differences: list[DifferenceRecord]


class ComparisonsTrace(msgspec.Struct, kw_only=True):
    """Several scenarios, each with its comparison."""

    format: str = "agrad/comparisons@1"
    status: str
    comparisons: list[CompareTrace]
