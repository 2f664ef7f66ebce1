"""The JSON documents: written to standard output as they are, byte for byte, in UTF-8."""

from __future__ import annotations

import sys

import click

from autograd_cli.trace.model import Trace


def json_bytes(trace: Trace) -> bytes:
    """Return the document, indented for a terminal and compact for a program."""
    from autograd_cli.trace.codec import encode

    return encode(trace, indent=1 if sys.stdout.isatty() else None).rstrip(b"\n") + b"\n"


def write_json(trace: Trace) -> None:
    """Print one document."""
    write_bytes(json_bytes(trace))


def write_bytes(data: bytes) -> None:
    """Print bytes whatever the encoding of standard output is."""
    click.echo(data, nl=False)


def graph_document(trace: Trace) -> Trace:
    """Return the ``agrad/graph@1`` document of a trace: the run's, without variables and events."""
    import msgspec

    return msgspec.structs.replace(trace, format="agrad/graph@1", variables={}, events=msgspec.UNSET)
