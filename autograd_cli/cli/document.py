"""The JSON documents: written to standard output as they are, byte for byte, in UTF-8."""

from __future__ import annotations

import sys

import click

from autograd_cli.trace.both_model import BothTrace
from autograd_cli.trace.compare_model import CompareTrace, ComparisonsTrace
from autograd_cli.trace.dist_model import DistTrace
from autograd_cli.trace.model import Trace

RUN = "agrad/run@1"
GRAPH = "agrad/graph@1"
DIST = "agrad/dist@1"
COMPARE = "agrad/compare@1"


def json_bytes(trace: Trace, form: str = RUN) -> bytes:
    """Return the document, indented for a terminal and compact for a program.

    Parameters
    ----------
    trace : Trace
        The run.
    form : str
        ``agrad/run@1``; ``agrad/graph@1``, the run's document without variables and events; ``agrad/dist@1`` and
        ``agrad/compare@1`` for what could not be started.
    """
    import msgspec

    from autograd_cli.trace.codec import encode, not_compared, not_started

    if form == DIST:
        return struct_bytes(not_started(trace))
    if form == COMPARE:
        return struct_bytes(not_compared(trace))

    data = encode(trace)
    if form == GRAPH:
        document = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        document["format"] = msgspec.Raw(msgspec.json.encode(GRAPH))
        for key in ("variables", "events"):
            document.pop(key, None)
        data = msgspec.json.encode(document)
    return (msgspec.json.format(data, indent=1) if sys.stdout.isatty() else data) + b"\n"


def struct_bytes(document: DistTrace | CompareTrace | ComparisonsTrace | BothTrace) -> bytes:
    """Return a document as its struct has it, indented for a terminal and compact for a program."""
    from autograd_cli.trace.codec import encode

    return encode(document, indent=1 if sys.stdout.isatty() else None) + b"\n"


def write_json(trace: Trace, form: str = RUN) -> None:
    """Print one document."""
    write_bytes(json_bytes(trace, form))


def write_bytes(data: bytes) -> None:
    """Print bytes whatever the encoding of standard output is."""
    click.echo(data, nl=False)
