"""CPU time of whole commands, cold, beside ``python -c pass``. Needs a Unix (resource usage of children)."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import child_environment

BASE = "python -c pass"
AGRAD = "import sys; from autograd_cli.cli.main import run; sys.exit(run())"
SMALL_SCENARIO = """\
title: Four nodes
forward: |
  a = torch.rand((3, 3), requires_grad=True)
  b = torch.rand((3, 3), requires_grad=True)
  d = a + b
  e = d * b
backward: e.sum()
"""
IMPORTS = ("numpy", "autograd_cli", "autograd.numpy", "mygrad", "micrograd.engine", "torch")


@dataclass
class Startup:
    """Medians of the repetitions, in milliseconds."""

    cpu: float
    wall: float


def commands(scenario: Path) -> dict[str, list[str]]:
    """Name -> command line; ``agrad`` is run as its console script runs it."""
    agrad = [sys.executable, "-c", AGRAD]
    table = {
        BASE: [sys.executable, "-c", "pass"],
        "agrad --help": [*agrad, "--help"],
        "agrad run": [*agrad, "run", str(scenario)],
    }
    return table | {f"import {module}": [sys.executable, "-c", f"import {module}"] for module in IMPORTS}


def time_command(command: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a command. Raises RuntimeError with its last words where it fails."""
    import resource
    import time

    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=child_environment() | {"NO_COLOR": "1"})
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1][:200])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def measure(only: list[str], repetitions: int) -> tuple[dict[str, Startup], dict[str, str]]:
    """Times by command (all, or those whose name contains a word of `only`), the commands taking turns; and the errors."""
    samples: dict[str, list[tuple[float, float]]] = {}
    errors: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "small.yaml"
        scenario.write_text(SMALL_SCENARIO)
        wanted = {
            name: command
            for name, command in commands(scenario).items()
            if name == BASE or not only or any(word in name for word in only)
        }
        for turn in range(repetitions + 1):
            for name, command in wanted.items():
                if name in errors:
                    continue
                try:
                    times = time_command(command)
                except RuntimeError as error:
                    missing = "ModuleNotFoundError" in str(error)
                    errors[name] = "not installed" if missing and name.startswith("import") else str(error)
                    continue
                if turn:  # the first round fills the caches
                    samples.setdefault(name, []).append(times)
    result = {}
    for name, rows in samples.items():
        cpu, wall = (statistics.median(column) * 1e3 for column in zip(*rows, strict=True))
        result[name] = Startup(cpu, wall)
    return result, errors
