"""Benchmark processes: their environment, their core, and the lines in which they answer the parent."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from benchmarks.adapter import NotComparable

REPOSITORY = Path(__file__).resolve().parent.parent
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
MACHINE_TUNING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # choose a kernel by hand: what users have is OpenBLAS's own choice


def child_environment() -> dict[str, str]:
    """The environment of a benchmark process: this repository importable, one BLAS thread, OpenBLAS choosing its own kernels."""
    environment = {key: value for key, value in os.environ.items() if key not in MACHINE_TUNING}
    environment.update(dict.fromkeys(ONE_THREAD, "1"))
    paths = [str(REPOSITORY), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def pin_to_one_core() -> None:
    """Keep this process and its children on one core, where the system can (Linux)."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def say(message: dict[str, Any]) -> None:
    """Tell the parent process, on a line that nothing a library prints is mistaken for."""
    sys.stdout.write("\nJSON " + json.dumps(message) + "\n")
    sys.stdout.flush()


def read_answer(stream: IO[str]) -> dict[str, Any] | None:
    """The next answer of a benchmark process, None at its end."""
    for line in stream:
        if line.startswith("JSON "):
            answer: dict[str, Any] = json.loads(line[5:])
            return answer
    return None


def died(status: int, said: str) -> dict[str, Any]:
    """The answer that stands for a process which gave none: its exit status and the last line it wrote."""
    return {"error": f"process died, status {status}: {(said.strip().splitlines() or ['nothing said'])[-1][:200]}"}


def ask(module: str, *arguments: str, timeout: float | None = None) -> dict[str, Any]:
    """Run ``python -m module arguments`` to its end and return its one answer, which may be an error."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=REPOSITORY,
            env=child_environment(),
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no result in {timeout:g} s"}
    answer = read_answer(io.StringIO(done.stdout))
    return died(done.returncode, done.stderr) if answer is None else answer


def one_line(error: BaseException) -> str:
    """Type and first line of an error, shortened for a table; of what cannot be compared, the reason alone."""
    if isinstance(error, NotComparable):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        return f"not installed ({error.name})"
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {text}"[:200]
