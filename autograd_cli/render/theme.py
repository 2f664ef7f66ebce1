"""Colours, fonts and words of every picture: one table, so that all pictures agree.

The hues are Okabe and Ito's (colour-blind safe, https://jfly.uni-koeln.de/color/). A colour never says anything alone: a leaf
also says ``AccumulateGrad``, a node that no pass reaches is also dashed and says ``deps 0``, a failed one has a thick border.
"""

from __future__ import annotations

from dataclasses import dataclass

DOT_FONT = "Courier"
# Every font here is at most as wide as Courier, for which boxes are sized: a label cannot overflow its box.
CSS_FONTS = '"DejaVu Sans Mono", Menlo, Consolas, "Courier New", monospace'

# Kinds of nodes
OP, LEAF, RPC = "op", "leaf", "rpc"
KINDS = (OP, LEAF, RPC)

# States of nodes
REACHED = "reached"  # takes part in the pass
UNREACHED = "unreached"  # absent from the pass: pale, with 0 dependencies
UNCOUNTED = "uncounted"  # there is no pass, so nothing was counted
FAILED = "failed"  # raised
STALLED = "stalled"  # a send function that waits for a gradient that cannot come


@dataclass(frozen=True)
class Colours:
    """The colours of one node: its background, its border and its text."""

    fill: str
    border: str
    ink: str


@dataclass(frozen=True)
class Palette:
    """All colours of a picture."""

    paper: str
    ink: str
    edge: str
    pale_edge: str
    message: str  # what crosses between workers
    nodes: dict[str, Colours]  # by kind, and by the states that override the kind's colours


LIGHT = Palette(
    paper="#ffffff",
    ink="#1b1f24",
    edge="#4a5260",
    pale_edge="#b4bac2",
    message="#b4381f",
    nodes={
        OP: Colours("#dcedf9", "#0072b2", "#10222f"),
        LEAF: Colours("#daf1e7", "#00795a", "#0c261d"),
        RPC: Colours("#fdf0d3", "#b07400", "#2e2002"),
        UNREACHED: Colours("#fbfbfc", "#b4bac2", "#68707b"),
        FAILED: Colours("#fbe3d6", "#c34a00", "#3a1400"),
        STALLED: Colours("#fbe3d6", "#c34a00", "#3a1400"),
    },
)

DARK = Palette(
    paper="#14181d",
    ink="#e6eaef",
    edge="#a3acb8",
    pale_edge="#69727d",
    message="#ff8f73",
    nodes={
        OP: Colours("#12314a", "#56b4e9", "#e8f4fc"),
        LEAF: Colours("#0b3529", "#2fc497", "#e2f8f0"),
        RPC: Colours("#3a2c0a", "#e6b422", "#fdf3d8"),
        UNREACHED: Colours("#181c21", "#69727d", "#98a1ac"),
        FAILED: Colours("#44200e", "#ff8a4a", "#ffeadd"),
        STALLED: Colours("#44200e", "#ff8a4a", "#ffeadd"),
    },
)


def colours(kind: str, state: str, palette: Palette = LIGHT) -> Colours:
    """The colours of a node of a kind in a state."""
    return palette.nodes[state if state in palette.nodes else kind]
