"""``agrad dist``: run a scenario over worker processes and show each worker's part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.command import AgradCommand
from autograd_cli.cli.options import integer, json_option, run_options, scenario_argument
from autograd_cli.errors import AgradError, FileProblem, Interrupted

if TYPE_CHECKING:
    from autograd_cli.trace.dist_model import DistTrace
    from autograd_cli.trace.model import Trace

DEFAULT = "ring"
EXAMPLES = [
    ("agrad dist --workers 3", "built-in ring over three processes"),
    ("agrad dist worked-example", "a call to a neighbour and back"),
    ("agrad dist stalls", "why FAST waits for ever"),
    ("agrad dist stalls --mode smart", "the same pass in SMART mode"),
    ("agrad dist stalls --mode both", "both side by side"),
    ("agrad dist ring --workers 8 -o r.svg", "a picture, a cluster a worker"),
    ("agrad dist lesson.yaml --json", "for programs"),
]


@click.command(cls=AgradCommand, examples=EXAMPLES)
@scenario_argument(DEFAULT)
@click.option("-w", "--workers", callback=integer(1, 512), metavar="N", help="How many workers, instead of the scenario's.")
@click.option("--mode", metavar="MODE", help="fast (PyTorch's), smart, or both, side by side: for every pass.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Also write FILE.svg, .png, .dot or .json.")
@json_option
@click.option("--events", is_flag=True, help="Also record and show every event of every worker.")
@click.option("--check", is_flag=True, help="Fail where the scenario's `expect` does not hold.")
@run_options
@click.option("-q", "--quiet", is_flag=True, help="Print what the scripts print, and errors.")
def command(scenario: str, output: str | None, check: bool, **given: Any) -> int:
    """Run a scenario over worker processes, and show what each did.

    SCENARIO is what agrad run takes; without `workers` its script runs on the first of three workers.
    """
    from autograd_cli.cli.checking import require_expect
    from autograd_cli.cli.source import load

    loaded = load(scenario)
    if check:
        require_expect(loaded, scenario)
    return run_and_show(loaded, output=output, check=check, **given)


def run_and_show(
    loaded: Any,
    *,
    output: str | None,
    check: bool,
    workers: int | None,
    mode: str | None,
    as_json: bool,
    events: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Run a distributed scenario and show what came out; also what ``agrad run`` does with one."""
    from autograd_cli.cli.checking import check_run, say
    from autograd_cli.cli.dist_live import run_live
    from autograd_cli.cli.document import struct_bytes, write_bytes
    from autograd_cli.cli.run import show_about
    from autograd_cli.trace.codec import error_dist
    from autograd_cli.trace.dist_model import DistErrorRecord
    from autograd_cli.trace.dist_views import first_worker

    form = None if output is None else _form(output)
    try:
        check_mode(mode, output=output, check=check, events=events, as_json=as_json)
        if mode == "both":
            from autograd_cli.cli.dist_both import run_both

            return run_both(loaded, workers, as_json=as_json, events=events, quiet=quiet, **options)
        if not (as_json or quiet):
            show_about(loaded)
        shown = not (as_json or quiet)
        dist = run_live(loaded, workers, mode=mode, live=shown, print_live=not as_json, events=events, **options)
    except AgradError as error:  # nothing was started
        dist = error_dist(None if loaded.path is None else str(loaded.path), error)
    whole = first_worker(dist)
    code, remarks = check_run(loaded, whole) if check else (status.exit_code(whole), [])
    if dist.error is None and whole.error is not None:  # what the check has found is the run's error
        dist.error, dist.status = DistErrorRecord.of(whole.error), whole.status
    if not dist.workers and code != status.WORKED:
        code = status.NOT_STARTED
    if output is not None and form is not None and dist.workers and not interrupted(dist):
        _write(dist, output, form)
    if as_json:
        write_bytes(struct_bytes(dist))
    elif dist.workers and not interrupted(dist):
        _report(dist, quiet=quiet)
    if code != status.WORKED or not check:
        show_dist_error(dist, whole)
    say(remarks, code=code, quiet=quiet or as_json)
    return code


def check_mode(mode: str | None, *, output: str | None, check: bool, events: bool, as_json: bool) -> None:
    """Refuse an unknown mode, and what has one run as its subject where there are two."""
    if mode not in (None, "fast", "smart", "both"):
        raise click.UsageError(f"--mode {mode}: the modes are fast, smart and both.")
    for option, given in (("--output", output is not None), ("--check", check), ("--events", events and not as_json)):
        if mode == "both" and given:
            also = " (with --json, --events works)" if option == "--events" else ""
            raise click.UsageError(f"{option} is for one run: use --mode fast or --mode smart with it{also}.")


def interrupted(dist: DistTrace) -> bool:
    """Whether Ctrl-C ended the run."""
    return dist.error is not None and dist.error.kind == Interrupted.__name__ and dist.error.worker is None


def show_dist_error(dist: DistTrace, whole: Trace) -> None:
    """Print the error of a run on standard error with its worker; `whole` is `first_worker` of it, which names the nodes."""
    if dist.error is None:
        return
    if interrupted(dist):
        click.echo("\nInterrupted.", err=True)
        return
    from autograd_cli.cli.console import stderr_console
    from autograd_cli.render.dist_stall import stall_lines
    from autograd_cli.render.terminal_error import print_error

    worker = None if len(dist.workers) < 2 else dist.error.worker
    print_error(dist.error, stderr_console(), trace=whole, worker=worker, more=stall_lines(dist))


def _report(dist: DistTrace, *, quiet: bool) -> None:
    """Print the tables, and with ``--events`` the events."""
    from autograd_cli.cli.console import stdout_console
    from autograd_cli.render.terminal_dist import print_dist_report

    print_dist_report(dist, stdout_console(), quiet=quiet)
    if dist.events and not quiet:
        from autograd_cli.cli.events import dist_event_lines

        click.echo("\nEvents")
        for line in dist_event_lines(dist):
            click.echo(line)


def _form(output: str) -> str:
    """The form that a file's name asks for; the answer comes before anything is run."""
    from autograd_cli.render.layout import GRAPHVIZ_FORMATS

    form = Path(output).suffix.removeprefix(".").lower()
    if form not in ("dot", "gv", "json") and form not in GRAPHVIZ_FORMATS:
        raise click.UsageError(f"the ending of {output!r} is not that of a format. Formats: svg, png, dot, json.")
    return "dot" if form == "gv" else form


def _write(dist: DistTrace, output: str, form: str) -> None:
    """Write the picture or the document."""
    if form == "json":
        from autograd_cli.trace.codec import encode

        data = encode(dist, indent=1) + b"\n"
    else:
        from autograd_cli.render.picture import picture

        drawing = picture(dist, form)
        for warning in drawing.warnings:
            click.echo(f"note: {warning}", err=True)
        data = drawing.data
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise FileProblem(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {output}", err=True)
