"""How a command ends when something was raised: one clear message, the document with ``--json``, and the exit status."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograd_cli.cli import exit as status
from autograd_cli.errors import AgradError, BadArgumentValue, Interrupted, LimitExceeded

if TYPE_CHECKING:
    from autograd_cli.trace.compare_model import CompareTrace
    from autograd_cli.trace.model import Trace

# What writing to standard output fails with; files that agrad reads and writes by name have errors of their own.
_NO_ROOM = frozenset(getattr(errno, name, -1) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO"))
DEBUG = "AGRAD_DEBUG"  # set to 1: an internal error shows its traceback


class InternalError(AgradError):
    """A bug in agrad itself; never the user's fault."""


def end(error: BaseException, ctx: click.Context) -> int:
    """Show what a command raised and return the exit status.

    Parameters
    ----------
    error : BaseException
        Anything but click's own exceptions.
    ctx : click.Context
        Of the command; its parameters tell whether a document is wanted and for which scenario.
    """
    if _is_closed_pipe(error):
        abandon_stdout()
        return status.PIPE_CLOSED
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        abandon_stdout()
        click.echo(f"agrad: the output cannot be written: {error.strerror}", err=True)
        return status.FAILED
    if isinstance(error, KeyboardInterrupt):
        click.echo("\nInterrupted.", err=True)
        return status.INTERRUPTED
    if isinstance(error, (SystemExit, GeneratorExit)):
        raise error
    if not isinstance(error, AgradError):
        if os.environ.get(DEBUG, "") not in ("", "0"):
            raise error
        error = own_error(error)
    return show(error, path=_path(ctx), document=_document_format(ctx))


def show(error: AgradError, *, path: str | None, document: str | None) -> int:
    """Print one error on standard error and, where `document` names a format, as that document on standard output."""
    from autograd_cli.cli.console import stderr_console
    from autograd_cli.render.terminal_error import print_error

    if document is not None:
        from autograd_cli.cli.document import write_json
        from autograd_cli.trace.codec import error_trace

        write_json(error_trace(path, error), document)
    print_error(error, stderr_console())
    return error.exit_code


def show_run_error(trace: Trace | CompareTrace) -> None:
    """Print the error of a run or a comparison on standard error; nothing where it went well, one line after Ctrl-C."""
    if trace.error is None:
        return
    if was_interrupted(trace):
        where = "" if trace.error.line is None else f" at line {trace.error.line}"
        click.echo(f"\nInterrupted{where}.", err=True)
        return
    from autograd_cli.cli.console import stderr_console
    from autograd_cli.render.terminal_error import print_error
    from autograd_cli.trace.model import Trace

    run = trace if isinstance(trace, Trace) else None
    print_error(trace.error, stderr_console(), file=trace.scenario.path, trace=run)


def was_interrupted(trace: Trace | CompareTrace) -> bool:
    """Whether Ctrl-C ended the run."""
    return trace.error is not None and trace.error.kind == Interrupted.__name__


def usage(error: click.ClickException, arguments: list[str]) -> int:
    """Tell what is wrong with the command line, without click's "Error:" block.

    Parameters
    ----------
    error : click.ClickException
        The complaint; its context knows the command.
    arguments : list of str
        The command line. Where it has a command's ``--json``, the document of a run that never started is printed too.
    """
    ctx = getattr(error, "ctx", None)
    command = ctx.command_path if ctx is not None else "agrad"
    text = _complaint(error)
    if ctx is not None and "--json" in arguments and any(option.name == "as_json" for option in ctx.command.params):
        from autograd_cli.cli.document import write_json
        from autograd_cli.trace.codec import error_trace

        complaint = BadArgumentValue(text, hint=f"{command} --help lists the options")
        write_json(error_trace(None, complaint), f"agrad/{ctx.info_name}@1")
    usage_line = ctx.get_usage().removeprefix("Usage: ") if ctx is not None else f"{command} [OPTIONS]"
    click.echo(f"{command}: {text}\nUsage: {usage_line}\nHelp:  {command} --help", err=True)
    return status.NOT_STARTED


def _complaint(error: click.ClickException) -> str:
    """Return what is wrong, in the words of the other messages whatever the version of click."""
    if isinstance(error, click.NoSuchOption):
        close = error.possibilities or []
        return f"no such option {error.option_name!r}." + (f" Did you mean {close[0]!r}?" if close else "")
    message = error.format_message()
    return message[:1].lower() + message[1:]


def abandon_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail on a pipe nobody reads."""
    # A stream without a descriptor (a test's) has nothing to point elsewhere.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _is_closed_pipe(error: BaseException) -> bool:
    if isinstance(error, BrokenPipeError):
        return True
    # Windows reports a closed pipe as EINVAL.
    return sys.platform == "win32" and type(error) is OSError and error.errno == errno.EINVAL


def _path(ctx: click.Context) -> str | None:
    """Return the path of the command's scenario as a run would give it, else what the user named."""
    several = ctx.params.get("scenarios", ())
    name: str | None = several[0] if len(several) == 1 else ctx.params.get("scenario")
    if name is None or name == "-":
        return None
    from autograd_cli.scenario.load import find_scenario

    try:
        return str(find_scenario(name))
    except AgradError:
        return name


def _document_format(ctx: click.Context) -> str | None:
    """Return the format of the document the command owes its caller, None without ``--json``."""
    if not ctx.params.get("as_json"):
        return None
    return f"agrad/{ctx.info_name}@1"


def own_error(error: BaseException) -> AgradError:
    """Turn an unexpected exception into an error that says whose fault it is."""
    if isinstance(error, MemoryError):
        return LimitExceeded(
            "this machine has too little memory for it", hint="make the tensors smaller or record fewer passes: --record"
        )
    where = ""
    trace = error.__traceback__
    while trace is not None:  # the innermost frame is the last
        where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return InternalError(
        f"this is a bug in agrad: {type(error).__name__}: {error}{where}",
        hint=f"{DEBUG}=1 in the environment shows the traceback; please report it with the scenario",
    )
