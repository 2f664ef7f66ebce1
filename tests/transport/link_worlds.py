"""The transports that the contract is tested on: each a world that makes connected links in one process."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from autograd_cli.transport.base import COORDINATOR, Event, Link
from autograd_cli.transport.frame import Framer, Limits
from autograd_cli.transport.local import LocalLink
from autograd_cli.transport.sockets import tcp_pair


class Note(msgspec.Struct, array_like=True, tag=1, tag_field="t", forbid_unknown_fields=True):
    """A message with plain data of any form."""

    number: int
    value: Any = None


class Other(msgspec.Struct, array_like=True, tag=2, tag_field="t", forbid_unknown_fields=True):
    """A second type, so that the type must come with the message."""

    text: str


class LocalWorld:
    """Links over sockets that `make_pair` makes."""

    def __init__(self, make_pair: Any, limits: Limits | None = None) -> None:
        self.make_pair = make_pair
        self.framer = Framer(Note | Other, limits)
        self.sockets: dict[int, dict[int, socket.socket]] = {}
        self.opened: list[Link] = []

    def links(self, count: int, coordinator: bool = False) -> list[Link]:
        """`count` workers, each connected to each; the coordinator last where asked for."""
        ranks = [*range(count), COORDINATOR] if coordinator else list(range(count))
        self.sockets = {rank: {} for rank in ranks}
        for i, a in enumerate(ranks):
            for b in ranks[i + 1 :]:
                self.sockets[a][b], self.sockets[b][a] = self.make_pair()
        names = [f"worker{i}" for i in range(count)]
        made: list[Link] = [LocalLink(rank, names, self.sockets[rank], self.framer) for rank in ranks]
        self.opened += made
        return made

    def link_and_socket(self) -> tuple[Link, socket.socket]:
        """Worker 0, and the bare socket of a worker 1 that may send anything."""
        near, far = self.make_pair()
        self.sockets = {0: {1: near}, 1: {0: far}}
        link = LocalLink(0, ["worker0", "worker1"], {1: near}, self.framer)
        self.opened.append(link)
        return link, far

    def kill(self, link: Link) -> None:
        """End a participant as SIGKILL would: nothing is flushed."""
        self.opened.remove(link)
        for sock in self.sockets[link.rank].values():
            sock.close()

    def close(self) -> None:
        """Close everything at once: one link after another would wait for those that are still open."""
        for sock in [s for ends in self.sockets.values() for s in ends.values()]:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for link in self.opened:
            link.close()
        for sock in [s for ends in self.sockets.values() for s in ends.values()]:
            sock.close()


WORLDS = {"unix": socket.socketpair, "tcp": tcp_pair}


def drive(links: Sequence[Link], counts: dict[int, int]) -> dict[int, list[Event]]:
    """Poll `links` in turn until each rank in `counts` has so many events. One that hangs fails instead of blocking the suite."""
    events: dict[int, list[Event]] = {link.rank: [] for link in links}
    give_up = monotonic() + 60
    while any(len(events[rank]) < count for rank, count in counts.items()):
        for link in links:
            events[link.rank] += link.poll(0)
        assert monotonic() < give_up, f"only {[len(e) for e in events.values()]} events came"
    return events


def gather(link: Link, count: int, *others: Link) -> list[Event]:
    """`count` events of `link`, while `others` send what they have to."""
    return drive([link, *others], {link.rank: count})[link.rank]


def as_array(buffer: Any, like: np.ndarray) -> np.ndarray:
    """What arrived, as an array of the shape and dtype of `like`."""
    flat = np.frombuffer(buffer, like.dtype) if len(buffer) else np.empty(0, like.dtype)
    return flat.reshape(like.shape)
