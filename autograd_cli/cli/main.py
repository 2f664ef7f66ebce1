"""``agrad``: the group of commands. Nothing here imports a command before it is asked for, so that ``--help`` starts at once."""

from __future__ import annotations

import difflib
import importlib
import io
import os
import sys
from typing import Any

import click

from autograd_cli.cli import exit as status
from autograd_cli.cli.command import write_examples

# Each command is the object `command` of the module of its name; the text must be that of the command itself (a test says so).
COMMANDS = {
    "run": "Run a scenario: its output, variables, gradients and passes.",
    "graph": "Draw the autograd graph of a scenario or of a saved run.",
    "dist": "Run a scenario over worker processes, and show what each did.",
    "explain": "Explain a kind of error: why it happens, and how to fix it.",
    "compare": "Compare agrad with an installed PyTorch, node by node.",
    "ops": "Show the operations: nodes, and formulas of gradients.",
    "schema": "Print the JSON Schema of the scenario format.",
}

EXAMPLES = [
    ("agrad run", "run the built-in scenario abc"),
    ("agrad run iris", "train on real data and see the passes"),
    ("agrad graph --dot | head", "the graph as DOT"),
    ("agrad dist --workers 3", "a backward pass over three processes"),
    ("agrad explain GraphFreed", "why a second backward() fails, and how to fix it"),
    ("agrad compare iris", "the same in PyTorch, and what differs"),
    ("agrad ops exp", "the node and the gradient of an operation"),
    ("agrad run FILE --json", "one JSON document, for programs"),
]


class AgradGroup(click.Group):
    """Knows its commands by name and help; imports one only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"autograd_cli.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End the help with the examples."""
        write_examples(formatter, EXAMPLES)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; the options of commands stand after the command, and a misplaced one says so."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(
                f"no such option {error.option_name!r}. The options of a command stand after it.", ctx
            ) from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name gets the nearest one suggested."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise click.UsageError(f"no such command {name!r}. {_suggestion(name)}", ctx)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line and exit with the status of cli/exit.py; usage errors are told in agrad's words."""
        given = args[0] if args else extra.pop("args", None)
        arguments = list(sys.argv[1:] if given is None else given)
        extra.update(prog_name="agrad", standalone_mode=False)
        try:
            code = super().main(arguments, **extra)
        except click.ClickException as error:
            from autograd_cli.cli import failures

            code = failures.usage(error, arguments)
        except click.exceptions.Abort:
            click.echo("Interrupted.", err=True)
            code = status.INTERRUPTED
        sys.exit(code if isinstance(code, int) else status.WORKED)


def _suggestion(name: str) -> str:
    """Say which command may have been meant; a scenario given without a command is what people type first."""
    close = difflib.get_close_matches(name, COMMANDS, n=1)
    if close:
        return f"Did you mean 'agrad {close[0]}'?"
    from autograd_cli.cli.source import names_a_scenario

    if names_a_scenario(name):
        return f"Did you mean 'agrad run {name}'?"
    return f"The commands are: {', '.join(COMMANDS)}."


def _show_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("agrad")
    except PackageNotFoundError:  # run from a source tree that was never installed
        number = "(not installed)"
    click.echo(f"agrad {number}")
    ctx.exit()


@click.group(cls=AgradGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version.")
@click.pass_context
def agrad(ctx: click.Context) -> None:
    """Make PyTorch's autograd visible.

    Runs PyTorch snippets in YAML files ("scenarios"), records the autograd graph as PyTorch would, and shows it: every node, its
    dependency count, and the order in which the backward pass evaluates them. PyTorch is not needed.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run() -> None:
    """Entry point of the ``agrad`` command."""
    sys.stdout = _settled(sys.stdout)
    sys.stderr = _settled(sys.stderr)
    agrad.main()


def _settled(stream: Any) -> Any:
    """Return a standard stream that loses nothing.

    A character that the terminal's encoding lacks is written as its escape: it must not end the run. And under PYTHONUNBUFFERED
    the stream has no buffer, where a write may be cut short without a word: it gets one, which is flushed with each line.
    A stream that the caller closed (`agrad run >&-`) takes everything and shows nothing, as Python's own ``print`` has it.
    """
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        if isinstance(stream.buffer, io.RawIOBase):
            stream = open(stream.fileno(), "w", buffering=1, encoding=stream.encoding, closefd=False)  # noqa: SIM115
        stream.reconfigure(errors="backslashreplace")
    return stream
