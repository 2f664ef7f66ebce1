"""Recorder: listens to the engine and keeps what a Trace tells.

Note [The Recorder holds no nodes]
    A node kept alive keeps its saved tensors alive, so the Recorder knows nodes by number only: a function by its sequence number,
    which is never used twice, a leaf by its own (negative). What is known of a node is one tuple, an Entry; everything that can be
    worked out later (ids, names, sizes) is worked out in ``assemble.py``, and only for what is kept.

Note [Segments]
    Everything recorded between the end of one pass and the end of the next is one segment. In a run with many passes only some segments
    are kept (``policy.py``), so that a loop of any length runs in constant memory. An entry of an older segment that a newer one uses
    is pinned together with all it leads to.
"""

from __future__ import annotations

import gc
import time
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.instrument import Instrument
from ..core.modes import modes
from ..core.node import ACCUMULATE_GRAD_NR, AccumulateGrad
from .lines import Lines
from .log import EventLog
from .model import WarningRecord
from .policy import KeepPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.node import Node
    from ..core.tensor import Tensor


class Entry(NamedTuple):
    """What is known of a node. The Recorder writes plain tuples of this form: making a NamedTuple costs more than a record may.

    Nothing in it is tracked by the garbage collector (no classes, no lists), so that a large recording does not slow it down.
    """

    name: str
    key: int
    line: int | None
    offset: int  # of the bytecode: tells one run of a statement from the next
    shape: tuple[int, ...] | None
    dtype: Any
    device: str
    edges: tuple[Any, ...]  # (key of the target, input_nr) or None
    saved: Any  # (name, shape, dtype, version) each


class PassRow:
    """What is known of one pass; nodes by key."""

    def __init__(self, kind: str, line: int | None, roots: list[int], start: float) -> None:
        self.kind, self.line, self.roots, self.start = kind, line, roots, start
        self.dependencies: dict[int, int] = {}
        self.order: list[int] = []
        self.evaluated = 0
        self.duration = 0.0
        self.peak_bytes = 0
        self.failed = self.restricted = self.elided = False
        self.inside: str | None = None


SHARED_NUMBERS = (ACCUMULATE_GRAD_NR, 0)  # sequence numbers that many nodes have: of leaves, and of recv functions


def key_of(node: Any) -> int:
    """The number the Recorder knows a node by."""
    number: int = node.sequence_nr
    return -1 - node.leaf_nr if number in SHARED_NUMBERS else number


def _device(data: Any) -> str:
    device = getattr(data, "device", "cpu")
    return device if isinstance(device, str) else f"cuda:{device.id}"


