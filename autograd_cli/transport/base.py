"""What every transport offers to the code above it: post, poll, close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

COORDINATOR = -1  # the rank of the process that started the workers

MessageEvent = tuple[Literal["message"], int, Any, list[Any]]  # source, message, buffers
LostEvent = tuple[Literal["lost"], int, str]  # source, why
Event = MessageEvent | LostEvent


class Link(Protocol):
    """One participant's end of all its connections.

    Attributes
    ----------
    rank : int
        This participant; ``COORDINATOR`` for the process that started the workers.
    names : list of str
        The names of all workers, by rank.
    """

    rank: int
    names: list[str]

    def post(self, dst: int, message: Any, buffers: Sequence[Any] = ()) -> None:
        """Take a message on its way.

        Messages from one participant to another arrive in the order in which they were posted. ``post`` never waits for the
        receiver's answer, nor for one that does not read. When it returns, the caller may change the buffers: what was not sent
        by then was copied. A message to a participant that is gone is dropped, since ``poll`` tells of the loss.

        Parameters
        ----------
        dst : int
            May be this participant itself.
        message : msgspec.Struct
        buffers : sequence of objects with the buffer protocol
            Arrays of any shape, contiguous or not. Each arrives as its bytes in C order.

        Raises
        ------
        LimitExceeded
            The message, or what waits to be sent, is too large.
        """

    def post_soon(self, dst: int, message: Any) -> None:
        """As ``post`` without buffers, for a message that nobody is in a hurry for.

        It keeps its place in the order, but goes out together with the next message to `dst`, at the latest when ``poll`` is called:
        one system call less here, and one awakening less there.
        """

    def poll(self, timeout: float | None = None) -> list[Event]:
        """Send what waits and hand over what has come, at the latest after `timeout` seconds; None: wait until something comes.

        Events are ``("message", source, message, buffers)``, each buffer writable, bytes-like and the receiver's own, and
        ``("lost", source, why)``, the last event of that source. Once every other participant is lost nothing can come: then
        the list is empty at once.
        """

    def close(self) -> None:
        """Send what waits, as long as somebody takes it, then close. What arrives meanwhile is dropped."""
