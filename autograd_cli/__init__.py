"""agrad: PyTorch's autograd, made visible.

``from autograd_cli import torch`` is the namespace that scenarios see, unrestricted.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # `torch` is made when it is asked for: the command's --help must not import numpy.
    if name in ("torch", "nn"):
        from .torch_api.modules import modules

        return modules()["torch" if name == "torch" else "torch.nn"]
    if name == "tune_process":
        from .session.tuning import tune_process

        return tune_process
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
