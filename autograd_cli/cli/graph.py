"""``agrad graph``: draw the graph of a scenario or of a saved run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.command import AgradCommand
from autograd_cli.cli.failures import show_run_error, was_interrupted
from autograd_cli.cli.options import integer, json_option, run_options, scenario_argument
from autograd_cli.cli.source import DEFAULT_SCENARIO
from autograd_cli.errors import BadArgumentValue, FileProblem

if TYPE_CHECKING:
    from autograd_cli.trace.dist_model import DistTrace
    from autograd_cli.trace.model import Trace

EXAMPLES = [
    ("agrad graph", "built-in abc, in the terminal"),
    ("agrad graph lesson.yaml -o graph.svg", "a picture (.png, .dot too)"),
    ("agrad graph --dot | dot -Tpdf > graph.pdf", "DOT, for Graphviz"),
    ("agrad graph iris --pass 1", "the first pass of many"),
    ("agrad graph lesson.yaml --around loss", "what is near a variable"),
    ("agrad graph run.json", "a run saved by agrad run --json"),
    ("agrad run iris --json | agrad graph -", "the same through a pipe"),
]


def pass_number(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Read 1, 2, … from the first pass or -1, -2, … from the last; return the index into the Trace's passes."""
    number = integer(-(10**9), 10**9)(ctx, parameter, value)
    if number == 0:
        raise click.BadParameter("passes are counted from 1 (-1 is the last)")
    return number - 1 if number is not None and number > 0 else number


@click.command(cls=AgradCommand, examples=EXAMPLES)
@scenario_argument(DEFAULT_SCENARIO)
@click.option("--dot", "as_dot", is_flag=True, help="Print DOT and nothing else.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write FILE.svg, .png, .dot or .json.")
@json_option
@click.option(
    "--pass", "pass_index", callback=pass_number, metavar="N", help="Draw the Nth pass (-1: the last).  [default: the last kept]"
)
@click.option("--all", "show_all", is_flag=True, help="Draw every recorded node, those of other passes too.")
@click.option("--around", metavar="NAME", help="Draw only what is near a variable, node name or node id.")
@click.option("--depth", callback=integer(0), default="2", metavar="N", help="How many edges --around reaches.  [default: 2]")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters.")
@click.option("--engine-exe", metavar="PATH", help="Graphviz executable that lays pictures out.")
@run_options
def command(
    scenario: str,
    as_dot: bool,
    output: str | None,
    as_json: bool,
    ascii_only: bool,
    engine_exe: str | None,
    pass_index: int | None,
    show_all: bool,
    around: str | None,
    depth: int,
    **options: Any,
) -> int:
    """Draw the autograd graph of a scenario or of a saved run.

    SCENARIO is what agrad run takes, or a document saved with --json. Every node shows its name, variable, shape and dependency
    count; nodes that the pass does not reach stay visible, pale, with 0.
    """
    from autograd_cli.trace.dist_model import DistTrace

    form = _form(as_dot, as_json, output)
    trace = _trace(scenario, pass_index, show_all, options)
    what = {"pass_index": pass_index, "show_all": show_all, "around": around, "depth": depth}
    if isinstance(trace, DistTrace):
        return _distributed(trace, form, output, engine_exe, ascii_only, what)
    try:
        if was_interrupted(trace) and form != "json":
            pass  # no picture: the user wants it to end
        elif form is None:
            _draw(trace, ascii_only, what)
        else:
            _write(_bytes(trace, form, what, engine_exe), output)
    except BadArgumentValue as error:
        raise _usage(error) from None
    show_run_error(trace)  # what was recorded until then has been drawn
    return status.exit_code(trace)


def _usage(error: BadArgumentValue) -> click.UsageError:
    """The renderer knows which passes and names there are; asking for another is a usage error all the same."""
    return click.UsageError(f"{error.message} {error.hint or ''}".strip())


