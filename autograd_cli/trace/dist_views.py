"""A distributed Trace seen worker by worker: each as the Trace of a run of its own, so that the same renderers draw it."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from .dist_model import DistTrace, WorkerRecord
from .model import ErrorRecord, Json, PassRecord, Trace


def worker_trace(dist: DistTrace, worker: WorkerRecord) -> Trace:
    """What happened on one worker.

    Its passes are its parts of the distributed ones; ``status`` and ``error`` are its own.
    """
    own = dist.error if dist.error is not None and dist.error.worker == worker.name else None
    error = None if own is None else ErrorRecord(**{f: getattr(own, f) for f in ErrorRecord.__struct_fields__})
    passes = []
    for one in dist.passes:
        part = one.workers.get(worker.name)
        if part is None:
            continue
        root = one.root_worker == worker.name
        passes.append(
            PassRecord(
                kind="backward",
                line=one.line if root else None,
                roots=one.roots if root else [],
                dependencies=part.dependencies,
                order=part.order,
                duration=one.duration,
                peak_bytes=0,
                failed=one.failed if one.failed is not UNSET else UNSET,
            )
        )
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
        passes=passes,
    )


def _with_gradients(worker: WorkerRecord) -> dict[str, Json]:
    """The worker's variables; a gradient of its contexts is the leaf's ``grad``."""
    found = dict(worker.variables)
    for context in worker.contexts:
        for gradient in context.gradients:
            value = found.get(gradient.variable or "")
            if value is not None and value.get("grad") is None:
                found[gradient.variable or ""] = {**value, "grad": gradient.value}
    return found


def first_worker(dist: DistTrace) -> Trace:
    """The run of the first worker with the error of the whole: what ``--check`` looks at.

    A leaf's gradient in the contexts stands where a local run has ``.grad``, and the other workers' variables are there as
    ``worker1.w``.
    """
    trace = worker_trace(dist, dist.workers[0])
    trace.variables = {**_with_gradients(dist.workers[0])}
    for worker in dist.workers:
        trace.variables |= {f"{worker.name}.{name}": value for name, value in _with_gradients(worker).items()}
    if dist.error is not None:
        trace.error = ErrorRecord(**{f: getattr(dist.error, f) for f in ErrorRecord.__struct_fields__})
        trace.status = "error"
    return trace
