"""A chain of a million nodes, one process a library, default recursion limit: does it work, and how large does it get?"""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np

from benchmarks.graphs import chain
from benchmarks.measuring import clocks
from benchmarks.processes import ask, one_line, say
from benchmarks.worker import prepared
from benchmarks.workload import Workload, deviation

LIBRARIES = ("agrad", "torch", "autograd", "mygrad", "micrograd-default", "micrograd", "numpy")
NODES = 1_000_000
TOLERANCE = 1e-6


def measure(library: str, nodes: int, timeout: float) -> dict[str, Any]:
    """Microseconds of CPU time a node, and the largest resident size in MiB; or an error."""
    return ask("benchmarks.big", library, str(nodes), timeout=timeout)


def one_pass(library: str, workload: Workload) -> dict[str, float]:
    """Run one pass; the sizes are read before the gradients are checked against those of the chain written by hand."""
    import resource

    adapter = prepared(library, workload)
    adapter.before_pass()
    gc.collect()
    start = clocks()
    state = adapter.forward()
    middle = clocks()
    adapter.backward(state)
    end = clocks()
    gradients = adapter.gradients(state)
    before_free = clocks()
    del state
    freed = clocks()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    leaves, hand = list(workload.leaves.values()), workload.by_hand
    reference = [np.asarray(grad) for grad in hand.backward(leaves, [], hand.forward(leaves, []))]
    if not deviation(gradients, reference) <= TOLERANCE:
        raise ArithmeticError(f"wrong gradients: off by {deviation(gradients, reference):.1e}")
    spans = {"forward": (start, middle), "backward": (middle, end), "step": (start, end), "free": (before_free, freed)}
    return {name: (b[1] - a[1]) / workload.nodes * 1e6 for name, (a, b) in spans.items()} | {"resident": resident}


def child(library: str, nodes: int) -> None:
    try:
        say(one_pass(library, chain("big", nodes, repetitions=1)))
    except Exception as error:
        say({"error": one_line(error)})


if __name__ == "__main__":
    child(sys.argv[1], int(sys.argv[2]))
