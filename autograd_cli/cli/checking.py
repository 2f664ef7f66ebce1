"""``--check``: what came out against the scenario's `expect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.failures import was_interrupted
from autograd_cli.errors import ExpectationFailed, InvalidScenario, Place

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.model import Trace


def require_expect(scenario: Scenario, name: str) -> None:
    """Refuse to check nothing: a success would say more than is known."""
    if scenario.expect is None:
        raise InvalidScenario(
            f"{name} has no `expect`, so --check has nothing to check",
            hint="add `expect:` with what must come out, or leave --check away",
            place=Place(name),
        )


def check_run(scenario: Scenario, trace: Trace) -> tuple[int, list[str]]:
    """Compare a run with `expect`.

    Differences of a run that worked become its error, `ExpectationFailed`; a run that failed keeps its own.

    Returns
    -------
    int
        The exit status: 0 where everything came out, an expected error included.
    list of str
        What is to be said about the check beside the error.
    """
    from autograd_cli.scenario.expect import check
    from autograd_cli.trace.codec import error_record

    assert scenario.expect is not None
    if was_interrupted(trace):
        return status.INTERRUPTED, []
    differences = check(scenario.expect, trace)
    if not differences:
        included = ", the error included" if scenario.expect.error is not None else ""
        return status.WORKED, [f"check: everything that `expect` names came out{included}"]
    if trace.error is not None:
        return status.exit_code(trace), [f"check: {one}" for one in differences]
    count = len(differences)
    lines = [f"{count} thing{'s' * (count > 1)} did not come out as expected:", *(f"  {one}" for one in differences)]
    trace.error = error_record(ExpectationFailed("\n".join(lines), place=differences[0].place))
    trace.status = "error"
    return status.exit_code(trace), []


def say(remarks: list[str], *, code: int, quiet: bool) -> None:
    """Print what the check has to say: good news on standard output, bad news on standard error."""
    for remark in remarks:
        if code != status.WORKED:
            click.echo(remark, err=True)
        elif not quiet:
            click.echo(remark)
