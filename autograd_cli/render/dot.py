"""A Trace as DOT, the language of Graphviz.

Labels are HTML-like (never ``record``, which Graphviz itself cannot always lay out). Ids and classes are stable, so that the SVG
made from it can be styled and stepped through, and two runs give the same bytes. Strings are built plainly: 100 000 nodes take a
second or two.
"""

from __future__ import annotations

import html

from autograd_cli.render import theme
from autograd_cli.render.labels import count_text, printable, shape_text
from autograd_cli.render.view import EdgeView, GraphView, NodeView, prepare
from autograd_cli.trace.model import Trace


def dot(trace: Trace, *, pass_index: int | None = None, show_all: bool = False, around: str | None = None, depth: int = 2) -> str:
    """The graph of a run as DOT text, roots at the top and leaves at the bottom.

    Parameters
    ----------
    trace : Trace
        The run.
    pass_index, show_all, around, depth
        What to show; see :func:`autograd_cli.render.view.prepare`.

    Returns
    -------
    str
        One ``digraph``; node ids are ``n-4``, edge ids ``e-4-2-0`` (from node 4 to node 2, the first edge of node 4).
    """
    return dot_of(prepare(trace, pass_index=pass_index, show_all=show_all, around=around, depth=depth))


def dot_of(view: GraphView, *, dpi: int | None = None) -> str:
    """A prepared view as DOT text; `dpi` is the resolution for formats made of pixels."""
    lines = header(view.title, view.subtitle, dpi)
    lines += map(node_line, view.nodes)
    pale = {node.id for node in view.nodes if node.pale}
    lines += (edge_line(edge, edge.source in pale) for edge in view.edges())
    lines.append("}")
    return "\n".join(lines) + "\n"


def header(title: str, subtitle: str, dpi: int | None) -> list[str]:
    """The opening of the graph: title, fonts, and how nodes and edges look."""
    light = theme.LIGHT
    resolution = f", dpi={dpi}" if dpi else ""
    font = f'fontname="{theme.DOT_FONT}"'
    return [
        "digraph agrad {",
        f'  graph [id="agrad", {font}, fontsize=12, fontcolor="{light.ink}", bgcolor="{light.paper}", rankdir=TB,',
        f"         nodesep=0.3, ranksep=0.4, pad=0.2, labelloc=t, label=<{_title(title, subtitle)}>{resolution}];",
        f'  node [shape=box, style="rounded,filled", margin="0.14,0.07", height=0.3, penwidth=1.2, {font}, fontsize=11];',
        f'  edge [{font}, fontsize=9, arrowsize=0.7, color="{light.edge}", fontcolor="{light.ink}"];',
    ]


def _title(title: str, subtitle: str) -> str:
    """The heading: what was run, and which pass is shown."""
    small, gap = '<FONT POINT-SIZE="10">', '<FONT POINT-SIZE="6"> </FONT>'
    return f"<B>{escape(title)}</B><BR/>{small}{escape(subtitle)}</FONT><BR/>{gap}"


def node_line(node: NodeView, worker: str = "") -> str:
    """One node's line; `worker` begins its name and its id in a distributed picture."""
    colours = theme.colours(node.kind, node.state)
    classes = node.kind if node.state == theme.REACHED else f"{node.kind} {node.state}"
    extra = ""
    if node.pale:
        extra = ', style="rounded,filled,dashed"'
    elif node.state in (theme.FAILED, theme.STALLED):
        extra = ", penwidth=3"
    name = f"{worker and f'{worker}-'}n-{node.id}"
    return (
        f'  {worker}n{node.id} [id="{name}", class="{classes}", label=<{_label(node)}>, tooltip="{_tooltip(node)}", '
        f'fillcolor="{colours.fill}", color="{colours.border}", fontcolor="{colours.ink}"{extra}];'
    )


def _label(node: NodeView) -> str:
    """PyTorch's name, then variable and shape, then the number of gradients it waits for."""
    rows = [f"<B>{escape(node.record.name)}</B>"]
    detail = f"{node.variable} {shape_text(node.record.shape)}".strip()
    if detail:
        rows.append(escape(detail))
    rows.append(", ".join(filter(None, (count_text(node.dependencies), node.remark))))
    return "<BR/>".join(rows)


def tooltip_lines(node: NodeView) -> list[str]:
    """What a node's tooltip says: everything the label has no room for."""
    record = node.record
    lines = [record.name + (f" of {printable(record.variable)}" if record.variable else "")]
    if node.message:
        lines.append(f"gradient of message {node.message}")
    if record.line is not None:
        lines.append(f"line {record.line}")
    if not record.is_leaf:
        lines.append(f"sequence number {record.sequence_nr}")
    if record.dtype is not None and record.shape is not None:
        lines.append(f"{record.dtype} {shape_text(record.shape)} on {record.device}")
    lines += (f"saved {saved.name}: {saved.dtype} {shape_text(saved.shape)}, version {saved.version}" for saved in record.saved)
    if node.step is not None:
        lines.append(f"step {node.step} of the pass")
    elif node.pale:
        lines.append("not reached by the pass")
    elif node.state == theme.REACHED:
        lines.append("not evaluated: the pass ended before")
    return lines


def _tooltip(node: NodeView) -> str:
    r"""The tooltip as a DOT string; ``\n`` parts its lines."""
    return "\\n".join(quoted(line) for line in tooltip_lines(node))


def edge_line(edge: EdgeView, pale: bool, worker: str = "") -> str:
    """One edge's line; the input's index is shown where the target has a choice, that is when it is not 0."""
    name = f"{worker and f'{worker}-'}e-{edge.source}-{edge.target}-{edge.position}"
    extra = f', label=" {edge.input} "' if edge.input else ""
    tooltip = f"edge {edge.position} of node {edge.source}, to input {edge.input} of node {edge.target}"
    if pale:
        extra += f', class="pale", style=dashed, color="{theme.LIGHT.pale_edge}"'
    return f'  {worker}n{edge.source} -> {worker}n{edge.target} [id="{name}", tooltip="{tooltip}"{extra}];'


def escape(text: str) -> str:
    """Text for an HTML-like label."""
    return html.escape(printable(text))


def quoted(text: str) -> str:
    """Text for the inside of a double-quoted DOT string. Graphviz reads HTML entities there too, hence the ampersand."""
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
