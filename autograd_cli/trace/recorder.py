"""Recorder: listens to the engine and keeps what a Trace tells.

Note [The Recorder holds no nodes]
    A node kept alive keeps its saved tensors alive, so the Recorder knows nodes by number only: a function by its sequence number,
    which is never used twice, a leaf by its own. A row is what is known of one node.

Note [Segments]
    Everything recorded between the end of one pass and the end of the next is one segment. In a run with many passes only some segments
    are kept (``policy.py``), so that a loop of any length runs in constant memory.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any

from ..core.instrument import Instrument
from ..core.modes import modes
from ..core.node import AccumulateGrad
from .lines import Lines
from .log import EventLog
from .model import WarningRecord
from .policy import KeepPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.node import Node
    from ..core.tensor import Tensor

new = object.__new__


class Row:
    """What is known of one node."""

    __slots__ = ("device", "dtype", "id", "line", "name", "next", "saved", "segment", "sequence_nr", "shape", "variable")
    id: int
    name: str
    sequence_nr: int
    line: int | None
    shape: tuple[int, ...] | None
    dtype: Any
    device: str
    next: list[tuple[int, int] | None]  # (key of the target, input_nr)
    saved: list[tuple[str, tuple[int, ...], Any, int, int]]
    segment: int
    variable: str | None


class PassRow:
    """What is known of one pass."""

    def __init__(self, kind: str, line: int | None, roots: list[int], start: float) -> None:
        self.kind, self.line, self.roots, self.start = kind, line, roots, start
        self.dependencies: dict[int, int] = {}
        self.order: list[int] = []
        self.evaluated = 0
        self.duration = 0.0
        self.peak_bytes = 0
        self.failed = self.restricted = self.elided = False
        self.inside: str | None = None


def key_of(node: Any) -> int:
    """A number for a node: its sequence number, or a negative one for a leaf."""
    return -1 - node.leaf_nr if node.__class__ is AccumulateGrad else node.sequence_nr


def _bytes(grads: Any) -> int:
    """The size of gradients that are held at the same time."""
    return sum(g._data.nbytes if hasattr(g, "_data") else g.nbytes for g in grads if g is not None)


class Recorder(Instrument):
    """Keeps rows, passes and (when asked) events.

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
        self.rows: dict[int, Row] = {}
        self.passes: list[PassRow] = []
        self.warnings: list[WarningRecord] = []
        self.log = EventLog() if events else None
        self.on_pass = on_pass
        self.inside: str | None = None  # "autograd.functional" and the like, while one runs
        self._warned: set[tuple[str, int | None]] = set()
        self._ids = count().__next__
        self._storages = count().__next__
        self._pass: PassRow | None = None
        self._running: list[tuple[int, int | None, int]] = []  # (key, line, bytes that came in) of the node being evaluated
        self._live = 0
        self._before: Instrument | None = None

    # ---- listening ----

    def install(self) -> None:
        """Start to listen."""
        self._before, modes.instrument = modes.instrument, self

    def remove(self) -> None:
        """Stop to listen."""
        modes.instrument = self._before

    def __enter__(self) -> Recorder:
        self.install()
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    # ---- the forward ----

    def record(self, node: Node, result: Tensor) -> None:
        data = result._data
        line = self._running[-1][1] if self._running else self.lines.of_record(node.sequence_nr, self.rows)
        row = self._add(node.sequence_nr, type(node).__name__, node.sequence_nr, line, data.shape, data.dtype, data)
        row.next = nexts = []
        for edge in node.next_edges:
            if edge is None:
                nexts.append(None)
                continue
            target = edge.function
            key = key_of(target)
            if key not in self.rows:
                self._discover(target, key)
            nexts.append((key, edge.input_nr))
        if node.saved_names:
            self._saved(row, node)
        if self.log is not None:
            self.log.add("record", node=row.id, line=line, variable=None, key=node.sequence_nr)

    def _add(self, key: int, name: str, nr: int, line: int | None, shape: Any, dtype: Any, data: Any) -> Row:
        row: Row = new(Row)
        row.id = self._ids()
        row.name, row.sequence_nr, row.line, row.shape, row.dtype = name, nr, line, shape, dtype
        row.device = "cpu" if data is None or not hasattr(data, "device") or data.device == "cpu" else f"cuda:{data.device.id}"
        row.variable = None
        row.next, row.saved = [], []
        row.segment = len(self.passes)
        self.rows[key] = row
        return row

    def _discover(self, node: Any, key: int) -> None:
        """A node met as the target of an edge: a leaf, or a node whose segment was dropped."""
        if node.__class__ is AccumulateGrad:
            self._add(key, "AccumulateGrad", node.sequence_nr, node.line, node.data.shape, node.data.dtype, node.data)
        else:
            row = self._add(key, type(node).__name__, node.sequence_nr, None, None, None, None)
            row.next = [None if e is None else (key_of(e.function), e.input_nr) for e in node.next_edges]

    def _saved(self, row: Row, node: Any) -> None:
        for name, tensor, version in node.saved():
            if tensor is None:
                continue
            data = tensor._data
            row.saved.append((name, data.shape, data.dtype, version, data.nbytes))
            if self.log is not None:
                self.log.add("save", node=row.id, name=name, storage=self.storage(tensor), bytes=data.nbytes, version=version)

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

    def _id(self, node: Any) -> int:
        key = key_of(node)
        if key not in self.rows:
            self._discover(node, key)
        return self.rows[key].id

    def pass_start(self, kind: str, roots: Sequence[Node]) -> None:
        self.lines.flush(self.rows)
        self._pass = row = PassRow(kind, self.lines.here(), [self._id(n) for n in roots], time.perf_counter())
        row.inside = self.inside
        self._live = 0
        if self.log is not None:
            self.log.pass_index = len(self.passes)
            self.log.add("pass_start", roots=row.roots)

    def dependencies(self, counts: Mapping[Node, int], *, restricted: bool) -> None:
        row = self._pass
        assert row is not None
        row.dependencies = {self._id(node): n for node, n in counts.items()}
        row.restricted = restricted
        if self.log is not None:
            self.log.add("dependencies", counts={str(k): n for k, n in row.dependencies.items()})

    def ready(self, node: Node, why: str) -> None:
        if self.log is not None:
            self.log.add("ready", node=self._id(node), why=why)

    def evaluate_start(self, node: Node, grads: Any) -> None:
        key = key_of(node)
        if key not in self.rows:
            self._discover(node, key)
        row = self.rows[key]
        incoming = _bytes(grads if node.num_inputs > 1 else (grads,))
        self._live = max(self._live, incoming)  # the gradient of a root comes from outside
        self._running.append((key, row.line, incoming))
        if self._pass is not None:
            self._pass.order.append(row.id)
        if self.log is not None:
            self.log.add("evaluate_start", node=row.id)

    def evaluate_end(self, node: Node, grads: Any, *, released: bool) -> None:
        key, _, incoming = self._running.pop()
        row, current = self.rows[key], self._pass
        if current is not None:
            self._live += _bytes(grads)
            current.peak_bytes = max(current.peak_bytes, self._live)
            if node.__class__ is not AccumulateGrad:  # a leaf keeps what came in
                self._live -= incoming
        if self.log is not None:
            self.log.add("evaluate_end", node=row.id)
            if released and row.saved:
                self.log.add("release", node=row.id, why="pass")

    def accumulate(self, node: Node, into: str) -> None:
        if self.log is not None:
            self.log.add("accumulate", node=self._id(node), variable=None, into=into, key=key_of(node))

    def hook(self, node: Node) -> None:
        if self.log is not None:
            self.log.add("hook", node=self._id(node))

    def pass_end(self, error: BaseException | None) -> None:
        row = self._pass
        assert row is not None
        row.duration = time.perf_counter() - row.start
        row.evaluated = len(row.order)
        row.failed = error is not None
        self._running.clear()
        if self.log is not None:
            self.log.add("pass_end")
            self.log.pass_index = None
        self._pass = None
        self.passes.append(row)
        self.policy.apply(self)
        if self.on_pass is not None:
            self.on_pass(len(self.passes))
