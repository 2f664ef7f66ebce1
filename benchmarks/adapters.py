"""Adapters of PyTorch, agrad and NumPy by hand, and the table of all."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import numpy as np

from benchmarks.adapter import Adapter
from benchmarks.peers import HipsAutograd, Micrograd, MicrogradDefault, MyGrad, MyGradUnguarded
from benchmarks.workload import Array, Workload


class Torch(Adapter):
    name, title, distribution = "torch", "PyTorch", "torch"
    module_name: ClassVar[str] = "torch"
    torch: Any

    def load(self) -> None:
        self.torch = importlib.import_module(self.module_name)

    def leaf(self, array: Array) -> Any:
        return self.torch.tensor(array).requires_grad_()

    def constant(self, array: Array) -> Any:
        return self.torch.tensor(array)

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.torch.addmm(bias, x, weight)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return self.torch.nn.functional.cross_entropy(logits, labels)

    def both(self) -> Any:
        grad = self.torch.autograd.grad
        y = self.forward()
        (first,) = grad(y, self.leaves[0], create_graph=True)
        return grad(self.sum(self.mul(first, first)), self.leaves[1:])

    def gradients(self, state: Any) -> list[Array]:
        grads = state if self.workload.twice else [leaf.grad for leaf in self.leaves]
        return [np.asarray(grad.detach().numpy(), dtype=np.float64) for grad in grads]


class Agrad(Torch):
    name, title, distribution = "agrad", "agrad", "agrad"
    module_name = "autograd_cli.torch_api"

    def load(self) -> None:
        from autograd_cli import torch

        self.torch = torch


class AgradRecording(Agrad):
    """The same with a Recorder listening, a new one for each pass as the first passes of a run have it."""

    name, title = "agrad-recording", "agrad, recording on"
    recorder: Any

    def load(self) -> None:
        super().load()
        from autograd_cli.trace.recorder import Recorder

        self.make_recorder = Recorder

    def before_pass(self) -> None:
        super().before_pass()
        self.recorder = self.make_recorder()
        self.recorder.install()

    def after_pass(self) -> None:
        self.recorder.remove()
        self.recorder = None


class AgradTuned(Agrad):
    """The same in a process that its owner has tuned."""

    name, title = "agrad-tuned", "agrad, process tuned"

    def load(self) -> None:
        from autograd_cli import tune_process

        tune_process()
        super().load()


class NumpyByHand(Adapter):
    name, title, distribution = "numpy", "NumPy by hand", "numpy"

    def load(self) -> None:
        pass

    def prepare(self, workload: Workload) -> None:
        self.workload = workload
        self.leaves, self.constants = list(workload.leaves.values()), list(workload.constants.values())

    def before_pass(self) -> None:
        self.grads: Any = None

    def forward(self) -> Any:
        return self.workload.by_hand.forward(list(self.leaves), list(self.constants))

    def backward(self, state: Any) -> None:
        self.grads = self.workload.by_hand.backward(list(self.leaves), list(self.constants), state)

    def both(self) -> Any:
        self.backward(self.forward())
        return self.grads

    def gradients(self, state: Any) -> list[Array]:
        return [np.asarray(grad, dtype=np.float64) for grad in self.grads]


ADAPTERS: dict[str, type[Adapter]] = {
    adapter.name: adapter
    for adapter in (
        Torch,
        Agrad,
        AgradTuned,
        AgradRecording,
        HipsAutograd,
        MyGrad,
        MyGradUnguarded,
        Micrograd,
        MicrogradDefault,
        NumpyByHand,
    )
}
