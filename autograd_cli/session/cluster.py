"""The coordinator of a distributed run: starts the workers, shows what they do, gathers their parts, and always stops them."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import msgspec

from ..errors import AgradError, BadArgumentValue, Interrupted, LimitExceeded, WorkerDied, WorkerTimeout
from ..scenario.model import Scenario
from ..trace.dist_model import DistTrace
from ..transport.base import COORDINATOR
from ..transport.frame import Framer
from ..transport.local import LocalLink
from ..transport.sockets import Mesh
from .control import AnyControl, Live, Printed, Report, ScriptEnded, Stop
from .gather import Outcome, gather
from .local import known_device
from .options import RunOptions
from .roles import roles, worker_names
from .worker_part import WorkerPart
from .worker_process import Setup, main

MOST_WORKERS = 512
GRACE = 2.0  # seconds that a worker gets to send its report and end
LOOK_EVERY, STOPPED_FOR = 0.25, 2.0  # seconds: how often stopped workers are looked for, and how long one may be stopped
ABORTED = 0.5  # the same where the run was interrupted or a worker died: one that is busy cannot answer
BACKEND = "processes"


@dataclass
class DistOptions:
    """How a distributed scenario is run, beside RunOptions.

    Attributes
    ----------
    workers : int, optional
        Instead of the scenario's count.
    mode : {"fast", "smart"}, optional
        Instead of what the scenario says.
    on_print : callable, optional
        Gets (worker name, text) of what scripts print.
    on_stage : callable, optional
        Gets (worker rank, time, kind, message id, peer) of each stage as it begins.
    on_start : callable, optional
        Gets the names of the workers and their process ids, once they run.
    """

    workers: int | None = None
    mode: str | None = None
    on_print: Callable[[str, str], None] | None = None
    on_stage: Callable[[int, float, str, str | None, int | None], None] | None = None
    on_start: Callable[[list[str], list[int]], None] | None = None
    on_wait: Callable[[], None] | None = None


def run_distributed(scenario: Scenario, options: RunOptions | None = None, dist: DistOptions | None = None) -> DistTrace:
    """Run `scenario` over worker processes and tell what happened.

    Raises
    ------
    AgradError
        With ``exit_code`` 2: it could not be started.
    """
    return Cluster(scenario, options or RunOptions(), dist or DistOptions()).run()


class Cluster:
    """One distributed run, seen from the coordinator."""

    def __init__(self, scenario: Scenario, options: RunOptions, dist: DistOptions) -> None:
        if dist.workers is not None and not 1 <= dist.workers <= MOST_WORKERS:
            raise BadArgumentValue(f"--workers {dist.workers}: a run has 1 to {MOST_WORKERS} workers")
        self.scenario, self.options, self.dist = scenario, options, dist
        self.names = worker_names(scenario, dist.workers)
        self.roles = roles(scenario, self.names)
        for role in self.roles:
            role.compiled()  # complaints about the scripts come before anything is started
        self.device = known_device(options.device or scenario.device)
        self.seed = scenario.seed if options.seed is None else options.seed
        self.start = time.perf_counter()
        self.processes: list[Any] = []
        self.parts: dict[int, WorkerPart] = {}
        self.ended: dict[int, bool] = {}
        self.gone: list[int] = []
        self.problem: AgradError | None = None
        self.culprit: str | None = None  # the worker whose problem it is
        self.link: LocalLink | None = None
        self.patience = GRACE
        self.looked = 0.0
        self.stopped_since: dict[int, float] = {}

    def run(self) -> DistTrace:
        """Start, watch, stop, gather."""
        try:
            self._start_workers()
            self._watch()
            self._collect()
        except KeyboardInterrupt:
            self.problem = Interrupted("interrupted by the user")
            self._collect("the run was interrupted")
        finally:
            self._end_processes()
        mode = self.dist.mode or self.scenario.mode or "fast"
        pids = [p.pid for p in self.processes]
        outcome = Outcome(
            self.names, self.parts, self.gone, pids, self.problem, self.culprit, mode, BACKEND, self.seed, self.device
        )
        return gather(self.scenario, outcome)

    # ---- starting ----

    def _start_workers(self) -> None:
        context: Any = multiprocessing.get_context("forkserver" if sys.platform != "win32" else "spawn")
        if sys.platform != "win32":
            context.set_forkserver_preload(["autograd_cli.session.worker_process"])
        sent_on = replace(self.options, on_print=None, on_progress=None)  # callbacks stay here
        with Mesh(len(self.names)) as mesh, _no_main_module():
            for rank, sockets in mesh.workers():
                setup = Setup(
                    rank, self.names, self.scenario, sent_on, self.roles[rank], self.start, self.seed, self.device,
                    self.dist.mode, self.dist.on_stage is not None, sockets,
                )  # fmt: skip
                process = context.Process(target=main, args=(setup,), name=self.names[rank], daemon=True)
                process.start()
                self.processes.append(process)
            self.link = LocalLink(COORDINATOR, self.names, mesh.coordinator(), Framer(AnyControl))
        if self.dist.on_start is not None:
            self.dist.on_start(self.names, [p.pid for p in self.processes])

    # ---- watching ----

    def _watch(self) -> None:
        """Until every script has ended, or one has failed."""
        limit = self.options.timeout
        while len(self.ended) + len(self.gone) < len(self.names):
            self._turn(0.1)
            if self.gone or not all(self.ended.values()):
                return
            if self._find_stopped():
                return
            if limit is not None and time.perf_counter() - self.start > limit:
                self.problem = LimitExceeded(
                    f"the run took longer than {limit:g} s and was stopped", hint="give --timeout a larger number"
                )
                return

    def _find_stopped(self) -> bool:
        """Whether a worker has been stopped (SIGSTOP) for a while: it would be waited for without end."""
        now = time.perf_counter()
        if now - self.looked < LOOK_EVERY:
            return False
        self.looked = now
        for rank, process in enumerate(self.processes):
            if not is_stopped(process.pid):
                self.stopped_since.pop(rank, None)
            elif now - self.stopped_since.setdefault(rank, now) > STOPPED_FOR:
                self.culprit = self.names[rank]
                self.problem = WorkerTimeout(
                    f"{self.culprit} (process {process.pid}) is stopped and does not answer",
                    hint="let it go on with: kill -CONT",
                )
                return True
        return False

    def _turn(self, timeout: float) -> None:
        assert self.link is not None
        for event in self.link.poll(timeout):
            if event[0] == "lost":
                self._lost(event[1])
            else:
                self._take(event[1], event[2], event[3])
        if self.dist.on_wait is not None:
            self.dist.on_wait()

    def _take(self, rank: int, message: Any, buffers: list[Any]) -> None:
        if isinstance(message, Printed) and self.dist.on_print is not None:
            self.dist.on_print(self.names[rank], message.text)
        elif isinstance(message, Live) and self.dist.on_stage is not None:
            for now, kind, message_id, peer in message.events:
                self.dist.on_stage(rank, now, kind, message_id, peer)
        elif isinstance(message, ScriptEnded):
            self.ended[rank] = message.ok
        elif isinstance(message, Report):
            self.parts[rank] = msgspec.json.decode(bytes(buffers[0]), type=WorkerPart)

    def _lost(self, rank: int) -> None:
        if rank in self.parts:
            return
        process = self.processes[rank]
        process.join(GRACE)
        self.gone.append(rank)
        if self.problem is None:
            self.culprit = self.names[rank]
            self.problem = WorkerDied(
                f"{self.culprit} (process {process.pid}) {_how_it_ended(process.exitcode)}",
                hint="the other workers were stopped; nothing of the pass was kept",
            )

    # ---- stopping ----

    def _collect(self, reason: str | None = None) -> None:
        """Tell every worker to stop and take their reports."""
        if self.link is None:
            return
        failed = [r for r, ok in self.ended.items() if not ok]
        if reason is None and (failed or self.gone or self.problem is not None):
            whose = self.names[(failed or self.gone or [0])[0]]
            reason = str(self.problem) if self.problem is not None else f"stopped, because the script of {whose} failed"
        for rank in range(len(self.names)):
            if rank not in self.gone:
                self.link.post(rank, Stop(reason is not None, reason))
        self.patience = GRACE if reason is None or not (self.gone or self.problem) else ABORTED
        deadline = time.perf_counter() + max(self.patience, 0.05 * len(self.names))
        while len(self.parts) + len(self.gone) < len(self.names) and time.perf_counter() < deadline:
            self._turn(0.05)

    def _end_processes(self) -> None:
        if self.link is not None:
            self.link.close(self.patience)
        deadline = time.perf_counter() + self.patience
        for process in self.processes:
            if time.perf_counter() < deadline:
                process.join(deadline - time.perf_counter())
            if process.exitcode is None:
                process.kill()
                process.join()


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, where /proc tells."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] == b"T"
    except OSError:
        return False


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "does not answer any more"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return f"was killed by {name}"
    return f"ended with status {code}"


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Workers need nothing of the program that started the run, so they do not import it again."""
    before = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = before
