"""VersionCounter: how often a storage was changed."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..errors import BadArgument

if TYPE_CHECKING:
    from .tensor import Tensor


class VersionCounter:
    """How often a storage was changed in place; one for a tensor and all its views.

    ``storage`` and ``writes`` are a Recorder's: the number it gives to the storage, and the last changes (``trace/writes.py``).
    ``views`` and ``limit`` are those of a SharedCounter; ``mirrors`` are the conjugates of the storage, see ``conjugates.py``. The slots
    are empty until then.
    """

    __slots__ = ("limit", "mirrors", "storage", "version", "views", "writes")
    mirrors: list[tuple[Any, Any]]
    storage: int
    writes: Any
    views: list[weakref.ref[Tensor]]
    limit: int

    def __init__(self) -> None:
        self.version = 0

    def bump(self) -> None:
        """The storage was changed."""
        self.version += 1


class NoVersions(VersionCounter):
    """Note [Inference tensors]

    A tensor made under ``inference_mode`` can take part in no graph, so nobody needs to know when it was changed. All of them have one
    counter, which counts nothing: asked for a version, as an operation does that saves the tensor, it says why there is none.
    """

    __slots__ = ()

    @property
    def version(self) -> int:  # type: ignore[override]
        """There is none.

        Raises
        ------
        BadArgument
        """
        raise BadArgument(
            "a tensor made under inference_mode() cannot be saved for backward: nobody counts its changes",
            hint="use a clone() of it, made outside of inference_mode(), or compute it under no_grad()",
        )

    def bump(self) -> None:
        """Nothing is counted."""


NO_VERSIONS = object.__new__(NoVersions)
