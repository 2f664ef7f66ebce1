"""The table of workloads, by name."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.graphs import chain, dag, fan_in
from benchmarks.networks import double_backward, elementwise, elementwise_chain, mlp
from benchmarks.workload import Workload

# A chain of a million takes HIPS autograd and MyGrad a minute each: `python -m benchmarks big` runs them there once.
SLOW_ON_CHAINS = ("autograd", "mygrad", "mygrad-noguard", "micrograd")

WORKLOADS: dict[str, Callable[[], Workload]] = {
    "chain1k": lambda: chain("chain1k", 1_000, repetitions=40),
    "chain10k": lambda: chain("chain10k", 10_000, repetitions=20),
    "chain100k": lambda: chain("chain100k", 100_000, repetitions=5),
    "chain1m": lambda: chain("chain1m", 1_000_000, repetitions=3, left_out=SLOW_ON_CHAINS),
    "dag3": lambda: dag("dag3", 1940, matrix=3, repetitions=30),
    "dag16": lambda: dag("dag16", 940, matrix=16, repetitions=15),
    "dag64": lambda: dag("dag64", 440, matrix=64, repetitions=15),
    "dag256": lambda: dag("dag256", 140, matrix=256, repetitions=9),
    "fan": lambda: fan_in("fan", 10_000, None, repetitions=15),
    "fan64": lambda: fan_in("fan64", 10_000, 64, repetitions=15),
    # A thousand uses, not ten thousand: the products alone would take 5 GB.
    "fan64k": lambda: fan_in("fan64k", 1_000, 65_536, repetitions=9),
    "mlp": lambda: mlp("mlp", (784, 256, 128, 10), batch=64, repetitions=60),
    "mlp4096": lambda: mlp("mlp4096", (1024, 4096, 4096, 1024), batch=256, repetitions=9),
    "elementwise": lambda: elementwise("elementwise", 4_000_000, repetitions=9),
    "double": lambda: double_backward("double", 32, (16, 32, 32), repetitions=60),
    "elementwise200": lambda: elementwise_chain("elementwise200", 200, 1_000_000),
    "smoke": lambda: chain("smoke", 20, repetitions=3),  # for the harness's own test
}

# What `run` and `memory` measure unless told otherwise.
RUN = tuple(name for name in WORKLOADS if name not in ("elementwise200", "smoke"))
MEMORY = ("mlp4096", "elementwise200", "elementwise")
