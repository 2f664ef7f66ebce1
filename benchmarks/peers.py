"""Adapters of the peers: HIPS autograd, MyGrad, micrograd."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np

from benchmarks.adapter import Adapter
from benchmarks.workload import Array


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
