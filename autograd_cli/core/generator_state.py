"""The 5056 bytes that ``torch.get_rng_state()`` returns: a state saved by PyTorch can be set here, and the other way round.

The layout is that of ``CPUGeneratorImplState`` in PyTorch's ``ATen/CPUGeneratorImpl.cpp``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from autograd_cli.core.mersenne_twister import BLOCK
from autograd_cli.errors import BadArgument, BadArgumentType

__all__ = ["STATE_BYTES", "GeneratorState", "pack", "unpack"]

STATE_BYTES = 5056
_LAYOUT = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "words", "normal_y", "normal_is_valid"],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", BLOCK), "<f8", "<i4"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040],
        "itemsize": STATE_BYTES,
    }
)


class GeneratorState(NamedTuple):
    """What a generator's future depends on."""

    initial_seed: int
    words: NDArray[np.uint32]
    position: int  # how many of the words were drawn; 0 after seeding, when they are not a block yet
    next_normal: float | None


def pack(state: GeneratorState) -> NDArray[np.uint8]:
    """The state as PyTorch's bytes."""
    record = np.zeros(1, _LAYOUT)
    record["seed"] = state.initial_seed
    record["seeded"] = 1
    record["next"] = state.position
    record["left"] = _left(state.position)
    record["words"] = state.words
    if state.next_normal is not None:
        record["normal_y"] = state.next_normal
        record["normal_is_valid"] = 1
    return record.view(np.uint8)


def unpack(state_bytes: Any) -> GeneratorState:
    """The state in PyTorch's bytes.

    Raises
    ------
    BadArgumentType
        If they are not an array of uint8.
    BadArgument
        If they are not 5056 bytes, or not those of a seeded generator.
    """
    if getattr(state_bytes, "dtype", None) != np.uint8:
        raise BadArgumentType(
            f"A random state is a tensor of uint8, not {type(state_bytes).__name__}.", hint="Pass what get_state() returned."
        )
    flat = np.ascontiguousarray(state_bytes).reshape(-1)
    if flat.size != STATE_BYTES:
        raise BadArgument(
            f"A random state has {STATE_BYTES} bytes, this one has {flat.size}.", hint="Pass what get_state() returned."
        )
    record = flat.view(_LAYOUT)[0]
    position = int(record["next"])
    if not (record["seeded"] == 1 and position <= BLOCK and record["left"] == _left(position)):
        raise BadArgument("These bytes are not the state of a seeded mt19937 generator.", hint="Pass what get_state() returned.")
    next_normal = float(record["normal_y"]) if record["normal_is_valid"] else None
    return GeneratorState(int(record["seed"]), record["words"].astype(np.uint32), position, next_normal)


def _left(position: int) -> int:
    """Words left before PyTorch makes the next block, plus one."""
    return BLOCK + 1 - position if position else 1
