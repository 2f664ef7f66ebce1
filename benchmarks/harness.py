"""The parent: a process for each library, which take turns repetition by repetition, so that ratios survive a noisy machine."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adapters import ADAPTERS
from benchmarks.processes import REPOSITORY, child_environment, died, read_answer
from benchmarks.workload import Array, Workload, deviation
from benchmarks.workloads import WORKLOADS

LIBRARIES = (
    "agrad",
    "agrad-tuned",
    "agrad-recording",
    "agrad-scenario",
    "torch",
    "autograd",
    "mygrad",
    "mygrad-noguard",
    "micrograd",
    "numpy",
)
REFERENCES = ("torch", "numpy")  # whose gradients count as right, the first that ran
SECONDS_A_LIBRARY = 25  # slower ones get fewer repetitions, at least three
SAMPLES = 500  # entries a gradient that a scenario reports


@dataclass
class Measured:
    """One library in one harness run: medians over its repetitions, in seconds of CPU time (``wall``: of the step)."""

    version: str
    repetitions: int
    deviation: float
    times: dict[str, float]
    fastest: dict[str, float]


@dataclass
class WorkloadRun:
    """One harness run of one workload."""

    measured: dict[str, Measured] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


class Worker:
    """A benchmark process seen from the parent."""

    def __init__(self, library: str, workload: str, folder: Path) -> None:
        self.library = library
        self.gradients = folder / f"{library}.npz"
        self.log = folder / f"{library}.err"
        self.times: list[dict[str, float]] = []
        module = "benchmarks.scenario_worker" if library == "agrad-scenario" else "benchmarks.worker"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, library, workload, str(self.gradients)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=REPOSITORY,
                env=child_environment(),
            )
        self.start = self.answer()

    def answer(self) -> dict[str, Any]:
        """The process's next answer; where it died, an error with the last line of what it said."""
        assert self.process.stdout is not None
        answer = read_answer(self.process.stdout)
        if answer is None:
            return died(self.process.wait(), self.log.read_text())
        return answer

    def repeat(self) -> str | None:
        """Have one pass timed; returns an error's text where that failed."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer below says why it died
        answer = self.answer()
        if "error" in answer:
            return str(answer["error"])
        self.times.append(answer)
        return None

    def stop(self) -> None:
        """End the process and wait for it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.read()
        self.process.wait()
        self.process.stdout.close()

    def enough(self, repetitions: int) -> bool:
        """Whether this library is so slow that what it has done has to do."""
        return len(self.times) >= 3 and float(self.start["seconds"]) * repetitions > SECONDS_A_LIBRARY


def sampled(gradients: Sequence[Array]) -> list[Array]:
    """Every so many entries of each gradient: what a scenario can report of a large one."""
    return [gradient.reshape(-1)[:: sample_stride(gradient.size)] for gradient in gradients]


def sample_stride(size: int) -> int:
    """Distance between the sampled entries of a gradient of `size`."""
    return max(1, size // SAMPLES)


def refused(workers: Sequence[Worker], workload: Workload) -> dict[str, str]:
    """Library -> why its gradients are wrong; a library that computes something else has no time to be compared.

    Sets each worker's `deviation` as it goes.
    """
    gradients = {worker.library: list(np.load(worker.gradients).values()) for worker in workers}
    reference = next((gradients[name] for name in REFERENCES if name in gradients), None)
    wrong = {}
    for worker in workers:
        ours = gradients[worker.library]
        if reference is None:
            wrong[worker.library] = f"nothing to check it against ({' or '.join(REFERENCES)})"
            continue
        theirs = sampled(reference) if worker.library == "agrad-scenario" else reference
        worker.start["deviation"] = off = deviation(ours, theirs)
        if not off <= workload.tolerance:
            wrong[worker.library] = f"wrong gradients: off by {off:.1e}, allowed {workload.tolerance:.0e}"
    return wrong


def run_workload(name: str, libraries: Sequence[str], scale: float = 1.0) -> WorkloadRun:
    """One harness run: start a process a library, check gradients, then take turns until each has its repetitions."""
    workload, result = WORKLOADS[name](), WorkloadRun()
    repetitions = max(3, round(workload.repetitions * scale))
    with tempfile.TemporaryDirectory() as folder:
        workers = []
        try:
            for library in libraries:  # one at a time: setting up does not disturb the others
                worker = Worker(library, name, Path(folder))
                if "error" in worker.start:
                    result.errors[library] = worker.start["error"]
                    worker.stop()
                else:
                    workers.append(worker)
            result.errors.update(refused(workers, workload))
            take_turns([w for w in workers if w.library not in result.errors], repetitions, result)
        finally:
            for worker in workers:
                worker.stop()
    return result


def take_turns(workers: list[Worker], repetitions: int, result: WorkloadRun) -> None:
    """Repetition by repetition, each round beginning with another library; fills `result`."""
    alive = list(workers)
    for turn in range(repetitions):
        first = turn % max(1, len(workers))
        for worker in workers[first:] + workers[:first]:
            if worker not in alive or worker.enough(repetitions):
                continue
            error = worker.repeat()
            if error is not None:
                result.errors[worker.library] = error
                alive.remove(worker)
    for worker in alive:
        columns = {phase: [times[phase] for times in worker.times] for phase in worker.times[0]}
        result.measured[worker.library] = Measured(
            version=worker.start["version"],
            repetitions=len(worker.times),
            deviation=worker.start["deviation"],
            times={phase: statistics.median(column) for phase, column in columns.items()},
            fastest={phase: min(column) for phase, column in columns.items()},
        )


def check_libraries(names: Sequence[str]) -> None:
    """Raise ValueError naming what is not a library."""
    unknown = [name for name in names if name not in ADAPTERS and name != "agrad-scenario"]
    if unknown:
        raise ValueError(f"unknown library {unknown[0]!r}; there are {', '.join(LIBRARIES)}")
