"""What changed a storage in place: remembered with its version counter, for the story of an error."""

from __future__ import annotations

import weakref
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..core.tensor import Tensor
    from ..core.version_counter import VersionCounter

REMEMBERED = 256  # of one storage: a loop of any length takes constant memory


class Write:
    """Changes of a storage, one after the other, by one operation at one line.

    Attributes
    ----------
    first, last : int
        The versions that the first and the last of them made.
    line : int or None
    operation : str
        As the script calls it: ``add_``, ``__setitem__``, ``SGD.step``.
    key : int or None
        Of the node that was recorded for it; None where nothing was recorded.
    """

    __slots__ = ("_tensor", "first", "key", "last", "line", "operation")

    def __init__(self, tensor: Tensor, version: int, line: int | None, operation: str, key: int | None) -> None:
        self.first = self.last = version
        self.line, self.operation, self.key = line, operation, key
        self._tensor = weakref.ref(tensor)

    @property
    def tensor(self) -> Tensor | None:
        """The tensor that was written to (another view, perhaps), while anybody holds it."""
        return self._tensor()


def remember(tensor: Tensor, line: int | None, operation: str, key: int | None) -> None:
    """Note that `operation` changed `tensor`, whose version has moved already."""
    counter = tensor._ensure_counter()
    try:
        writes = counter.writes
    except AttributeError:
        writes = counter.writes = deque(maxlen=REMEMBERED)
    before = writes[-1] if writes else None
    if before is not None and key is before.key is None and (before.line, before.operation) == (line, operation):
        before.last = counter.version
    else:
        writes.append(Write(tensor, counter.version, line, operation, key))


def first_after(counter: VersionCounter | None, version: int) -> Write | None:
    """The earliest change known that came after `version`."""
    return next((write for write in getattr(counter, "writes", ()) if write.last > version), None)
