"""Workers of one machine, joined by sockets that they inherit from the coordinator: nothing listens, nothing has a name.

One loop, no threads.

Note [Posting never blocks]
    ``post`` writes what the socket takes at once; for most messages that is all. Of a large array the rest would have to be
    copied, since the caller may change it when ``post`` returns. While the receiver is reading, going on is cheaper than the
    copy (by a third for 64 MiB, more on a busy machine): so ``post`` stays in the loop as long as bytes go out. The loop also
    reads, so that two that post to each other both get on. When no byte has gone out for ``STALL`` seconds, or after
    ``PATIENCE`` in all, it copies what is left and returns; ``poll`` sends that later.

Note [Staying awake for a moment]
    To wake a process on a core that sleeps takes longer than to answer a small message. So after a message was posted, ``poll``
    asks a few times before it sleeps, and each time lets whoever wants the core have it: for ``AWAKE`` seconds at most, and not
    again before something else is posted. A small call then takes half of the time; nested calls over 32 workers on two cores
    take 7 % longer, and large arrays, which take longer anyway, do better without it.
"""

from __future__ import annotations

import os
import selectors
import socket
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from ..errors import LimitExceeded
from .base import Event, Link
from .frame import Framer, copy_of, flat_view
from .peer import Peer

AWAKE = 60e-6
STALL = 0.002
PATIENCE = 0.05
WORTH_WAITING = 1 << 20  # bytes; less is copied at once
MAX_QUEUED = 4 << 30  # bytes that wait for one participant
SEND_BUFFER = 1 << 20  # bytes that the system holds for a connection
CLOSING = 5.0  # seconds without progress after which closing gives up

