"""What a command works on: a built-in scenario, a file, standard input, or a saved run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_cli.errors import FileProblem, Place

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.dist_model import DistTrace
    from autograd_cli.trace.model import Trace

DEFAULT_SCENARIO = "abc"
STDIN = "-"


def load(argument: str) -> Scenario:
    """Load the scenario that the command line names: a path, a built-in name, or ``-`` for YAML on standard input."""
    from autograd_cli.scenario.load import MAX_BYTES, find_scenario, load_scenario, read_scenario

    if argument == STDIN:
        return read_scenario(_stdin(MAX_BYTES + 1), None)
    return load_scenario(find_scenario(argument))


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
    if path.suffix != ".json" or not path.is_file():
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
    # A document is JSON throughout; YAML that begins with a brace is not, or has no format.
    saved = _decode(data, Place("<stdin>")) if data.startswith(b'{"format":') or data.startswith(b'{\n "format":') else None
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
