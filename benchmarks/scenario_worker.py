"""A benchmark process for a workload as a scenario: the same function as a script, run by `run_scenario`, nothing recorded.

It keeps the protocol of `benchmarks.worker`. There the parent's line starts a pass; here the script runs by itself and prints a
word between the phases, and the function that receives what a script prints reads the clocks, and waits for the parent.
"""

from __future__ import annotations

import ast
import gc
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import sample_stride
from benchmarks.measuring import clocks, phases
from benchmarks.processes import one_line, say
from benchmarks.workload import Workload
from benchmarks.workloads import WORKLOADS

SCRIPT = """\
def forward():
{body}

leaves = [{leaves}]
for leaf in leaves:
    leaf.grad = None
result = forward()
{backward}
grads = {grads}
print("gradients", [g.reshape(-1)[::s].tolist() for g, s in zip(grads, {strides})])
grads = None
while True:
    result = None
    for leaf in leaves:
        leaf.grad = None
    print("ready")
    result = forward()
    print("forward")
    {backward}
    print("backward")
    result = None
    print("freed")
"""


def script_of(workload: Workload) -> str:
    """The whole script: the workload's function, one pass whose gradients are printed, then passes without end."""
    return SCRIPT.format(
        body=textwrap.indent(workload.script, "    "),
        leaves=", ".join(workload.leaves),
        backward="pass" if workload.twice else "result.backward()",
        grads="result" if workload.twice else "[leaf.grad for leaf in leaves]",
        strides=[sample_stride(workload.leaves[name].size) for name in workload.gradient_names()],
    )


def write_scenario(workload: Workload, folder: Path) -> Path:
    """Write the scenario's file, and its data as .npy files beside it; returns the file's path."""
    lines = [f"title: {workload.name}", "tensors:"]
    for name, array in (workload.leaves | workload.constants).items():
        np.save(folder / f"{name}.npy", array)
        lines.append(f"  {name}: {{load: {name}.npy, requires_grad: {'true' if name in workload.leaves else 'false'}}}")
    lines += ["forward: |", textwrap.indent(script_of(workload), "  ")]
    path = folder / "workload.yaml"
    path.write_text("\n".join(lines))
    return path


class Finished(BaseException):
    """The parent has closed our standard input: no more passes. It ends the script."""


class Stopwatch:
    """Receives the words that the script prints: reads the clocks and answers the parent."""

    def __init__(self, workload: Workload, file: str) -> None:
        self.file = file
        self.names = workload.gradient_names()
        self.warm_ups = 2 if workload.nodes >= 10_000 else 4
        self.began = time.perf_counter()
        self.seconds = 0.0
        self.marks: dict[str, tuple[float, float]] = {}
        self.finished = False

    def __call__(self, text: str) -> None:
        now = clocks()
        word, _, rest = text.strip().partition(" ")
        self.marks[word] = now
        if word == "gradients":
            self.seconds = time.perf_counter() - self.began
            np.savez(self.file, *[np.array(values, dtype=np.float64) for values in ast.literal_eval(rest)])
            self.warm_ups -= 1
        elif word == "ready":
            self.wait()
        elif word == "backward":
            self.marks["end"] = now
            self.marks["backward"] = clocks()  # what this function does is not the script's time
        elif word == "freed":
            self.report(now)

    def wait(self) -> None:
        """After the warm-up, until the parent wants a pass; garbage is collected before the clock starts."""
        if self.warm_ups == 0:
            gc.freeze()
            say({"seconds": self.seconds, "version": "checkout"})
        if self.warm_ups <= 0 and not sys.stdin.readline():
            self.finished = True
            raise Finished
        gc.collect()
        self.marks["ready"] = clocks()

    def report(self, now: tuple[float, float]) -> None:
        if self.warm_ups <= 0:
            say(phases(self.marks["ready"], self.marks["forward"], self.marks["end"], now[1] - self.marks["backward"][1]))
        self.warm_ups -= 1


def run(workload: Workload, file: str) -> None:
    """Run the workload's scenario until the parent has had enough. Raises what the scenario raises."""
    from autograd_cli.scenario.load import load_scenario
    from autograd_cli.session.local import run_scenario
    from autograd_cli.session.options import RunOptions

    with tempfile.TemporaryDirectory() as folder:
        scenario = load_scenario(write_scenario(workload, Path(folder)))
        stopwatch = Stopwatch(workload, file)
        trace = run_scenario(scenario, RunOptions(recording=False, on_print=stopwatch))
    if trace.error is not None and not stopwatch.finished:
        say({"error": f"{trace.error.kind}: {trace.error.message}"[:300]})


def main(arguments: list[str]) -> None:
    _, name, file = arguments
    try:
        run(WORKLOADS[name](), file)
    except BaseException as error:
        say({"error": one_line(error)})


if __name__ == "__main__":
    main(sys.argv[1:])
