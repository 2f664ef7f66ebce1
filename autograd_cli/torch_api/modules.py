"""Every module that a script may use or import, by its dotted name."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

from ..core import dtype as dt
from ..core import print_options
from ..core.array import module_of_device
from ..core.device import device
from ..core.generator import default_generator
from ..core.hooks import RemovableHandle
from ..core.tensor import Size, Tensor
from ..errors import BadArgumentType, DeviceUnavailable
from ..ops import exports, methods
from . import autograd_table, data_table, nn_table, optim_table
from .namespace import Namespace
from .pytorch_names import known


def set_default_dtype(d: dt.dtype) -> None:
    """Make `d` the dtype of factory functions and of Python floats."""
    if not isinstance(d, dt.dtype) or not d.is_floating_point:
        raise BadArgumentType(f"set_default_dtype() takes a floating-point dtype, not {d!r}")
    dt.default.dtype = d


def get_default_dtype() -> dt.dtype:
    """The default floating dtype."""
    return dt.default.dtype


def is_tensor(value: Any) -> bool:
    """Whether `value` is a Tensor."""
    return isinstance(value, Tensor)


TORCH: dict[str, Any] = {
    **{name: found for name, found in dt.NAMES.items() if name != "bool"},
    "bool": dt.bool_,
    "dtype": dt.dtype,
    "device": device,
    "Size": Size,
    "Tensor": Tensor,
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "newaxis": None,
    **autograd_table.TORCH,
    "set_default_dtype": set_default_dtype,
    "get_default_dtype": get_default_dtype,
    "is_tensor": is_tensor,
    "set_printoptions": print_options.set_printoptions,
}


def cuda_is_available() -> bool:
    """Whether a CUDA device can be used."""
    try:
        module_of_device("cuda")
    except DeviceUnavailable:
        return False
    return True


def cuda_device_count() -> int:
    """How many CUDA devices there are."""
    return int(module_of_device("cuda").cuda.runtime.getDeviceCount()) if cuda_is_available() else 0


CUDA = {
    "is_available": cuda_is_available,
    "device_count": cuda_device_count,
    "manual_seed": default_generator.manual_seed,
    "manual_seed_all": default_generator.manual_seed,
}


@cache
def modules() -> dict[str, Any]:
    """The namespaces by dotted name: ``torch``, ``torch.nn``, ``torch.nn.functional``, …"""
    # PyTorch says nothing of divisions by zero or overflows: nan and inf tell. NumPy would warn, in our name.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_cli\.")
    methods.known_names = lambda: known("torch.Tensor")
    made: dict[str, Namespace] = {}

    def make(name: str, table: dict[str, Any]) -> Namespace:
        made[name] = space = Namespace(name, table)
        return space

    nn = nn_table.make_nn(make, exports.FUNCTIONAL)
    table = {
        **exports.TORCH,
        **TORCH,
        "nn": nn,
        "autograd": autograd_table.make_autograd(make),
        "func": make("torch.func", autograd_table.FUNC),
        "linalg": make("torch.linalg", exports.LINALG),
        "optim": optim_table.make_optim(make),
        "utils": make(
            "torch.utils",
            {
                "hooks": make("torch.utils.hooks", {"RemovableHandle": RemovableHandle}),
                "data": make("torch.utils.data", data_table.DATA),
                "checkpoint": make("torch.utils.checkpoint", autograd_table.CHECKPOINT),
            },
        ),
    }
    bfloat16 = dt.bfloat16()
    if bfloat16 is not None:
        table["bfloat16"] = bfloat16
    table["cuda"] = make("torch.cuda", CUDA)
    make("torch", table)
    return dict(made)
