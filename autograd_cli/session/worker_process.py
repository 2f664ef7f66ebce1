"""The process of one worker: runs its script as a task, serves the others, reports, ends.

It ends with its coordinator, however that ends: the coordinator's socket closes, and on Linux the kernel signals it too.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from dataclasses import dataclass, field
from multiprocessing import forkserver
from typing import Any

import msgspec

from ..core.device_streams import manual_seed
from ..distributed import dist_autograd
from ..distributed.function_table import FunctionTable
from ..distributed.worker import Worker
from ..errors import AgradError, Interrupted
from ..scenario.model import Scenario
from ..torch_api.modules import modules
from ..trace.dist_model import DistErrorRecord
from ..trace.event_recorder import EventRecorder
from ..trace.lines import Lines
from ..trace.policy import KeepPolicy
from ..trace.recorder import Recorder
from ..transport.base import COORDINATOR
from ..transport.frame import Framer
from ..transport.local import LocalLink
from .backward import CompiledBackward
from .control import AnyControl, Live, Printed, Report, ScriptEnded, Stop
from .failure import explain, record_of
from .leaves import make_leaf
from .local import run_state, syntax_in_file
from .options import RunOptions
from .roles import Role
from .script_world import ScriptWorld
from .tuning import tune_process
from .worker_part import make_part
from .worker_report import WorkerReport

IDLE = 0.02  # seconds without a message after which a worker asks whether anything still moves
LIVE_EVERY = 0.05
LIVE_EVENTS = 1000  # of one batch; older ones are dropped and counted


@dataclass
class Setup:
    """What a worker is started with."""

    rank: int
    names: list[str]
    scenario: Scenario
    options: RunOptions
    role: Role
    start: float
    seed: int
    device: str
    mode: str | None = None  # what the command line asks for
    live: bool = False
    sockets: dict[int, Any] = field(default_factory=dict)


def main(setup: Setup) -> None:
    """The process's entry point."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's business
    _die_with_parent()
    tune_process()
    link = LocalLink(setup.rank, setup.names, setup.sockets, Framer(AnyControl))
    try:
        with run_state(setup.scenario, setup.options, setup.device):
            WorkerProcess(setup, link).run()
    finally:
        link.close()


def _die_with_parent() -> None:
    """On Linux, let the kernel end this process when the one that forked it ends.

    That is the fork server, which ends when nobody holds its pipe any more: the coordinator, and by inheritance every worker. So the
    worker, which starts no process itself, lets go of it.
    """
    if sys.platform == "linux":
        pipe = getattr(getattr(forkserver, "_forkserver", None), "_forkserver_alive_fd", None)
        if pipe is not None:
            os.close(pipe)
            forkserver._forkserver._forkserver_alive_fd = None  # type: ignore[attr-defined]
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)


