"""Standard output and standard error: charset, colours, and what a script prints."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from rich.console import Console

from autograd_cli.errors import Interrupted

# Everything that moves the cursor or talks to the terminal; colours (CSI … m) and plain tabs and returns pass.
_CONTROL = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


class OutputConsole(Console):
    """A rich console that leaves a closed pipe to the command's end instead of exiting by itself."""

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError being handled."""
        raise  # rich calls this inside its `except BrokenPipeError`


def stdout_console() -> Console:
    """Return the console of reports; no colour where there is no terminal or NO_COLOR is set."""
    return OutputConsole(file=sys.stdout, highlight=False, markup=False, emoji=False)


def stderr_console() -> Console:
    """Return the console of errors, warnings and progress."""
    return OutputConsole(file=sys.stderr, highlight=False, markup=False, emoji=False)


def is_ascii_only(console: Console) -> bool:
    """Whether the output's encoding has no box-drawing characters."""
    return not console.encoding.lower().startswith("utf")


def without_controls(text: str) -> str:
    """`text` for a terminal: what would move the cursor is shown as an escape."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


class ScriptOutput:
    """Writes what a script prints to standard output while it runs.

    Parameters
    ----------
    before, after : callable, optional
        Called around each write; the progress bar steps aside there. `after` is told whether the line is complete.
    """

    def __init__(self, before: Callable[[], None] | None = None, after: Callable[[bool], None] | None = None) -> None:
        self.failure: OSError | None = None  # the reader went away, or the disk is full
        self._before = before
        self._after = after
        self._is_terminal = sys.stdout.isatty()

    def __call__(self, text: str) -> None:
        """Write `text`; when nobody reads any more, end the run with an error that no script can catch."""
        if self._before:
            self._before()
        if self._is_terminal:
            text = without_controls(text)
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            self.failure = error
            raise Interrupted("agrad's output cannot be written any more") from None
        if self._after:
            self._after(text.endswith("\n"))
