"""Pictures as files: SVG, PNG and the other formats that a Graphviz writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_cli.errors import LimitExceeded
from autograd_cli.render.dist_dot import dist_dot_of
from autograd_cli.render.dist_view import DistView, prepare_dist
from autograd_cli.render.dot import dot_of
from autograd_cli.render.layout import DEFAULT_TIMEOUT, Drawing, layout
from autograd_cli.render.svg import describe, finish_svg
from autograd_cli.render.view import prepare
from autograd_cli.trace.dist_model import DistTrace
from autograd_cli.trace.model import Trace

if TYPE_CHECKING:
    import graphviz

PIXEL_FORMATS = frozenset(("png", "jpg", "jpeg", "gif", "webp"))
READABLE_PIXELS = 300  # nodes; above, a pixel picture takes long and its labels get small
SHARP = 144  # dots per inch of small pixel pictures: text stays crisp on dense screens
LARGEST_PIXELS = 1500  # nodes; above, engines shrink the picture until nothing can be read


def picture(
    trace: Trace | DistTrace,
    fmt: str,
    *,
    pass_index: int | None = None,
    show_all: bool = False,
    around: str | None = None,
    depth: int = 2,
    engine: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Drawing:
    """The graph of a run as a picture in the format `fmt`.

    Parameters
    ----------
    trace : Trace or DistTrace
        The run.
    fmt : str
        ``dot`` (needs no engine), ``svg``, ``png`` or another format of :func:`autograd_cli.render.layout.layout`.
    pass_index, show_all, around, depth
        What to show; see :func:`autograd_cli.render.view.prepare`.
    engine, timeout
        How to lay it out; see :func:`autograd_cli.render.layout.layout`.

    Raises
    ------
    FileProblem
        Nothing on this machine writes that format.
    LimitExceeded
        The graph is too large for a picture made of pixels, or the layout took too long.
    """
    what: dict[str, Any] = {"pass_index": pass_index, "show_all": show_all, "around": around, "depth": depth}
    view = prepare_dist(trace, **what) if isinstance(trace, DistTrace) else prepare(trace, **what)
    count = view.count if isinstance(view, DistView) else len(view.nodes)
    dpi = SHARP if fmt in PIXEL_FORMATS and count <= READABLE_PIXELS else None
    text = dist_dot_of(view, dpi=dpi) if isinstance(view, DistView) else dot_of(view, dpi=dpi)
    if fmt == "dot":
        return Drawing(text.encode("utf-8"), "none", list(view.notes))
    warnings = view.notes + _size_advice(count, fmt)
    drawing = layout(text, fmt, engine=engine, timeout=timeout)
    data = drawing.data
    if fmt == "svg":
        description = view.description() if isinstance(view, DistView) else describe(view)
        data = finish_svg(data.decode("utf-8"), view.title, description).encode("utf-8")
    return Drawing(data, drawing.engine, warnings + drawing.warnings)


def svg(trace: Trace, *, pass_index: int | None = None, show_all: bool = False, engine: str | None = None) -> str:
    """The graph of a run as a self-contained SVG document; see :func:`picture`."""
    return picture(trace, "svg", pass_index=pass_index, show_all=show_all, engine=engine).data.decode("utf-8")


def source(trace: Trace, *, pass_index: int | None = None, show_all: bool = False) -> graphviz.Source:
    """The graph as a ``graphviz.Source``, for notebooks and for programs that use that package."""
    import graphviz

    return graphviz.Source(dot_of(prepare(trace, pass_index=pass_index, show_all=show_all)))


def _size_advice(count: int, fmt: str) -> list[str]:
    """Warn of, or refuse, pixel pictures of large graphs."""
    if fmt not in PIXEL_FORMATS or count <= READABLE_PIXELS:
        return []
    if count > LARGEST_PIXELS:
        raise LimitExceeded(
            f"A {fmt} of {count} nodes cannot be read (the limit is {LARGEST_PIXELS}).",
            hint="Write an SVG, or show less: --around NAME shows a neighbourhood, --pass N one pass.",
        )
    return [f"{count} nodes in a {fmt} take long and get small: an SVG is faster and stays sharp."]
