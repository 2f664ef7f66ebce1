"""Every module that a script may use or import, by its dotted name."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

from ..core import dtype as dt
from ..core import print_options
from ..core.device import device, get_default_device, set_default_device
from ..core.hooks import RemovableHandle
from ..core.tensor import Size, Tensor
from ..errors import BadArgumentType
from ..ops import exports, methods, typed_tensors
from . import autograd_table, data_table, device_table, dtype_info, functional_aliases, nn_table, optim_table, settings
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
    "set_default_device": set_default_device,
    "get_default_device": get_default_device,
    "Size": Size,
    "Tensor": Tensor,
    **typed_tensors.TYPES,
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "newaxis": None,
    **autograd_table.TORCH,
    **dtype_info.INFO,
    **settings.SETTINGS,
    "set_default_dtype": set_default_dtype,
    "get_default_dtype": get_default_dtype,
    "is_tensor": is_tensor,
    "set_printoptions": print_options.set_printoptions,
}


@cache
def modules() -> dict[str, Any]:
    """The namespaces by dotted name: ``torch``, ``torch.nn``, ``torch.nn.functional``, …"""
    # PyTorch says nothing of divisions by zero or overflows: nan and inf tell. NumPy would warn, in our name.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_cli\.")
    methods.known_names = lambda: known("torch.Tensor")
    made: dict[str, Namespace] = {}

    def make(name: str, table: dict[str, Any], kind: type[Namespace] = Namespace) -> Namespace:
        made[name] = space = kind(name, table)
        return space

    nn = nn_table.make_nn(make, exports.FUNCTIONAL)
    table = {
        **functional_aliases.methods_too(),
        **functional_aliases.aliases({**exports.FUNCTIONAL, **nn_table.FUNCTIONAL}),
        **exports.TORCH,
        **TORCH,
        "nn": nn,
        "autograd": autograd_table.make_autograd(make),
        "func": make("torch.func", autograd_table.FUNC),
        "linalg": make("torch.linalg", exports.LINALG),
        "special": make("torch.special", exports.SPECIAL),
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
    table["cuda"] = make("torch.cuda", device_table.CUDA)
    table["accelerator"] = make("torch.accelerator", device_table.ACCELERATOR)
    table["backends"] = device_table.make_backends(make)
    make("torch", table)
    return dict(made)
