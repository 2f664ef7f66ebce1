"""What ``agrad dist`` prints after the run: for each worker its send and recv functions, its part of the pass, its gradients; the
stages in time; the messages."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from autograd_cli.render.labels import ascii_text, clip, plural
from autograd_cli.render.terminal_report import FIRST_VARIABLES
from autograd_cli.render.terminal_table import Column, Row, table_lines
from autograd_cli.render.values import value_text
from autograd_cli.trace.dist_model import DistPassRecord, DistTrace, MessageRecord, WorkerPassRecord, WorkerRecord

MOST_MESSAGES = 40
STAGE_MARKS = {"compute": "█", "send": "▸", "recv": "◂", "wait": "·"}
STAGE_ASCII = {"compute": "#", "send": ">", "recv": "<", "wait": "."}
_FUNCTIONS = [Column(h) for h in ("function", "message", "peer")] + [
    Column(h, right=True) for h in ("tensors", "bytes", "node", "deps", "step")
]
_MESSAGES = [Column(h) for h in ("message", "from", "to", "kind", "function")] + [Column(h, right=True) for h in ("bytes", "ms")]
_GRADIENTS = [Column("leaf"), Column("shape"), Column("gradient")]


def print_dist_report(dist: DistTrace, console: Console, *, quiet: bool = False) -> None:
    """Print the tables of a distributed run; warnings are printed also when `quiet`."""
    report = _Report(dist, console)
    if not quiet:
        for worker in dist.workers:
            report.worker(worker)
        for one in dist.passes:
            report.stages(one)
        report.messages()
    for warning in dist.warnings:
        where = "" if warning.line is None else f"line {warning.line}: "
        report.say(f"warning: {where}{warning.message}", "yellow")


class _Report:
    def __init__(self, dist: DistTrace, console: Console) -> None:
        self.dist, self.console = dist, console
        self.is_ascii = console.options.ascii_only

    def say(self, text: str, style: str = "") -> None:
        self.console.print(Text(ascii_text(text) if self.is_ascii else text, style=style), soft_wrap=not self.console.is_terminal)

    def table(self, columns: list[Column], rows: list[Row]) -> None:
        for line in table_lines(columns, rows, rule="-" if self.is_ascii else "─"):
            self.console.print(line, soft_wrap=not self.console.is_terminal)

    def worker(self, worker: WorkerRecord) -> None:
        """One worker: what it took part in, and the gradients in its contexts."""
        own = self.last_pass(worker.name)
        evaluated = "" if own is None else f", {plural(len(own.order), 'node')} evaluated"
        self.say(f"\n{worker.name} ({worker.status}{evaluated})", "bold")
        rows = [row for context in worker.contexts for row in self._functions(worker, context, own)]
        if rows:
            self.table(_FUNCTIONS, rows)
        else:
            self.say("  no send or recv function")
        for context in worker.contexts:
            if not context.gradients:
                continue
            self.say(f"  gradients in context {context.id} (not in .grad):")
            found = [
                Row(
                    [
                        g.variable or "(no name)",
                        str(g.shape),
                        value_text(
                            {"type": "tensor", "dtype": "float32", "shape": g.shape, "value": g.value}, self.console.width - 34
                        ),
                    ]
                )
                for g in context.gradients[:FIRST_VARIABLES]
            ]
            self.table(_GRADIENTS, found)

    def last_pass(self, name: str) -> WorkerPassRecord | None:
        """The worker's part of the last pass it took part in."""
        return next((p.workers[name] for p in reversed(self.dist.passes) if name in p.workers), None)

    def _functions(self, worker: WorkerRecord, context: object, own: WorkerPassRecord | None) -> list[Row]:
        counts = {} if own is None else own.dependencies
        steps = {} if own is None else {node: i for i, node in enumerate(own.order, 1)}
        sizes = {m.message_id: m.bytes for m in self.dist.messages if m.kind in ("call", "reply")}
        rows = []
        functions = [("SendRpcBackward", s.message_id, s.to, s.tensors, s.node) for s in context.sends]  # type: ignore[attr-defined]
        functions += [("RecvRpcBackward", r.message_id, r.source, r.tensors, r.node) for r in context.recvs]  # type: ignore[attr-defined]
        for name, message, peer, tensors, node in functions:
            step = steps.get(node) if node is not None else None
            deps = counts.get(str(node))
            cells = [name, message, peer, str(tensors), str(sizes.get(message, "")), "" if node is None else str(node)]
            cells += ["" if deps is None else str(deps), "not run" if step is None and own is not None else str(step or "")]
            rows.append(Row(cells, "" if step is not None else "bright_black"))
        return rows

    def stages(self, one: DistPassRecord) -> None:
        """The pass in time: a lane a worker."""
        if one.workers and any(part.stages for part in one.workers.values()):
            start = min(s.start for part in one.workers.values() for s in part.stages)
            end = max(s.end for part in one.workers.values() for s in part.stages)
            ended = "failed after" if one.failed is True else "took"
            self.say(
                f"\nbackward() on {one.root_worker}, context {one.context}, {one.mode.upper()}: {ended} {(end - start) * 1e3:.2f} ms, "
                f"{plural(one.messages.get('gradient', 0), 'gradient message')} of {one.bytes.get('gradient', 0)} bytes",
                "bold",
            )
            width = max(20, min(100, self.console.width - 20))
            for name, part in one.workers.items():
                self.say(f"{clip(name, 16):>16} {self._lane(part, start, end, width)}")
            marks = STAGE_ASCII if self.is_ascii else STAGE_MARKS
            self.say(" " * 17 + "  ".join(f"{mark} {kind}" for kind, mark in marks.items()), "bright_black")

    def _lane(self, part: WorkerPassRecord, start: float, end: float, width: int) -> str:
        marks = STAGE_ASCII if self.is_ascii else STAGE_MARKS
        scale = (width - 1) / (end - start) if end > start else 0.0
        cells = [" "] * width
        # Long stages first, so that short ones stay visible on top of them.
        for stage in sorted(part.stages, key=lambda s: ("wait", "compute", "recv", "send").index(s.kind)):
            first, last = int((stage.start - start) * scale), int((stage.end - start) * scale)
            for i in range(first, min(last, width - 1) + 1):
                cells[i] = marks[stage.kind]
        return "".join(cells).rstrip()

    def messages(self) -> None:
        """Every message, with how long it was under way."""
        found = self.dist.messages
        if not found:
            return
        self.say(f"\n{plural(len(found), 'message')}", "bold")
        shown = found if len(found) <= MOST_MESSAGES else [*found[: MOST_MESSAGES // 2], *found[-MOST_MESSAGES // 2 :]]
        self.table(_MESSAGES, [self._message(m) for m in sorted(shown, key=lambda m: m.sent)])
        if len(shown) < len(found):
            self.say(f"… {len(found) - len(shown)} messages in the middle are not shown")

    def _message(self, m: MessageRecord) -> Row:
        way = "lost" if m.received is None else f"{(m.received - m.sent) * 1e3:.2f}"
        return Row([m.message_id or "", m.source, m.to, m.kind, m.function or "", str(m.bytes), way], "")
