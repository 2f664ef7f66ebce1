"""EventRecorder: a Recorder that also tells what happened, step by step."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from ..core.modes import modes
from .kept import key_of
from .log import EventLog
from .recorder import Recorder
from .saved_life import SavedLife

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.node import Node
    from ..core.tensor import Tensor
    from ..errors import AgradError
    from .lines import Lines
    from .policy import KeepPolicy


class EventRecorder(Recorder):
    """Keeps the events of OUTPUT.md in ``log``, nodes by key; ``assemble.py`` gives them ids and names."""

    detailed = True
    log: EventLog

    def __init__(
        self, lines: Lines | None = None, policy: KeepPolicy | None = None, on_pass: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(lines, policy, on_pass)
        self.log = EventLog()
        self._storages = count().__next__
        self._life = SavedLife(self.log, self.lines, self.storage)

    def remove(self) -> None:
        super().remove()
        self._life.close()

    def storage(self, tensor: Tensor) -> int:
        """The number of the storage of `tensor`."""
        counter = tensor._ensure_counter()
        try:
            return counter.storage
        except AttributeError:
            counter.storage = number = self._storages()
            return number

    # ---- the forward ----

    def record(self, node: Node, result: Tensor, line: int | None = None) -> None:
        super().record(node, result, line)
        key = key_of(node)
        self.log.add("record", node=key, line=self._current[key][2], variable=key)
        if not modes.packs_saved:
            self._life.save(node)

    def saved(self, node: Node, result: Tensor) -> None:
        super().saved(node, result)
        self._life.save_anew(node)

    def absorbed(self, node: Node) -> None:
        super().absorbed(node)
        self._life.take_back(node.sequence_nr)

    def write(self, tensor: Tensor, operation: str, node: Node | None = None) -> None:
        super().write(tensor, operation, node)
        line = self.lines.here()
        self.log.add("write", storage=self.storage(tensor), version=tensor._version, line=line, operation=operation)

    # ---- the backward ----

    def pass_start(self, kind: str, roots: Sequence[Node]) -> None:
        super().pass_start(kind, roots)
        assert self._pass is not None
        self.log.pass_index = self._pass.number
        self.log.add("pass_start", roots=self._pass.roots)

    def dependencies(self, counts: Mapping[Node, int], *, restricted: bool) -> None:
        super().dependencies(counts, restricted=restricted)
        assert self._pass is not None
        self.log.add("dependencies", counts=self._pass.dependencies)

    def ready(self, node: Node, why: str) -> None:
        self.log.add("ready", node=key_of(node), why=why)

    def evaluate_start(self, node: Node) -> None:
        super().evaluate_start(node)
        self.log.add("evaluate_start", node=key_of(node))

    def evaluate_end(self, node: Node, grads: Any, outputs: Any, released: bool) -> None:
        super().evaluate_end(node, grads, outputs, released)
        self.log.add("evaluate_end", node=key_of(node))
        if released:
            self._life.release(key_of(node))

    def accumulate(self, node: Any, into: str) -> None:
        super().accumulate(node, into)
        self.log.add("accumulate", node=key_of(node), variable=key_of(node), into=into)

    def hook(self, node: Node) -> None:
        self.log.add("hook", node=key_of(node))

    def pass_end(self, error: BaseException | None) -> None:
        row = self._pass
        assert row is not None
        if error is not None:
            self._tell(error, row.order[-1] if row.order else None, row.line)
        self.log.add("pass_end")
        self.log.pass_index = None if row.outer is None else row.outer.number
        super().pass_end(error)

    def failed(self, error: AgradError) -> None:
        place = error.place
        self._tell(error, None if error.node is None else key_of(error.node), None if place is None else place.line)

    def _tell(self, error: BaseException, node: int | None, line: int | None) -> None:
        what = getattr(error, "kind", type(error).__name__)
        self.log.add("error", node=node, line=line, error=what, message=str(error))
