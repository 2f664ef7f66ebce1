"""The exit status of every command, in one place (docs/cli.md repeats the table)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from autograd_cli.errors import AgradError

if TYPE_CHECKING:
    from autograd_cli.trace.compare_model import CompareTrace
    from autograd_cli.trace.model import Trace

WORKED = 0
FAILED = 1  # the scenario ran and failed; also an error inside agrad itself
NOT_STARTED = 2
INTERRUPTED = 130  # 128 + SIGINT
PIPE_CLOSED = 141  # 128 + SIGPIPE: the reader went away (`| head`), as for every Unix filter


def exit_code(trace: Trace | CompareTrace) -> int:
    """Return the exit status of a finished run or comparison: 0, or that of the kind of its error."""
    if trace.status == "ok":
        return WORKED
    if trace.error is None:
        return FAILED
    return _exit_codes().get(trace.error.kind, FAILED)


@functools.cache
def _exit_codes() -> dict[str, int]:
    """Map each kind of the tree of errors to its exit status."""
    codes: dict[str, int] = {}
    stack: list[type[AgradError]] = [AgradError]
    while stack:
        error_type = stack.pop()
        codes[error_type.kind_name or error_type.__name__] = error_type.exit_code
        stack.extend(error_type.__subclasses__())
    return codes
