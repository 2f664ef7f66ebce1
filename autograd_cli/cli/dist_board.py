"""The rows of the live view: what each worker does now, what it did last, and how much."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.text import Text

from autograd_cli.render.dist_lanes import ASCII_MARKS, MARKS
from autograd_cli.render.labels import ascii_text, clip, printable

SHOWN_FOR = 0.25  # seconds that sending and receiving, which take microseconds, stay visible
TRAIL = 120  # stages that are remembered
_COLOURS = {
    "compute": "cyan", "serve": "cyan", "send": "yellow", "receive": "yellow", "done": "green", "failed": "bold red",
    "wait": "bright_black", "idle": "bright_black",
}  # fmt: skip
# What a worker does once a message has gone or come: a caller waits for its answer, and a call or an answer is worked on.
_AFTER = {"send call": "wait", "recv call": "compute", "send reply": "wait", "recv reply": "compute"}
_HEADINGS = ("worker", "stage", "calls", "messages", "last message")


@dataclass
class WorkerState:
    """What is known of one worker."""

    name: str
    pid: int
    stage: str = "started"
    flash: str = ""  # send or receive, until `flash_until`
    flash_until: float = 0.0
    calls: int = 0
    messages: int = 0
    last: str = ""
    trail: list[str] = field(default_factory=list)


class Board:
    """What all workers do. It is told of stages and asked for lines of text; the clock is its caller's."""

    def __init__(self, names: list[str], pids: list[int], *, is_ascii: bool = False, mode: str = "fast") -> None:
        self.names = names
        self.lately = "lately" if mode == "fast" else f"lately, in {mode.upper()} mode"
        self.states = [WorkerState(name, pid) for name, pid in zip(names, pids, strict=True)]
        self.is_ascii = is_ascii
        self.marks = ASCII_MARKS if is_ascii else MARKS

    def on_stage(self, rank: int, kind: str, message_id: str | None, peer: int | None, now: float) -> None:
        """A stage begins: ``compute``, ``wait``, ``done`` or ``failed`` of a pass; or ``send call``, ``recv gradient`` and so on."""
        state = self.states[rank]
        way, _, what = kind.partition(" ")
        if what:
            state.messages += 1
            state.calls += what == "call"
            other = "" if peer is None else f"{'to' if way == 'send' else 'from'} {self.names[peer]}"
            state.last = " ".join(filter(None, (what, message_id, other)))
            state.flash, state.flash_until = "send" if way == "send" else "receive", now + SHOWN_FOR
            state.stage = _AFTER.get(kind, state.stage)
            mark = self.marks[way]
        else:
            state.stage = kind
            mark = self.marks.get(kind, "")
        if mark and not (mark == self.marks["wait"] and state.trail[-1:] == [mark]):
            state.trail = [*state.trail[1 - TRAIL :], mark]

    def lines(self, width: int, height: int, now: float) -> list[Text]:
        """The view in `width` columns and at most `height` lines."""
        shown = self.states if len(self.states) + 1 <= height else self.states[: max(height - 2, 1)]
        rows = [_HEADINGS, *(self._cells(state, now) for state in shown)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADINGS))]
        widths[1] = max(widths[1], len("compute"))
        widths[4] = max(widths[4], 24)  # so that the view does not move
        room = width - sum(widths) - 2 * len(widths) - 1
        lines = [self._line(_HEADINGS, widths, "bold", self.lately, room, width)]
        for state, row in zip(shown, rows[1:], strict=True):
            style = _COLOURS.get(row[1], "")
            lines.append(self._line(row, widths, style, "".join(state.trail[-max(room, 1) :]), room, width))
        if len(shown) < len(self.states):
            dots = "..." if self.is_ascii else "…"
            lines.append(Text(f"{dots} {len(self.states) - len(shown)} more workers", "bright_black"))
        return lines

    def _cells(self, state: WorkerState, now: float) -> tuple[str, ...]:
        stage = state.flash if now < state.flash_until and state.stage not in ("done", "failed") else state.stage
        name, last = printable(state.name), printable(state.last)
        if self.is_ascii:
            name, last = ascii_text(name), ascii_text(last)
        return clip(name, 16), stage, str(state.calls), str(state.messages), clip(last, 34)

    @staticmethod
    def _line(row: tuple[str, ...], widths: list[int], style: str, trail: str, room: int, width: int) -> Text:
        """A row: numbers stand at the right; the stage has its colour; the trail fills what is left."""
        cells = [
            cell.rjust(size) if i in (2, 3) else cell.ljust(size) for i, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        whole = style == "bold"
        text = Text(style=style if whole else "")
        for i, cell in enumerate(cells):
            text.append(f"{cell}  ", style if i == 1 and not whole else "")
        if room >= len("lately"):
            text.append(trail, "" if whole else "bright_black")
        text.rstrip()
        text.truncate(width)
        return text
