"""Workers in one process, their messages in queues: for tests, which choose the order of delivery."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any


class InProcessNetwork:
    """A queue for each ordered pair of workers.

    Parameters
    ----------
    count : int
    receive : callable
        ``receive(rank, source, message, buffers)`` hands a message to worker `rank`.
    """

    def __init__(self, count: int, receive: Callable[[int, int, Any, list[Any]], None]) -> None:
        self.receive = receive
        self.queues: dict[tuple[int, int], deque[tuple[Any, list[bytearray]]]] = {
            (a, b): deque() for a in range(count) for b in range(count)
        }

    def sender(self, source: int) -> Callable[[int, Any, Sequence[Any]], None]:
        """What worker `source` sends with. Arrays are copied, as a wire would."""

        def send(to: int, message: Any, buffers: Sequence[Any]) -> None:
            self.queues[source, to].append((message, [bytearray(b.tobytes()) for b in buffers]))

        return send

    def waiting(self) -> list[tuple[int, int]]:
        """The pairs with a message on its way."""
        return [pair for pair, queue in self.queues.items() if queue]

    def deliver(self, pair: tuple[int, int]) -> None:
        """Hand over the oldest message of a pair."""
        message, buffers = self.queues[pair].popleft()
        self.receive(pair[1], pair[0], message, buffers)
