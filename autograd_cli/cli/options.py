"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
IntegerCallback = Callable[[click.Context, click.Parameter, Any], int | None]


def complete_scenario(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the built-in names, and leave files to the shell."""
    from autograd_cli.scenario.load import builtin_scenarios

    names = [CompletionItem(name) for name in builtin_scenarios() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


def record_value(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Read which passes are kept in full: ``all``, ``first:N,last:M`` (or one of the two), ``N..M`` (counted from 1)."""
    if value is None:
        return None
    text = re.sub(r"\s", "", value).lower()
    if not re.fullmatch(r"all|first:\d{1,9}(,last:\d{1,9})?|last:\d{1,9}|\d{1,9}\.\.\d{1,9}", text, re.ASCII):
        raise click.BadParameter(f"{value!r} is neither all, nor first:N,last:M, nor N..M (passes N to M, counted from 1)")
    if ".." in text:
        first, last = map(int, text.split(".."))
        if not 1 <= first <= last:
            raise click.BadParameter(f"{value!r} names no pass: passes are counted from 1, and N..M needs N <= M")
    return text


def seconds(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Read a positive, finite number of seconds."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise click.BadParameter(f"{value!r} is not a positive number of seconds")
    return number


def tolerance(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Read a tolerance: a finite number, not below 0."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise click.BadParameter(f"{value!r} is not a number from 0 on")
    return number


def integer(lowest: int, highest: int | None = None) -> IntegerCallback:
    """Return a callback that reads an integer, also one written as 1_000_000 or 1e6, from `lowest` to `highest`."""

    def read(ctx: click.Context, parameter: click.Parameter, value: Any) -> int | None:
        if value is None or isinstance(value, int):
            return value
        number = _integer(value)
        if number is None:
            raise click.BadParameter(f"{value!r} is not an integer")
        if number < lowest or (highest is not None and number > highest):
            limits = f"at least {lowest}" if highest is None else f"from {lowest} to {highest}"
            raise click.BadParameter(f"{value} is out of range: it must be {limits}")
        return number

    return read


def _integer(text: str) -> int | None:
    """Return the integer that `text` writes, None where it writes none."""
    if len(text) > 40:  # longer than any number that is accepted
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if math.isfinite(number) and number.is_integer() else None


def scenario_argument(default: str) -> Callable[[Decorated], Decorated]:
    """Take ``[SCENARIO]``, the built-in `default` where none is given."""
    return click.argument("scenario", default=default, metavar="[SCENARIO]", shell_complete=complete_scenario)


def run_options(command: Decorated) -> Decorated:
    """Take the options that say how a scenario is run."""
    options = [
        click.option(
            "--record",
            callback=record_value,
            metavar="WHICH",
            help="Passes kept in full: all, first:N,last:M or N..M.  [default: first:2,last:2 of more than eight]",
        ),
        click.option("--device", metavar="DEVICE", help="cpu, cuda, cuda:N or auto, instead of the scenario's."),
        click.option(
            "--seed",
            callback=integer(-(2**63), 2**64 - 1),
            metavar="N",
            help="Random seed, instead of the scenario's.",
        ),
        click.option("--timeout", callback=seconds, metavar="SECONDS", help="Stop the script after this time."),
        click.option("--max-elements", callback=integer(1), metavar="N", help="Largest tensor that a script may make."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
