"""Recorder: listens to the engine and keeps what a Trace tells.

Note [The Recorder holds no nodes]
    A node kept alive keeps its saved tensors alive, so the Recorder knows nodes by number only: a function by its sequence number,
    which is never used twice, a leaf by its own (negative). What is known of a node is one tuple, an Entry; everything that can be
    worked out later (ids, names, sizes) is worked out in ``assemble.py``, and only for what is kept.

Note [Segments]
    Everything recorded between the end of one pass and the end of the next is one segment. In a run with many passes only some segments
    are kept (``policy.py``), so that a loop of any length runs in constant memory. An entry of an older segment that a newer one uses
    is pinned to the newer one, together with all it leads to. A pass that ends while others are under way closes no segment: it gets
    one of its own, with the entries it met.
"""

from __future__ import annotations

import gc
import time
from sys import _getframe as getframe
from typing import TYPE_CHECKING, Any

from ..core.instrument import Instrument
from ..core.mode_listener import current_listener, replace_listener
from ..core.modes import modes
from ..core.node import ACCUMULATE_GRAD_NR, AccumulateGrad, Edge
from .kept import SHARED_NUMBERS, PassRow, Segment, key_of, target_of
from .lines import Lines
from .model import WarningRecord
from .names import Names
from .policy import KeepPolicy
from .writes import remember

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.node import Node
    from ..core.tensor import Tensor
    from ..errors import AgradError
    from .log import EventLog


def _device(data: Any) -> str:
    device = getattr(data, "device", "cpu")
    return device if isinstance(device, str) else f"cuda:{device.id}"