_yield_core: Callable[[], None] | None = getattr(os, "sched_yield", None)  # not everywhere

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class LocalLink(Link):
    """A ``base.Link`` over connected sockets, one for each other participant.

    Parameters
    ----------
    rank : int
        Of this participant; ``base.COORDINATOR`` for the coordinator.
    names : list of str
        The names of all workers, by rank.
    sockets : mapping of int to socket.socket
        Connected stream sockets by the rank at their other end. They belong to the link from here on.
    framer : Framer
        The messages of workers.
    coordinator_framer : Framer, optional
        Those to and from the coordinator, where they are of another type.
    """

    def __init__(
        self,
        rank: int,
        names: list[str],
        sockets: Mapping[int, socket.socket],
        framer: Framer,
        coordinator_framer: Framer | None = None,
    ) -> None:
        self.rank, self.names = rank, names
        self._selector = selectors.DefaultSelector()
        self._peers: dict[int, Peer] = {}
        self._known = {rank, *sockets}
        self._events: list[Event] = []
        self._later: list[Peer] = []  # those with something from post_soon
        self._posted = False  # a small message since the last wait
        for other, sock in sockets.items():
            sock.setblocking(False)
            if _is_unix(sock):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            with_coordinator = other < 0 or rank < 0
            peer = Peer(other, sock, coordinator_framer if with_coordinator and coordinator_framer is not None else framer)
            self._peers[other] = peer
            self._selector.register(sock, READ, peer)

    def post(self, dst: int, message: Any, buffers: Sequence[Any] = ()) -> None:
        """See ``base.Link.post``."""
        if dst == self.rank:
            self._events.append(("message", dst, message, [copy_of(flat_view(memoryview(b))) for b in buffers]))
            return
        peer = self._peers.get(dst)
        if peer is None:
            if dst not in self._known:
                raise ValueError(f"this link has no connection to rank {dst}")
            return
        pieces = peer.framer.encode(message, buffers)
        self._posted = len(pieces) == 1
        if peer.later:
            pieces[0] = memoryview(b"".join((*peer.later, pieces[0])))
            peer.later.clear()
        if peer.queued > MAX_QUEUED:
            raise LimitExceeded(
                f"{peer.queued} bytes wait to be sent to {self._name(dst)}, which does not take them",
                hint="wait for the results of calls before making more, or see whether that worker was stopped",
            )
        if not peer.send(pieces):
            self._deliver(peer, len(pieces))

    def post_soon(self, dst: int, message: Any) -> None:
        """See ``base.Link.post_soon``."""
        peer = self._peers.get(dst)
        if peer is None:
            self.post(dst, message)
            return
        peer.later += peer.framer.encode(message)
        self._later.append(peer)

    def poll(self, timeout: float | None = None) -> list[Event]:
        """See ``base.Link.poll``."""
        if self._later:
            self._send_later()
        if self._events or (timeout is not None and timeout <= 0):
            self._turn(0)
        else:
            if self._posted and _yield_core is not None:
                self._posted = False
                self._stay_awake(_yield_core)
            self._wait(timeout)
        events, self._events = self._events, []
        return events

    def close(self, patience: float = CLOSING) -> None:
        """See ``base.Link.close``. Gives up when nobody has taken anything for `patience` seconds."""
        self._send_later()
        self._turn_while(lambda: sum(p.queued for p in self._peers.values()), patience)
        for peer in self._peers.values():
            _shut_down(peer.socket)
        # A TCP socket that is closed before its peer's end has come may take back what the peer has not read yet.
        self._turn_while(lambda: sum(not _is_unix(p.socket) for p in self._peers.values()), patience)
        for rank in list(self._peers):
            self._drop(rank)
        self._selector.close()
        self._events.clear()

    # ---- the loop ----

    def _send_later(self) -> None:
        """Send what ``post_soon`` left."""
        later, self._later = self._later, []
        for peer in later:
            if peer.later and peer.rank in self._peers:
                pieces = (memoryview(b"".join(peer.later)),)
                peer.later.clear()
                if not peer.send(pieces):
                    self._deliver(peer, len(pieces))

    def _turn(self, timeout: float | None) -> bool:
        """Wait until a socket is ready, then read and write what can be; False when none was."""
        if not self._peers:
            return False
        ready = self._selector.select(timeout)
        for key, mask in ready:
            peer: Peer = key.data
            if mask & WRITE:
                self._flush(peer)
            if mask & READ:
                why = peer.read(self._events)
                if why is not None:
                    self._drop(peer.rank)
                    self._events.append(("lost", peer.rank, why))
        return bool(ready)

    def _stay_awake(self, yield_core: Callable[[], None]) -> None:
        """See Note [Staying awake for a moment]."""
        stop = monotonic() + AWAKE
        while not self._turn(0) and monotonic() < stop:
            yield_core()

    def _wait(self, timeout: float | None) -> None:
        """Turn until there is an event, or `timeout` is over."""
        stop = None if timeout is None else monotonic() + timeout
        left = timeout
        while self._peers and not self._events and (left is None or left > 0):
            self._turn(left)
            if stop is not None:
                left = stop - monotonic()

    def _turn_while(self, remaining: Callable[[], int], patience: float) -> None:
        """Turn, dropping what comes, until nothing is `remaining`, or that has not become less for `patience` seconds."""
        before, stop = remaining(), monotonic() + patience
        while before and (left := stop - monotonic()) > 0:
            self._turn(left)  # it reads as well: the others may be closing in the same way
            self._events.clear()
            now = remaining()
            if now < before:
                before, stop = now, monotonic() + patience

    def _deliver(self, peer: Peer, pieces: int) -> None:
        """Go on with a message that did not go out at once. See Note [Posting never blocks]."""
        self._watch(peer)
        try:
            now = monotonic()
            stop, last = now + PATIENCE, now
            waiting = peer.queued
            if len(peer.queue) > pieces:  # an earlier message waits: it does not read
                return
            while peer.queued > WORTH_WAITING and now < stop and now - last < STALL:
                self._turn(STALL)
                now = monotonic()
                if peer.queued < waiting:
                    waiting, last = peer.queued, now
        finally:
            peer.own(pieces)

    def _flush(self, peer: Peer) -> None:
        peer.flush()
        self._watch(peer)

    def _watch(self, peer: Peer) -> None:
        """Wait for room in the socket exactly while something is to be sent."""
        waits = bool(peer.queue)
        if waits is not peer.watched:
            peer.watched = waits
            self._selector.modify(peer.socket, READ | WRITE if waits else READ, peer)

    def _drop(self, rank: int) -> None:
        peer = self._peers.pop(rank)
        self._selector.unregister(peer.socket)
        peer.queue.clear()
        peer.queued = 0
        peer.socket.close()

    def _name(self, rank: int) -> str:
        return self.names[rank] if 0 <= rank < len(self.names) else "the coordinator"


def _is_unix(sock: socket.socket) -> bool:
    return sock.family == getattr(socket, "AF_UNIX", None)


def _shut_down(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:  # the other end was faster
        pass
