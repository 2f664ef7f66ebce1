"""A message and its arrays as bytes, and back.

::

    magic and version   4 bytes   b"AGR" and 1
    header size         4 bytes   little-endian, as all numbers here
    part count          4 bytes
    header              MessagePack: one struct of the message type
    part sizes          8 bytes each
    parts               the raw bytes of each array

Nothing that arrives is trusted: every size is held against a limit before anything is allocated for it, and the header is decoded
into the types of the message's struct, so no code can come with it.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct, pack, unpack_from
from typing import Any

import msgspec

from ..errors import LimitExceeded

MAGIC = b"AGR\x01"
FIXED = Struct("<4sII")
SMALL = 16 * 1024  # a part up to this size is copied into the frame, and out of it; larger ones travel without a copy
LAZY = 4 << 20
INBOX = 64 * 1024  # bytes received at once while no large part is under way; at least SMALL


class ProtocolError(Exception):
    """What came is not a frame, or breaks a limit. The connection it came through cannot be used further."""


@dataclass(frozen=True)
class Limits:
    """The largest frame that is sent or accepted, in bytes; ``parts`` is a count."""

    header: int = 16 << 20
    parts: int = 1 << 18
    part: int = 8 << 30
    total: int = 16 << 30

    def check(self, header: int, sizes: Sequence[int]) -> None:
        """Raise ProtocolError where a frame goes beyond a limit."""
        self.check_counts(header, len(sizes))
        if sizes and max(sizes) > self.part:
            raise ProtocolError(f"an array of {max(sizes)} bytes is larger than the limit of {self.part}")
        if sum(sizes) > self.total:
            raise ProtocolError(f"arrays of {sum(sizes)} bytes together are larger than the limit of {self.total}")

    def check_counts(self, header: int, count: int) -> None:
        """The part of ``check`` that needs no sizes."""
        if header > self.header:
            raise ProtocolError(f"values of {header} bytes are larger than the limit of {self.header}")
        if count > self.parts:
            raise ProtocolError(f"{count} arrays are more than the limit of {self.parts}")


def lazy_memory(size: int) -> memoryview:
    """Writable memory of `size` bytes.

    Large ones take no memory until they are filled, so that an announced size alone does no harm; they ask for large pages, since
    filling 64 MiB page by page can take longer than sending them.
    """
    if size < LAZY or not hasattr(mmap, "MAP_ANONYMOUS"):
        return memoryview(bytearray(size))
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            memory.madvise(mmap.MADV_HUGEPAGE)
        except OSError:  # a kernel without them
            pass
    return memoryview(memory)


class Framer:
    """Encodes and decodes the messages of one type.

    Parameters
    ----------
    message_type : type
        A tagged msgspec Struct or a union of them.
    limits : Limits
    allocate : callable
        ``allocate(size)`` gives writable memory for a large part.
    """

    def __init__(self, message_type: Any, limits: Limits | None = None, allocate: Callable[[int], Any] = lazy_memory) -> None:
        self.limits = limits or Limits()
        self.allocate = allocate
        self.decode_header: Callable[[Any], Any] = msgspec.msgpack.Decoder(message_type).decode
        self._encode_header = msgspec.msgpack.Encoder().encode

    def encode(self, message: Any, buffers: Sequence[Any] = ()) -> list[memoryview]:
        """The pieces of a frame, to be sent one after another. Large pieces are the caller's own memory, not copied.

        Raises
        ------
        LimitExceeded
            The receiver would refuse it.
        """
        header = self._encode_header(message)
        if not buffers and len(header) <= self.limits.header:
            return [memoryview(FIXED.pack(MAGIC, len(header), 0) + header)]
        views = [memoryview(b) for b in buffers]
        sizes = [v.nbytes for v in views]
        try:
            self.limits.check(len(header), sizes)
        except ProtocolError as error:
            raise LimitExceeded(
                f"a message to another worker is too large: {error}",
                hint="send tensors rather than long lists",
            ) from None
        small: list[Any] = [FIXED.pack(MAGIC, len(header), len(sizes)), header, pack(f"<{len(sizes)}Q", *sizes)]
        pieces = []
        for view, size in zip(views, sizes, strict=True):
            if size > SMALL:
                pieces += [memoryview(b"".join(small)), flat_view(view)] if small else [flat_view(view)]
                small = []
            elif size:
                small.append(view if view.c_contiguous else view.tobytes())
        if small:
            pieces.append(memoryview(b"".join(small)))
        return pieces

    def reader(self) -> FrameReader:
        """A reader for the frames of one connection."""
        return FrameReader(self)


def flat_view(view: memoryview) -> memoryview:
    """The bytes of `view` in C order: the same memory where that can be, else a copy."""
    if view.c_contiguous:
        try:
            return view.cast("B")
        except (TypeError, ValueError):  # a format that only NumPy knows, such as complex
            pass
    return memoryview(view.tobytes())


def copy_of(view: memoryview) -> memoryview:
    """The bytes of a flat view in writable memory of their own."""
    memory = lazy_memory(view.nbytes)
    memory[:] = view
    return memory


class FrameReader:
    """Puts frames together from bytes as they come.

    It does no I/O: receive into ``space()``, then say how much by ``received()``.
    """

    def __init__(self, framer: Framer) -> None:
        self.framer = framer
        self._inbox = memoryview(bytearray(INBOX))
        self._start = self._end = 0  # what has come into the inbox and is not used up
        self._message: Any = None  # the frame under way, once its header is here
        self._sizes: Sequence[int] = ()
        self._parts: list[Any] | None = None
        self._target: memoryview | None = None  # large memory that is being filled
        self._filled = 0
        self._head: tuple[int, int] | None = None  # header size and part count of a frame whose header is not here yet

    @property
    def in_frame(self) -> bool:
        """Whether a frame has begun and not ended."""
        return self._head is not None or self._parts is not None or self._end > self._start

    @property
    def wants_much(self) -> bool:
        """Whether a large part is under way, so that more bytes are likely to be there already."""
        return self._target is not None

    def space(self) -> memoryview:
        """Where the next bytes go; never empty."""
        if self._target is not None:
            return self._target[self._filled :]
        if self._start == self._end:
            self._start = self._end = 0
            return self._inbox
        if self._start:
            rest = bytes(self._inbox[self._start : self._end])
            self._start, self._end = 0, len(rest)
            self._inbox[: self._end] = rest
        return self._inbox[self._end :]

    def received(self, count: int) -> Iterator[tuple[Any, list[Any]]]:
        """Account for `count` bytes in ``space()``; yields each message that is complete, with its parts.

        Raises
        ------
        ProtocolError
            After all complete messages.
        """
        if self._target is not None:
            self._filled += count
        else:
            self._end += count
        while self._advance():
            if self._parts is not None and len(self._parts) == len(self._sizes):
                message, parts = self._message, self._parts
                self._message = self._parts = None
                yield message, parts

    def _advance(self) -> bool:
        """Use up what is here for the next element of a frame; False when more bytes are needed."""
        if self._parts is None:
            return self._begin()
        size = self._sizes[len(self._parts)]
        part = self._take(size, self.framer.allocate)
        if part is None:
            return False
        self._parts.append(part)
        while len(self._parts) < len(self._sizes) and (size := self._sizes[len(self._parts)]) <= self._end - self._start:
            self._parts.append(bytearray(self._inbox[self._start : self._start + size]))
            self._start += size
        return True

    def _begin(self) -> bool:
        """Read the header of a frame and its part sizes."""
        if self._head is None:
            if self._end - self._start < FIXED.size:
                return False
            magic, header, count = FIXED.unpack_from(self._inbox, self._start)
            if magic != MAGIC:
                raise ProtocolError("it does not begin as a message does")
            self.framer.limits.check_counts(header, count)
            self._start += FIXED.size
            self._head = (header, count)
        header, count = self._head
        block = self._take(header + 8 * count, bytearray)
        if block is None:
            return False
        self._head = None
        sizes = unpack_from(f"<{count}Q", block, header) if count else ()
        self.framer.limits.check(header, sizes)
        try:
            self._message = self.framer.decode_header(memoryview(block)[:header])
        except (msgspec.MsgspecError, RecursionError, ValueError, OverflowError) as error:
            raise ProtocolError(f"its header is not that of a message: {error}") from None
        self._sizes, self._parts = sizes, []
        return True

    def _take(self, size: int, allocate: Callable[[int], Any]) -> bytearray | memoryview | None:
        """The next `size` bytes in memory of their own, or None while they are not all here."""
        if self._target is not None:
            if self._filled < size:
                return None
            target, self._target = self._target, None
            return target
        have = self._end - self._start
        if have >= size:
            found = bytearray(self._inbox[self._start : self._start + size])
            self._start += size
            return found
        if size > SMALL:
            try:
                self._target = memoryview(allocate(size)).cast("B")
            except (MemoryError, OSError):
                raise ProtocolError(f"there is no memory for an array of {size} bytes") from None
            self._target[:have] = self._inbox[self._start : self._end]
            self._filled, self._start, self._end = have, 0, 0
        return None
