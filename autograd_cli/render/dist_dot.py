"""A distributed run as DOT: a cluster a worker, and a dashed edge from each recv function to the send function its gradients go to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from autograd_cli.render import theme
from autograd_cli.render.dot import edge_line, escape, header, node_line
from autograd_cli.render.labels import plural
from autograd_cli.render.view import GraphView, NodeView, prepare
from autograd_cli.trace.dist_model import DistTrace
from autograd_cli.trace.dist_views import worker_trace

MESSAGE = "#b4381f"  # the colour of what crosses between workers, in both views


def worker_views(dist: DistTrace, *, show_all: bool = False) -> list[GraphView]:
    """What each worker's cluster shows, by rank."""
    return [prepare(worker_trace(dist, worker), show_all=show_all) for worker in dist.workers]


def whole_view(dist: DistTrace, views: list[GraphView]) -> GraphView:
    """The title, and all nodes in one list: for descriptions and sizes."""
    nodes: list[NodeView] = [node for view in views for node in view.nodes]
    title = dist.scenario.title or dist.scenario.path or "distributed autograd"
    return GraphView(title, subtitle(dist), nodes, None, None, [])


def subtitle(dist: DistTrace) -> str:
    """One line on the run."""
    said = f"{plural(len(dist.workers), 'worker')}, {dist.mode.upper()} mode"
    if dist.passes:
        last = dist.passes[-1]
        ended = " (failed)" if last.failed is True else ""
        said += f", backward() on {last.root_worker}{ended}: {plural(last.messages.get('gradient', 0), 'gradient message')}"
    return said


def dist_dot(dist: DistTrace, *, dpi: int | None = None, show_all: bool = False) -> str:
    """The run as DOT text; ids are ``w0-n-4``, ``w0-e-4-2-0`` and ``m-0-0`` for message 0:0."""
    views = worker_views(dist, show_all=show_all)
    lines = header(whole_view(dist, views), dpi)
    for rank, view in enumerate(views):
        lines += _cluster(rank, dist.workers[rank].name, view)
    lines += _messages(views, [worker.name for worker in dist.workers])
    lines.append("}")
    return "\n".join(lines) + "\n"


def _cluster(rank: int, name: str, view: GraphView) -> Iterator[str]:
    light = theme.LIGHT
    yield f"  subgraph cluster_{rank} {{"
    yield (
        f'    id="lane-{rank}"; class="worker"; style="rounded"; color="{light.edge}"; fontcolor="{light.ink}"; margin=14; '
        f"label=<<B>{escape(name)}</B>>;"
    )
    for node in view.nodes:
        yield "  " + node_line(node, f"w{rank}")
    pale = {node.id for node in view.nodes if node.pale}
    for edge in view.edges():
        yield "  " + edge_line(edge, edge.source in pale, f"w{rank}")
    if not view.nodes:
        yield f'    w{rank}none [label="nothing was recorded here", shape=plaintext, fontcolor="{light.pale_edge}"];'
    yield "  }"


def _messages(views: list[GraphView], names: list[str]) -> Iterator[str]:
    """From every recv function to the send function of the same message at its peer."""
    sends = {
        (names[rank], node.record.message_id): (rank, node)
        for rank, view in enumerate(views)
        for node in view.nodes
        if node.record.name == "SendRpcBackward"
    }
    for rank, view in enumerate(views):
        for node in view.nodes:
            record = node.record
            if record.name != "RecvRpcBackward" or record.message_id is UNSET:
                continue
            found = sends.get((str(record.peer), record.message_id))
            if found is None:
                continue
            other, send = found
            colour = theme.LIGHT.pale_edge if node.pale or node.step is None else MESSAGE
            number = str(record.message_id).replace(":", "-")
            yield (
                f'  w{rank}n{node.id} -> w{other}n{send.id} [id="m-{number}", class="message", style=dashed, color="{colour}", '
                f'fontcolor="{colour}", label=" {escape(str(record.message_id))} ", '
                f'tooltip="gradients of message {record.message_id}, from {names[rank]} to {names[other]}"];'
            )
