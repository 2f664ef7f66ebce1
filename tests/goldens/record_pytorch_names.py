"""Write PyTorch's public names into autograd_cli/torch_api/pytorch_names.txt (needs torch; CPU build of 2.13)."""

from __future__ import annotations

import importlib
import types
from pathlib import Path
from typing import Any

import torch

# Modules and classes whose names are recorded, besides the keys themselves.
NAMESPACES = {
    "torch": "Tensor Generator Size dtype device linalg func utils futures fft special cuda random multiprocessing testing "
    "sparse amp jit onnx compiler profiler distributions quantization ao mps xpu cpu hub library export fx masked nested package "
    "signal storage types version serialization return_types accelerator monitor overrides backends",
    "torch.nn": "Module functional init utils parallel attention",
    "torch.nn.utils": "rnn parametrizations parametrize",
    "torch.optim": "Optimizer lr_scheduler swa_utils",
    "torch.autograd": "Function functional graph forward_ad profiler anomaly_mode grad_mode function variable",
    "torch.autograd.graph": "Node",
    "torch.utils": "data checkpoint hooks",
    "torch.distributed": "rpc autograd optim nn algorithms pipelining tensor fsdp",
    "torch.distributed.rpc": "RRef",
    "torch.futures": "Future",
    "torch.cuda": "amp",
    "torch.backends": "cuda cudnn",
}


def paths() -> list[str]:
    """All namespaces, sorted."""
    return sorted({*NAMESPACES, *(f"{parent}.{name}" for parent, names in NAMESPACES.items() for name in names.split())})


def resolve(path: str) -> Any:
    """The module or class of a dotted path."""
    try:
        return importlib.import_module(path)
    except ImportError:
        parent, _, name = path.rpartition(".")
        return getattr(resolve(parent), name)


def is_public(module: Any, name: str) -> bool:
    """Whether PyTorch offers a name: not underscored, and not something a module merely imported from elsewhere."""
    if name.startswith("_") or name == "TYPE_CHECKING":
        return False
    if not isinstance(module, types.ModuleType) or name in getattr(module, "__all__", ()):
        return True
    if name in dir(type(module)):
        return True
    value = getattr(module, name)
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith(f"{module.__name__}.")  # its own submodules
    origin = getattr(value, "__module__", None)
    if isinstance(origin, str):
        return origin.split(".")[0] in ("torch", "builtins") and not isinstance(value, types.GenericAlias)
    return callable(value) or isinstance(
        value, (bool, int, float, str, torch.dtype, torch.layout, torch.memory_format, torch.qscheme)
    )


def names(path: str) -> list[str]:
    """The public names of a namespace, sorted."""
    module = resolve(path)
    listed = {*dir(module), *getattr(module, "__all__", ())}
    submodules = {child.rpartition(".")[2] for child in paths() if child.rpartition(".")[0] == path}
    if isinstance(module, types.ModuleType):
        listed |= set(dir(type(module))) - set(dir(types.ModuleType))  # some modules keep their settings as properties
    annotated = {name for name in getattr(module, "__annotations__", ()) if isinstance(module, type) and not name.startswith("_")}
    return sorted(submodules | annotated | {name for name in listed if hasattr(module, name) and is_public(module, name)})


def main() -> None:
    """Write the list: a namespace a line, its names after a colon."""
    version = torch.__version__.partition("+")[0]
    lines = [f"# Public names of PyTorch {version}, one namespace a line (tests/goldens/record_pytorch_names.py)."]
    for path in paths():
        found = names(path)
        lines.append(f"{path}: {' '.join(found)}")
        print(path, len(found))
    target = Path(__file__).parents[2] / "autograd_cli" / "torch_api" / "pytorch_names.txt"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
