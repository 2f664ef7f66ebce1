"""The progress bar of a long loop: on standard error, only on a terminal, never in the way of what the script prints."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 0.7  # seconds before a loop counts as long
REDRAW = 0.1  # seconds between two drawings


class LoopProgress:
    """Counts backward passes while a script runs; nothing shows before `PATIENCE` is over.

    How many passes there will be nobody knows, so the bar pulses. No thread draws it: it is redrawn by `on_progress`.
    """

    def __init__(self) -> None:
        self.enabled = sys.stderr.isatty()
        self._bar: Progress | None = None
        self._drawn_at = 0.0
        self._line_is_open = False  # the script printed a line without its end: no bar on top of it

    def on_progress(self, passes_done: int, elapsed: float) -> None:
        """Show the count after `passes_done` passes and `elapsed` seconds."""
        if not self.enabled or elapsed < PATIENCE or elapsed - self._drawn_at < REDRAW or self._line_is_open:
            return
        self._drawn_at = elapsed
        if self._bar is None:
            self._bar = _new_bar()
            self._bar.add_task("backward passes", total=None)
        self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=passes_done)
        self._bar.refresh()

    def step_aside(self) -> None:
        """Take the bar off the screen; the next `on_progress` brings it back."""
        if self._bar is not None:
            self._bar.stop()

    def step_back(self, line_is_complete: bool) -> None:
        """Note whether the script left the cursor at the beginning of a line."""
        self._line_is_open = not line_is_complete

    def __enter__(self) -> LoopProgress:
        return self

    def __exit__(self, *exception: object) -> None:
        self.step_aside()


def _new_bar() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from autograd_cli.cli.console import stderr_console

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.completed}"),
        TimeElapsedColumn(),
        console=stderr_console(),
        transient=True,
        auto_refresh=False,
    )
