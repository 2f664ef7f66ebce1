"""A distributed run as DOT: a cluster a worker, and a dashed edge from each recv function to the send function its gradients go to."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_cli.render import theme
from autograd_cli.render.dist_view import DistView, prepare_dist
from autograd_cli.render.dot import edge_line, escape, header, node_line, quoted
from autograd_cli.render.view import GraphView
from autograd_cli.trace.dist_model import DistTrace


def dist_dot(
    dist: DistTrace, *, pass_index: int | None = None, show_all: bool = False, around: str | None = None, depth: int = 2
) -> str:
    """The run as DOT text; the parameters are those of :func:`autograd_cli.render.view.prepare`.

    Returns
    -------
    str
        One ``digraph``; ids are ``w0-n-4`` for node 4 of worker 0, ``w0-e-4-2-0`` for an edge of it, ``m-0-0`` for message 0:0.
    """
    return dist_dot_of(prepare_dist(dist, pass_index=pass_index, show_all=show_all, around=around, depth=depth))


def dist_dot_of(view: DistView, *, dpi: int | None = None) -> str:
    """A prepared view as DOT text; `dpi` is the resolution for formats made of pixels."""
    lines = header(view.title, view.subtitle, dpi)
    for rank, worker in enumerate(view.workers):
        lines += _cluster(rank, worker)
    lines += _messages(view)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _cluster(rank: int, view: GraphView) -> Iterator[str]:
    """A worker: its nodes and edges in a box of its own."""
    light = theme.LIGHT
    yield f"  subgraph cluster_{rank} {{"
    yield (
        f'    id="lane-{rank}"; class="worker"; style="rounded"; color="{light.edge}"; fontcolor="{light.ink}"; margin=14; '
        f'tooltip="{quoted(view.title)}"; '
        f'label=<<B>{escape(view.title)}</B><BR/><FONT POINT-SIZE="10">{escape(view.subtitle)}</FONT>>;'
    )
    for node in view.nodes:
        yield "  " + node_line(node, f"w{rank}")
    pale = {node.id for node in view.nodes if node.pale}
    for edge in view.edges():
        yield "  " + edge_line(edge, edge.source in pale, f"w{rank}")
    if not view.nodes:
        yield f'    w{rank}none [label="nothing was recorded", shape=plaintext, style="", fontcolor="{light.pale_edge}"];'
    yield "  }"


def _messages(view: DistView) -> Iterator[str]:
    """The dashed edges, in the direction of the gradients. Where none went the edge is pale."""
    for message in view.messages():
        colour = theme.LIGHT.message if message.taken else theme.LIGHT.pale_edge
        said = "gradients" if message.taken else "no gradients"
        source, target = view.names[message.recv_rank], view.names[message.send_rank]
        yield (
            f"  w{message.recv_rank}n{message.recv.id} -> w{message.send_rank}n{message.send.id} "
            f'[id="m-{message.message_id.replace(":", "-")}", class="message{"" if message.taken else " pale"}", style=dashed, '
            f'color="{colour}", fontcolor="{colour}", label=" {escape(message.message_id)} ", '
            f'tooltip="message {message.message_id}: {said} from {quoted(source)} to {quoted(target)}"];'
        )
