"""Workers in one process, driven message by message, in an order that the test chooses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from autograd_cli.distributed import dist_autograd
from autograd_cli.distributed.function_table import FunctionTable
from autograd_cli.distributed.worker import Worker
from autograd_cli.torch_api.modules import modules as torch_modules
from autograd_cli.transport.inproc import InProcessNetwork

Choice = Callable[[list[tuple[int, int]]], tuple[int, int]]  # from the pairs with a message on its way, the one to deliver


def every_order(run: Callable[[Choice], Any], at_most: int = 20_000) -> list[Any]:
    """What `run` gives in every order of delivery.

    Each run follows a prefix of choices and takes the first pair after it; the prefixes that it did not take come next.
    """
    found = []
    todo: list[list[int]] = [[]]
    while todo:
        prefix = todo.pop()
        taken: list[int] = []
        others: list[list[int]] = []

        def choose(
            waiting: list[tuple[int, int]], prefix: list[int] = prefix, taken: list[int] = taken, others: Any = others
        ) -> Any:
            number = prefix[len(taken)] if len(taken) < len(prefix) else 0
            if len(taken) >= len(prefix):
                others.extend([*taken, other] for other in range(1, len(waiting)))
            taken.append(number)
            return waiting[number]

        found.append(run(choose))
        todo.extend(others)
        assert len(found) <= at_most, "more orders than this test means to try"
    return found


class Simulation:
    """Workers over an in-memory network.

    Parameters
    ----------
    count : int
    functions : dict
        Top-level functions that every worker knows.
    seed : int or None
        The order of delivery: random for a number, else the first pair that has a message.
    choose : callable, optional
        The order of delivery, instead of `seed`.
    mode : {"fast", "smart"}
        Of every pass.

    Attributes
    ----------
    kinds : Counter
        How many messages of each kind have been delivered.
    """

    def __init__(
        self,
        count: int,
        functions: dict[str, Callable[..., Any]] | None = None,
        seed: int | None = None,
        choose: Choice | None = None,
        mode: str = "fast",
    ) -> None:
        self.kinds: Counter[str] = Counter()
        self.names = [f"worker{i}" for i in range(count)]
        self.choose: Choice = choose or (_first if seed is None else random.Random(seed).choice)
        self.network = InProcessNetwork(count, self._receive)
        torch = torch_modules()["torch"]
        self.workers = [
            Worker(i, self.names, self.network.sender(i), FunctionTable(torch, {} if functions is None else functions), mode=mode)
            for i in range(count)
        ]
        self.rpc = [_Names(dist_autograd.rpc_table(w)) for w in self.workers]
        self.autograd = [_Names(dist_autograd.autograd_table(w)) for w in self.workers]
        self.delivered = 0

    def _receive(self, rank: int, source: int, message: Any, buffers: list[Any]) -> None:
        self.kinds[type(message).__name__] += 1
        self.workers[rank].receive(source, message, buffers)

    def step(self) -> bool:
        """Deliver one message; False when none is on its way."""
        waiting = self.network.waiting()
        if not waiting:
            return False
        self.network.deliver(self.choose(waiting))
        self.delivered += 1
        return True

    def settle(self) -> None:
        """Deliver until nothing is on its way."""
        while self.step():
            pass

    def run(self, script: Callable[[], Any], rank: int = 0) -> Any:
        """Run `script` as the script of worker `rank` until it ends; what it returns, or its exception."""
        outcome: list[tuple[Any, BaseException | None]] = []

        def body() -> None:
            try:
                outcome.append((script(), None))
            except Exception as error:
                outcome.append((None, error))

        self.workers[rank].tasks.start(body)
        idle = 0
        while not outcome:
            if self.step():
                idle = 0
                continue
            idle += 1
            assert idle < 10, "every worker waits, no message is on its way, and nobody noticed"
            for worker in self.workers:
                worker.on_idle()
        self.settle()
        value, error = outcome[0]
        if error is not None:
            raise error
        return value


def _first(waiting: list[tuple[int, int]]) -> tuple[int, int]:
    return waiting[0]


class _Names:
    def __init__(self, table: dict[str, Any]) -> None:
        self.__dict__.update(table)
