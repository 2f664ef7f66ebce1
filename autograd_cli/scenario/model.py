"""The typed Scenario: what a scenario file says, checked, each part with its place in the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograd_cli.errors import Place
from autograd_cli.scenario.script import Script

Data = Any  # numbers, booleans and nested lists of them


@dataclass(frozen=True)
class TensorSpec:
    """One entry of `tensors:`: a leaf made before the script runs.

    Attributes
    ----------
    source : str
        "data", "rand", "randn", "zeros", "ones" or "load".
    value : Data or tuple of int or str
        What stands behind the source: the numbers of `data`, the shape of `rand` and its kin, the path of `load`.
    columns : tuple or str or int, optional
        For a csv: one column (1-D result) or a tuple of columns (2-D result), by name or zero-based number.
    dtype, device : str, optional
        PyTorch's names without the ``torch.``.
    """

    name: str
    source: str
    value: Any
    place: Place
    columns: tuple[str | int, ...] | str | int | None = None
    skip_rows: int = 0
    dtype: str | None = None
    device: str | None = None
    requires_grad: bool = False


@dataclass(frozen=True)
class BackwardSpec:
    """The pass of the `backward:` key.

    ``gradient`` is a `Script` (an expression), data, or, with several roots, a list with one of these or None for each root.
    """

    roots: tuple[Script, ...]
    place: Place
    gradient: Script | Data | None = None
    inputs: tuple[Script, ...] | None = None
    retain_graph: bool | None = None
    create_graph: bool = False
    mode: str | None = None


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong on purpose in a distributed scenario.

    ``at`` is "forward", "backward", "discovery", or ``("node", NAME)`` or ``("message", "SENDER:COUNTER")``.
    """

    worker: str
    action: str
    at: str | tuple[str, str]
    place: Place
    seconds: float | None = None
    times: int | None = None


@dataclass(frozen=True)
class Expect:
    """What must come out. Each mapping is keyed as in the file; ``places`` finds the place of a key such as ``grads.a``."""

    variables: dict[str, Data]
    grads: dict[str, Data]
    dependencies: dict[str, int]
    places: dict[str, Place]
    order: tuple[str, ...] | None = None
    stdout: str | None = None
    error: str | None = None
    rtol: float | None = None
    atol: float | None = None


@dataclass(frozen=True)
class Scenario:
    """A scenario file. ``script`` is one Script, or a mapping from worker name (or "all") to Script."""

    path: Path | None
    script: Script | dict[str, Script]
    title: str | None = None
    about: str | None = None
    seed: int = 0
    device: str = "cpu"
    dtype: str = "float32"
    tensors: tuple[TensorSpec, ...] = ()
    backward: BackwardSpec | None = None
    mode: str | None = None
    workers: int | tuple[str, ...] | None = None
    faults: tuple[Fault, ...] = ()
    expect: Expect | None = None

    @property
    def is_distributed(self) -> bool:
        """Whether `workers:` is there."""
        return self.workers is not None

    @property
    def folder(self) -> Path | None:
        """The folder that `load:` paths are relative to."""
        return self.path.parent if self.path else None
