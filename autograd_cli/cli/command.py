"""What all commands share: an Examples section in their help, and one end for everything that goes wrong in them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from autograd_cli.cli import exit as status

Example = tuple[str, str]  # a command line, and what it does


def write_examples(formatter: click.HelpFormatter, examples: Sequence[Example]) -> None:
    """Write the section that every ``--help`` ends with."""
    width = max((len(line) for line, _ in examples), default=0)
    with formatter.section("Examples"):
        formatter.write_dl(list(examples), col_max=width)


class AgradCommand(click.Command):
    """A command with examples, whose callback returns its exit status.

    Whatever the callback raises ends here: an `AgradError` is shown (as a document with ``--json``), Ctrl-C is one line, a closed
    pipe is silent, and any other exception is owned as a bug in agrad.

    Parameters
    ----------
    examples : sequence of (str, str)
        Command lines and what they do, shown at the end of ``--help``.
    """

    def __init__(self, *args: Any, examples: Sequence[Example] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; a complaint about the arguments always knows the command it is about."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End the help with the examples."""
        write_examples(formatter, self.examples)

    def invoke(self, ctx: click.Context) -> int:
        """Run the callback and return the exit status, also when it raises."""
        try:
            code = super().invoke(ctx)
            # Flushed here, not at exit: a reader that went away must not become a complaint of the interpreter's.
            sys.stdout.flush()
        except (click.ClickException, click.exceptions.Exit, click.exceptions.Abort):
            raise
        except BaseException as error:
            from autograd_cli.cli import failures

            return failures.end(error, ctx)
        return code if isinstance(code, int) else status.WORKED
