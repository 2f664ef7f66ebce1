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
from typing import Any

import msgspec
import numpy as np

from ..core import dtype as dt
from ..core.array import limits
from ..core.modes import modes
from ..distributed import dist_autograd
from ..distributed.function_table import FunctionTable
from ..distributed.worker import Worker
from ..errors import AgradError, Interrupted
from ..scenario.model import Scenario
from ..scenario.script import Script
from ..torch_api.modules import modules
from ..trace.dist_model import DistErrorRecord
from ..trace.lines import Lines
from ..trace.policy import KeepPolicy
from ..trace.recorder import Recorder, key_of
from ..transport.frame import Framer
from ..transport.local import LocalLink
from .backward import CompiledBackward
from .control import COORDINATOR, AnyControl, Live, Printed, Report, ScriptEnded, Stop
from .failure import explain
from .leaves import make_leaf
from .options import RunOptions
from .roles import Role
from .script_world import ScriptWorld
from .worker_part import make_part
from .worker_report import WorkerReport

IDLE = 0.02  # seconds without a message after which a worker asks whether anything still moves
LIVE_EVERY = 0.05


@dataclass
class Setup:
    """What a worker is started with."""

    rank: int
    names: list[str]
    scenario: Scenario
    options: RunOptions
    mode: str
    start: float
    parent: int
    role: Role
    live: bool = False
    sockets: dict[int, Any] = field(default_factory=dict)


def main(setup: Setup) -> None:
    """The process's entry point."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's business
    _die_with_parent()
    link = LocalLink(setup.rank, setup.names, setup.sockets, Framer(AnyControl))
    try:
        WorkerProcess(setup, link).run()
    finally:
        link.close()


def _die_with_parent() -> None:
    if sys.platform == "linux":
        before = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != before:
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
        self.script: Script | None = self.role.script
        files = {s.file for s in self.role.all_scripts}
        self.recorder = Recorder(Lines(files, self.role.tree), KeepPolicy.parse(self.options.record), self.options.events)
        self.report = WorkerReport(setup.rank, self.recorder, setup.start, self._live if setup.live else None)
        self.world = ScriptWorld(self._print)
        self.worker = Worker(
            setup.rank,
            setup.names,
            link.post,
            FunctionTable(modules()["torch"], self.world.names, self.role.home),
            self.report,
            self._describe,
        )
        self.report.contexts = self.worker.contexts
        self.world.add_distributed(self.worker, dist_autograd)

    # ---- life ----

    def run(self) -> None:
        """Run the script, serve until told to stop, send the report."""
        self._set_up()
        self.worker.tasks.start(self._script_task)
        while self.stop is None:
            self._poll()
        self.worker.tasks.stop()
        self.recorder.remove()
        self._flush_live(force=True)
        part = make_part(
            self.worker,
            self.recorder,
            self.report,
            self.world.variables(),
            "".join(self.printed),
            self._error(),
            self.scenario.device,
        )
        data = np.frombuffer(msgspec.json.encode(part), np.uint8)
        self.link.post(COORDINATOR, Report(), [data])
        self.link.close()

    def _set_up(self) -> None:
        np.seterr(all="ignore")
        dt.default.dtype = dt.NAMES[self.scenario.dtype]
        if self.options.max_elements is not None:
            limits.elements = self.options.max_elements
        if self.options.recording:
            self.recorder.install()
        seed = self.scenario.seed if self.options.seed is None else self.options.seed
        modules()["torch"].manual_seed(seed)

    def _poll(self) -> None:
        events = self.link.poll(IDLE)
        for event in events:
            if event[0] == "message":
                _, source, message, buffers = event
                if source == COORDINATOR:
                    self._control(message)
                else:
                    self.worker.receive(source, message, buffers)
            elif event[1] == COORDINATOR:
                os._exit(1)  # nobody is left to report to
            else:
                self.worker.lost(event[1], event[2])
        if not events:
            self.worker.on_idle()
        self._flush_live(force=False)

    def _control(self, message: Any) -> None:
        if isinstance(message, Stop):
            self.stop = message
            if message.abort and self.failure is None and message.reason is not None and not self.ended:
                self.failure = Interrupted(message.reason)

    ended = False

    # ---- the script ----

    def _script_task(self) -> None:
        try:
            for code in self.role.definitions:
                exec(code, self.world.names)
            if self.role.is_first:
                self._run_first()
            elif self.role.code is not None:
                exec(self.role.code, self.world.names)
        except BaseException as error:
            self.failure = self._describe(error)
        self.ended = True
        self.link.post(COORDINATOR, ScriptEnded(self.failure is None), [])

    def _run_first(self) -> None:
        """The first worker: `tensors:`, its script, and the pass of `backward:` in an implicit context."""
        spec, names = self.scenario.backward, self.world.names
        backward = None if spec is None else CompiledBackward(spec)
        implicit = None if backward is None else dist_autograd.context(self.worker)
        if implicit is not None:
            names["context_id"] = implicit.__enter__()
        try:
            for tensor in self.scenario.tensors:
                self.recorder.lines.fallback = tensor.place.line
                names[tensor.name] = make_leaf(tensor, self.scenario.folder, self.scenario.device)
            self.recorder.lines.fallback = None
            if self.role.code is not None:
                exec(self.role.code, names)
            if backward is not None:
                self.recorder.lines.fallback = backward.spec.place.line
                backward.run_distributed(names, names["context_id"], self.worker.engine)
        finally:
            if implicit is not None:
                implicit.__exit__(None, None, None)

    def _describe(self, error: BaseException) -> AgradError:
        script = self.script or self.role.all_scripts[0]
        found = explain(error, script, self.world.variables())
        if (
            found.place is None
            and self.scenario.backward is not None
            and self.role.is_first
            and not isinstance(error, Interrupted)
        ):
            found.place = self.scenario.backward.place
        return found

    # ---- out ----

    def _print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", file: None = None, flush: bool = False) -> None:
        text = (" " if sep is None else sep).join(str(v) for v in values) + ("\n" if end is None else end)
        self.printed.append(text)
        self.link.post(COORDINATOR, Printed(text), [])

    def _live(self, now: float, kind: str, message_id: str | None, peer: int | None) -> None:
        self.live_events.append((now, kind, message_id, peer))

    def _flush_live(self, *, force: bool) -> None:
        now = time.perf_counter()
        if self.live_events and (force or now - self.live_sent > LIVE_EVERY):
            events, self.live_events = self.live_events, []
            dropped = max(0, len(events) - 1000)
            self.link.post(COORDINATOR, Live(events[dropped:], dropped), [])
            self.live_sent = now

    def _error(self) -> DistErrorRecord | None:
        found = self.failure
        if found is None:
            return None
        from ..trace.codec import error_record

        node = None
        if found.node is not None:
            from ..trace.assemble import GraphBuilder

            node = GraphBuilder(self.recorder, self.world.variables()).ids.get(key_of(found.node))
        plain = error_record(found, node)
        return DistErrorRecord(
            **{f: getattr(plain, f) for f in plain.__struct_fields__}, worker=self.setup.names[self.setup.rank]
        )


assert modes is not None
