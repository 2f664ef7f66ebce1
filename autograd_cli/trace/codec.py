"""The Trace as JSON and back. OUTPUT.md's document *is* the saved form; nothing else is kept anywhere."""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import AgradError, FileProblem
from .both_model import BothTrace
from .compare_model import CompareTrace, ComparisonsTrace
from .dist_model import DistErrorRecord, DistTrace
from .model import CauseRecord, ErrorRecord, Graph, ScenarioRecord, Trace

FORMATS: dict[str, type[Trace] | type[DistTrace]] = {"agrad/run@1": Trace, "agrad/graph@1": Trace, "agrad/dist@1": DistTrace}


def encode(trace: Trace | DistTrace | CompareTrace | ComparisonsTrace | BothTrace, indent: int | None = None) -> bytes:
    """The document, one line, or indented by `indent` spaces."""
    try:
        text = msgspec.json.encode(trace)
    except UnicodeEncodeError:  # half of a surrogate pair, which a script may print and UTF-8 cannot hold
        text = msgspec.json.encode(_writable(msgspec.to_builtins(trace)))
    return msgspec.json.format(text, indent=indent) if indent else text


def _writable(data: Any) -> Any:
    """`data` with what UTF-8 cannot hold written as escapes, as on a terminal. Containers in a Trace are at most 100 deep."""
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(data, dict):
        return {_writable(key): _writable(value) for key, value in data.items()}
    return [_writable(item) for item in data] if isinstance(data, list) else data


def decode(document: bytes) -> Trace | DistTrace:
    """The Trace of a document, or the DistTrace of an ``agrad/dist@1`` document.

    Raises
    ------
    FileProblem
        It is not JSON, or not a document of a format this version knows.
    """
    what = "trace"
    try:
        found = msgspec.json.decode(document, type=_Kind).format
        if found not in FORMATS:
            raise FileProblem(f"a document of format {found!r} cannot be read here", hint=f"known: {', '.join(FORMATS)}")
        if FORMATS[found] is DistTrace:
            what = "distributed trace"
        return msgspec.json.decode(document, type=FORMATS[found])
    except msgspec.DecodeError as error:
        raise FileProblem(
            f"this is not a {what} that agrad wrote: {error}",
            hint="save one with: agrad run SCENARIO --json --events > trace.json",
        ) from None


class _Kind(msgspec.Struct):
    format: str


def error_record(error: AgradError, node: int | None = None) -> ErrorRecord:
    """An error as data."""
    place = error.place
    return ErrorRecord(
        kind=error.kind,
        type=error.type,
        message=error.message,
        line=place.line if place else None,
        column=place.column if place else None,
        source=place.source if place else None,
        hint=error.hint,
        node=node,
        variable=error.variable,
        causes=[CauseRecord(c.what, c.line, c.node, c.variable, c.version, c.source) for c in error.causes],
    )


def error_trace(path: str | None, error: AgradError) -> Trace:
    """The document of a run that could not be started."""
    return Trace(
        format="agrad/run@1",
        scenario=ScenarioRecord(path=path, title=None, seed=0, device="cpu", dtype="float32"),
        status="error",
        error=error_record(error),
        warnings=[],
        stdout="",
        variables={},
        graph=Graph([]),
        passes=[],
    )


def not_started(trace: Trace) -> DistTrace:
    """The distributed document of a run that could not be started, from its local one."""
    return DistTrace(
        format="agrad/dist@1",
        scenario=trace.scenario,
        engine="processes",
        mode="fast",
        status=trace.status,
        error=None if trace.error is None else DistErrorRecord.of(trace.error),
        warnings=[],
        workers=[],
        passes=[],
        messages=[],
    )


def not_compared(trace: Trace) -> CompareTrace:
    """The document of a comparison that could not be started, from that of a run."""
    return CompareTrace(scenario=trace.scenario, torch=None, status=trace.status, error=trace.error, compared=[], differences=[])


def error_dist(path: str | None, error: AgradError) -> DistTrace:
    """The document of a distributed run that could not be started."""
    return not_started(error_trace(path, error))
