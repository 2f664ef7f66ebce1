"""The life of saved tensors, as events: ``save`` when an operation is recorded, ``release`` when a pass lets its tensors go or when it dies
with them because nobody holds the graph any more."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .kept import key_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.node import Node
    from ..core.tensor import Tensor
    from .lines import Lines
    from .log import EventLog


class SavedLife:
    """Tells an EventLog what nodes save and when they let it go.

    At every moment the bytes that were saved, less those that were released, are what living nodes hold. Nodes are referred to weakly:
    see Note [The Recorder holds no nodes].

    Parameters
    ----------
    log : EventLog
    lines : Lines
        Finds the line at which a graph dies.
    storage_of : callable
        The number of a tensor's storage.
    """

    def __init__(self, log: EventLog, lines: Lines, storage_of: Callable[[Tensor], int]) -> None:
        self.log, self.lines, self.storage_of = log, lines, storage_of
        self._holders: dict[int, tuple[weakref.ref[Node], int]] = {}  # by key: the node, and the bytes that it holds

    def save_anew(self, node: Node) -> None:
        """What `node`, recorded a moment ago, has saved is not what was told: hooks packed it, or the result was written elsewhere."""
        self._holders.pop(key_of(node), None)
        self.log.take_back(key_of(node), "save")
        self.save(node)

    def save(self, node: Node) -> None:
        """`node` has saved what it needs."""
        key, total = key_of(node), 0
        for name, tensor, version in node.held():
            if tensor is None:  # a pack hook took it: what it made of it is the script's own
                self.log.add("save", node=key, name=name, storage=None, bytes=0, version=version, packed=True)
                continue
            size = tensor._data.nbytes
            total += size
            self.log.add("save", node=key, name=name, storage=self.storage_of(tensor), bytes=size, version=version)
        if total:
            self._holders[key] = weakref.ref(node, lambda _: self._release(key, "dead", self.lines.here())), total

    def release(self, key: int) -> None:
        """A pass has let go what the node of `key` held, if anything."""
        self._release(key, "pass")

    def _release(self, key: int, why: str, line: int | None = None) -> None:
        _, size = self._holders.pop(key, (None, 0))
        if size:
            more: dict[str, Any] = {} if line is None else {"line": line}
            self.log.add("release", node=key, why=why, bytes=size, **more)

    def take_back(self, key: int) -> None:
        """The node of `key`, recorded last, is part of the next one: that one holds its tensors."""
        self._holders.pop(key, None)
        self.log.take_back(key)

    def close(self) -> None:
        """The run is over: what dies from now on is no part of it."""
        self._holders.clear()
