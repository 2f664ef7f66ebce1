"""The SVG picture: Graphviz's drawing, made to stand on its own.

One file without any outside reference: colours as CSS variables that follow the reader's light or dark setting, a font stack in
which labels fit their boxes, a title and a description for screen readers, and a tooltip on every node.
"""

from __future__ import annotations

import html
import re

from autograd_cli.render import theme
from autograd_cli.render.labels import plural
from autograd_cli.render.view import GraphView

_PROLOGUE = re.compile(r"\A.*?(?=<svg)", re.S)  # XML declaration, DOCTYPE (which names a DTD on the web) and comments
_COMMENT = re.compile(r"<!--.*?-->\n?", re.S)
_ROOT = re.compile(r'<svg width="([\d.]+)pt" height="([\d.]+)pt"\s+viewBox="([^"]*)"[^>]*>')
# Graphviz hangs a tooltip on an <a> without a target; a <title> says the same and is read by screen readers too.
_TOOLTIP = re.compile(r'<title>[^<]*</title>\n<g id="a_[^"]*"><a xlink:title="([^"]*)">(.*?)</a>\n</g>', re.S)
_FONT = re.compile(r' font-family="[^"]*"')


def finish_svg(drawn: str, title: str, description: str) -> str:
    """Graphviz's SVG as a self-contained, themed and described SVG document."""
    body = _COMMENT.sub("", _PROLOGUE.sub("", drawn, count=1))
    root = _ROOT.search(body)
    if root is None:
        raise ValueError("this is not an SVG of Graphviz")
    body = _TOOLTIP.sub(lambda found: f"<title>{found[1]}</title>{found[2]}", body[root.end() :])
    body = _FONT.sub("", body).replace("<title>agrad</title>\n", "", 1)
    width, height, box = root.groups()
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="agrad" role="img" aria-labelledby="agrad-title agrad-desc" '
        f'width="{width}pt" height="{height}pt" viewBox="{box}">\n'
        f'<title id="agrad-title">{html.escape(title)}</title>\n'
        f'<desc id="agrad-desc">{html.escape(description)}</desc>\n'
        f"<style>\n{style()}</style>"
    )
    return head + body


def describe(view: GraphView) -> str:
    """The picture in a sentence or two, for readers who do not see it."""
    reached = sum(not node.pale for node in view.nodes)
    parts = [
        f"Autograd graph, {view.subtitle}. {plural(len(view.nodes), 'node')}, {plural(sum(1 for _ in view.edges()), 'edge')}"
    ]
    if view.pass_record is not None and reached != len(view.nodes):
        pale = [f"{node.record.name} {node.variable}".strip() for node in view.nodes if node.pale]
        parts.append(f"; not reached by the pass: {', '.join(pale[:20])}{' and others' if len(pale) > 20 else ''}")
    return "".join(parts) + "."


def style() -> str:
    """The style sheet: variables for both colour schemes, and rules by the classes that the DOT gives."""
    rules = [f"svg.agrad {{ color-scheme: light dark; background: var(--paper);\n{_variables(theme.LIGHT)}}}"]
    rules.append(f"@media (prefers-color-scheme: dark) {{ svg.agrad {{\n{_variables(theme.DARK)}}} }}")
    rules.append(f"svg.agrad text {{ font-family: {theme.CSS_FONTS}; fill: var(--ink); }}")
    rules.append("svg.agrad .graph > polygon { fill: var(--paper); }")
    rules.append(
        "svg.agrad .edge path { stroke: var(--edge); } svg.agrad .edge polygon { fill: var(--edge); stroke: var(--edge); }"
    )
    rules.append("svg.agrad .message path { stroke: var(--message); }")
    rules.append("svg.agrad .message polygon { fill: var(--message); stroke: var(--message); }")
    rules.append("svg.agrad .message text { fill: var(--message); }")
    rules.append("svg.agrad .cluster > path { stroke: var(--edge); fill: none; }")
    rules.append("svg.agrad .pale path { stroke: var(--pale-edge); }")
    rules.append("svg.agrad .pale polygon { fill: var(--pale-edge); stroke: var(--pale-edge); }")
    rules.append("svg.agrad .pale text { fill: var(--pale-edge); }")
    for name in theme.LIGHT.nodes:  # the states come after the kinds, so they win
        rules.append(f"svg.agrad .{name} > path {{ fill: var(--{name}-fill); stroke: var(--{name}-border); }}")
        rules.append(f"svg.agrad .{name} > text {{ fill: var(--{name}-ink); }}")
    return "\n".join(rules) + "\n"


def _variables(palette: theme.Palette) -> str:
    pairs = {"paper": palette.paper, "ink": palette.ink, "edge": palette.edge}
    pairs |= {"pale-edge": palette.pale_edge, "message": palette.message}
    for name, colours in palette.nodes.items():
        pairs |= {f"{name}-fill": colours.fill, f"{name}-border": colours.border, f"{name}-ink": colours.ink}
    return "".join(f"  --{name}: {value};\n" for name, value in pairs.items())
