"""What PyTorch warns about, in words of our own: a table of the kinds, and the function that tells whoever listens."""

from __future__ import annotations

from typing import Any

from .modes import modes

WARNINGS = {
    # ---- gradients ----
    "NonLeafGrad": "this tensor is no leaf, so its .grad is not kept: call retain_grad() on it before backward()",
    "CreateGraphBackward": "backward(create_graph=True) puts gradients with a graph into .grad, and that graph leads back to the "
    "parameters: PyTorch cannot free it before .grad is set to None. torch.autograd.grad(…, create_graph=True) returns them instead",
    "ScalarOfGrad": "float() of this tensor, which requires grad, gives a number that is cut off its graph: write x.item() or x.detach()",
    "CopyOfTensor": "a new tensor made from this tensor is a copy that is cut off its graph: write x.detach().clone(), with "
    ".requires_grad_() for a new leaf",
    "AnomalyMode": "anomaly mode looks for NaN in every gradient and takes time: switch it off when the NaN is found",
    "HookWithoutInputs": "a backward hook of {module} is called, and no input of the module requires grad: its grad_input is None",
    "CheckpointUseReentrant": "checkpoint() was called without use_reentrant, which PyTorch asks for: it is True, as in PyTorch",
    "CheckpointWithoutGrad": "no input of checkpoint(use_reentrant=True) requires grad: the parameters used inside will get no gradients",
    "GradcheckPrecision": "input {position} of gradcheck is {dtype}: finite differences need float64 or complex128, or the check may fail",
    # ---- losses and layers ----
    "LossBroadcast": "{op}() got an input of shape {input} and a target of shape {target}. They are broadcast to {both}, so elements are "
    "compared that do not belong together: give the two one shape",
    "ImplicitDim": "{op}() without dim takes dim={dim} for a tensor with {ndim} dimensions: write {op}(x, dim={dim})",
    "MeanOfDivergence": "kl_div() with reduction='mean' divides by the number of elements, not of rows: write reduction='batchmean'",
    "OldReduction": "size_average and reduce are old options of a loss: write reduction='{reduction}'",
    "RecurrentDropout": "dropout of {module} stands between its layers, and it has only one: dropout={dropout} does nothing",
    # ---- optimizers ----
    "SchedulerBeforeOptimizer": "scheduler.step() was called before optimizer.step(): the first value of the schedule is skipped",
    "SchedulerEpoch": "scheduler.step(epoch) is an old form: call step() once an epoch",
    "RepeatedParameter": "a parameter is in its group more than once: each step changes it as often",
    # ---- numbers and shapes ----
    "ReversedDimensions": ".T of a tensor with {ndim} dimensions reverses them all: write .mT for the last two, or x.permute(…)",
    "NoDegreesOfFreedom": "{op}() divides by n - {correction}, which is not positive here: the result is nan or infinite",
    "ImaginaryDiscarded": "turning complex numbers into real ones drops their imaginary part: write x.real or x.abs()",
    "EmptyInit": "there is nothing to initialise in a tensor without elements",
}


def warn(kind: str, tensor: Any = None, **facts: Any) -> None:
    """Tell the user what `kind` says, with the `facts` put in; "this tensor" becomes the name of `tensor`."""
    if modes.instrument is not None:
        modes.instrument.warn(kind, WARNINGS[kind].format(**facts), tensor)
