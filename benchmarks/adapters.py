"""One adapter a library: how it makes a leaf, runs a forward, runs the backward, and hands out gradients.

Libraries are imported in `load` only, so that a missing one is reported and the rest still runs.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any, ClassVar

import numpy as np

from benchmarks.tuning import tune_process
from benchmarks.workload import Array, Workload


class NotComparable(Exception):
    """This library does not do this workload; the text says why."""


class Adapter:
    """What the harness asks of a library. The defaults suit libraries whose tensors have operators and ``backward()``."""

    name: ClassVar[str]
    title: ClassVar[str]
    distribution: ClassVar[str]  # the package to install, also asked for the version
    scalars_only: ClassVar[bool] = False
    twice: ClassVar[bool] = True  # whether it can differentiate a gradient

    leaves: Sequence[Any]
    constants: Sequence[Any]
    workload: Workload

    # -- set-up, untimed

    def load(self) -> None:
        """Import the library. Raises ImportError where it is not installed."""
        raise NotImplementedError

    def version(self) -> str:
        """Version of the installed library."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return "?"

    def check(self, workload: Workload) -> None:
        """Raise NotComparable where the library cannot run this workload."""
        if self.name in workload.left_out:
            raise NotComparable("left out: minutes at this size")
        if self.scalars_only and not workload.scalar:
            raise NotComparable("knows scalars only")
        if workload.twice and not self.twice:
            raise NotComparable("no gradient of a gradient")

    def prepare(self, workload: Workload) -> None:
        """Make the leaves and constants of `workload`."""
        self.workload = workload
        self.leaves = [self.leaf(array) for array in workload.leaves.values()]
        self.constants = [self.constant(array) for array in workload.constants.values()]

    def before_pass(self) -> None:
        """Called before each pass."""
        for leaf in self.leaves:
            leaf.grad = None

    def after_pass(self) -> None:
        """Called after each pass."""

    def leaf(self, array: Array) -> Any:
        raise NotImplementedError

    def constant(self, array: Array) -> Any:
        return self.leaf(array)

    # -- operations that workloads are written in

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def sub(self, x: Any, y: Any) -> Any:
        return x - y

    def mul(self, x: Any, y: Any) -> Any:
        return x * y

    def matmul(self, x: Any, y: Any) -> Any:
        return x @ y

    def sum(self, x: Any) -> Any:
        return x.sum()

    def tanh(self, x: Any) -> Any:
        return x.tanh()

    def relu(self, x: Any) -> Any:
        return x.relu()

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.add(self.matmul(x, weight), bias)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        raise NotImplementedError

    # -- the timed part

    def forward(self) -> Any:
        """Run the forward; the state it returns keeps the graph alive."""
        return self.workload.forward(self, self.leaves, self.constants)

    def backward(self, state: Any) -> None:
        state.backward()

    def both(self) -> Any:
        """Forward and two backward passes of a workload that differentiates twice; returns the gradients."""
        raise NotImplementedError

    # -- the result

    def gradients(self, state: Any) -> list[Array]:
        """Gradients as float64 arrays. `state` is what `forward` (or `both`) returned."""
        grads = state if self.workload.twice else [leaf.grad for leaf in self.leaves]
        return [np.asarray(grad, dtype=np.float64) for grad in grads]


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
        tune_process()
        super().load()


class HipsAutograd(Adapter):
    name, title, distribution = "autograd", "HIPS autograd", "autograd"

    def load(self) -> None:
        import autograd
        import autograd.numpy
        from autograd.core import make_vjp

        self.grad, self.numpy, self.make_vjp = autograd.grad, autograd.numpy, make_vjp

    def leaf(self, array: Array) -> Any:
        return array

    def before_pass(self) -> None:
        self.grads: Any = None

    def matmul(self, x: Any, y: Any) -> Any:
        return self.numpy.dot(x, y)

    def sum(self, x: Any) -> Any:
        return self.numpy.sum(x)

    def tanh(self, x: Any) -> Any:
        return self.numpy.tanh(x)

    def relu(self, x: Any) -> Any:
        return self.numpy.maximum(x, np.float32(0))

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        from autograd.scipy.special import logsumexp  # needs scipy, which autograd itself does not

        return -self.numpy.mean(logits[np.arange(len(labels)), labels] - logsumexp(logits, axis=1))

    def forward(self) -> Any:
        return self.make_vjp(lambda leaves: self.workload.forward(self, leaves, self.constants), tuple(self.leaves))

    def backward(self, state: Any) -> None:
        vjp, value = state
        self.grads = vjp(np.ones_like(value))

    def both(self) -> Any:
        x, *weights = self.leaves
        first = self.grad(lambda x, weights: self.workload.forward(self, [x, *weights], self.constants))

        def penalty(weights: Any) -> Any:
            gradient = first(x, weights)
            return self.numpy.sum(gradient * gradient)

        return self.grad(penalty)(tuple(weights))

    def gradients(self, state: Any) -> list[Array]:
        return [np.asarray(grad, dtype=np.float64) for grad in (state if self.workload.twice else self.grads)]


class MyGrad(Adapter):
    name, title, distribution = "mygrad", "MyGrad", "mygrad"
    twice = False
    memory_guard: ClassVar[bool] = True

    def load(self) -> None:
        import mygrad
        from mygrad.nnet.activations import relu
        from mygrad.nnet.losses import softmax_crossentropy

        self.mygrad, self.softmax_crossentropy, self.mygrad_relu = mygrad, softmax_crossentropy, relu
        if self.memory_guard:
            mygrad.turn_memory_guarding_on()
        else:
            mygrad.turn_memory_guarding_off()

    def before_pass(self) -> None:
        for leaf in self.leaves:
            leaf.null_grad()

    def leaf(self, array: Array) -> Any:
        return self.mygrad.tensor(array)

    def constant(self, array: Array) -> Any:
        return array if array.dtype.kind == "i" else self.mygrad.tensor(array, constant=True)

    def tanh(self, x: Any) -> Any:
        return self.mygrad.tanh(x)

    def relu(self, x: Any) -> Any:
        return self.mygrad_relu(x)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return self.softmax_crossentropy(logits, labels)


class MyGradUnguarded(MyGrad):
    """With its memory guard off, as its documentation advises for speed."""

    name, title = "mygrad-noguard", "MyGrad, no memory guard"
    memory_guard = False


class Micrograd(Adapter):
    name, title, distribution = "micrograd", "micrograd", "micrograd"
    scalars_only, twice = True, False
    recursion_limit: ClassVar[int | None] = 10**8  # it walks the graph by recursion; None leaves Python's default

    def load(self) -> None:
        from micrograd.engine import Value

        self.value = Value
        if self.recursion_limit:
            sys.setrecursionlimit(self.recursion_limit)

    def before_pass(self) -> None:
        for leaf in self.leaves:
            leaf.grad = 0

    def leaf(self, array: Array) -> Any:
        return self.value(float(array))


class MicrogradDefault(Micrograd):
    """micrograd as it comes, for `big`."""

    name, title = "micrograd-default", "micrograd, default recursion limit"
    recursion_limit = None


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