class Recorder(Instrument):
    """Keeps entries and passes; an ``EventRecorder`` keeps the events too.

    Parameters
    ----------
    lines : Lines, optional
        Finds the line of the script that is running. Without, lines are those of the code that uses the package.
    policy : KeepPolicy, optional
        Which passes are kept in full.
    on_pass : callable, optional
        Called with the number of passes after each.
    """

    detailed = False
    log: EventLog | None = None

    def __init__(
        self,
        lines: Lines | None = None,
        policy: KeepPolicy | None = None,
        on_pass: Callable[[int], None] | None = None,
    ) -> None:
        self.lines = lines or Lines()
        self.policy = policy or KeepPolicy()
        self.segments: dict[int, Segment] = {}  # those that are kept, by the index of the pass that closed them
        self.passes: list[PassRow] = []  # in the order in which they ended
        self.warnings: list[WarningRecord] = []
        self.on_pass = on_pass
        self.inside: str | None = None  # "autograd.functional" and the like, while one runs
        self._warned: set[tuple[str, int | None]] = set()
        self._segment = Segment()  # the current one, not among `segments` yet
        self._current = self._segment.entries
        self._last = 0  # the key of the node recorded last
        self._segment_start = 1  # the lowest key of the current segment
        self._started = self._open = 0  # passes begun, and passes under way
        self._pass: PassRow | None = None
        self._running: int | None = None  # the line of the node being evaluated, in a pass that records itself
        self._before: Instrument | None = None
        self._gc_threshold = gc.get_threshold()

    # ---- listening ----

    def install(self) -> None:
        """Start to listen.

        What is recorded has no cycles, but there is much of it: walking it all for each 700 new objects would cost more than the
        recording itself, so the garbage collector is made to come less often until ``remove``.
        """
        self._before = replace_listener(self)
        self._gc_threshold = gc.get_threshold()
        gc.set_threshold(max(50_000, self._gc_threshold[0]), 50, 100)

    def remove(self) -> None:
        """Stop to listen."""
        if current_listener() is self:
            replace_listener(self._before)
            gc.set_threshold(*self._gc_threshold)

    def __enter__(self) -> Recorder:
        self.install()
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    # ---- the forward ----

    def here(self) -> int | None:
        return self.lines.here()

    def record(self, node: Node, result: Tensor, line: int | None = None) -> None:
        # This runs for every node: what most nodes need is written out, the rest is in _edge and Lines.of_record.
        data = result._data
        key = node.sequence_nr or key_of(node)
        lines = self.lines
        if line is not None:
            offset = 0
        elif self._running is not None:
            line, offset = self._running, 0
        else:
            caller = getframe(2)
            if caller.f_code is lines.code:
                line, offset = lines.places.get(caller.f_lasti) or lines.learn(caller)
            elif lines.enter(caller):
                line, offset = lines.learn(caller)
            else:
                line, offset = lines.of_record(self._last)
        cls = node.__class__
        start = self._segment_start
        edges: tuple[Any, ...]
        if node.more_edges is None and cls.input_names:
            edge = node.edge0
            if edge is None or edge.__class__ is Edge or not start <= edge.sequence_nr < ACCUMULATE_GRAD_NR:
                first = self._edge(edge)
            else:
                first = edge.sequence_nr
            if len(cls.input_names) == 1:
                edges = (first,)
            else:
                edge = node.edge1
                if edge is None or edge.__class__ is Edge or not start <= edge.sequence_nr < ACCUMULATE_GRAD_NR:
                    edges = (first, self._edge(edge))
                else:
                    edges = (first, edge.sequence_nr)
        else:
            edges = tuple(map(self._edge, node.next_edges))
        self._last = key
        self._current[key] = (
            cls.__name__, key, line, offset, data.shape, data.dtype, "cpu" if modes.host_only else _device(data), edges,
            node.describe() if cls.saved_names else (),
        )  # fmt: skip

    def saved(self, node: Node, result: Tensor) -> None:
        key, data = key_of(node), result._data
        row = self._current[key]
        saved = (
            row[8] if "unpacks" in node.__class__.__dict__ else node.describe()
        )  # to ask a packed one would call the unpack hooks
        self._current[key] = (*row[:4], data.shape, data.dtype, *row[6:8], saved)

    def _edge(self, edge: Any) -> Any:
        """An edge as an Entry has it; its target is made known."""
        if edge is None:
            return None
        key = edge.function.sequence_nr
        if key in SHARED_NUMBERS:
            key = key_of(edge.function)
            if key not in self._current:
                self._add_leaf(edge.function, key)
        elif key < self._segment_start:
            self._pin(edge.function, key)
        return (key, edge.input_nr) if edge.input_nr else key

    def _add_leaf(self, leaf: Any, key: int) -> None:
        if leaf.__class__ is not AccumulateGrad:  # a recv function of an older segment
            self._pin(leaf, key)
            return
        data = leaf.data
        self._current[key] = ("AccumulateGrad", key, leaf.line, 0, data.shape, data.dtype, _device(data), (), ())

    def _pin(self, node: Any, key: int) -> None:
        """`node` is of an older segment: keep its entry, and those of all it leads to, as long as the current segment."""
        pinned = self._segment.pinned
        stack = [(node, key)]
        while stack:
            node, key = stack.pop()
            if key in pinned:
                continue
            entry = next((found for s in reversed(self.segments.values()) if (found := s.get(key)) is not None), None)
            if entry is None:  # dropped before anybody could know that it would be used again
                entry = (type(node).__name__, key, None, 0, None, None, "cpu", tuple(map(self._known, node.next_edges)), ())
            pinned[key] = entry
            for edge in node.next_edges:
                if edge is None:
                    continue
                target, key = edge.function, key_of(edge.function)
                if target.__class__ is not AccumulateGrad:
                    stack.append((target, key))
                elif key not in self._current:
                    self._add_leaf(target, key)

    def _known(self, edge: Any) -> Any:
        if edge is None:
            return None
        return (key_of(edge.function), edge.input_nr) if edge.input_nr else key_of(edge.function)

    def line_of(self, node: Node) -> int | None:
        key = key_of(node)
        for segment in (self._segment, *reversed(self.segments.values())):
            entry = segment.get(key)
            if entry is not None:
                return entry[2]  # type: ignore[no-any-return]
        return None

    def absorbed(self, node: Node) -> None:
        self._current.pop(node.sequence_nr, None)

    def leaf(self, node: Node) -> None:
        node.line = self.lines.here()  # type: ignore[attr-defined]

    def write(self, tensor: Tensor, operation: str, node: Node | None = None) -> None:
        remember(tensor, self.lines.here(), operation, None if node is None else key_of(node))

    def warn(self, kind: str, message: str, tensor: Tensor | None = None) -> None:
        line = self.lines.here()
        if (kind, line) not in self._warned:
            self._warned.add((kind, line))
            name = Names(self.lines.scopes()).of(tensor)
            message = message.replace("this tensor", name, 1) if name is not None else message
            self.warnings.append(WarningRecord(kind, message, line))

    # ---- the backward ----

    def _key(self, node: Any) -> int:
        """The key of a node that a pass meets; a leaf that no operation used becomes known here."""
        known = self._edge(node)
        return target_of(known)[0]

    def pass_start(self, kind: str, roots: Sequence[Node]) -> None:
        keys, outer = [self._key(n) for n in roots], self._pass
        self._pass = row = PassRow(kind, self.lines.here(), keys, time.perf_counter(), self._started, outer)
        row.inside, row.outer_running = self.inside, self._running
        self._running = None
        self._started += 1
        self._open += 1

    def dependencies(self, counts: Mapping[Node, int], *, restricted: bool) -> None:
        row = self._pass
        assert row is not None
        row.dependencies = {
            nr if 0 < (nr := node.sequence_nr) < ACCUMULATE_GRAD_NR else key_of(node): n for node, n in counts.items()
        }
        row.restricted = restricted

    def evaluate_start(self, node: Node) -> None:
        entry = self._segment.get(key_of(node))
        self._running = None if entry is None else entry[2]

    def evaluate_end(self, node: Node, grads: Any, outputs: Any, released: bool) -> None:
        row: Any = self._pass
        size = grads.nbytes if node.num_inputs == 1 and grads is not None else _bytes(grads)
        live = row.live
        if live < size:  # the gradient of a root comes from outside
            live = size
        if node.__class__ is AccumulateGrad:
            row.order.append(key_of(node))
            row.live = live  # a leaf keeps what came in
        else:
            row.order.append(node.sequence_nr or key_of(node))
            if released:
                row.released = True
            for g in outputs:
                if g is not None:
                    live += g.nbytes
            row.live = live - size
        if live > row.peak_bytes:
            row.peak_bytes = live

    def accumulate(self, node: Any, into: str) -> None:
        grad = node.variable._grad
        if into == "grad" and grad is not None and not grad.is_inference() and grad._version:  # added to in place
            remember(grad, self.lines.here(), "backward", key_of(node))

    def failed(self, error: AgradError) -> None:
        """The script has ended by `error`."""

    def pass_refused(self, error: BaseException) -> None:
        self.passes[-1].failed = True

    def current_pass(self) -> Any:
        return self._pass

    def set_pass(self, token: Any) -> None:
        self._pass = token

    def pass_end(self, error: BaseException | None) -> None:
        row = self._pass
        assert row is not None
        row.duration = time.perf_counter() - row.start
        row.evaluated = len(row.order)
        row.failed = error is not None
        self._pass, self._running = row.outer, row.outer_running
        row.outer = None
        self._open -= 1
        self.segments[len(self.passes)] = self._close(row)
        self.passes.append(row)
        self.policy.apply(self)
        if self.on_pass is not None:
            self.on_pass(len(self.passes))

    def _close(self, row: PassRow) -> Segment:
        """The segment of the pass that ends. See Note [Segments]."""
        if self._open:
            own = Segment()
            own.entries = {key: entry for key in (*row.roots, *row.dependencies) if (entry := self._segment.get(key)) is not None}
            return own
        closed, self._segment = self._segment, Segment()
        self._segment_start = max(max(self._current, default=-1), self._segment_start - 1) + 1
        self._current = self._segment.entries
        return closed

    def entries(self) -> dict[int, Any]:
        """All entries that are kept, by key: what is pinned, then the rest in the order of recording."""
        kept = [*self.segments.values(), self._segment]
        found: dict[int, Any] = {}
        for segment in kept:
            found.update(segment.pinned)
        for segment in kept:
            found.update(segment.entries)
        return found


def _bytes(grads: Any) -> int:
    """The size of the gradients that came in to a node with several inputs."""
    return 0 if grads is None else sum(g.nbytes for g in grads if g is not None)
