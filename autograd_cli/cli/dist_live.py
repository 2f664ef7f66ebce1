"""Run a distributed scenario for a command: what scripts print handed up, and on a terminal the live view under it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from rich.live import Live
from rich.text import Text

from autograd_cli.cli.console import ScriptOutput, is_ascii_only, stdout_console, without_controls
from autograd_cli.cli.dist_board import Board
from autograd_cli.cli.failures import abandon_stdout
from autograd_cli.errors import Interrupted

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.dist_model import DistTrace

REFRESH = 10  # times a second


class LiveView:
    """What each worker does, drawn again and again in place; and what scripts print above it, in whole lines."""

    def __init__(self, enabled: bool, mode: str) -> None:
        self.enabled, self.mode = enabled, mode
        self.console = stdout_console()
        self.board: Board | None = None
        self.live: Live | None = None
        self.drawn = 0.0
        self.parts: dict[str, str] = {}  # of each worker, the line that is not complete

    def start(self, names: list[str], pids: list[int]) -> None:
        """The workers run."""
        self.board = Board(names, pids, is_ascii=is_ascii_only(self.console), mode=self.mode)
        if self.enabled:
            self.live = Live(self._table(), console=self.console, auto_refresh=False, transient=True)
            self.live.start()

    def on_stage(self, rank: int, now: float, kind: str, message_id: str | None, peer: int | None) -> None:
        """A stage of a worker begins."""
        if self.board is not None:
            self.board.on_stage(rank, kind, message_id, peer, time.perf_counter())

    def refresh(self) -> None:
        """Draw what is known now, not too often."""
        if self.live is not None and time.perf_counter() - self.drawn > 1 / REFRESH:
            self.drawn = time.perf_counter()
            self.live.update(self._table(), refresh=True)

    def show(self, prefix: str, worker: str, text: str) -> None:
        """Print the lines that `text` completes above the view."""
        *lines, rest = (self.parts.get(worker, "") + text).split("\n")
        self.parts[worker] = rest
        for line in lines:
            self.console.print(Text(prefix + without_controls(line)), soft_wrap=True)

    def stop(self) -> None:
        """The run is over: the view goes, the report comes."""
        if self.live is not None:
            self.live.stop()
            self.live = None
        for worker, rest in self.parts.items():
            if rest:
                self.console.print(Text(f"{worker} | {without_controls(rest)}"), soft_wrap=True)

    def _table(self) -> Text:
        assert self.board is not None
        return Text("\n").join(self.board.lines(self.console.width, self.console.height - 2, time.perf_counter()))


class Prints:
    """Where there is no view: what scripts print, with the worker's name where several run."""

    def __init__(self, output: ScriptOutput) -> None:
        self.output = output
        self.open: str | None = None  # the worker whose line is not complete

    def show(self, prefix: str, worker: str, text: str) -> None:
        """Print `text`, a new line where another worker's is not complete."""
        for line in text.splitlines(keepends=True):
            goes_on = self.open == worker
            self.output(line if goes_on else ("" if self.open is None else "\n") + prefix + line)
            self.open = None if line.endswith("\n") else worker

    def stop(self) -> None:
        """What follows begins on its own line."""
        if self.open is not None and self.output.failure is None:
            self.output("\n")


def run_live(
    scenario: Scenario,
    workers: int | None,
    *,
    live: bool,
    print_live: bool,
    events: bool,
    mode: str | None = None,
    **options: Any,
) -> DistTrace:
    """Run a distributed scenario.

    Parameters
    ----------
    scenario : Scenario
    workers : int, optional
        How many, instead of the scenario's count.
    live : bool
        Whether to draw the live view, where standard output is a terminal.
    print_live : bool
        Whether what scripts print goes to standard output while they run.
    events : bool
        Whether the document keeps the events.
    mode : {"fast", "smart"}, optional
        Instead of what the scenario says.
    **options
        The command line's ``record``, ``device``, ``seed``, ``timeout``, ``max_elements``; None leaves the default.

    Raises
    ------
    OSError
        The reader of standard output went away, or the disk is full.
    """
    from autograd_cli.session.cluster import DistOptions, run_distributed
    from autograd_cli.session.options import RunOptions

    view = LiveView(live and sys.stdout.isatty(), mode or scenario.mode or "fast")
    output = ScriptOutput()
    prints = view if view.enabled else Prints(output)

    def on_print(worker: str, text: str) -> None:
        several = view.board is None or len(view.board.names) > 1
        prints.show(f"{worker} | " if several else "", worker, text)

    given = {name: value for name, value in options.items() if value is not None}
    asked = DistOptions(
        workers=workers,
        mode=mode,
        on_print=on_print if print_live else None,
        on_stage=view.on_stage if view.enabled else None,
        on_start=view.start,
        on_wait=view.refresh if view.enabled else None,
    )
    dist = None
    try:
        dist = run_distributed(scenario, RunOptions(events=events, **given), asked)
    except Interrupted:
        if output.failure is None:
            raise
    finally:
        prints.stop()
    if output.failure is not None or dist is None:
        abandon_stdout()
        raise output.failure or BrokenPipeError
    return dist
