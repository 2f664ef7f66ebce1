"""Run a small script under a Recorder and give its Trace: all that the session layer does, without sandbox and scenario."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

from autograd_cli import torch
from autograd_cli.trace.assemble import assemble
from autograd_cli.trace.event_recorder import EventRecorder
from autograd_cli.trace.lines import Lines
from autograd_cli.trace.model import NodeRecord, ScenarioRecord, Trace
from autograd_cli.trace.policy import KeepPolicy
from autograd_cli.trace.recorder import Recorder

FILE = "script.py"


def record(script: str, *, keep: str | None = None, events: bool = False, **names: Any) -> tuple[Recorder, dict[str, Any]]:
    """Run `script` (its first line is line 1) and return the Recorder and the names it left."""
    script = dedent(script).lstrip("\n")
    recorder = (EventRecorder if events else Recorder)(Lines({FILE}, [ast.parse(script)]), KeepPolicy.parse(keep))
    given = {"torch": torch, **names}
    scope = dict(given)
    with recorder:
        exec(compile(script, FILE, "exec"), scope)
    left = {n: v for n, v in scope.items() if n != "__builtins__" and not (n in given and given[n] is v)}
    return recorder, left


def trace_of(script: str, **options: Any) -> Trace:
    """The Trace of `script`."""
    recorder, left = record(script, **options)
    return as_trace(recorder, left)


def as_trace(recorder: Recorder, left: dict[str, Any]) -> Trace:
    """What a Recorder kept, as a Trace."""
    return assemble(recorder, left, scenario=ScenarioRecord(None, None, 0, "cpu", "float32"), stdout="", error=None)


def by_variable(trace: Trace) -> dict[str, NodeRecord]:
    """The nodes that have a variable's name."""
    return {n.variable: n for n in trace.graph.nodes if n.variable is not None}


def names(trace: Trace, ids: list[int]) -> list[str]:
    """Names of nodes, leaves by their variable."""
    nodes = {n.id: n for n in trace.graph.nodes}
    return [str(nodes[i].variable) if nodes[i].is_leaf else nodes[i].name for i in ids]
