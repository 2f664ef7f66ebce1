"""What a workload is: one forward function for every library, its data, and the same thing by hand and as a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ByHand:
    """The forward and backward that one would write on plain NumPy: the floor for an engine on NumPy, and a reference.

    ``forward(leaves, constants)`` returns a tuple that begins with the result; ``backward(leaves, constants, that tuple)``
    returns one gradient a leaf (one a leaf but the first, where the workload differentiates twice).
    """

    forward: Callable[[list[Array], list[Array]], tuple[Any, ...]]
    backward: Callable[[list[Array], list[Array], tuple[Any, ...]], Sequence[Any]]


@dataclass(frozen=True)
class Workload:
    """One thing to measure.

    ``forward(library, leaves, constants)`` is written in the operations of `benchmarks.adapter.Adapter` and returns a 0-d
    result; ``script`` is the body of the same function in the language of scenarios, over the names of `leaves` and `constants`.
    """

    name: str
    title: str
    nodes: int  # operations that record a node in one forward
    leaves: dict[str, Array]
    constants: dict[str, Array]
    forward: Callable[[Any, Any, Any], Any]
    by_hand: ByHand
    script: str
    repetitions: int
    per_node: bool = True  # times are shown as microseconds a node, otherwise as milliseconds a pass
    scalar: bool = False  # 0-d throughout: also for libraries that know scalars only
    twice: bool = False  # gradient of a gradient: the squared norm of d result / d leaves[0], differentiated by the other leaves
    tolerance: float = 1e-9  # allowed deviation from the reference, relative to the largest entry of a gradient
    left_out: tuple[str, ...] = ()  # libraries that take minutes at this size

    def gradient_names(self) -> list[str]:
        """Names of the leaves whose gradients the workload produces, in order."""
        return list(self.leaves)[1:] if self.twice else list(self.leaves)


def deviation(gradients: Sequence[Array], reference: Sequence[Array]) -> float:
    """The largest difference, relative to the largest entry of the reference's gradient; inf where shapes or NaNs differ."""
    if len(gradients) != len(reference):
        return float("inf")
    worst = 0.0
    for ours, theirs in zip(gradients, reference, strict=True):
        if ours.size != theirs.size:
            return float("inf")
        difference = np.max(np.abs(ours.reshape(theirs.shape) - theirs), initial=0.0)
        relative = float(difference / (np.max(np.abs(theirs), initial=0.0) + 1e-12))
        worst = max(worst, float("inf") if np.isnan(relative) else relative)
    return worst
