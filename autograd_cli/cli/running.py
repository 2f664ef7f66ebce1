"""Run a scenario for a command: the options handed down, what the script prints handed up, the progress bar between them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from autograd_cli.cli.failures import abandon_stdout
from autograd_cli.cli.progress import LoopProgress

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.model import Trace


def run_with_progress(scenario: Scenario, *, print_live: bool, events: bool = False, **options: Any) -> Trace:
    """Run a scenario in this process.

    Parameters
    ----------
    scenario : Scenario
        What to run.
    print_live : bool
        Whether the script's output goes to standard output while it runs; it is in the Trace in any case.
    events : bool
        Whether the Trace keeps the events.
    **options
        The command line's ``record``, ``device``, ``seed``, ``timeout``, ``max_elements``; None leaves the default.

    Raises
    ------
    OSError
        The script printed and standard output could not be written: its reader went away (BrokenPipeError), or the disk is full.
    """
    from autograd_cli.session.local import run_scenario
    from autograd_cli.session.options import RunOptions
    from autograd_cli.session.tuning import tune_process

    tune_process()

    given = {name: value for name, value in options.items() if value is not None}
    with LoopProgress() as progress:
        output = None
        if print_live:
            from autograd_cli.cli.console import ScriptOutput

            output = ScriptOutput(progress.step_aside, progress.step_back)
        trace = run_scenario(
            scenario,
            RunOptions(events=events, on_print=output, on_progress=progress.on_progress if progress.enabled else None, **given),
        )
    if output is not None and output.failure is not None:
        abandon_stdout()
        raise output.failure
    if print_live and trace.stdout and not trace.stdout.endswith("\n"):
        sys.stdout.write("\n")  # what follows begins on its own line
    return trace
