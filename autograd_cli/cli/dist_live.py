"""The live view of a distributed run: a row a worker, while it runs, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from rich.live import Live
from rich.table import Table

from autograd_cli.cli.console import ScriptOutput, stdout_console
from autograd_cli.cli.failures import abandon_stdout

if TYPE_CHECKING:
    from autograd_cli.scenario.model import Scenario
    from autograd_cli.trace.dist_model import DistTrace

REFRESH = 10  # times a second
MOST_ROWS = 24
_STAGES = {"compute": "compute", "wait": "wait", "done": "done", "failed": "failed"}


class LiveView:
    """What each worker does, drawn again and again in place."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self.console = stdout_console()
        self.names: list[str] = []
        self.stage: list[str] = []
        self.last: list[str] = []
        self.messages: list[int] = []
        self.live: Live | None = None
        self.drawn = 0.0

    def start(self, names: list[str], pids: list[int]) -> None:
        """The workers run."""
        self.names = names
        self.stage = [f"started (process {pid})" for pid in pids]
        self.last, self.messages = [""] * len(names), [0] * len(names)
        if self.enabled:
            self.live = Live(self._table(), console=self.console, auto_refresh=False, transient=True)
            self.live.start()

    def on_stage(self, rank: int, now: float, kind: str, message_id: str | None, peer: int | None) -> None:
        """A stage of a worker begins."""
        if kind in _STAGES:
            self.stage[rank] = _STAGES[kind]
            return
        way, what = kind.split(" ", 1)
        self.stage[rank] = "send" if way == "send" else "receive"
        self.messages[rank] += 1
        other = "" if peer is None else self.names[peer]
        arrow = "to" if way == "send" else "from"
        self.last[rank] = " ".join(filter(None, (what, message_id, arrow, other)))

    def refresh(self) -> None:
        """Draw what is known now, not too often."""
        if self.live is not None and time.perf_counter() - self.drawn > 1 / REFRESH:
            self.drawn = time.perf_counter()
            self.live.update(self._table(), refresh=True)

    def stop(self) -> None:
        """The run is over; the view goes, the report comes."""
        if self.live is not None:
            self.live.update(self._table(), refresh=True)
            self.live.stop()
            self.live = None

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, show_edge=False)
        for heading in ("worker", "stage", "messages", "last message"):
            table.add_column(heading, no_wrap=True)
        for rank, name in enumerate(self.names[:MOST_ROWS]):
            table.add_row(name, self.stage[rank], str(self.messages[rank]), self.last[rank])
        if len(self.names) > MOST_ROWS:
            table.add_row(f"… {len(self.names) - MOST_ROWS} more", "", "", "")
        return table


def run_live(scenario: Scenario, workers: int | None, *, live: bool, print_live: bool, events: bool, **options: Any) -> DistTrace:
    """Run a distributed scenario; on a terminal with the live view, and what scripts print above it."""
    from autograd_cli.session.cluster import DistOptions, run_distributed
    from autograd_cli.session.options import RunOptions

    view = LiveView(live and sys.stdout.isatty())
    output = ScriptOutput() if print_live else None
    open_line = [""]  # the worker whose line is not complete

    def on_print(worker: str, text: str) -> None:
        if output is None:
            return
        prefix = f"{worker} | " if len(view.names) > 1 else ""
        for line in text.splitlines(keepends=True):
            shown = line if open_line[0] == worker else (("\n" if open_line[0] else "") + prefix + line)
            if view.live is not None:
                view.live.console.print(shown.rstrip("\n"), markup=False, highlight=False)
                open_line[0] = ""
            else:
                output(shown)
                open_line[0] = "" if line.endswith("\n") else worker

    given = {name: value for name, value in options.items() if value is not None}
    asked = DistOptions(
        workers=workers,
        on_print=on_print,
        on_stage=view.on_stage if view.enabled else None,
        on_start=view.start,
        on_wait=view.refresh if view.enabled else None,
    )
    try:
        dist = run_distributed(scenario, RunOptions(events=events, **given), asked)
    finally:
        view.stop()
    if output is not None and output.failure is not None:
        abandon_stdout()
        raise output.failure
    if open_line[0]:
        sys.stdout.write("\n")
    return dist
