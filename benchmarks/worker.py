"""A benchmark process: one library, one workload. It repeats a pass for each line the parent writes.

``python -m benchmarks.worker LIBRARY WORKLOAD GRADIENTS.npz`` answers first with its gradients (in the file) and how long a pass
takes, or with an error; then with the times of one pass for each line on standard input, until that ends.
"""

from __future__ import annotations

import gc
import sys
import time
from typing import Any

import numpy as np

from benchmarks.adapter import Adapter
from benchmarks.adapters import ADAPTERS
from benchmarks.measuring import clocks, phases
from benchmarks.processes import one_line, say
from benchmarks.workload import Array, Workload
from benchmarks.workloads import WORKLOADS


def prepared(library: str, workload: Workload) -> Adapter:
    """An adapter with the library loaded and the workload's leaves made. Raises NotComparable, ImportError."""
    adapter = ADAPTERS[library]()
    adapter.check(workload)
    adapter.load()
    adapter.prepare(workload)
    return adapter


def gradients_of_a_pass(adapter: Adapter) -> list[Array]:
    """One untimed pass and its gradients."""
    adapter.before_pass()
    try:
        if adapter.workload.twice:
            state = adapter.both()
        else:
            state = adapter.forward()
            adapter.backward(state)
        return adapter.gradients(state)
    finally:
        adapter.after_pass()


def timed_pass(adapter: Adapter) -> dict[str, float]:
    """CPU seconds of one forward, one backward, and of releasing the graph."""
    adapter.before_pass()
    gc.collect()
    if adapter.workload.twice:
        start = clocks()
        state: Any = adapter.both()
        middle = end = clocks()
    else:
        start = clocks()
        state = adapter.forward()
        middle = clocks()
        adapter.backward(state)
        end = clocks()
    before = clocks()
    state = None
    free = clocks()[1] - before[1]
    adapter.after_pass()
    return phases(start, middle, end, free)


def warm_up(adapter: Adapter, file: str) -> float:
    """Write the first pass's gradients to `file`, run up to three more passes, return the seconds the first took."""
    first = 0.0
    for count in range(2 if adapter.workload.nodes >= 10_000 else 4):
        begin = time.perf_counter()
        gradients = gradients_of_a_pass(adapter)
        seconds = time.perf_counter() - begin
        if count == 0:
            first = seconds
            np.savez(file, *gradients)
        del gradients
        gc.collect()
        if seconds > 8:
            break
    return first


def start(library: str, workload_name: str, file: str) -> Adapter | None:
    """The warmed-up adapter, its answer sent; None where there is nothing to measure."""
    try:
        adapter = prepared(library, WORKLOADS[workload_name]())
        gc.collect()
        gc.freeze()
        seconds = warm_up(adapter, file)
    except Exception as error:
        say({"error": one_line(error)})
    else:
        say({"seconds": seconds, "version": adapter.version()})
        return adapter
    return None


def main(arguments: list[str]) -> None:
    adapter = start(*arguments)
    if adapter is not None:
        for _ in sys.stdin:
            say(timed_pass(adapter))


if __name__ == "__main__":
    main(sys.argv[1:])
