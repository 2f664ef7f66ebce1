"""One adapter a library: how it makes a leaf, runs a forward, runs the backward, and hands out gradients.

Libraries are imported in `load` only, so that a missing one is reported and the rest still runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from typing import Any, ClassVar

import numpy as np

from benchmarks.workload import Array, Workload


class NotComparable(Exception):
    """This library does not do this workload; the text says why."""


class Adapter:
    """What the harness asks of a library. The defaults suit libraries whose tensors have operators and ``backward()``."""

    name: ClassVar[str]
    title: ClassVar[str]
    distribution: ClassVar[str]  # the package to install, also asked for the version
    scalars_only: ClassVar[bool] = False
    twice: ClassVar[bool] = True  # whether it can differentiate a gradient

    leaves: Sequence[Any]
    constants: Sequence[Any]
    workload: Workload

    # -- set-up, untimed

    def load(self) -> None:
        """Import the library. Raises ImportError where it is not installed."""
        raise NotImplementedError

    def version(self) -> str:
        """Version of the installed library."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return "?"

    def check(self, workload: Workload) -> None:
        """Raise NotComparable where the library cannot run this workload."""
        if self.name in workload.left_out:
            raise NotComparable("left out: minutes at this size")
        if self.scalars_only and not workload.scalar:
            raise NotComparable("knows scalars only")
        if workload.twice and not self.twice:
            raise NotComparable("no gradient of a gradient")

    def prepare(self, workload: Workload) -> None:
        """Make the leaves and constants of `workload`."""
        self.workload = workload
        self.leaves = [self.leaf(array) for array in workload.leaves.values()]
        self.constants = [self.constant(array) for array in workload.constants.values()]

    def before_pass(self) -> None:
        """Called before each pass."""
        for leaf in self.leaves:
            leaf.grad = None

    def after_pass(self) -> None:
        """Called after each pass."""

    def leaf(self, array: Array) -> Any:
        raise NotImplementedError

    def constant(self, array: Array) -> Any:
        return self.leaf(array)

    # -- operations that workloads are written in

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def sub(self, x: Any, y: Any) -> Any:
        return x - y

    def mul(self, x: Any, y: Any) -> Any:
        return x * y

    def matmul(self, x: Any, y: Any) -> Any:
        return x @ y

    def sum(self, x: Any) -> Any:
        return x.sum()

    def tanh(self, x: Any) -> Any:
        return x.tanh()

    def relu(self, x: Any) -> Any:
        return x.relu()

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.add(self.matmul(x, weight), bias)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        raise NotImplementedError

    # -- the timed part

    def forward(self) -> Any:
        """Run the forward; the state it returns keeps the graph alive."""
        return self.workload.forward(self, self.leaves, self.constants)

    def backward(self, state: Any) -> None:
        state.backward()

    def both(self) -> Any:
        """Forward and two backward passes of a workload that differentiates twice; returns the gradients."""
        raise NotImplementedError

    # -- the result

    def gradients(self, state: Any) -> list[Array]:
        """Gradients as float64 arrays. `state` is what `forward` (or `both`) returned."""
        grads = state if self.workload.twice else [leaf.grad for leaf in self.leaves]
        return [np.asarray(grad, dtype=np.float64) for grad in grads]
