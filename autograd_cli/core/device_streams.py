"""The random stream of each device.

In PyTorch a GPU has a generator of its own (Philox): what is drawn there leaves the stream of the CPU where it is, and
``torch.manual_seed`` starts all of them. So it is here, but each device's stream is made like the CPU's: the digits of a CUDA
tensor are those that the CPU would have drawn, not those of PyTorch on CUDA.
"""

from __future__ import annotations

from typing import Any

from ..errors import BadArgument
from .array import full_name
from .generator import Generator, default_generator


class streams:
    """The generators of the devices that have drawn since the last ``manual_seed``, and the seed of those that have not."""

    made: dict[str, Generator] = {}  # noqa: RUF012
    seed: int | None = None


def stream_of(device: str) -> Generator:
    """The default generator of `device` (``cpu`` or ``cuda:N``)."""
    device = full_name(device)
    if device == "cpu":
        return default_generator
    if device not in streams.made:
        seed = default_generator.initial_seed() if streams.seed is None else streams.seed
        streams.made[device] = Generator(seed, device=device)
    return streams.made[device]


def generator_for(given: Any, device: str) -> Generator:
    """The generator that draws for a tensor on `device`: the one that the script gave, or the device's own."""
    if given is None:
        return stream_of(device)
    found: Generator = given
    device = full_name(device)
    if found.device.type != device.partition(":")[0]:
        raise BadArgument(
            f"a generator on {found.device} cannot draw for a tensor on {device}", hint=f"torch.Generator(device='{device}')"
        )
    return found


def manual_seed(seed: int) -> Generator:
    """Start the streams of all devices anew."""
    default_generator.manual_seed(seed)
    seed_devices(None)
    return default_generator


def seed_devices(seed: int | None) -> None:
    """Start the streams of all devices but the CPU anew; None is the CPU's seed."""
    streams.made, streams.seed = {}, seed


def get_states() -> dict[str, Any]:
    """Where each stream is."""
    return {device: stream_of(device).get_state() for device in ("cpu", *streams.made)}


def set_states(states: dict[str, Any]) -> None:
    """Put the streams back to where they were; devices that had not drawn then start anew."""
    streams.made = {device: g for device, g in streams.made.items() if device in states}
    for device, state in states.items():
        stream_of(device).set_state(state)
