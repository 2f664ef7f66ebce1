"""The sockets between workers, made by the coordinator."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from types import TracebackType

from ..errors import LimitExceeded
from .base import COORDINATOR

SPARE = 64  # file descriptors for everything else in the coordinator


def make_pairs(count: int) -> list[tuple[socket.socket, socket.socket]]:
    """`count` pairs of connected stream sockets that nobody else can connect to."""
    pairs = []
    try:
        for _ in range(count):
            pairs.append(socket.socketpair(socket.AF_UNIX) if hasattr(socket, "AF_UNIX") else tcp_pair())
    except BaseException:
        for pair in pairs:
            close_all(pair)
        raise
    return pairs


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    """The same over 127.0.0.1, where there are no Unix sockets.

    Somebody else on the machine could connect while the listener is open; only our own connection is taken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        near = socket.create_connection(listener.getsockname())
        while True:
            far, address = listener.accept()
            if address == near.getsockname():
                break
            far.close()
    for end in (near, far):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return near, far


def close_all(sockets: Iterable[socket.socket]) -> None:
    """Close every socket."""
    for sock in sockets:
        sock.close()


class Mesh:
    """A socket between every two of `count` workers, and one between each worker and the coordinator.

    ::

        with Mesh(count) as mesh:
            for rank, sockets in mesh.workers():
                start_worker(rank, sockets)   # {other rank: socket}, COORDINATOR among them; it must hold them when it returns
            link = LocalLink(COORDINATOR, names, mesh.coordinator(), framer)

    Sockets are made when the first of their two workers is started, and the coordinator's copies closed when they were passed
    on: the end of a worker could not be seen otherwise, and so at most about count²/4 are open at a time, not count².
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._ends: dict[int, dict[int, socket.socket]] = {rank: {} for rank in range(count)}
        self._mine: dict[int, socket.socket] = {}
        make_room((count * count) // 4 + 2 * count)

    def workers(self) -> Iterator[tuple[int, dict[int, socket.socket]]]:
        """Each worker's rank and its sockets, by the rank at their other end; closed here when the next ones are asked for."""
        for rank in range(self.count):
            later = range(rank + 1, self.count)
            *pairs, (self._mine[rank], its_own) = make_pairs(len(later) + 1)
            ends = self._ends[rank]
            ends[COORDINATOR] = its_own
            for other, (near, far) in zip(later, pairs, strict=True):
                ends[other], self._ends[other][rank] = near, far
            yield rank, dict(ends)
            close_all(self._ends.pop(rank).values())

    def coordinator(self) -> dict[int, socket.socket]:
        """The coordinator's sockets by worker; they are the caller's from here on."""
        mine, self._mine = self._mine, {}
        return mine

    def __enter__(self) -> Mesh:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for ends in self._ends.values():
            close_all(ends.values())
        close_all(self._mine.values())
        self._ends, self._mine = {}, {}


def make_room(count: int) -> None:
    """See to it that this process may have `count` more open files.

    Raises
    ------
    LimitExceeded
        The system does not allow it.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = count + SPARE
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise LimitExceeded(
            f"so many workers need {needed} open files while they start, and this system allows {hard}",
            hint="use fewer workers, or raise the limit (ulimit -Hn)",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