def _form(as_dot: bool, as_json: bool, output: str | None) -> str | None:
    """Return the form of the result: ``dot``, ``json``, a picture format, or None for the drawing in the terminal."""
    asked = [form for form, flag in (("dot", as_dot), ("json", as_json)) if flag]
    if output is not None:
        suffix = Path(output).suffix.removeprefix(".").lower()
        asked.append("dot" if suffix == "gv" else suffix)
    if len(set(asked)) > 1:
        raise click.UsageError(f"one result has one form, and the options name {len(asked)}: {', '.join(map(repr, asked))}.")
    if output is not None and asked[0] not in ("dot", "json"):
        from autograd_cli.render.layout import GRAPHVIZ_FORMATS

        if asked[0] not in GRAPHVIZ_FORMATS:
            known = ", ".join(["svg", "png", "dot", "json", *sorted(GRAPHVIZ_FORMATS - {"svg", "png", "json"})])
            raise click.UsageError(f"the ending of {output!r} is not that of a format. Formats: {known}.")
    return asked[0] if asked else None


def _trace(name: str, pass_index: int | None, show_all: bool, options: dict[str, Any]) -> Trace | DistTrace:
    """Decode a saved run, or run the scenario and keep the passes that are to be drawn."""
    from autograd_cli.cli.source import load_either
    from autograd_cli.trace.dist_model import DistTrace
    from autograd_cli.trace.model import Trace

    loaded = load_either(name)
    if isinstance(loaded, (Trace, DistTrace)):
        return loaded
    if options["record"] is None and show_all:
        options["record"] = "all"
    elif options["record"] is None and pass_index is not None:
        options["record"] = f"last:{-pass_index}" if pass_index < 0 else f"{pass_index + 1}..{pass_index + 1}"
    if loaded.is_distributed:
        from autograd_cli.cli.dist_live import run_live

        return run_live(loaded, None, live=False, print_live=False, events=False, **options)
    from autograd_cli.cli.running import run_with_progress

    return run_with_progress(loaded, print_live=False, **options)


def _distributed(
    dist: DistTrace, form: str | None, output: str | None, engine_exe: str | None, ascii_only: bool, what: dict[str, Any]
) -> int:
    """Draw a distributed run: a cluster, or a rail, for each worker."""
    from autograd_cli.cli.dist import interrupted, show_dist_error
    from autograd_cli.trace.dist_views import first_worker

    try:
        if interrupted(dist) and form != "json":
            pass  # no picture: the user wants it to end
        elif form == "json":
            from autograd_cli.cli.document import struct_bytes

            _write(struct_bytes(dist), output)
        elif form is not None:
            from autograd_cli.render.picture import picture

            drawing = picture(dist, form, engine=engine_exe, **what)
            for warning in drawing.warnings:
                click.echo(f"note: {warning}", err=True)
            _write(drawing.data, output)
        else:
            from autograd_cli.cli.console import is_ascii_only, stdout_console
            from autograd_cli.render.terminal import print_dist_rail

            console = stdout_console()
            print_dist_rail(dist, console, ascii_only=ascii_only or is_ascii_only(console), **what)
    except BadArgumentValue as error:
        raise _usage(error) from None
    whole = first_worker(dist)
    show_dist_error(dist, whole)
    return status.exit_code(whole)


def _bytes(trace: Trace, form: str, what: dict[str, Any], engine_exe: str | None) -> bytes:
    """Return the document, the DOT text or the picture; what is to be said about it goes to standard error."""
    if form == "json":
        from autograd_cli.cli.document import GRAPH, json_bytes

        return json_bytes(trace, GRAPH)
    from autograd_cli.render.picture import picture

    drawing = picture(trace, form, engine=engine_exe, **what)
    for warning in drawing.warnings:
        click.echo(f"note: {warning}", err=True)
    return drawing.data


def _write(data: bytes, output: str | None) -> None:
    """Write the result to its file, or to standard output."""
    if output is None:
        from autograd_cli.cli.document import write_bytes

        return write_bytes(data)
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise FileProblem(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {output}", err=True)
    return None


def _draw(trace: Trace, ascii_only: bool, what: dict[str, Any]) -> None:
    """Draw the graph in the terminal."""
    from autograd_cli.cli.console import is_ascii_only, stdout_console
    from autograd_cli.render.terminal import print_rail

    console = stdout_console()
    print_rail(trace, console, ascii_only=ascii_only or is_ascii_only(console), **what)
