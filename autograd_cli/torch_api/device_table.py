"""``torch.cuda``, ``torch.accelerator`` and ``torch.backends``: what scripts ask before they choose a device.

Sources: https://docs.pytorch.org/docs/stable/cuda.html, https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import array
from ..core.device import device, place_of
from ..core.device_streams import seed_devices, stream_of
from ..errors import BadArgument, DeviceUnavailable
from .namespace import Namespace


def device_count() -> int:
    """How many CUDA devices can be used."""
    try:
        return array.device_count()
    except DeviceUnavailable:
        return 0


def is_available() -> bool:
    """Whether a CUDA device can be used."""
    return device_count() > 0


def current_device() -> int:
    """The number of the device that ``cuda`` means."""
    array.device_count()
    return array.cuda.index


def index_of(given: Any) -> int:
    """The number that an argument `device` of ``torch.cuda`` means; None is the current one."""
    if given is None:
        return current_device()
    place = array.full_name(place_of(given))
    if not place.startswith("cuda"):
        raise BadArgument(f"torch.cuda has no device {place}", hint="name a CUDA device: 0 or 'cuda:0'")
    array.module_of_device(place)
    return int(place.partition(":")[2])


def set_device(device: Any) -> None:
    """Let ``cuda`` without a number mean `device` from now on."""
    array.cuda.index = index_of(device)


class UseDevice:
    """``torch.cuda.device(d)``: inside the block ``cuda`` means `d`."""

    def __init__(self, device: Any) -> None:
        self.index = index_of(device)
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(array.cuda.index)
        array.cuda.index = self.index

    def __exit__(self, *_: object) -> None:
        array.cuda.index = self._before.pop()


def get_device_name(device: Any = None) -> str:
    """The name that a device's maker gave it."""
    index = index_of(device)
    found: Any = array.module_of_device(f"cuda:{index}").cuda.runtime.getDeviceProperties(index)["name"]
    return found.decode() if isinstance(found, bytes) else str(found)


def synchronize(device: Any = None) -> None:
    """Wait until a device has done all it was given."""
    index = index_of(device)
    array.module_of_device(f"cuda:{index}").cuda.Device(index).synchronize()


def empty_cache() -> None:
    """Give memory that is kept for later tensors back; without a device there is none."""
    if array.cuda.module is not None:
        array.cuda.module.get_default_memory_pool().free_all_blocks()


def manual_seed(seed: int) -> None:
    """Start the stream of the current device anew."""
    stream_of("cuda").manual_seed(seed)


CUDA: dict[str, Any] = {
    "is_available": is_available,
    "device_count": device_count,
    "current_device": current_device,
    "set_device": set_device,
    "device": UseDevice,
    "get_device_name": get_device_name,
    "synchronize": synchronize,
    "empty_cache": empty_cache,
    "manual_seed": manual_seed,
    "manual_seed_all": seed_devices,
}


def current_accelerator(check_available: bool = False) -> device | None:
    """The kind of device beside the CPU, None where there is none."""
    return device("cuda") if is_available() else None


ACCELERATOR: dict[str, Any] = {
    "is_available": is_available,
    "device_count": device_count,
    "current_accelerator": current_accelerator,
    "current_device_index": current_device,
    "set_device_index": set_device,
    "synchronize": synchronize,
}


class Switches(Namespace):
    """A namespace whose switches scripts may set: those of libraries that agrad does not use, so they change nothing."""

    _has_switches = True

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(self.__dict__.get(name), bool):
            raise AttributeError(f"{self.__name__} has no switch {name!r}")
        self.__dict__[name] = bool(value)


def never() -> bool:
    """False: agrad has no such device."""
    return False


def make_backends(make: Callable[..., Namespace]) -> Namespace:
    """``torch.backends``."""
    switches = {"enabled": True, "benchmark": False, "deterministic": False, "allow_tf32": True}
    return make(
        "torch.backends",
        {
            "cuda": make("torch.backends.cuda", {"is_built": is_available}),
            "cudnn": make("torch.backends.cudnn", switches, Switches),
            "mps": make("torch.backends.mps", {"is_available": never, "is_built": never}),
        },
    )
