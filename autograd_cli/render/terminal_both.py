"""What ``agrad dist --mode both`` prints: FAST and SMART side by side, and whether their gradients are the same."""

from __future__ import annotations

from rich.console import Console

from autograd_cli.render.dist_stall import stall_lines
from autograd_cli.render.labels import plural, printable
from autograd_cli.render.terminal_table import Column, Row
from autograd_cli.render.terminal_writer import PALE, Writer
from autograd_cli.trace.both_model import Difference, dead_pairs, failed_contexts
from autograd_cli.trace.dist_model import DistTrace, WorkerRecord

TABLE = [Column(""), Column("FAST", right=True), Column("SMART", right=True)]
MOST = 20  # differences, pairs and workers that are named


def print_both(fast: DistTrace, smart: DistTrace, differ: list[Difference] | None, console: Console) -> None:
    """Print the comparison; `differ` is None where a run did not end well, so that there is nothing to compare."""
    report = Writer(console)
    report.console.print()
    report.say("FAST and SMART side by side", "bold")
    rows = [Row([what, *(_count(run, kind) for run in (fast, smart))]) for what, kind in _COUNTS]
    rows.append(Row(["ended", *(_ended(run) for run in (fast, smart))]))
    rows.append(Row(["ms in backward", *(f"{1e3 * sum(one.duration for one in run.passes):.2f}" for run in (fast, smart))]))
    pairs = list(zip(fast.workers, smart.workers, strict=True))
    for one, other in pairs[:MOST]:
        rows.append(Row([f"nodes that ran on {printable(one.name)}", str(len(_ran(fast, one))), str(len(_ran(smart, other)))]))
    report.table(TABLE, rows)
    if len(pairs) > MOST:
        report.say(f"{report.dots} {plural(len(pairs) - MOST, 'worker')} more (--json has everything)", PALE)
    for one, other in pairs[:MOST]:
        more = [name for name in _ran(fast, one) if name not in _ran(smart, other)]
        less = [name for name in _ran(smart, other) if name not in _ran(fast, one)]
        for mode, names in (("FAST", more), ("SMART", less)):
            if names:
                report.say(f"only {mode} ran on {printable(one.name)}: {_listed(names)}")
    dead = dead_pairs(smart)
    if dead:
        named = [f"{send.message_id} ({printable(worker)} to {printable(send.to)})" for worker, send in dead]
        report.say(f"{plural(len(dead), 'send/recv pair')} that the roots do not reach, which SMART leaves out: {_listed(named)}")
    if fast.error is not None:
        report.say(f"FAST cannot finish: {printable(fast.error.message)}", "yellow")
        for line in stall_lines(fast):
            report.say(line, "yellow")
    if smart.error is not None:
        report.say(f"SMART failed: {printable(smart.error.message)}", "red")
    if differ is not None:
        for mode, run in (("FAST", fast), ("SMART", smart)):
            for context in sorted(failed_contexts(run)):
                report.say(f"A pass of {mode} failed in context {context}: its gradients are not compared.", "yellow")
        _say_gradients(report, differ, all_compared=not failed_contexts(fast) | failed_contexts(smart))


_COUNTS = [("passes", ""), ("gradient messages", "gradient"), ("discovery messages", "discovery")]


def _count(run: DistTrace, kind: str) -> str:
    """Messages of a kind in all passes, with their bytes."""
    if not kind:
        return str(len(run.passes))
    messages = sum(one.messages.get(kind, 0) for one in run.passes)
    size = sum(one.bytes.get(kind, 0) for one in run.passes)
    return f"{messages} ({plural(size, 'byte')})" if messages else "0"


def _ended(run: DistTrace) -> str:
    return "yes" if run.error is None else run.error.kind


def _ran(run: DistTrace, worker: WorkerRecord) -> list[str]:
    """The nodes of a worker that passes evaluated, named as the tables name them, in the order of the passes."""
    nodes = {node.id: node for node in worker.graph.nodes}
    names: list[str] = []
    for one in run.passes:
        part = one.workers.get(worker.name)
        for number in part.order if part is not None else ():
            node = nodes.get(number)
            if node is not None:
                detail = node.message_id if isinstance(node.message_id, str) else node.variable
                names.append(f"{node.name} {printable(detail)}" if detail else f"{node.name} (node {number})")
    return names


def _listed(names: list[str]) -> str:
    more = [f"{len(names) - MOST} more"] if len(names) > MOST else []
    return ", ".join(names[:MOST] + more)


def _say_gradients(report: Writer, differ: list[Difference], *, all_compared: bool) -> None:
    """Whether the gradients are the same."""
    wrong = [one for one in differ if not one.only_zeros]
    zeros = [one for one in differ if one.only_zeros]
    if not differ:
        report.say("The gradients of both are equal." if all_compared else "All other gradients are equal.", "green")
    for what, found, style in (
        ("FAST has zeros, as PyTorch, where SMART, as one process, has no gradient", zeros, ""),
        ("The gradients differ", wrong, "red"),
    ):
        if found:
            named = [f"{printable(one.leaf)} on {printable(one.worker)}, context {one.context}" for one in found]
            report.say(f"{what}: {_listed(named)}", style)
    if zeros and not wrong:
        report.say("All other gradients are equal.", "green")
