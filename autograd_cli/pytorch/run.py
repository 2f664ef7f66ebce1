"""Run a scenario under PyTorch: the same script, through the same sandbox, with PyTorch's own objects behind the names."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ..errors import AgradError, BadArgumentValue, DeviceUnavailable, Interrupted, Unsupported
from ..scenario.model import Scenario
from ..scenario.sandbox import compile_script
from ..scenario.script import Script
from ..session.backward import CompiledBackward
from ..session.failure import place_of
from ..session.leaves import make_leaf
from ..session.limits import time_limit
from ..session.local import scenario_record
from ..session.options import RunOptions
from ..session.script_world import ScriptWorld
from ..trace.codec import error_record
from ..trace.model import ErrorRecord, Trace
from ..trace.policy import KeepPolicy
from .assemble import assemble
from .doors import safe_arrays
from .guards import PyTorchGuards
from .names import namespaces
from .watch import Watch


def run_in_pytorch(scenario: Scenario, options: RunOptions | None = None) -> Trace:
    """Run `scenario` under PyTorch and tell what happened, as `run_scenario` does for agrad.

    Parameters
    ----------
    scenario : Scenario
        Of one process.
    options : RunOptions, optional
        ``device``, ``seed``, ``record``, ``timeout``, ``written_elements`` and ``on_print`` are heard.

    Returns
    -------
    Trace
        With what PyTorch lets one see: no lines of nodes, no peak of memory, of errors the type, the line and PyTorch's own words.
        Nodes that nothing reaches any more at the end of a pass or of the run are not there.

    Raises
    ------
    AgradError
        With ``exit_code`` 2: it could not be started.
    """
    return PyTorchRun(scenario, options or RunOptions()).run()


class PyTorchRun:
    """One run under PyTorch: the script's names, its output, what was seen, and what stopped it."""

    def __init__(self, scenario: Scenario, options: RunOptions) -> None:
        if scenario.is_distributed or isinstance(scenario.script, dict):
            raise Unsupported("this scenario has `workers`, and PyTorch is asked about one process")
        self.scenario, self.options = scenario, options
        self.script: Script = scenario.script
        self.device = known_device(options.device or scenario.device)
        self.seed = scenario.seed if options.seed is None else options.seed
        self.code = compile_script(self.script, every_attribute=True)
        self.backward = CompiledBackward(scenario.backward, every_attribute=True) if scenario.backward else None
        self.printed: list[str] = []
        self.watch = Watch(self.script.file, KeepPolicy.parse(options.record))

    def run(self) -> Trace:
        """Run it; the Trace of what happened."""
        error: ErrorRecord | None = None
        with run_state(self.scenario.dtype, self.device), self.watch.installed(), safe_arrays():
            spaces = namespaces()
            world = ScriptWorld(self._print, self.seed, torch=spaces, guards=PyTorchGuards(spaces))
            try:
                torch.manual_seed(self.seed)
                with time_limit(self.options.timeout):
                    self._execute(world.names)
            except BaseException as stopped:
                error = self._error(stopped)
            return assemble(
                self.watch,
                world.variables(),
                scenario=scenario_record(self.scenario, self.seed, self.device),
                stdout="".join(self.printed),
                error=error,
                largest=self.options.written_elements,
            )

    def _execute(self, names: dict[str, Any]) -> None:
        for spec in self.scenario.tensors:
            names[spec.name] = make_leaf(spec, self.scenario.folder, self.device, torch)
        exec(self.code, names)
        if self.backward is not None:
            self.watch.fallback = self.backward.spec.place.line
            self.backward.run(names, torch)

    def _print(self, *values: Any, sep: str = " ", end: str = "\n") -> None:
        text = sep.join(str(v) for v in values) + end
        self.printed.append(text)
        if self.options.on_print is not None:
            self.options.on_print(text)

    def _error(self, stopped: BaseException) -> ErrorRecord:
        """What stopped the script: an error of agrad's as it is, PyTorch's and Python's by type, line and first line of text."""
        if isinstance(stopped, KeyboardInterrupt):
            stopped = Interrupted("interrupted by the user")
        place = place_of(stopped.__traceback__, self.script)
        if isinstance(stopped, AgradError):
            stopped.place = stopped.place or place
            return error_record(stopped)
        if place is None and self.backward is not None:
            place = self.backward.spec.place
        text = str(stopped).splitlines()
        found = PyTorchError(text[0] if text else "", place=place)
        found.type_name = type(stopped).__name__
        return error_record(found)


class PyTorchError(AgradError):
    """What PyTorch or Python raised; ``type_name`` says what it was."""

    kind_name = "ScriptRaised"


def known_device(device: str) -> str:
    """`device`, once it is sure that PyTorch has it; ``auto`` becomes the GPU where there is one."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        found = torch.device(device)
    except RuntimeError:
        raise BadArgumentValue(f"PyTorch knows no device {device}") from None
    if found.type == "cuda" and (found.index or 0) >= torch.cuda.device_count():
        raise DeviceUnavailable(f"the installed PyTorch {torch.__version__} has no device {device}")
    return device


@contextmanager
def run_state(dtype: str, device: str) -> Iterator[None]:
    """What is global in PyTorch while a scenario runs, put back at its end.

    Its oneDNN kernels are off: whether there are any depends on the machine, and with them a recurrent layer is one node that shows
    nothing of what it does.
    """
    dtype_before, threads, stream = torch.get_default_dtype(), torch.get_num_threads(), torch.get_rng_state()
    anomaly = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    onednn, torch.backends.mkldnn.enabled = torch.backends.mkldnn.enabled, False
    torch.set_num_threads(1)  # the order in which a sum is taken is then the same on every machine
    torch.autograd.set_detect_anomaly(False)
    torch.set_default_dtype(getattr(torch, dtype))
    torch.set_default_device(None if device == "cpu" else device)
    torch.set_printoptions(profile="default")
    try:
        with torch.enable_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_printoptions(profile="default")
        torch.set_default_device(None)
        torch.set_default_dtype(dtype_before)
        torch.set_num_threads(threads)
        torch.backends.mkldnn.enabled = onednn
        torch.autograd.set_detect_anomaly(*anomaly)
        torch.set_rng_state(stream)
