"""The events of a run as lines of text: what happened, when, to which node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograd_cli.trace.dist_model import DistTrace
from autograd_cli.trace.model import Trace

_COLUMNS = ("seq", "t", "worker", "device", "pass", "kind", "node", "variable")  # have a place of their own, or say nothing here


def event_lines(trace: Trace) -> Iterator[str]:
    """Yield one line an event: seconds, pass (from 1), kind, node, and whatever else the event carries."""
    nodes = {node.id: node for node in trace.graph.nodes}
    for event in trace.events or []:
        yield _line(event, nodes)


def dist_event_lines(dist: DistTrace) -> Iterator[str]:
    """Yield one line an event of all workers, as time went; a worker counts the passes that it took part in."""
    nodes = {worker.name: {node.id: node for node in worker.graph.nodes} for worker in dist.workers}
    width = max(map(len, nodes), default=0)
    for event in sorted(dist.events or [], key=lambda event: event["t"]):
        yield _line(event, nodes[event["worker"]], f"{event['worker']:<{width}}  ")


def _line(event: dict[str, Any], nodes: dict[int, Any], worker: str = "") -> str:
    """One event: seconds, pass (from 1), kind, node, and whatever else it carries."""
    index = event.get("pass")
    number = "-" if index is None else str(index + 1)
    words = [_node(event, nodes)]
    words += (f"{key}={_short(value)}" for key, value in event.items() if key not in _COLUMNS and value is not None)
    rest = "  ".join(word for word in words if word)
    return f"{event['t']:>10.6f} s  {worker}pass {number:<3} {event['kind']:<16} {rest}".rstrip()


def _node(event: dict[str, Any], nodes: dict[int, Any]) -> str:
    """Return the event's node by name, number and variable."""
    node_id = event.get("node")
    variable = event.get("variable")
    if node_id is None:
        return variable or ""
    node = nodes.get(node_id)
    name = f"{node.name} #{node_id}" if node is not None else f"#{node_id}"
    variable = variable or (node.variable if node is not None else None)
    return f"{name} ({variable})" if variable else name


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
