"""Run a scenario in this process."""

from __future__ import annotations

import ast
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import limits, module_of_device
from ..core.device import defaults
from ..core.device_streams import manual_seed
from ..core.mode_listener import all_modes_off
from ..core.modes import modes
from ..core.node import number_from_here
from ..core.print_options import get_printoptions, set_printoptions
from ..core.tensor import Tensor
from ..core.view import edge_or_none
from ..errors import DeviceUnavailable, Unsupported
from ..scenario.model import Scenario
from ..scenario.sandbox import compile_script
from ..scenario.script import Script
from ..torch_api.modules import modules
from ..trace.assemble import assemble
from ..trace.event_recorder import EventRecorder
from ..trace.lines import Lines
from ..trace.model import ErrorRecord, ScenarioRecord, Trace
from ..trace.policy import KeepPolicy
from ..trace.recorder import Recorder
from .backward import CompiledBackward
from .failure import explain, record_of
from .leaves import make_leaf
from .limits import time_limit
from .options import RunOptions
from .script_world import ScriptWorld


def run_scenario(scenario: Scenario, options: RunOptions | None = None) -> Trace:
    """Run `scenario` and tell what happened.

    Errors while it runs are in the Trace (``status`` is ``error``).

    Raises
    ------
    AgradError
        With ``exit_code`` 2: it could not be started.
    """
    return LocalRun(scenario, options or RunOptions()).run()


class LocalRun:
    """One run: the script's names, its output, the Recorder, and what stopped it."""

    def __init__(self, scenario: Scenario, options: RunOptions) -> None:
        if scenario.is_distributed or isinstance(scenario.script, dict):
            raise Unsupported("this scenario has `workers`: it needs a distributed run")
        self.scenario, self.options = scenario, options
        self.script: Script = scenario.script
        self.device = known_device(options.device or scenario.device)
        self.seed = scenario.seed if options.seed is None else options.seed
        self.code = compile_script(self.script)
        self.backward = CompiledBackward(scenario.backward) if scenario.backward else None
        self.printed: list[str] = []
        self.world = ScriptWorld(self._print, self.seed)
        self.started = time.perf_counter()
        policy = KeepPolicy.parse(options.record)
        on_pass = self._on_pass if options.on_progress else None
        listener = EventRecorder if options.events else Recorder
        self.recorder = listener(Lines({self.script.file}, [syntax_in_file(self.script)]), policy, on_pass)

    def run(self) -> Trace:
        """Run it; the Trace of what happened."""
        error: ErrorRecord | None = None
        with run_state(self.scenario, self.options, self.device):
            try:
                if self.options.recording:
                    self.recorder.install()
                manual_seed(self.seed)
                with time_limit(self.options.timeout):
                    self._execute()
            except BaseException as stopped:
                error = self._error(stopped)
            finally:
                self._renew_views()
                self.recorder.remove()
            record = scenario_record(self.scenario, self.seed, self.device)
            return assemble(
                self.recorder,
                self.world.variables(),
                scenario=record,
                stdout="".join(self.printed),
                error=error,
                largest=self.options.written_elements,
            )

    def _execute(self) -> None:
        names, lines = self.world.names, self.recorder.lines
        for spec in self.scenario.tensors:
            lines.fallback = spec.place.line
            names[spec.name] = make_leaf(spec, self.scenario.folder, self.device, modules()["torch"])
        lines.fallback = None
        exec(self.code, names)
        if self.backward is not None:
            lines.fallback = self.backward.spec.place.line
            self.backward.run(names, modules()["torch"])

    def _renew_views(self) -> None:
        """A view whose base was changed makes its node when it is asked: now, while the Recorder listens."""
        self.recorder.lines.fallback = None
        for value in self.world.variables().values():
            if isinstance(value, Tensor):
                edge_or_none(value)

    def _print(self, *values: Any, sep: str = " ", end: str = "\n") -> None:
        text = sep.join(str(v) for v in values) + end
        self.printed.append(text)
        if self.options.on_print is not None:
            self.options.on_print(text)

    def _on_pass(self, done: int) -> None:
        assert self.options.on_progress is not None
        self.options.on_progress(done, time.perf_counter() - self.started)

    def _error(self, stopped: BaseException) -> ErrorRecord:
        found = explain(stopped, self.script, self.world.names)
        if found.place is None and self.backward is not None:
            found.place = self.backward.spec.place
        return record_of(found, self.recorder, self.world.variables(), self.script)


def scenario_record(scenario: Scenario, seed: int, device: str) -> ScenarioRecord:
    """What was run, for the document."""
    path = str(scenario.path) if scenario.path else None
    return ScenarioRecord(path=path, title=scenario.title, seed=seed, device=device, dtype=scenario.dtype)


def known_device(device: str) -> str:
    """`device`, once it is sure that it is there; ``auto`` becomes the GPU where there is one."""
    if device != "auto":
        module_of_device(device)
        return device
    try:
        module_of_device("cuda")
    except DeviceUnavailable:
        return "cpu"
    return "cuda"


@contextmanager
def run_state(scenario: Scenario, options: RunOptions, device: str) -> Iterator[None]:
    """What is global while a scenario runs, put back at its end."""
    before = (
        dt.default.dtype,
        limits.elements,
        defaults.device,
        modes.snapshot(),
        modes.order_matters,
        np.geterr(),
        gc.get_threshold(),
        get_printoptions(),
    )
    np.seterr(all="ignore")  # PyTorch says nothing of divisions by zero or overflows: nan and inf tell
    modes.restore((True, False, *modes.snapshot()[2:]))
    modes.order_matters = False
    number_from_here()
    dt.default.dtype = dt.NAMES[scenario.dtype]
    defaults.device = None if device == "cpu" else device
    if options.max_elements is not None:
        limits.elements = options.max_elements
    gc.set_threshold(50_000, 50, 100)  # graphs have no cycles; see Recorder.install
    try:
        yield
    finally:
        all_modes_off()
        dt.default.dtype, limits.elements, defaults.device, mode, modes.order_matters, errors, thresholds, printing = before
        modes.restore(mode)
        np.seterr(**errors)
        gc.set_threshold(*thresholds)
        set_printoptions(**printing)


def syntax_in_file(script: Script) -> ast.Module:
    """The script as syntax, with the lines it has in its file."""
    tree = ast.parse(script.text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)):
            node.lineno, _ = script.file_position(node.lineno, 0)
            node.end_lineno, _ = script.file_position(node.end_lineno or node.lineno, 0)
    return tree
