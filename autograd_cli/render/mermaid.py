"""A Trace as a Mermaid flowchart, which many Markdown viewers draw by themselves (https://mermaid.js.org/syntax/flowchart.html)."""

from __future__ import annotations

from autograd_cli.render import theme
from autograd_cli.render.labels import count_text, printable, shape_text
from autograd_cli.render.view import NodeView, prepare
from autograd_cli.trace.model import Trace

_ENTITIES = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;"})


def mermaid(
    trace: Trace, *, pass_index: int | None = None, show_all: bool = False, around: str | None = None, depth: int = 2
) -> str:
    """The graph of a run as Mermaid text, roots at the top.

    Parameters
    ----------
    trace : Trace
        The run.
    pass_index, show_all, around, depth
        What to show; see :func:`autograd_cli.render.view.prepare`.
    """
    view = prepare(trace, pass_index=pass_index, show_all=show_all, around=around, depth=depth)
    lines = ["flowchart TB"]
    lines += (f'  n{node.id}["{_label(node)}"]:::{_class(node)}' for node in view.nodes)
    pale = {node.id for node in view.nodes if node.pale}
    for edge in view.edges():
        arrow = "-.->" if edge.source in pale else "-->"
        label = f"|{edge.input}|" if edge.input else ""
        lines.append(f"  n{edge.source} {arrow}{label} n{edge.target}")
    used = {_class(node) for node in view.nodes}
    for name, colours in theme.LIGHT.nodes.items():
        if name in used:
            dashes = ",stroke-dasharray:4 3" if name == theme.UNREACHED else ""
            lines.append(f"  classDef {name} fill:{colours.fill},stroke:{colours.border},color:{colours.ink}{dashes}")
    return "\n".join(lines) + "\n"


def _class(node: NodeView) -> str:
    return node.state if node.state in theme.LIGHT.nodes else node.kind


def _label(node: NodeView) -> str:
    """Name, variable and shape, count. Mermaid reads entities written with # and ends a label at a quote."""
    detail = f"{node.variable} {shape_text(node.record.shape)}".strip()
    count = ", ".join(filter(None, (count_text(node.dependencies), node.remark)))
    rows = [f"<b>{_escape(node.record.name)}</b>", *([_escape(detail)] if detail else []), count]
    return "<br/>".join(rows)


def _escape(text: str) -> str:
    return printable(text).translate(_ENTITIES)
