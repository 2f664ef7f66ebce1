"""One scenario in both modes of the distributed pass: the ``agrad/both@1`` document, and what differs in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from .dist_model import DistTrace, GradientRecord, SendRecord
from .model import Json

CLOSE, TINY = 1e-5, 1e-7  # sums of several gradients may be rounded in another order


class BothTrace(msgspec.Struct):
    """The run in FAST and the run in SMART; ``smart`` is None where the first was not started or Ctrl-C ended it."""

    fast: DistTrace
    smart: DistTrace | None
    format: str = "agrad/both@1"


class Difference(msgspec.Struct):
    """A leaf whose gradients differ. ``only_zeros``: FAST says zeros where SMART, as one process, has no gradient."""

    worker: str
    context: str
    leaf: str
    only_zeros: bool


def differences(fast: DistTrace, smart: DistTrace) -> list[Difference]:
    """The leaves whose gradients differ, by worker and context.

    Leaves are told apart by name. Those of one name, or of none, are compared as a group, without their zeros.
    A context where a pass failed in one of the modes has nothing to compare.
    """
    found = []
    failed = failed_contexts(fast) | failed_contexts(smart)
    for one, other in zip(fast.workers, smart.workers, strict=True):
        left, right = _groups(one.contexts), _groups(other.contexts)
        for context, leaf in dict.fromkeys([*left, *right]):
            if context in failed:
                continue
            a, b = left.get((context, leaf), []), right.get((context, leaf), [])
            if len(a) == len(b) == 1 and _same(a[0], b[0]):
                continue
            if len(a) == len(b) == 1 or not _same_group(_without_zeros(a), _without_zeros(b)):
                found.append(Difference(one.name, context, leaf, only_zeros=False))
            elif len(a) != len(b):
                found.append(Difference(one.name, context, leaf, only_zeros=True))
    return found


def failed_contexts(run: DistTrace) -> set[str]:
    """The contexts with a pass that failed, whether or not the script caught its error."""
    return {one.context for one in run.passes if one.failed is True}


def dead_pairs(smart: DistTrace) -> list[tuple[str, SendRecord]]:
    """The send functions that no pass of their context evaluated, with their workers; contexts without a whole pass are left out."""
    ran: dict[tuple[str, str], set[int]] = {}
    told = {one.context for one in smart.passes if one.elided is not True and one.failed is not True}
    told -= {one.context for one in smart.passes if one.elided is True}
    for one in smart.passes:
        for worker, part in one.workers.items():
            ran.setdefault((one.context, worker), set()).update(part.order)
    return [
        (worker.name, send)
        for worker in smart.workers
        for context in worker.contexts
        for send in context.sends
        if context.id in told and send.node is not None and send.node not in ran.get((context.id, worker.name), set())
    ]


def _groups(contexts: Any) -> dict[tuple[str, str], list[GradientRecord]]:
    """Gradients by context and name of the leaf."""
    groups: dict[tuple[str, str], list[GradientRecord]] = {}
    for context in contexts:
        for gradient in context.gradients:
            name = gradient.variable or gradient.owner_expression or "(no name)"
            groups.setdefault((context.id, name), []).append(gradient)
    return groups


def _numbers(value: Json) -> Iterator[Any]:
    if isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    else:
        yield value


def _without_zeros(group: list[GradientRecord]) -> list[GradientRecord]:
    return [one for one in group if any(number != 0 for number in _numbers(one.value))]


def _same_group(left: list[GradientRecord], right: list[GradientRecord]) -> bool:
    """Whether each gradient of one group has its own in the other."""
    rest = list(right)
    for one in left:
        match = next((i for i, other in enumerate(rest) if _same(one, other)), None)
        if match is None:
            return False
        del rest[match]
    return not rest


def _same(left: GradientRecord, right: GradientRecord) -> bool:
    if (left.shape, left.dtype) != (right.shape, right.dtype):
        return False
    a, b = list(_numbers(left.value)), list(_numbers(right.value))
    return len(a) == len(b) and all(map(_close, a, b))


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=CLOSE, abs_tol=TINY)
    return bool(a == b)  # nan and infinities are written as words
