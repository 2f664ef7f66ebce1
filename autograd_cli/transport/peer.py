"""One connection of a link: a socket, what is still to be sent through it, and the frame that is arriving."""

from __future__ import annotations

import errno
import os
import socket
from collections import deque
from collections.abc import Sequence
from itertools import islice

from .base import Event
from .frame import Framer, ProtocolError, copy_of


def _iov_max() -> int:
    """How many pieces one sendmsg takes; not every system says."""
    try:
        return max(16, os.sysconf("SC_IOV_MAX"))
    except (AttributeError, ValueError, OSError):
        return 16


IOV_MAX = _iov_max()
READ_AT_ONCE = 32 << 20  # bytes read from one peer before others have their turn


class Peer:
    """The other end of a connection.

    Attributes
    ----------
    rank : int
    socket : socket.socket
    queue : deque of memoryview
        Pieces of frames that are still to be sent.
    queued : int
        Their bytes.
    later : list of memoryview
        Frames that go out with the next one.
    watched : bool
        Whether the link waits until the socket takes more.
    """

    def __init__(self, rank: int, sock: socket.socket, framer: Framer) -> None:
        self.rank = rank
        self.socket = sock
        self.framer = framer
        self.reader = framer.reader()
        self.queue: deque[memoryview] = deque()
        self.queued = 0
        self.later: list[memoryview] = []
        self.watched = False
        self.deaf = False  # it takes nothing any more; what it sent before may still arrive

    # ---- out ----

    def send(self, pieces: Sequence[memoryview]) -> bool:
        """Send `pieces` after what waits; False when some of them now wait as well."""
        if self.deaf:
            return True
        if not self.queue and len(pieces) == 1:
            (piece,) = pieces
            sent = self._write(pieces)
            if sent == piece.nbytes or self.deaf:
                return True
            pieces = (piece[sent:],)
        self.queue.extend(pieces)
        self.queued += sum(p.nbytes for p in pieces)
        if len(self.queue) == len(pieces):
            self.flush()
        return not self.queue

    def flush(self) -> None:
        """Send what waits, as far as the socket takes it."""
        while self.queue:
            sent = self._write(list(islice(self.queue, IOV_MAX)))
            if self.deaf:
                self.queue.clear()
                self.queued = 0
                return
            self.queued -= sent
            if not sent:
                return
            while sent:
                piece = self.queue.popleft()
                if sent < piece.nbytes:
                    self.queue.appendleft(piece[sent:])
                    break
                sent -= piece.nbytes

    def own(self, count: int) -> None:
        """Copy the last `count` pieces that wait: their memory belongs to somebody else."""
        for i in range(max(0, len(self.queue) - count), len(self.queue)):
            if not isinstance(self.queue[i].obj, bytes):
                self.queue[i] = copy_of(self.queue[i])

    def _write(self, pieces: Sequence[memoryview]) -> int:
        """Write once; how many bytes went out, 0 when the socket takes none now."""
        try:
            if len(pieces) == 1:
                return self.socket.send(pieces[0])
            if hasattr(self.socket, "sendmsg"):
                return self.socket.sendmsg(pieces)
            return self.socket.send(pieces[0])
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            self.deaf = error.errno != errno.ENOBUFS  # without memory for it now, some systems say this instead of blocking
            return 0

    # ---- in ----

    def read(self, events: list[Event]) -> str | None:
        """Append to `events` what has come; when nothing more can come, return why."""
        reader, rank, total = self.reader, self.rank, 0
        while total < READ_AT_ONCE:
            space = reader.space()
            try:
                count = self.socket.recv_into(space)
            except (BlockingIOError, InterruptedError):
                return None
            except OSError as error:
                return self._ended(error.strerror)
            if not count:
                return self._ended(None)
            total += count
            try:
                for message, buffers in reader.received(count):
                    events.append(("message", rank, message, buffers))
            except ProtocolError as error:
                return f"it sent something that is not a message: {error}"
            if count < len(space) and not reader.wants_much:
                return None
        return None

    def _ended(self, cause: str | None) -> str:
        where = " in the middle of a message" if self.reader.in_frame else ""
        return f"its connection was closed{where}" + (f" ({cause})" if cause else "")