class Recorder(Instrument):
    """Keeps entries, passes and (when asked) events.

    Parameters
    ----------
    lines : Lines, optional
        Finds the line of the script that is running. Without, lines are those of the code that uses the package.
    policy : KeepPolicy, optional
        Which passes are kept in full.
    events : bool
        Keep the events too.
    on_pass : callable, optional
        Called with the number of passes after each.
    """

    def __init__(
        self,
        lines: Lines | None = None,
        policy: KeepPolicy | None = None,
        events: bool = False,
        on_pass: Callable[[int], None] | None = None,
    ) -> None:
        self.lines = lines or Lines()
        self.policy = policy or KeepPolicy()
        self.segments: list[dict[int, Any]] = [{}]  # entries by key, in the order of recording
        self.pinned: dict[int, Any] = {}  # entries of dropped segments that newer ones use
        self.leaves: dict[int, Any] = {}
        self.passes: list[PassRow] = []
        self.warnings: list[WarningRecord] = []
        self.log = EventLog() if events else None
        self.detailed = events
        self.on_pass = on_pass
        self.inside: str | None = None  # "autograd.functional" and the like, while one runs
        self._warned: set[tuple[str, int | None]] = set()
        self._storages = count().__next__
        self._current: dict[int, Any] = self.segments[0]
        self._segment_start = 0  # the lowest key of the current segment
        self._pass: PassRow | None = None
        self._running: int | None = None  # the line of the node being evaluated, in a pass that records itself
        self._live = 0
        self._before: Instrument | None = None
        self._gc_threshold = gc.get_threshold()

    # ---- listening ----

    def install(self) -> None:
        """Start to listen.

        What is recorded has no cycles, but there is much of it: walking it all for each 700 new objects would cost more than the
        recording itself, so the garbage collector is made to come less often until ``remove``.
        """
        self._before, modes.instrument = modes.instrument, self
        self._gc_threshold = gc.get_threshold()
        gc.set_threshold(max(50_000, self._gc_threshold[0]), 50, 100)

    def remove(self) -> None:
        """Stop to listen."""
        if modes.instrument is self:
            modes.instrument = self._before
            gc.set_threshold(*self._gc_threshold)

    def __enter__(self) -> Recorder:
        self.install()
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    # ---- the forward ----

    def record(self, node: Node, result: Tensor) -> None:
        data = result._data
        key = node.sequence_nr or key_of(node)
        line, offset = (self._running, 0) if self._running is not None else self.lines.of_record()
        cls = node.__class__
        edges: tuple[Any, ...]
        if len(cls.input_names) == 1:
            edges = (self._edge(node.edge0),)
        elif node.more_edges is None and cls.input_names:
            edges = (self._edge(node.edge0), self._edge(node.edge1))
        else:
            edges = tuple(map(self._edge, node.next_edges))
        device = "cpu" if modes.host_only else _device(data)
        saved = node.describe() if cls.saved_names else ()
        self._current[key] = (cls.__name__, key, line, offset, data.shape, data.dtype, device, edges, saved)
        if self.log is not None:
            self._log_record(node, key, line)

    def _edge(self, edge: Any) -> Any:
        """(key, input_nr) of an edge's target, which is made known."""
        if edge is None:
            return None
        key = edge.function.sequence_nr
        if key in SHARED_NUMBERS:
            key = key_of(edge.function)
            if key not in self.leaves and key not in self._current:
                self._add_leaf(edge.function, key)
        elif key < self._segment_start:
            self._pin(edge.function, key)
        return (key, edge.input_nr)

    def _add_leaf(self, leaf: Any, key: int) -> None:
        if leaf.__class__ is not AccumulateGrad:  # a recv function of an older segment
            self._pin(leaf, key)
            return
        data = leaf.data
        self.leaves[key] = ("AccumulateGrad", key, leaf.line, 0, data.shape, data.dtype, _device(data), (), ())
        self._current[key] = self.leaves[key]

    def _pin(self, node: Any, key: int) -> None:
        """`node` is of an older segment: keep its entry, and those of all it leads to, whatever is dropped."""
        stack = [(node, key)]
        while stack:
            node, key = stack.pop()
            if key in self.pinned:
                continue
            entry = next((s[key] for s in self.segments if key in s), None)
            if entry is None:  # dropped before anybody could know that it would be used again
                entry = (type(node).__name__, key, None, 0, None, None, "cpu", tuple(map(self._known, node.next_edges)), ())
            self.pinned[key] = entry
            for edge in node.next_edges:
                if edge is not None and edge.function.__class__ is not AccumulateGrad:
                    stack.append((edge.function, edge.function.sequence_nr))

    def _known(self, edge: Any) -> Any:
        return None if edge is None else (key_of(edge.function), edge.input_nr)

    def _log_record(self, node: Any, key: int, line: int | None) -> None:
        assert self.log is not None
        self.log.add("record", node=key, line=line, variable=key)
        for name, tensor, version in node.saved():
            if tensor is not None:
                storage, size = self.storage(tensor), tensor._data.nbytes
                self.log.add("save", node=key, name=name, storage=storage, bytes=size, version=version)

    def storage(self, tensor: Tensor) -> int:
        """The number of the storage of `tensor`."""
        counter = tensor._ensure_counter()
        try:
            return counter.storage
        except AttributeError:
            counter.storage = number = self._storages()
            return number

    def leaf(self, node: Node) -> None:
        node.line = self.lines.here()  # type: ignore[attr-defined]

    def write(self, tensor: Tensor, operation: str) -> None:
        if self.log is not None:
            self.log.add(
                "write", storage=self.storage(tensor), version=tensor._version, line=self.lines.here(), operation=operation
            )

    def warn(self, kind: str, message: str) -> None:
        line = self.lines.here()
        if (kind, line) not in self._warned:
            self._warned.add((kind, line))
            self.warnings.append(WarningRecord(kind, message, line))

    # ---- the backward ----

    def _key(self, node: Any) -> int:
        """The key of a node that a pass meets; a leaf that no operation used becomes known here."""
        known = self._edge(node)
        return int(known[0])

    def pass_start(self, kind: str, roots: Sequence[Node]) -> None:
        self._pass = row = PassRow(kind, self.lines.here(), [self._key(n) for n in roots], time.perf_counter())
        row.inside = self.inside
        self._live = 0
        if self.log is not None:
            self.log.pass_index = len(self.passes)
            self.log.add("pass_start", roots=row.roots)

    def dependencies(self, counts: Mapping[Node, int], *, restricted: bool) -> None:
        row = self._pass
        assert row is not None
        row.dependencies = {key_of(node): n for node, n in counts.items()}
        row.restricted = restricted
        if self.log is not None:
            self.log.add("dependencies", counts=row.dependencies)

    def ready(self, node: Node, why: str) -> None:
        if self.log is not None:
            self.log.add("ready", node=key_of(node), why=why)

    def evaluate_start(self, node: Node) -> None:
        entry = self._current.get(key_of(node)) or self.pinned.get(key_of(node))
        self._running = None if entry is None else entry[2]
        if self.log is not None:
            self.log.add("evaluate_start", node=key_of(node))

    def evaluate_end(self, node: Node, grads: Any, outputs: Any, released: bool) -> None:
        row = self._pass
        assert row is not None
        leaf = node.__class__ is AccumulateGrad
        row.order.append(node.sequence_nr if not leaf and node.sequence_nr else key_of(node))
        self._running = None
        size = grads.nbytes if hasattr(grads, "nbytes") else _bytes(grads)
        live = self._live if self._live > size else size  # the gradient of a root comes from outside
        if leaf:
            self._live = live  # a leaf keeps what came in
        else:
            for g in outputs:
                if g is not None:
                    live += g.nbytes
            self._live = live - size
        if live > row.peak_bytes:
            row.peak_bytes = live
        if self.log is not None:
            self.log.add("evaluate_end", node=key_of(node))
            if released and node.saved_names:
                self.log.add("release", node=key_of(node), why="pass")

    def accumulate(self, node: Node, into: str) -> None:
        if self.log is not None:
            self.log.add("accumulate", node=key_of(node), variable=key_of(node), into=into)

    def pass_refused(self, error: BaseException) -> None:
        self.passes[-1].failed = True

    def current_pass(self) -> Any:
        return self._pass

    def set_pass(self, token: Any) -> None:
        self._pass = token

    def hook(self, node: Node) -> None:
        if self.log is not None:
            self.log.add("hook", node=key_of(node))

    def pass_end(self, error: BaseException | None) -> None:
        row = self._pass
        assert row is not None
        row.duration = time.perf_counter() - row.start
        row.evaluated = len(row.order)
        row.failed = error is not None
        if self.log is not None:
            self.log.add("pass_end")
            self.log.pass_index = None
        self._pass = self._running = None
        self.passes.append(row)
        self._segment_start = max((k for k in self._current if k >= 0), default=self._segment_start - 1) + 1
        self.policy.apply(self)
        self._current = {}
        self.segments.append(self._current)
        if self.on_pass is not None:
            self.on_pass(len(self.passes))

    def entries(self) -> dict[int, Any]:
        """All entries that are kept, by key, in the order of recording; leaves before what first used them."""
        found = dict(self.pinned)
        for segment in self.segments:
            found.update(segment)
        used = {key for entry in found.values() for key, _ in filter(None, entry[7])}
        used.update(key for row in self.passes for key in (*row.roots, *row.dependencies) if not row.elided)
        found.update({key: entry for key, entry in self.leaves.items() if key in used})
        return found


def _bytes(grads: Any) -> int:
    """The size of the gradients that came in to a node with several inputs."""
    return 0 if grads is None else sum(g.nbytes for g in grads if g is not None)
