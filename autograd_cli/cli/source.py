"""What a command works on: a built-in scenario, a file, standard input, or a saved run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_cli.errors import FileProblem, Place, Unsupported

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.model import Trace

DEFAULT_SCENARIO = "abc"
STDIN = "-"


def load(argument: str) -> Scenario:
    """Load the scenario that the command line names: a path, a built-in name, or ``-`` for YAML on standard input."""
    from autograd_cli.scenario.load import find_scenario, load_scenario, read_scenario

    if argument == STDIN:
        return read_scenario(sys.stdin.buffer.read(), None)
    return load_scenario(find_scenario(argument))


def load_saved_run(argument: str) -> Trace | None:
    """Load a saved ``--json`` document; None when the argument is a scenario.

    A ``.json`` file without a ``format`` is a scenario too: JSON is YAML.
    """
    path = Path(argument)
    if path.suffix != ".json" or not path.is_file():
        return None
    import msgspec

    from autograd_cli.trace.codec import decode

    class Header(msgspec.Struct):
        format: str | None = None

    try:
        data = path.read_bytes()
        format_name = msgspec.json.decode(data, type=Header).format
        if format_name is None:
            return None
        if format_name not in ("agrad/run@1", "agrad/graph@1"):
            raise Unsupported(
                f"{argument} is a document of format {format_name!r}, which this command cannot draw", place=Place(argument)
            )
        return decode(data)
    except OSError as error:
        raise FileProblem(f"{argument} cannot be read: {error.strerror}", place=Place(argument)) from None
    except msgspec.DecodeError as error:
        raise FileProblem(
            f"{argument} is not a saved run: {error}",
            hint="save one with: agrad run SCENARIO --json > run.json",
            place=Place(argument),
        ) from None


def names_a_scenario(name: str) -> bool:
    """Whether `name` is a file or a built-in scenario."""
    from autograd_cli.scenario.load import builtin_scenarios

    return Path(name).is_file() or name in builtin_scenarios()
