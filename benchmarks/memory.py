"""Peak memory of one forward and backward over what the process held before it, a fresh process each time. Linux only."""

from __future__ import annotations

import gc
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.measuring import reset_peak, status_mib
from benchmarks.processes import ask, one_line, say
from benchmarks.worker import prepared
from benchmarks.workloads import WORKLOADS

LIBRARIES = ("agrad", "torch", "autograd", "mygrad", "numpy")


@dataclass
class Peak:
    """Medians of the repetitions, in MiB."""

    baseline: float
    after_forward: float
    peak: float


def measure(name: str, libraries: Sequence[str], repeat: int) -> tuple[dict[str, Peak], dict[str, str]]:
    """Peaks of workload `name` by library, and what went wrong with the others."""
    peaks, errors = {}, {}
    for library in libraries:
        answers = []
        for _ in range(repeat):
            answer = ask("benchmarks.memory", library, name)
            if "error" in answer:
                errors[library] = str(answer["error"])
                break
            answers.append(answer)
        else:
            peaks[library] = Peak(*(statistics.median(a[key] for a in answers) for key in ("baseline", "after_forward", "peak")))
    return peaks, errors


def child(library: str, name: str) -> None:
    """Prepare, read the size, run one pass, read the peak."""
    try:
        adapter = prepared(library, WORKLOADS[name]())
        adapter.before_pass()
        gc.collect()
        baseline = status_mib("VmRSS")
        reset_peak()
        state = adapter.forward()
        after_forward = status_mib("VmHWM")
        adapter.backward(state)
        peak = status_mib("VmHWM")
    except Exception as error:
        say({"error": one_line(error)})
    else:
        say({"baseline": baseline, "after_forward": after_forward - baseline, "peak": peak - baseline})


if __name__ == "__main__":
    child(*sys.argv[1:])
