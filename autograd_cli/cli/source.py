"""What a command works on: a built-in scenario, a file, standard input, or a saved run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_cli.errors import FileProblem, InvalidScenario, Place

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.dist_model import DistTrace
    from autograd_cli.trace.model import Trace

DEFAULT_SCENARIO = "abc"
STDIN = "-"
# How a document begins, as agrad or a JSON formatter lays it out, and of what kind of run it is. A scenario has no key `format`.
_DOCUMENT = re.compile(rb'\s*\{\s*"format"\s*:(?:\s*"agrad/(run|graph|dist)@)?')


def load(argument: str) -> Scenario:
    """Load the scenario that the command line names: a path, a built-in name, or ``-`` for YAML on standard input."""
    from autograd_cli.scenario.load import MAX_BYTES, find_scenario, load_scenario, read_scenario

    if argument == STDIN:
        data = _stdin(MAX_BYTES + 1)
        _refuse_document(data, argument, Place("<stdin>"))
        return read_scenario(data, None)
    path = find_scenario(argument)
    _refuse_document(_beginning(path), argument, Place(str(path)))
    return load_scenario(path)


def _refuse_document(data: bytes, argument: str, place: Place) -> None:
    """Raise InvalidScenario where `data` begins a document that agrad wrote: it is the record of a run, not a scenario."""
    found = _DOCUMENT.match(data)
    if found and found[1]:
        run = "a distributed run" if found[1] == b"dist" else "a run"
        raise InvalidScenario(
            f"{place.file} is the document of {run} that agrad wrote, and no scenario",
            hint=f"agrad graph {argument} shows it; to run again, name the scenario that was run",
            place=place,
        )


def _beginning(path: Path) -> bytes:
    """The first bytes of a file; nothing where it cannot be read, which is for others to say."""
    try:
        if path.is_file():  # a named pipe would have to be read to its end
            with path.open("rb") as file:
                return file.read(200)
    except OSError:
        pass
    return b""


def _stdin(most: int = -1) -> bytes:
    """Standard input, up to `most` bytes."""
    if sys.stdin is None:  # closed by the caller: `agrad run - <&-`
        raise FileProblem("standard input is closed", hint="give a file, or YAML on standard input: agrad run - < lesson.yaml")
    return sys.stdin.buffer.read(most)


def load_saved_run(argument: str) -> Trace | DistTrace | None:
    """Load a saved ``--json`` document; None when the argument is a scenario.

    A ``.json`` file without a ``format`` is a scenario too: JSON is YAML.
    """
    path = Path(argument)
    if not (path.suffix == ".json" and path.is_file()) and not _DOCUMENT.match(_beginning(path)):
        return None
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{argument} cannot be read: {error.strerror}", place=Place(argument)) from None
    return _decode(data, Place(argument))


def load_either(argument: str) -> Scenario | Trace | DistTrace:
    """Load a scenario or a saved run; on standard input either may come."""
    if argument != STDIN:
        return load_saved_run(argument) or load(argument)
    from autograd_cli.scenario.load import read_scenario

    data = _stdin()
    saved = _decode(data, Place("<stdin>")) if _DOCUMENT.match(data) else None
    return saved or read_scenario(data, None)


def _decode(data: bytes, place: Place) -> Trace | DistTrace | None:
    """Decode a document; None where it has no ``format``."""
    import msgspec

    from autograd_cli.trace.codec import decode
    from autograd_cli.trace.dist_model import DistTrace
    from autograd_cli.trace.dist_views import worker_trace

    try:
        if "format" not in msgspec.json.decode(data, type=dict[str, msgspec.Raw]):
            return None
        found = decode(data)
        if isinstance(found, DistTrace):
            for worker in found.workers:
                _check_numbers(worker_trace(found, worker), worker.name)
        else:
            _check_numbers(found)
    except (msgspec.DecodeError, ValueError) as error:
        raise FileProblem(
            f"{place.file} is not a saved run: {error}",
            hint="save one with: agrad run SCENARIO --json > run.json",
            place=place,
        ) from None
    except FileProblem as error:
        error.place = place
        raise
    return found


def _check_numbers(trace: Trace, worker: str | None = None) -> None:
    """Raise ValueError where edges or passes name nodes that the document does not have."""
    known = {node.id for node in trace.graph.nodes}
    if len(known) < len(trace.graph.nodes):
        raise ValueError("two of its nodes have one id")
    named = {edge.node for node in trace.graph.nodes for edge in node.next if edge is not None}
    for record in trace.passes:
        dependencies = {int(key) for key in record.dependencies}
        if not record.elided:
            named |= dependencies.union(record.roots, record.order)
    missing = sorted(named - known)
    if missing:
        of_worker = "" if worker is None else f" of {worker}"
        raise ValueError(f"it speaks of node {missing[0]}{of_worker} but has no such node")


def names_a_scenario(name: str) -> bool:
    """Whether `name` is a file or a built-in scenario."""
    from autograd_cli.scenario.load import find_scenario

    try:
        find_scenario(name)
    except FileProblem:
        return False
    return True
