"""``torch.futures`` as a script sees it: values that arrive later, and what to do with them when they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from greenlet import GreenletExit

from ..core.modes import modes
from ..errors import BadArgument, BadArgumentType, RemoteFailure
from . import tasks

STOPPED = (KeyboardInterrupt, SystemExit, GreenletExit)  # the run is over


class Future:
    """A value that arrives later, such as the result of ``rpc_async``."""

    __slots__ = ("_arrival",)

    def __init__(self, arrival: tasks.Future) -> None:
        self._arrival = arrival

    def done(self) -> bool:
        """Whether the value, or the error that took its place, is here."""
        return self._arrival.done

    def wait(self) -> Any:
        """The value, once it is here; raises the error that took its place."""
        return self._arrival.wait()

    def value(self) -> Any:
        """The value of a future that is done."""
        if not self._arrival.done:
            raise BadArgument(
                "value() of a future that is not done: its value has not arrived",
                hint="wait() waits for it; value() is for callbacks of then(), and for after wait()",
            )
        return self._arrival.wait()

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """The future of ``callback(self)``, which is called once this one is done."""
        _check_callback("then", callback)
        result = tasks.Future(self._arrival.tasks)
        result.records = self._arrival.records

        def call() -> None:
            # See Note [Callbacks are tasks]
            try:
                value = callback(self)
            except STOPPED:
                raise
            except BaseException as error:
                if not isinstance(error, Exception):  # what no script can catch, no callback can change
                    result.set_error(error)
                    return
                result.set_error(RuntimeError(f"Got the following error when running the callback: {_shown(error)}"))
            else:
                result.set_result(value)

        self._when_done(call)
        return Future(result)

    def _when_done(self, call: Callable[[], None]) -> None:
        arrival = self._arrival
        if arrival.done:
            call()
        else:

            def in_task() -> None:
                modes.grad_enabled = arrival.records
                call()

            arrival.when_done(lambda _: arrival.tasks.start(in_task))


# Note [Callbacks are tasks]
#     A callback is the script's code and may itself call other workers and wait, so it gets a task of its own. As in PyTorch it has
#     the grad mode in which the call was made, and no context, unless the value was there already: then it runs at once.


def _check_callback(name: str, callback: Any) -> None:
    if not callable(callback):
        raise BadArgumentType(f"{name}() takes a function of one future, not a {type(callback).__name__}")


def _shown(error: BaseException) -> str:
    return str(error) if isinstance(error, RemoteFailure) else f"{type(error).__name__}: {error}"


def _checked(name: str, futures: Any) -> list[Future]:
    if not isinstance(futures, (list, tuple)) or not all(isinstance(f, Future) for f in futures):
        raise BadArgumentType(
            f"torch.futures.{name}() takes a list of futures", hint="a future is what rpc_async, then and collect_all return"
        )
    return list(futures)


def futures_table(loop: tasks.Tasks) -> dict[str, Any]:
    """The names of ``torch.futures`` for one worker."""

    def collect_all(futures: Sequence[Future]) -> Future:
        """The future of the list of these futures, done when all of them are; it fails when one of them did."""
        given = _checked("collect_all", futures)
        result = tasks.Future(loop)
        left = len(given)

        def one_done(arrival: tasks.Future) -> None:
            nonlocal left
            left -= 1
            result.records = arrival.records
            if not left:
                finish()

        def finish() -> None:
            failed = next((f._arrival.error for f in given if f._arrival.error is not None), None)
            result.set_result(given) if failed is None else result.set_error(failed)

        for future in given:
            future._arrival.when_done(one_done)
        if not given:
            finish()
        return Future(result)

    def wait_all(futures: Sequence[Future]) -> list[Any]:
        """The values of these futures, once all are here; raises the first error among them."""
        return [f.wait() for f in collect_all(_checked("wait_all", futures)).wait()]

    return {"Future": Future, "collect_all": collect_all, "wait_all": wait_all}
