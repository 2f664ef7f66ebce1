"""``agrad dist --mode both``: the scenario in FAST, then in SMART, side by side."""

from __future__ import annotations

from typing import Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.errors import AgradError
from autograd_cli.trace.dist_model import DistTrace
from autograd_cli.trace.dist_views import STALLED, first_worker


def run_both(loaded: Any, workers: int | None, *, as_json: bool, events: bool, quiet: bool, **options: Any) -> int:
    """Run a scenario in both modes and show what differs.

    Returns
    -------
    int
        0 where SMART ended and FAST gave the same gradients, or stalled, which is what the comparison is to show; 1 where
        gradients differ in more than FAST's zeros; else the status of the run that failed.
    """
    from autograd_cli.cli.dist import interrupted, show_dist_error
    from autograd_cli.cli.document import struct_bytes, write_bytes
    from autograd_cli.cli.run import show_about
    from autograd_cli.trace.both_model import BothTrace, differences

    shown = not (as_json or quiet)
    if shown:
        show_about(loaded)
    runs: list[DistTrace] = []
    for mode in ("fast", "smart"):
        if shown:
            click.echo(f"running in {mode.upper()} mode")
        runs.append(_run(loaded, workers, mode, live=shown, print_live=not as_json, events=events, **options))
        if interrupted(runs[-1]) or not runs[-1].workers:
            break
    fast, smart = runs[0], runs[1] if len(runs) > 1 else None
    ended = smart is not None and fast.error is None and smart.error is None
    differ = differences(fast, smart) if smart is not None and ended else None
    if as_json:
        write_bytes(struct_bytes(BothTrace(fast, smart)))
    elif smart is not None and fast.workers and smart.workers and not quiet:
        from autograd_cli.cli.console import stdout_console
        from autograd_cli.render.terminal_both import print_both

        print_both(fast, smart, differ, stdout_console())
    for run in runs:
        code = _code(run)
        if code != status.WORKED:
            show_dist_error(run, first_worker(run))
            return code
    return status.FAILED if any(not one.only_zeros for one in differ or ()) else status.WORKED


def _run(loaded: Any, workers: int | None, mode: str, **more: Any) -> DistTrace:
    """One run; what could not be started is its error."""
    from autograd_cli.cli.dist_live import run_live
    from autograd_cli.trace.codec import error_dist

    try:
        return run_live(loaded, workers, mode=mode, **more)
    except AgradError as error:
        return error_dist(None if loaded.path is None else str(loaded.path), error)


def _code(run: DistTrace) -> int:
    """The exit status of one run; FAST that stalls is no failure here."""
    if run.error is not None and run.error.kind == STALLED and run.mode == "fast":
        return status.WORKED
    code = status.exit_code(first_worker(run))
    return status.NOT_STARTED if code != status.WORKED and not run.workers else code
