"""A distributed Trace seen worker by worker: each as the Trace of a run of its own, so that the same renderers draw it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from .dist_model import DistPassRecord, DistTrace, WorkerPassRecord, WorkerRecord
from .model import ErrorRecord, Graph, Json, PassRecord, Trace

STALLED = "BackwardStalled"
MOST_WAITING = 6  # send functions of a stalled pass that are named one by one


class Stand(NamedTuple):
    """How the recv function stands whose gradients a send function of a stalled pass waits for."""

    reached: bool  # a way leads to it from the roots: it is not the cause
    starves: bool  # a way leads to it from the roots or from a send function that waits: it waits for gradients itself


def stands(waiting: Collection[Any], roots: Iterable[Any], leads: Mapping[Any, Iterable[Any]]) -> dict[Any, Stand]:
    """Why send functions wait.

    Parameters
    ----------
    waiting : collection of message
        Of the send functions that wait.
    roots : iterable of message
        Of the recv functions that a way leads to from the roots on their worker.
    leads : mapping of message to messages
        From a send function to the recv functions that a way leads to from there on its worker.
    """
    reached: set[Any] = set()
    todo = list(roots)
    while todo:
        message = todo.pop()
        if message not in reached:
            reached.add(message)
            todo.extend(leads.get(message, ()))
    starve = reached.union(*(leads.get(message, ()) for message in waiting))
    return {message: Stand(message in reached, message in starve) for message in waiting}


def worker_trace(dist: DistTrace, worker: WorkerRecord) -> Trace:
    """What happened on one worker.

    Its passes are its parts of the distributed ones, in their order, empty where it took no part; ``status`` and ``error`` are its
    own. A pass that stalled is every worker's error: each may have send functions that wait.
    """
    error = dist.error
    if error is not None and error.worker != worker.name:
        error = msgspec.structs.replace(error, node=None) if error.kind == STALLED else None
    scenario = msgspec.structs.replace(dist.scenario, title=worker.name)
    return Trace(
        format="agrad/run@1",
        scenario=scenario,
        status=worker.status,
        error=error,
        warnings=[],
        stdout=worker.stdout,
        variables=worker.variables,
        graph=worker.graph,
        passes=[_own_pass(one, worker.name, error) for one in dist.passes],
    )


def _own_pass(one: DistPassRecord, worker: str, error: ErrorRecord | None) -> PassRecord:
    """A worker's part of a pass. It failed there where a node of this worker raised, or where it waits for ever."""
    part = one.workers.get(worker, WorkerPassRecord({}, [], []))
    is_root = one.root_worker == worker
    stalled = one.failed is True and error is not None and error.kind == STALLED
    return PassRecord(
        kind="backward",
        line=one.line if is_root else None,
        roots=one.roots if is_root else [],
        dependencies=part.dependencies,
        order=part.order,
        duration=one.duration,
        peak_bytes=0,
        failed=True if stalled or part.failed is True else UNSET,
        elided=one.elided,
    )


def _with_gradients(worker: WorkerRecord) -> dict[str, Json]:
    """The worker's variables; a gradient of its contexts is the leaf's ``grad``."""
    found = dict(worker.variables)
    for context in worker.contexts:
        for gradient in context.gradients:
            name = gradient.variable or ""
            value = found.get(name)
            if value is not None and value.get("grad") is None:
                found[name] = {**value, "grad": gradient.value}
    return found


def first_worker(dist: DistTrace) -> Trace:
    """The run of the first worker with the error of the whole: what ``--check`` looks at.

    A leaf's gradient in the contexts stands where a local run has ``.grad``, and the other workers' variables are there as
    ``worker1.w``.
    """
    if not dist.workers:  # it was never started
        return Trace(
            format="agrad/run@1",
            scenario=dist.scenario,
            status=dist.status,
            error=dist.error,
            warnings=[],
            stdout="",
            graph=Graph([]),
            passes=[],
        )
    trace = worker_trace(dist, dist.workers[0])
    found = [_with_gradients(worker) for worker in dist.workers]
    trace.variables = dict(found[0])
    for worker, variables in zip(dist.workers, found, strict=True):
        trace.variables |= {f"{worker.name}.{name}": value for name, value in variables.items()}
    if dist.error is not None:
        trace.error = dist.error
        trace.status = "error"
    return trace
