"""``agrad compare``: a scenario in agrad and in an installed PyTorch, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.command import AgradCommand
from autograd_cli.cli.failures import own_error, show_run_error
from autograd_cli.cli.options import complete_scenario, json_option, run_options, tolerance
from autograd_cli.cli.source import DEFAULT_SCENARIO
from autograd_cli.errors import AgradError

if TYPE_CHECKING:
    from collections.abc import Callable

    from autograd_cli.trace.compare_model import CompareTrace

EXAMPLES = [
    ("agrad compare lesson.yaml", "does agrad do what PyTorch does?"),
    ("agrad compare pasted.py", "a PyTorch snippet as it is"),
    ("agrad compare scenarios/*.yaml", "several, a line for each that is equal"),
    ("agrad compare iris --rtol 1e-6", "a tolerance of your own"),
    ("agrad compare lesson.yaml --json", "one JSON document, for programs"),
]


@click.command(cls=AgradCommand, examples=EXAMPLES)
@click.argument("scenarios", nargs=-1, metavar="[SCENARIO]...", shell_complete=complete_scenario)
@json_option
@click.option("--rtol", callback=tolerance, metavar="X", help="Relative tolerance.  [default: torch.testing's for the dtype]")
@click.option("--atol", callback=tolerance, metavar="X", help="Absolute tolerance, likewise.")
@run_options
@click.option("-v", "--verbose", is_flag=True, help="Print every difference.")
def command(
    scenarios: tuple[str, ...], as_json: bool, rtol: float | None, atol: float | None, verbose: bool, **options: Any
) -> int:
    """Compare agrad with an installed PyTorch, node by node.

    Each SCENARIO, a YAML file, a Python file or a built-in name, is run in agrad and in PyTorch: values, gradients, nodes, edges, saved
    tensors, dependency counts, order of evaluation, errors and what is printed are compared. The exit status is 1 where something
    differs. PyTorch comes with the extra `torch`.
    """
    from autograd_cli.pytorch.library import require_torch
    from autograd_cli.session.tuning import tune_process

    require_torch()
    tune_process()
    given = {name: value for name, value in options.items() if value is not None}
    if len(scenarios) > 1:
        return _several(scenarios, given, rtol, atol, as_json, verbose)
    found, source = _compare(scenarios[0] if scenarios else DEFAULT_SCENARIO, given, rtol, atol)
    if as_json:
        from autograd_cli.cli.document import struct_bytes, write_bytes

        write_bytes(struct_bytes(found))
    else:
        _show(found, source, verbose)
    if not found.differences:
        show_run_error(found)
    return status.exit_code(found)


def _compare(
    name: str, options: dict[str, Any], rtol: float | None, atol: float | None
) -> tuple[CompareTrace, Callable[[int], str]]:
    """The comparison of one scenario, and where to look up its lines."""
    from autograd_cli.cli.source import load
    from autograd_cli.pytorch.compare import compare_scenario
    from autograd_cli.scenario.closeness import Tolerance
    from autograd_cli.scenario.script import Script
    from autograd_cli.session.options import RunOptions

    loaded = load(name)
    found = compare_scenario(loaded, RunOptions(**options), Tolerance(rtol, atol))
    assert isinstance(loaded.script, Script)  # what has workers was refused
    return found, loaded.script.source_line


def _show(found: CompareTrace, source: Callable[[int], str], verbose: bool) -> None:
    from autograd_cli.cli.console import stdout_console
    from autograd_cli.render.terminal_compare import print_comparison

    print_comparison(found, stdout_console(), source=source, verbose=verbose)


def _several(
    names: tuple[str, ...], options: dict[str, Any], rtol: float | None, atol: float | None, as_json: bool, verbose: bool
) -> int:
    """Compare several scenarios; one that cannot be started does not keep the others from it."""
    from autograd_cli.cli.console import stdout_console
    from autograd_cli.cli.document import struct_bytes, write_bytes
    from autograd_cli.render.terminal_compare import print_short
    from autograd_cli.trace.codec import error_trace, not_compared
    from autograd_cli.trace.compare_model import ComparisonsTrace

    comparisons = []
    for name in names:
        source = None
        try:
            found, source = _compare(name, options, rtol, atol)
        except Exception as error:  # a bug of ours with one file is no reason to leave out the others
            found = not_compared(error_trace(name, error if isinstance(error, AgradError) else own_error(error)))
        comparisons.append(found)
        if not as_json:
            print_short(found, name, stdout_console(), source=source, verbose=verbose)
        if status.exit_code(found) == status.INTERRUPTED:
            break
    codes = [status.exit_code(found) for found in comparisons]
    if as_json:
        worked = codes.count(status.WORKED) == len(codes)
        write_bytes(struct_bytes(ComparisonsTrace(status="ok" if worked else "error", comparisons=comparisons)))
    else:
        different = sum(bool(found.differences) for found in comparisons)
        equal = codes.count(status.WORKED)
        left_out = len(codes) - equal - different
        not_compared_text = f", {left_out} not compared" if left_out else ""
        click.echo(f"\n{equal} of {len(codes)} scenarios equal, {different} different{not_compared_text}")
    return max(codes, key=_weight)


def _weight(code: int) -> int:
    """Ctrl-C weighs most, then a difference, then what could not be started."""
    return {status.WORKED: 0, status.NOT_STARTED: 1, status.FAILED: 2}.get(code, 3)
