"""What ``agrad dist`` prints after the run: for each worker its send and recv functions, its part of the pass and its gradients;
the passes in time; the messages."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TypeVar

from rich.console import Console

from autograd_cli.render.dist_lanes import lanes
from autograd_cli.render.dist_view import DistView, prepare_dist
from autograd_cli.render.labels import clip, plural, printable
from autograd_cli.render.terminal_dist_tables import (
    FUNCTIONS,
    GRADIENTS,
    MESSAGES,
    function_rows,
    gradient_rows,
    message_row,
    pass_words,
)
from autograd_cli.render.terminal_error import warning_text
from autograd_cli.render.terminal_table import Row
from autograd_cli.render.terminal_writer import PALE, Writer
from autograd_cli.trace.dist_model import ContextRecord, DistPassRecord, DistTrace, WorkerRecord

FIRST_MESSAGES = LAST_MESSAGES = 20
FIRST_WORKERS, LAST_WORKERS = 12, 4
MOST_WORDS = 60  # nodes of a worker's part of a pass that are named
Item = TypeVar("Item")


def print_dist_report(dist: DistTrace, console: Console, *, quiet: bool = False) -> None:
    """Print the tables of a distributed run; warnings are printed also when `quiet`."""
    report = _Report(dist, console)
    if not quiet:
        report.workers()
        report.passes()
        report.messages()
    for warning in dist.warnings:
        report.say(warning_text(warning), "yellow")


class _Report(Writer):
    """One report being printed."""

    def __init__(self, dist: DistTrace, console: Console) -> None:
        super().__init__(console)
        self.dist = dist
        self.view: DistView = prepare_dist(dist)

    def wrapped(self, text: str) -> None:
        """Print a long text in lines of the console's width, broken at blanks but not at no-break spaces."""
        for line in textwrap.wrap(text, max(self.console.width, 30), subsequent_indent="  ", break_on_hyphens=False):
            self.say(line.replace("\u00a0", " "))

    def left_out(self, count: int, noun: str) -> None:
        """Say that something is not shown."""
        if count:
            verb = "is" if count == 1 else "are"
            self.say(f"{self.dots} {plural(count, noun)} {verb} not shown (--json has everything)", PALE)

    # ---- workers ----

    def workers(self) -> None:
        """One after the other; of many the first and the last."""
        ranks = range(len(self.dist.workers))
        first, last = _ends(ranks, FIRST_WORKERS, LAST_WORKERS)
        for rank in first:
            self._worker(rank)
        if last:
            self.console.print()
            self.left_out(len(ranks) - len(first) - len(last), "worker")
        for rank in last:
            self._worker(rank)

    def _worker(self, rank: int) -> None:
        """What a worker took part in, and the gradients in its contexts."""
        worker, view = self.dist.workers[rank], self.view.workers[rank]
        self.console.print()
        ended = " (error)" if worker.status == "error" and worker.graph.nodes else ""
        self.say(f"{view.title}{ended}: {view.subtitle}", "bold")
        used = [context for context in worker.contexts if context.sends or context.recvs or context.gradients]
        if worker.graph.nodes and not any(context.sends or context.recvs for context in used):
            self.say("no send or recv function", PALE)
        first, last = _ends(used, 1, 1)
        for context in first:
            self._context(worker, context, several=len(used) > 1)
        if last:
            self.left_out(len(used) - len(first) - len(last), "context")
        for context in last:
            self._context(worker, context, several=True)
        words = pass_words(view, MOST_WORDS) if view.pass_record is not None else ""
        if words:
            self.wrapped(words)

    def _context(self, worker: WorkerRecord, context: ContextRecord, *, several: bool) -> None:
        """A context's functions and gradients."""
        if several:
            self.say(f"context {context.id}", PALE)
        rows = function_rows(self.dist, worker, context)
        if rows:
            self.table(FUNCTIONS, rows)
        if context.gradients:
            self.say(f"gradients in context {context.id} (in the context, not in .grad):")
            self.table(GRADIENTS, gradient_rows(context.gradients, self.console.width, self.dots))

    # ---- passes ----

    def passes(self) -> None:
        """The first pass and the last one in time."""
        kept = [i for i, one in enumerate(self.dist.passes) if one.elided is not True]
        first, last = _ends(kept, 1, 1)
        previous = -1
        for index in (*first, *last):
            if index > previous + 1:
                self.console.print()
                self.left_out(index - previous - 1, "pass")
            self._pass(index, self.dist.passes[index])
            previous = index

    def _pass(self, index: int, one: DistPassRecord) -> None:
        """What a pass took, and its lanes."""
        which = f"pass {index + 1} of {len(self.dist.passes)}, " if len(self.dist.passes) > 1 else ""
        ended = "failed after" if one.failed is True else "took"
        sent = f"{plural(one.messages.get('gradient', 0), 'gradient message')}, {plural(one.bytes.get('gradient', 0), 'byte')}"
        if one.messages.get("discovery"):
            asked = f"{plural(one.messages['discovery'], 'discovery message')}, {plural(one.bytes.get('discovery', 0), 'byte')}"
            sent = f"{asked}; {sent}"
        self.console.print()
        self.say(f"{which}backward() on {printable(one.root_worker)}, context {one.context}, {one.mode.upper()}", "bold")
        self.say(f"{ended} {one.duration * 1e3:.2f} ms: {sent}")
        for line in lanes(one, self.console.width, is_ascii=self.is_ascii):
            self.say(line)

    # ---- messages ----

    def messages(self) -> None:
        """Every message in the order of sending, with how long it was under way; of many the first and the last."""
        found = sorted(self.dist.messages, key=lambda message: message.sent)
        if not found:
            return
        first, last = _ends(found, FIRST_MESSAGES, LAST_MESSAGES)
        silent = {worker.name for worker in self.dist.workers if worker.status != "ok" and not worker.graph.nodes}
        rows = [message_row(message, silent) for message in first]
        if last:
            left_out = len(found) - len(first) - len(last)
            rows.append(Row([self.dots, f"{left_out} more", *[""] * (len(MESSAGES) - 2)], PALE))
        rows += [message_row(message, silent) for message in last]
        self.console.print()
        self.say(plural(len(found), "message"), "bold")
        self.table(MESSAGES, [Row([clip(cell, 24, self.dots) for cell in row.cells], row.style) for row in rows])


def _ends(items: Sequence[Item], first: int, last: int) -> tuple[Sequence[Item], Sequence[Item]]:
    """The first and the last of many items; all, and none, where there are not more than these."""
    return (items, items[:0]) if len(items) <= first + last else (items[:first], items[-last:])