class WorkerProcess:
    """One worker in its process."""

    def __init__(self, setup: Setup, link: LocalLink) -> None:
        self.setup, self.link, self.role = setup, link, setup.role
        self.scenario, self.options = setup.scenario, setup.options
        self.printed: list[str] = []
        self.live_events: list[tuple[float, str, str | None, int | None]] = []
        self.live_sent = 0.0
        self.stop: Stop | None = None
        self.failure: AgradError | None = None
        self.ended = False
        scripts = self.role.scripts or self.role.all_scripts
        self.script = scripts[-1]
        lines = Lines({s.file for s in self.role.all_scripts}, [syntax_in_file(s) for s in self.role.all_scripts])
        self.recorder = (EventRecorder if self.options.events else Recorder)(lines, KeepPolicy.parse(self.options.record))
        self.report = WorkerReport(setup.rank, self.recorder, setup.start, self._live if setup.live else None)
        self.functions = FunctionTable(modules()["torch"], {}, self.role.home)
        told = self.report if self.options.recording or setup.live else None
        mode = setup.mode or setup.scenario.mode or "fast"
        self.worker = Worker(setup.rank, setup.names, link.post, self.functions, told, self._describe, link.post_soon, mode)
        self.report.contexts = self.worker.contexts
        self.world = ScriptWorld(self._print, setup.seed, dist_autograd.tables(self.worker))
        self.functions.script = self.world.names
        self.world.give(rank=setup.rank, world_size=len(setup.names), name=setup.names[setup.rank])

    # ---- life ----

    def run(self) -> None:
        """Run the script, serve until told to stop, send the report."""
        if self.options.recording:
            self.recorder.install()
        manual_seed(self.setup.seed)
        self.worker.tasks.start(self._script_task)
        while self.stop is None:
            self._poll()
        self.worker.engine.stop(Interrupted(self.stop.reason or "the run has ended"))
        self.worker.tasks.stop()
        self.recorder.remove()
        self._flush_live(force=True)
        self._send_report()

    def _send_report(self) -> None:
        text = "".join(self.printed)
        part = make_part(self.worker, self.recorder, self.report, self.world.variables(), text, self._error(), self.setup.device)
        self.link.post(COORDINATOR, Report(), [msgspec.json.encode(part)])

    def _poll(self) -> None:
        events = self.link.poll(IDLE)
        for event in events:
            if event[0] == "lost":
                if event[1] == COORDINATOR:
                    os._exit(1)  # nobody is left to report to
                self.worker.lost(event[1], event[2])
            elif event[1] == COORDINATOR:
                self._control(event[2])
            else:
                self.worker.receive(event[1], event[2], event[3])
        if not events:
            self.worker.on_idle()
        self._flush_live(force=False)

    def _control(self, message: Any) -> None:
        if isinstance(message, Stop):
            self.stop = message
            if message.reason is not None and self.failure is None and not self.ended:
                self.failure = Interrupted(message.reason)

    # ---- the script ----

    def _script_task(self) -> None:
        try:
            definitions, scripts = self.role.compiled()
            for code in definitions:
                exec(code, self.world.names)
            if self.role.is_first:
                self._run_first(scripts)
            else:
                for code in scripts:
                    exec(code, self.world.names)
        except BaseException as error:
            if not isinstance(error, self.worker.stopped):
                self.failure = self._describe(error)
        self.ended = True
        self.link.post(COORDINATOR, ScriptEnded(self.failure is None))

    def _run_first(self, scripts: list[Any]) -> None:
        """The first worker: `tensors:`, its script, and the pass of `backward:` in an implicit context."""
        spec, names, lines = self.scenario.backward, self.world.names, self.recorder.lines
        backward = None if spec is None else CompiledBackward(spec)
        implicit = None if backward is None else dist_autograd.context(self.worker)
        if implicit is not None:
            names["context_id"] = implicit.__enter__()
        try:
            for tensor in self.scenario.tensors:
                lines.fallback = tensor.place.line
                names[tensor.name] = make_leaf(tensor, self.scenario.folder, self.setup.device, modules()["torch"])
            lines.fallback = None
            for code in scripts:
                exec(code, names)
            if backward is not None:
                lines.fallback = backward.spec.place.line
                backward.run_distributed(names, names["context_id"], self.worker.engine, self.setup.mode)
        finally:
            if implicit is not None:
                implicit.__exit__(None, None, None)

    def _describe(self, error: BaseException) -> AgradError:
        found = explain(error, self.script, self.world.names)
        if found.place is None and self.scenario.backward is not None and self.role.is_first:
            found.place = self.scenario.backward.place
        return found

    # ---- out ----

    def _print(self, *values: Any, sep: str = " ", end: str = "\n") -> None:
        text = sep.join(str(v) for v in values) + end
        self.printed.append(text)
        self.link.post(COORDINATOR, Printed(text))

    def _live(self, now: float, kind: str, message_id: str | None, peer: int | None) -> None:
        self.live_events.append((now, kind, message_id, peer))
        self._flush_live(force=False)  # what comes next may be a script's function that runs long

    def _flush_live(self, *, force: bool) -> None:
        now = time.perf_counter()
        if self.live_events and (force or now - self.live_sent > LIVE_EVERY):
            events, self.live_events = self.live_events, []
            dropped = max(0, len(events) - LIVE_EVENTS)
            self.link.post(COORDINATOR, Live(events[dropped:], dropped))
            self.live_sent = now

    def _error(self) -> DistErrorRecord | None:
        found = self.failure
        if found is None:
            return None
        plain = record_of(found, self.recorder, self.world.variables(), self.script)
        return DistErrorRecord.of(plain, self.setup.names[self.setup.rank])
