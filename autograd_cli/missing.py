"""Names of PyTorch that agrad does not have, and why."""

from __future__ import annotations

from autograd_cli.errors import Unsupported

SEE = "docs/language.md lists what is there"
_FILES = ("scripts neither read nor write files", "load data with the tensors: key; agrad run --json writes every value of a run")
_COMPILED = ("agrad runs each line as it is written, so that it can be shown", "leave it out: the results are the same")
_WORKERS = ("it works over several workers", "run the scenario with agrad dist; docs/distributed.md says how")
_PRECISION = (
    "agrad computes in the dtype that is asked for",
    "leave it out, or convert with .half() or .bfloat16() where that is meant",
)
_SPARSE = ("agrad has dense tensors only", "use a dense tensor: the gradients are the same")
_QUANTIZED = ("quantized tensors have no gradients to show", "leave it out: train in float32")
_PROFILE = ("agrad records every step itself", "agrad run --json --events has all of them; agrad graph draws them")
_EACH = ("it would call the script's code for each element, out of sight of the graph", "use operations on whole tensors")
_HALF = ("NumPy has no complex dtype of half precision", "use torch.cfloat")
_BF = ("NumPy has no such dtype of its own", "pip install ml_dtypes, which brings it")
_FOREIGN = ("it hands tensors to other programs", "convert with .numpy() or torch.from_numpy()")

_CLASSES = ("torch.Tensor.", "torch.nn.Module.")

# By the dotted name, or by the beginning of one.
REASONS = {
    "torch.bfloat16": _BF,
    "torch.Tensor.bfloat16": _BF,
    "torch.save": _FILES,
    "torch.load": _FILES,
    "torch.from_file": _FILES,
    "torch.hub": _FILES,
    "torch.onnx": _FILES,
    "torch.package": _FILES,
    "torch.serialization": _FILES,
    "torch.Tensor.share_memory_": _WORKERS,
    "torch.compile": _COMPILED,
    "torch.compiler": _COMPILED,
    "torch.jit": _COMPILED,
    "torch.fx": _COMPILED,
    "torch.export": _COMPILED,
    "torch.library": _COMPILED,
    "torch.Tensor.apply_": (
        "it would call the script's code for each element, out of sight of the graph",
        "use operations on whole tensors",
    ),
    "torch.Tensor.map_": (
        "it would call the script's code for each element, out of sight of the graph",
        "use operations on whole tensors",
    ),
    "torch.distributed": _WORKERS,
    "torch.futures": _WORKERS,
    "torch.multiprocessing": _WORKERS,
    "torch.nn.parallel": _WORKERS,
    "torch.nn.DataParallel": _WORKERS,
    "torch.autocast": _PRECISION,
    "torch.amp": _PRECISION,
    "torch.cuda.amp": _PRECISION,
    "torch.GradScaler": _PRECISION,
    "torch.chalf": _HALF,
    "torch.complex32": _HALF,
    "torch.Tensor.chalf": _HALF,
    "torch.sparse": _SPARSE,
    "torch.Tensor.to_sparse": _SPARSE,
    "torch.Tensor.coalesce": _SPARSE,
    "torch.optim.SparseAdam": _SPARSE,
    "torch.nested": _SPARSE,
    "torch.quantization": _QUANTIZED,
    "torch.quantize_per": _QUANTIZED,
    "torch.ao": _QUANTIZED,
    "torch.profiler": _PROFILE,
    "torch.autograd.profiler": _PROFILE,
    "torch.utils.data.distributed": _WORKERS,
    "torch.utils.dlpack": _FOREIGN,
    "torch.from_dlpack": _FOREIGN,
    "torch.to_dlpack": _FOREIGN,
    "torch.frombuffer": _FOREIGN,
    "torch.Tensor.storage": ("the memory of tensors is out of reach of scripts", "x.data_ptr() tells which tensors share it"),
    "torch.Tensor.untyped_storage": (
        "the memory of tensors is out of reach of scripts",
        "x.data_ptr() tells which tensors share it",
    ),
    "torch.Tensor.resize_": ("it leaves elements without values", "use reshape(), or torch.empty() of the size that is wanted"),
    "torch.nn.Module.register_backward_hook": (
        "PyTorch deprecated it, since it saw wrong gradients",
        "use register_full_backward_hook()",
    ),
}


def missing(name: str, shown: str | None = None) -> Unsupported:
    """The error for a name that PyTorch has and agrad does not.

    Parameters
    ----------
    name : str
        Dotted: "torch.save", "torch.Tensor.apply_", "torch.nn.Module.compile".
    shown : str, optional
        How the message writes it.
    """
    if shown is None:
        shown = name.removeprefix("torch.nn.").removeprefix("torch.") if name.startswith(_CLASSES) else name
    for known, (why, hint) in REASONS.items():
        if name == known or (name.startswith(known) and name[len(known)] in "._"):
            return Unsupported(f"{shown} is part of PyTorch, but not of agrad: {why}", hint=hint)
    return Unsupported(f"{shown} is part of PyTorch, but agrad does not have it yet", hint=SEE)
