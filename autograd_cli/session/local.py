"""Run a scenario in this process."""

from __future__ import annotations

import ast
import time
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import limits, module_of_device
from ..core.modes import modes
from ..errors import AgradError, Unsupported
from ..scenario.model import BackwardSpec, Scenario
from ..scenario.sandbox import compile_expression, compile_script, script_globals
from ..scenario.script import Script
from ..torch_api.modules import modules, script_names
from ..trace.assemble import assemble
from ..trace.codec import error_record
from ..trace.lines import Lines
from ..trace.model import ErrorRecord, ScenarioRecord, Trace
from ..trace.policy import KeepPolicy
from ..trace.recorder import Recorder, key_of
from .failure import explain
from .leaves import make_leaf
from .limits import time_limit
from .options import RunOptions


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
            raise Unsupported("this scenario has `workers`; distributed runs are not part of this version", place=None)
        self.scenario, self.options = scenario, options
        self.script: Script = scenario.script
        self.device = options.device or scenario.device
        self.seed = scenario.seed if options.seed is None else options.seed
        policy = KeepPolicy.parse(options.record)
        self.code = compile_script(self.script)
        self.backward = _CompiledBackward(scenario.backward) if scenario.backward else None
        self.printed: list[str] = []
        self.names = script_globals(modules(), self._print)
        self.names.update(script_names())
        self.predefined = dict(self.names)
        self.started = time.perf_counter()
        self.recorder = Recorder(
            Lines({self.script.file}, _tree(self.script)), policy, options.events, self._on_pass if options.on_progress else None
        )

    def run(self) -> Trace:
        """Run it; the Trace of what happened."""
        module_of_device(self._known_device())
        error: ErrorRecord | None = None
        before = (dt.default.dtype, limits.elements, modes.snapshot(), modes.order_matters, np.geterr())
        try:
            self._set_up()
            with time_limit(self.options.timeout):
                self._execute()
        except AgradError as stopped:
            if stopped.exit_code == 2:
                raise
            error = self._error(stopped)
        except BaseException as stopped:
            error = self._error(stopped)
        finally:
            self.recorder.remove()
            dt.default.dtype, limits.elements, modes_before, modes.order_matters, errors = before
            modes.restore(modes_before)
            np.seterr(**errors)
        record = ScenarioRecord(
            path=str(self.scenario.path) if self.scenario.path else None,
            title=self.scenario.title,
            seed=self.seed,
            device=self.device,
            dtype=self.scenario.dtype,
        )
        return assemble(self.recorder, self._variables(), scenario=record, stdout="".join(self.printed), error=error)

    def _known_device(self) -> str:
        if self.device == "auto":
            try:
                module_of_device("cuda")
                self.device = "cuda"
            except AgradError:
                self.device = "cpu"
        return self.device

    def _set_up(self) -> None:
        np.seterr(all="ignore")  # PyTorch says nothing of divisions by zero or overflows: nan and inf tell
        modes.restore((True, False))
        modes.order_matters = False
        dt.default.dtype = dt.NAMES[self.scenario.dtype]
        if self.options.max_elements is not None:
            limits.elements = self.options.max_elements
        if self.options.recording:
            self.recorder.install()
        self.names["torch"].manual_seed(self.seed)

    def _execute(self) -> None:
        for spec in self.scenario.tensors:
            self.recorder.lines.fallback = spec.place.line
            self.names[spec.name] = make_leaf(spec, self.scenario.folder, self.device)
        self.recorder.lines.fallback = None
        exec(self.code, self.names)
        if self.backward is not None:
            self.recorder.lines.fallback = self.backward.spec.place.line
            self.backward.run(self.names)

    def _print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", file: None = None, flush: bool = False) -> None:
        text = (" " if sep is None else sep).join(str(v) for v in values) + ("\n" if end is None else end)
        self.printed.append(text)
        if self.options.on_print is not None:
            self.options.on_print(text)

    def _on_pass(self, done: int) -> None:
        assert self.options.on_progress is not None
        self.options.on_progress(done, time.perf_counter() - self.started)

    def _variables(self) -> dict[str, Any]:
        given = self.predefined
        return {n: v for n, v in self.names.items() if not (n in given and given[n] is v)}

    def _error(self, stopped: BaseException) -> ErrorRecord:
        found = explain(stopped, self.script, self._variables())
        if found.place is None and self.backward is not None:
            found.place = self.backward.spec.place
        node = None
        if found.node is not None and key_of(found.node) in self.recorder.rows:
            node = self.recorder.rows[key_of(found.node)].id
        return error_record(found, node)


def _tree(script: Script) -> ast.Module:
    """The script as syntax, with the lines it has in its file."""
    tree = ast.parse(script.text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)):
            node.lineno, _ = script.file_position(node.lineno, 0)
            node.end_lineno, _ = script.file_position(node.end_lineno or node.lineno, 0)
    return tree


class _CompiledBackward:
    """The `backward:` key, ready to run."""

    def __init__(self, spec: BackwardSpec) -> None:
        self.spec = spec
        self.roots = [compile_expression(root) for root in spec.roots]
        self.inputs = None if spec.inputs is None else [compile_expression(i) for i in spec.inputs]
        given = spec.gradient if isinstance(spec.gradient, list) and len(spec.roots) > 1 else [spec.gradient]
        self.gradients = [compile_expression(g) if isinstance(g, Script) else g for g in given]

    def run(self, names: dict[str, Any]) -> None:
        """Evaluate the roots and run the pass."""
        torch = names["torch"] if hasattr(names.get("torch"), "autograd") else modules()["torch"]
        roots = [eval(code, names) for code in self.roots]
        gradients: list[Any] = [self._gradient(g, root, names, torch) for g, root in zip(self.gradients, roots, strict=False)]
        gradients += [None] * (len(roots) - len(gradients))
        inputs = None if self.inputs is None else [eval(code, names) for code in self.inputs]
        torch.autograd.backward(
            roots,
            gradients if any(g is not None for g in gradients) else None,
            retain_graph=self.spec.retain_graph,
            create_graph=self.spec.create_graph,
            inputs=inputs,
        )

    @staticmethod
    def _gradient(given: Any, root: Any, names: dict[str, Any], torch: Any) -> Any:
        if given is None:
            return None
        if hasattr(given, "co_code"):
            return eval(given, names)
        return torch.tensor(given, dtype=root.dtype)
