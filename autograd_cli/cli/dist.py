"""``agrad dist``: run a scenario over worker processes and show each worker's part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.command import AgradCommand
from autograd_cli.cli.options import integer, json_option, run_options, scenario_argument
from autograd_cli.errors import FileProblem, Unsupported

if TYPE_CHECKING:
    from autograd_cli.trace.dist_model import DistTrace

DEFAULT = "ring"
EXAMPLES = [
    ("agrad dist --workers 3", "built-in ring over three processes"),
    ("agrad dist worked-example", "a call to a neighbour and back"),
    ("agrad dist stalls", "why FAST waits for ever"),
    ("agrad dist ring --workers 8 -o r.svg", "a picture, a cluster a worker"),
    ("agrad dist lesson.yaml --json", "for programs"),
]


@click.command(cls=AgradCommand, examples=EXAMPLES)
@scenario_argument
@click.option("-w", "--workers", callback=integer(1, 512), metavar="N", help="How many workers, instead of the scenario's.")
@click.option("--mode", metavar="MODE", help="fast, PyTorch's mode (smart is not part of this version).")
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Also write FILE.svg, .png, .dot or .json.")
@json_option
@click.option("--events", is_flag=True, help="Also record every event.")
@click.option("--check", is_flag=True, help="Fail where the scenario's `expect` does not hold.")
@run_options
@click.option("-q", "--quiet", is_flag=True, help="Print what the scripts print, and errors.")
def command(scenario: str, output: str | None, check: bool, **given: Any) -> int:
    """Run a scenario over worker processes, and show what each did.

    SCENARIO is what agrad run takes; without `workers` its script runs on the first of three workers.
    """
    from autograd_cli.cli.checking import require_expect
    from autograd_cli.cli.source import DEFAULT_SCENARIO, load

    ctx = click.get_current_context()
    if ctx.get_parameter_source("scenario") == click.core.ParameterSource.DEFAULT and scenario == DEFAULT_SCENARIO:
        scenario = DEFAULT
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
    from autograd_cli.trace.dist_views import first_worker

    check_mode(mode or loaded.mode)
    if not (as_json or quiet):
        from autograd_cli.cli.run import show_about

        show_about(loaded)
    form = None if output is None else Path(output).suffix.removeprefix(".").lower()
    dist = run_live(loaded, workers, live=not (as_json or quiet), print_live=not as_json, events=events, **options)
    whole = first_worker(dist)
    code, remarks = check_run(loaded, whole) if check else (status.exit_code(whole), [])
    if output is not None:
        _write(dist, output, form or "")
    if as_json:
        from autograd_cli.cli.document import write_bytes
        from autograd_cli.trace.codec import encode

        write_bytes(encode(dist) + b"\n")
    elif code != status.INTERRUPTED:
        from autograd_cli.cli.console import stdout_console
        from autograd_cli.render.terminal_dist import print_dist_report

        print_dist_report(dist, stdout_console(), quiet=quiet)
    _show_error(dist, whole, checked=check and code == status.WORKED)
    say(remarks, code=code, quiet=quiet or as_json)
    return code


def check_mode(mode: str | None) -> None:
    """FAST is what this version has."""
    if mode in (None, "fast"):
        return
    if mode in ("smart", "both"):
        raise Unsupported(f"--mode {mode} is not part of this version", hint="leave --mode away: FAST is PyTorch's own mode")
    raise click.UsageError(f"--mode {mode}: the modes are fast, and in a later version smart and both.")


def _show_error(dist: DistTrace, whole: Any, *, checked: bool) -> None:
    if whole.error is None or checked:
        return
    if whole.error.kind == "Interrupted":
        click.echo("Interrupted.", err=True)
        return
    from autograd_cli.cli.console import stderr_console
    from autograd_cli.render.terminal_report import print_error

    if dist.error is not None and dist.error.worker is not None:
        click.echo(f"on {dist.error.worker}:", err=True)
    print_error(whole.error, stderr_console(), trace=whole)


def _write(dist: DistTrace, output: str, form: str) -> None:
    """Write the picture or the document."""
    from autograd_cli.render.layout import GRAPHVIZ_FORMATS

    if form == "json":
        from autograd_cli.trace.codec import encode

        data = encode(dist, indent=1) + b"\n"
    elif form in ("dot", "gv") or form in GRAPHVIZ_FORMATS:
        from autograd_cli.render.picture import picture

        drawing = picture(dist, "dot" if form == "gv" else form)
        for warning in drawing.warnings:
            click.echo(f"note: {warning}", err=True)
        data = drawing.data
    else:
        raise click.UsageError(f"the ending of {output!r} is not that of a format. Formats: svg, png, dot, json.")
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise FileProblem(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {output}", err=True)
