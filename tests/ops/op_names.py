"""The op table under PyTorch's names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from autograd_cli.core import autograd
from autograd_cli.core import dtype as dt
from autograd_cli.core.tensor import Tensor
from autograd_cli.ops import exports
from autograd_cli.torch_api import dtype_info, functional_aliases, nn_table
from autograd_cli.torch_api.modules import modules

TORCH: Any = SimpleNamespace(
    **functional_aliases.aliases({**exports.FUNCTIONAL, **nn_table.FUNCTIONAL}),
    **exports.TORCH,
    **dtype_info.INFO,
    **{**dt.NAMES, "bool": dt.bool_},
    Tensor=Tensor,
    autograd=autograd,
    linalg=SimpleNamespace(**exports.LINALG),
)
FUNCTIONAL: Any = modules()["torch.nn.functional"]
