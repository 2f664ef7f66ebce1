"""What two modes do while operations record and nodes run: saved-tensor hooks and anomaly mode.

Note [The mode listener]
    Both modes are rare, and asking for them in each operation would cost all that never use them. So they are listeners: as long as one
    of them is on, ``modes.instrument`` is a ModeListener that does the mode's work and hands everything on to the listener that was
    there. Operations and the engine ask one question, whether anybody listens, as ever.

Note [Edges that lead nowhere]
    A view that was made under ``no_grad`` of a tensor that requires grad requires grad too, says PyTorch, and has no edge: what is
    computed from it is recorded, and its gradient goes nowhere. Here an operation records where it meets an edge, so such a view has
    NOWHERE for its edge. Whoever asks for it gets a ModeListener that takes it out of the next node that is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from .anomaly_check import check_outputs, remember
from .instrument import Instrument
from .modes import modes
from .node import NOWHERE
from .packed import pack_node

if TYPE_CHECKING:
    from .node import Node
    from .tensor import Tensor


class Silent(Instrument):
    """Stands where nobody else listens."""

    detailed = False


class ModeListener:
    """See Note [The mode listener].

    Attributes
    ----------
    inner : Instrument
        The listener that everything is handed on to.
    users : int
        How many modes are on.
    drops_nowhere : bool
        Whether the next node may have NOWHERE for an edge.
    """

    def __init__(self, inner: Instrument | None) -> None:
        self.inner = inner or Silent()
        self.users = 0
        self.drops_nowhere = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def inside(self) -> str | None:
        """What runs the passes that begin now; see ``Instrument``."""
        return self.inner.inside

    @inside.setter
    def inside(self, what: str | None) -> None:
        self.inner.inside = what

    def record(self, node: Node, result: Tensor, line: int | None = None) -> None:
        """`node` was recorded: hand it on, then pack what it saved."""
        if self.drops_nowhere:
            self.drops_nowhere = False
            drop_nowhere(node)
            leave()
        self.inner.record(node, result, line)
        if modes.anomaly:
            remember(node)
        if modes.packs_saved:
            pack_node(node, result)
            self.inner.saved(node, result)

    def evaluate_end(self, node: Node, grads: Any, outputs: Any, released: bool) -> None:
        """`node` has run: hand it on, then look for NaN."""
        self.inner.evaluate_end(node, grads, outputs, released)
        if modes.anomaly and modes.check_nan:
            check_outputs(node, outputs)


def use() -> None:
    """A mode is switched on."""
    listener: Any = modes.instrument
    if listener.__class__ is not ModeListener:
        listener = ModeListener(modes.instrument)
        modes.instrument = cast(Instrument, listener)
    listener.users += 1


def nowhere() -> Any:
    """An edge for the next node that is recorded, in which there will be None instead. See Note [Edges that lead nowhere]."""
    listener: Any = modes.instrument
    if listener.__class__ is not ModeListener or not listener.drops_nowhere:
        use()
        cast(Any, modes.instrument).drops_nowhere = True
    return NOWHERE


def drop_nowhere(node: Any) -> None:
    """Leave None where `node` has NOWHERE for an edge."""
    for name in ("edge0", "edge1"):
        if getattr(node, name) is NOWHERE:
            setattr(node, name, None)
    for name in ("more_edges", "edges", "_edges"):
        edges = getattr(node, name, None)
        if edges and NOWHERE in edges:
            setattr(node, name, tuple(None if edge is NOWHERE else edge for edge in edges))
    for name, edge in node.saved_for.items():
        if node.next_edges[edge] is None:
            setattr(node, f"s_{name}", None)


def leave() -> None:
    """A mode is switched off; the last one takes the ModeListener away."""
    listener: Any = modes.instrument
    if listener.__class__ is ModeListener:
        listener.users -= 1
        if listener.users == 0:
            modes.instrument = None if listener.inner.__class__ is Silent else listener.inner


def replace_listener(listener: Instrument | None) -> Instrument | None:
    """Make `listener` the one that listens, behind the modes that are on; what listened before."""
    top: Any = modes.instrument
    if top.__class__ is not ModeListener:
        modes.instrument = listener
        return cast("Instrument | None", top)
    before, top.inner = top.inner, listener or Silent()
    return None if before.__class__ is Silent else before


def current_listener() -> Instrument | None:
    """Who listens, behind the modes that are on."""
    top: Any = modes.instrument
    if top.__class__ is not ModeListener:
        return cast("Instrument | None", top)
    return None if top.inner.__class__ is Silent else top.inner


def all_modes_off() -> None:
    """A run is over: what it left switched on ends with it."""
    modes.instrument = current_listener()
    modes.saved_hooks = ()
    modes.anomaly, modes.check_nan = False, True
    modes.multithreading = True


@contextmanager
def nobody_listens() -> Iterator[None]:
    """Inside the block nothing is handed on: what runs there is no part of the run's story, such as what a checkpoint computes again."""
    before = replace_listener(None)
    try:
        yield
    finally:
        replace_listener(before)
