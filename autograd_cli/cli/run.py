"""``agrad run``: run a scenario and show what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.command import AgradCommand
from autograd_cli.cli.failures import show_run_error, was_interrupted
from autograd_cli.cli.options import integer, json_option, run_options, scenario_argument
from autograd_cli.cli.source import DEFAULT_SCENARIO
from autograd_cli.errors import AgradError

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.model import Trace

EXAMPLES = [
    ("agrad run", "the built-in scenario abc"),
    ("agrad run iris", "another built-in scenario"),
    ("agrad run lesson.yaml", "a scenario of your own"),
    ("agrad run pasted.py", "a PyTorch snippet as it is"),
    ("agrad run - < lesson.yaml", "from standard input"),
    ("agrad run lesson.yaml --check", "fail where `expect` does not hold"),
    ("agrad run iris --json > run.json", "for programs, and for agrad graph run.json"),
    ("agrad run iris --record 50..52", "keep passes 50 to 52 in full"),
    ("agrad run loop.yaml --timeout 10", "stop after ten seconds"),
]


@click.command(cls=AgradCommand, examples=EXAMPLES)
@scenario_argument(DEFAULT_SCENARIO)
@json_option
@click.option("--events", is_flag=True, help="Also record and show every event: record, ready, evaluate, save …")
@click.option("--check", is_flag=True, help="Fail where the scenario's `expect` does not hold.")
@run_options
@click.option("-q", "--quiet", is_flag=True, help="Print what the script prints, and errors.")
@click.option("-w", "--workers", callback=integer(1, 512), metavar="N", help="How many workers, where the scenario has workers.")
@click.option("-v", "--verbose", is_flag=True, help="Print more: all values, every node of every pass.")
def command(
    scenario: str, as_json: bool, events: bool, check: bool, quiet: bool, verbose: bool, workers: int | None, **options: Any
) -> int:
    """Run a scenario: its output, variables, gradients and passes.

    SCENARIO is a YAML file, a Python file with a PyTorch snippet, the name of a built-in scenario, or - for YAML on standard
    input.
    """
    from autograd_cli.cli.checking import check_run, require_expect, say
    from autograd_cli.cli.running import run_with_progress
    from autograd_cli.cli.source import load
    from autograd_cli.trace.codec import error_trace

    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose cannot both be meant.")
    loaded = load(scenario)
    if check:
        require_expect(loaded, scenario)
    if loaded.is_distributed:
        from autograd_cli.cli.dist import run_and_show

        return run_and_show(
            loaded, output=None, check=check, workers=workers, mode=None, as_json=as_json, events=events, quiet=quiet, **options
        )
    if workers is not None:
        raise click.UsageError(
            f"--workers is for scenarios with `workers`; agrad dist runs {scenario} over workers all the same."
        )
    if not (as_json or quiet):
        show_about(loaded)
    try:
        trace = run_with_progress(loaded, print_live=not as_json, events=events, **options)
    except AgradError as error:
        if not (check and loaded.expect is not None and loaded.expect.error is not None):
            raise
        trace = error_trace(scenario, error)  # it may be the error that is expected
    code, remarks = check_run(loaded, trace) if check else (status.exit_code(trace), [])
    if as_json:
        _show_document(trace)
    else:
        if not was_interrupted(trace):
            _show_report(trace, quiet=quiet, verbose=verbose)
        show_run_error(trace)
    say(remarks, code=code, quiet=quiet or as_json)
    return code


def show_about(scenario: Scenario) -> None:
    """On a terminal, say first what the scenario is about; into a pipe goes what the script prints."""
    import sys

    if not sys.stdout.isatty():
        return
    from autograd_cli.cli.console import stdout_console
    from autograd_cli.render.terminal_about import print_about

    print_about(scenario.title, scenario.about, stdout_console())


def _show_document(trace: Trace) -> None:
    """Print the document, and for people what went wrong on standard error."""
    from autograd_cli.cli.document import write_json

    write_json(trace)
    for warning in trace.warnings:
        where = "" if warning.line is None else f"line {warning.line}: "
        click.echo(f"warning: {where}{warning.message}", err=True)
    show_run_error(trace)


def _show_report(trace: Trace, *, quiet: bool, verbose: bool) -> None:
    """Print the report; the error goes to standard error."""
    import msgspec

    from autograd_cli.cli.console import stdout_console
    from autograd_cli.render.terminal_report import print_report

    print_report(msgspec.structs.replace(trace, error=None), stdout_console(), quiet=quiet, verbose=verbose)
    if trace.events and not quiet:
        from autograd_cli.cli.events import event_lines

        click.echo("\nEvents")
        for line in event_lines(trace):
            click.echo(line)
