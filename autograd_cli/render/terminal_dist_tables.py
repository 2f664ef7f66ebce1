"""The tables of a distributed run: send and recv functions, gradients, messages; and a worker's part of a pass in words."""

from __future__ import annotations

from autograd_cli.render import theme
from autograd_cli.render.labels import clip, plural, printable
from autograd_cli.render.terminal import STYLES
from autograd_cli.render.terminal_table import Column, Row
from autograd_cli.render.values import value_text
from autograd_cli.render.view import GraphView, NodeView
from autograd_cli.trace.dist_model import (
    ContextRecord,
    DistPassRecord,
    DistTrace,
    GradientRecord,
    MessageRecord,
    WorkerRecord,
)
from autograd_cli.trace.dist_views import STALLED

FUNCTIONS = [Column(heading) for heading in ("function", "message", "peer")]
FUNCTIONS += [Column(heading, right=True) for heading in ("tensors", "bytes", "line", "node", "deps")] + [Column("step")]
MESSAGES = [Column(heading) for heading in ("message", "from", "to", "kind", "function")]
MESSAGES += [Column(heading, right=True) for heading in ("bytes", "ms")]
GRADIENTS = [Column("leaf"), Column("shape"), Column("gradient")]
FIRST_GRADIENTS = 30
_LONGEST_NAME, _LONGEST_SHAPE = 20, 16
_PALE = "bright_black"


def function_rows(dist: DistTrace, worker: WorkerRecord, context: ContextRecord) -> list[Row]:
    """A row for each send and recv function of a context: what went over it, and what its last pass says of it."""
    last = next((one for one in reversed(dist.passes) if one.context == context.id), None)
    sizes = {message.message_id: message.bytes for message in dist.messages if message.kind in ("call", "reply")}
    lines = {node.id: node.line for node in worker.graph.nodes}
    functions = [("SendRpcBackward", send.message_id, send.to, send.tensors, send.node) for send in context.sends]
    functions += [("RecvRpcBackward", recv.message_id, recv.source, recv.tensors, recv.node) for recv in context.recvs]
    rows = []
    for name, message_id, peer, tensors, node in functions:
        line = None if node is None else lines.get(node)
        deps, step, style = _in_pass(dist, last, worker.name, name, node)
        cells = [name, message_id, clip(printable(peer), _LONGEST_NAME), str(tensors), str(sizes.get(message_id, ""))]
        cells += ["" if part is None else str(part) for part in (line, node)]
        rows.append(Row([*cells, deps, step], style))
    return rows


def _in_pass(dist: DistTrace, one: DistPassRecord | None, worker: str, function: str, node: int | None) -> tuple[str, str, str]:
    """A function's dependency count and its step in a pass, and the style of its row."""
    if one is None or one.elided is True or node is None:
        return "", "", ""
    part = one.workers.get(worker)
    if part is None:
        return "0", "not reached", _PALE
    deps = part.dependencies.get(str(node))
    if node in part.order:
        return str(deps), str(part.order.index(node) + 1), ""
    if deps is None:
        return "0", "not reached", _PALE
    stalled = function == "SendRpcBackward" and dist.error is not None and dist.error.kind == STALLED and one.failed is True
    return str(deps), "waits" if stalled else "not run", STYLES[theme.STALLED] if stalled else _PALE


def gradient_rows(gradients: list[GradientRecord], width: int, dots: str) -> list[Row]:
    """A row for each gradient, within `width` columns."""
    rows = []
    for gradient in gradients[:FIRST_GRADIENTS]:
        value = {"type": "tensor", "dtype": gradient.dtype, "shape": gradient.shape, "value": gradient.value}
        name = clip(printable(gradient.variable or "(no name)"), _LONGEST_NAME, dots)
        shape = clip(str(gradient.shape), _LONGEST_SHAPE, dots)
        rows.append(Row([name, shape, value_text(value, width, dots)]))
    taken = sum(max([len(column.heading), *(len(row.cells[i]) for row in rows)]) for i, column in enumerate(GRADIENTS[:2])) + 4
    for row, gradient in zip(rows, gradients, strict=False):
        value = {"type": "tensor", "dtype": gradient.dtype, "shape": gradient.shape, "value": gradient.value}
        row.cells[2] = value_text(value, max(width - taken, 16), dots)
    if len(gradients) > len(rows):
        rows.append(Row([dots, "", f"{plural(len(gradients) - len(rows), 'gradient')} more"], _PALE))
    return rows


def message_row(message: MessageRecord, silent: set[str]) -> Row:
    """One message and the milliseconds that it was under way; workers that did not report are `silent`."""
    # A worker may end before it reads of a context that is released; and what came to one that died nobody knows.
    missing = "-" if message.kind == "cleanup" else "?" if message.to in silent else "lost"
    way = missing if message.received is None else f"{(message.received - message.sent) * 1e3:.2f}"
    cells = [message.message_id or "", message.source, message.to, message.kind, message.function or "", str(message.bytes), way]
    return Row([printable(cell) for cell in cells], _PALE if message.received is None else "")


def pass_words(view: GraphView, most: int) -> str:
    """A worker's part of the pass: its nodes in order with their dependency counts, then those that were not evaluated."""
    done = [node for node in view.nodes if node.step is not None]
    waiting = [node for node in view.nodes if node.step is None and not node.pale]
    parts = []
    if done:
        parts.append(f"order, with the gradients waited for: {_named(done, most)}")
    if waiting:
        parts.append(f"not evaluated: {_named(waiting, most)}")
    pale = [node for node in view.nodes if node.pale]
    if pale:
        parts.append(f"not reached: {_named(pale, most)}")
    return "; ".join(parts)


def _named(nodes: list[NodeView], most: int) -> str:
    """``MulBackward0 (1), RecvRpcBackward 1:0 (1)``."""
    said = [f"{_name(node)}\u00a0({node.dependencies})" for node in nodes[:most]]
    more = [f"{len(nodes) - most} more"] if len(nodes) > most else []
    return ", ".join(said + more)


def _name(node: NodeView) -> str:
    """A node by PyTorch's name, and its variable or the id of its message."""
    record = node.record
    detail = record.message_id if isinstance(record.message_id, str) else record.variable
    return f"{record.name}\u00a0{printable(detail)}" if detail else record.name
