"""Tasks: calls of user code that may wait for an answer, on the worker's one loop.

Each call that runs user code has a greenlet; waiting switches back to the loop. So there is no thread, no limit on nesting, and no
stack inversion. What PyTorch keeps per thread (grad mode, the current context) belongs to the task and is swapped where a task
goes on, which is one place.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from greenlet import getcurrent, greenlet

from ..core.modes import Modes, modes

FRESH = Modes().snapshot()  # what a task begins with, whatever runs now: a call has none of its caller's modes, as in PyTorch


class Task(greenlet):  # type: ignore[misc]
    """Runs one job after another; a finished task waits in the pool for the next."""

    job: tuple[Callable[..., None], tuple[Any, ...]] | None
    context: int | None
    saved: tuple[Any, ...]

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self.tasks = tasks
        self.gr_context = copy_context()  # NumPy's errstate is a context variable: a new context would have its default
        self.job = None
        self.context = None
        self.saved = FRESH

    def run(self) -> None:
        while self.job is not None:
            function, args = self.job
            function(*args)
            del function, args
            self.job = None
            self.tasks.idle.append(self)
            self.parent.switch()


class Future:
    """A value that arrives later."""

    __slots__ = ("_waiting", "callbacks", "done", "error", "line", "records", "tasks", "value")

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.done = False
        self.value: Any = None
        self.error: BaseException | None = None
        self.callbacks: list[Callable[[Future], None]] = []
        self.line: int | None = None  # of the call whose result this is
        self.records = True  # whether that call was made where operations record
        self._waiting: list[Task] = []

    def set_result(self, value: Any) -> None:
        """The value is here: whoever waits goes on."""
        self.value = value
        self._finish()

    def set_error(self, error: BaseException) -> None:
        """It will never come, because of `error`."""
        self.error = error
        self._finish()

    def _finish(self) -> None:
        self.done = True
        for callback in self.callbacks:
            callback(self)
        waiting, self._waiting = self._waiting, []
        for task in waiting:
            self.tasks.resume(task)

    def when_done(self, callback: Callable[[Future], None]) -> None:
        """Call `callback(self)` once it is done, now if it is."""
        if self.done:
            callback(self)
        else:
            self.callbacks.append(callback)

    def wait_for_end(self) -> None:
        """Wait until it is done, well or not."""
        if not self.done:
            self._waiting.append(self.tasks.suspend())
            self.tasks.back_to_loop()

    def wait(self) -> Any:
        """The value, once it is here; raises the error that took its place."""
        self.wait_for_end()
        if self.error is not None:
            raise self.error
        return self.value


class Tasks:
    """The tasks of one worker.

    Attributes
    ----------
    current_context : int or None
        The distributed autograd context of the task that runs.
    idle : list of Task
        The pool: making a greenlet costs more than a small call.
    """

    def __init__(self) -> None:
        self.idle: list[Task] = []
        self.current_context: int | None = None
        self.waiting: set[Task] = set()

    def start(self, function: Callable[..., None], *args: Any, context: int | None = None) -> None:
        """Run `function` as a task until it ends or waits."""
        task = self.idle.pop() if self.idle else Task(self)
        task.parent = getcurrent()
        task.job, task.context = (function, args), context
        task.saved = FRESH
        self.resume(task)

    def resume(self, task: Task) -> None:
        """Let `task` go on until it ends or waits again: the only place where a task begins to run."""
        before, context = modes.snapshot(), self.current_context
        self.waiting.discard(task)
        task.parent = getcurrent()
        modes.restore(task.saved)
        self.current_context = task.context
        try:
            task.switch()
        finally:
            modes.restore(before)
            self.current_context = context

    def suspend(self) -> Task:
        """The running task, made ready to wait."""
        task = getcurrent()
        if not isinstance(task, Task):
            raise RuntimeError("only a task can wait: this code runs on the loop itself")
        task.saved, task.context = modes.snapshot(), self.current_context
        self.waiting.add(task)
        return task

    def back_to_loop(self) -> None:
        """Leave the running task where it is; the loop goes on."""
        getcurrent().parent.switch()

    def stop(self) -> None:
        """End every task that waits: their ``finally`` and ``with`` blocks run."""
        for task in list(self.waiting):
            task.throw()
        self.waiting.clear()
        self.idle.clear()
