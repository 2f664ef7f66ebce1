"""Workloads that are mostly arithmetic: training steps of MLPs, element-wise work on large arrays, a gradient of a gradient."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.workload import ByHand, Workload


def mlp(name: str, widths: tuple[int, ...], batch: int, repetitions: int, dtype: Any = np.float32) -> Workload:
    """A multilayer perceptron with ReLU and cross-entropy: one training step without the optimizer."""
    rng = np.random.default_rng(1)
    leaves = {}
    for layer, (rows, columns) in enumerate(pairwise(widths)):
        leaves[f"w{layer}"] = (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(dtype)
        leaves[f"b{layer}"] = np.zeros(columns, dtype)
    inputs = rng.standard_normal((batch, widths[0])).astype(dtype)
    labels = rng.integers(0, widths[-1], batch)
    layers = len(widths) - 1

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        hidden = constants[0]
        for layer in range(layers):
            hidden = library.linear(hidden, leaves[2 * layer], leaves[2 * layer + 1])
            if layer < layers - 1:
                hidden = library.relu(hidden)
        return library.cross_entropy(hidden, constants[1])

    def hand_forward(leaves: Any, constants: Any) -> Any:
        activations = [constants[0]]
        for layer in range(layers):
            z = activations[-1].dot(leaves[2 * layer])
            z += leaves[2 * layer + 1]
            if layer < layers - 1:
                np.maximum(z, 0, out=z)
            activations.append(z)
        z = activations.pop()
        z -= z.max(1, keepdims=True)
        of_label = z[np.arange(batch), constants[1]]
        np.exp(z, out=z)
        total = z.sum(1, keepdims=True)
        loss = (np.log(total[:, 0]) - of_label).mean()
        z /= total
        return loss, activations, z

    def hand_backward(leaves: Any, constants: Any, state: Any) -> Any:
        _, activations, grad = state
        grad[np.arange(batch), constants[1]] -= 1
        grad *= grad.dtype.type(1 / batch)
        grads = []
        for layer in range(layers - 1, -1, -1):
            grads += [grad.sum(0), activations[layer].T.dot(grad)]
            if layer:
                grad = grad.dot(leaves[2 * layer].T)
                grad *= activations[layer] > 0
        return grads[::-1]

    lines = []
    for layer in range(layers):
        call = f"torch.addmm(b{layer}, {'hidden' if layer else 'inputs'}, w{layer})"
        lines.append(f"hidden = {call}" if layer == layers - 1 else f"hidden = {call}.relu()")
    return Workload(
        name=name,
        title=f"MLP {'-'.join(map(str, widths))}, batch {batch}, float32",
        nodes=2 * layers,
        leaves=leaves,
        constants={"inputs": inputs, "labels": labels},
        forward=forward,
        by_hand=ByHand(hand_forward, hand_backward),
        script="\n".join([*lines, "return F.cross_entropy(hidden, labels)"]),
        repetitions=repetitions,
        per_node=False,
        tolerance=1e-4,
    )


def elementwise(name: str, size: int, repetitions: int, dtype: Any = np.float32) -> Workload:
    """Ten element-wise operations on three float32 leaves of `size` elements, and a sum."""
    rng = np.random.default_rng(2)
    leaves = {leaf: rng.uniform(-1, 1, size).astype(dtype) for leaf in ("x", "a", "b")}

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        x, a, b = leaves
        mul, add, sub, tanh, relu = library.mul, library.add, library.sub, library.tanh, library.relu
        t = add(mul(x, a), b)
        t = mul(tanh(t), x)
        t = relu(sub(t, b))
        t = mul(t, t)
        t = tanh(add(t, x))
        return library.sum(mul(t, a))

    def hand_forward(leaves: Any, constants: Any) -> Any:
        x, a, b = leaves
        t = x * a
        t += b
        h = np.tanh(t, out=t)
        u = h * x
        u -= b
        np.maximum(u, 0, out=u)
        v = u * u
        v += x
        np.tanh(v, out=v)
        return (v * a).sum(), h, u, v

    def hand_backward(leaves: Any, constants: Any, state: Any) -> Any:
        x, a, _ = leaves
        _, h, u, v = state
        grad_a = v.copy()
        grad = v * v
        np.subtract(1, grad, out=grad)
        grad *= a
        grad_x = grad.copy()
        grad *= u  # through the square; relu's mask is free: u is 0 where it would apply
        grad *= 2
        grad_b = -grad
        grad_x += grad * h
        grad *= x
        slope = h * h
        np.subtract(1, slope, out=slope)
        grad *= slope
        grad_b += grad
        grad_a += grad * x
        grad *= a
        grad_x += grad
        return grad_x, grad_a, grad_b

    return Workload(
        name=name,
        title=f"10 element-wise operations on {size:,} float32",
        nodes=11,
        leaves=leaves,
        constants={},
        forward=forward,
        by_hand=ByHand(hand_forward, hand_backward),
        script="t = x * a + b\nt = t.tanh() * x\nt = (t - b).relu()\nt = t * t\nt = (t + x).tanh()\nreturn (t * a).sum()",
        repetitions=repetitions,
        per_node=False,
        tolerance=1e-4,
    )


def elementwise_chain(name: str, operations: int, size: int, dtype: Any = np.float32) -> Workload:
    """A chain of `operations` element-wise operations on `size` float32, for memory: most engines keep every result."""
    x = np.random.default_rng(4).uniform(-1, 1, size).astype(dtype)
    rounds = operations // 4

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        x, b = leaves
        t = x
        for _ in range(rounds):
            t = library.sub(library.tanh(library.add(library.mul(t, x), b)), b)
        return library.sum(t)

    def hand_forward(leaves: Any, constants: Any) -> Any:
        x, b = leaves
        t, inputs = x, []
        for _ in range(rounds):
            inputs.append(t)
            t = t * x
            t += b
            np.tanh(t, out=t)
            t -= b
        return t.sum(), inputs, t

    def hand_backward(leaves: Any, constants: Any, state: Any) -> Any:
        x, b = leaves
        _, inputs, result = state
        grad = np.ones_like(x)
        grad_x, grad_b = np.zeros_like(x), np.zeros_like(x)
        for t in reversed(inputs):
            grad_b -= grad
            slope = result + b  # the tanh again: each round keeps its input only
            slope *= slope
            np.subtract(1, slope, out=slope)
            grad *= slope
            grad_b += grad
            grad_x += grad * t
            grad *= x
            result = t
        return grad_x + grad, grad_b

    return Workload(
        name=name,
        title=f"{operations} element-wise operations on {size:,} float32",
        nodes=operations + 1,
        leaves={"x": x, "b": x[::-1].copy()},
        constants={},
        forward=forward,
        by_hand=ByHand(hand_forward, hand_backward),
        script=f"t = x\nfor _ in range({rounds}):\n    t = (t * x + b).tanh() - b\nreturn t.sum()",
        repetitions=3,
        per_node=False,
        tolerance=1e-3,
    )


def double_backward(name: str, batch: int, widths: tuple[int, int, int], repetitions: int, dtype: Any = np.float32) -> Workload:
    """A gradient penalty: the squared norm of d y / d x of a small tanh MLP, differentiated by its weights."""
    rng = np.random.default_rng(3)
    shapes = ((batch, widths[0]), (widths[0], widths[1]), (widths[1], widths[2]), (widths[2], 1))
    leaves = dict(zip(("x", "w1", "w2", "w3"), (rng.standard_normal(s).astype(dtype) * dtype(0.3) for s in shapes), strict=True))

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        x, w1, w2, w3 = leaves
        matmul, tanh = library.matmul, library.tanh
        return library.sum(matmul(tanh(matmul(tanh(matmul(x, w1)), w2)), w3))

    def hand_forward(leaves: Any, constants: Any) -> Any:
        x, w1, w2, w3 = leaves
        h1 = np.tanh(x.dot(w1))
        h2 = np.tanh(h1.dot(w2))
        ones = np.ones((batch, 1), x.dtype)
        slope1, slope2 = 1 - h1 * h1, 1 - h2 * h2
        out2 = ones.dot(w3.T)  # d y / d h2
        in2 = out2 * slope2
        out1 = in2.dot(w2.T)
        in1 = out1 * slope1
        grad = in1.dot(w1.T)  # d y / d x
        return (grad * grad).sum(), h1, h2, ones, slope1, slope2, out2, in2, out1, in1, grad

    def hand_backward(leaves: Any, constants: Any, state: Any) -> Any:
        """Differentiate the first backward line by line, from its end: d_v is d penalty / d v."""
        x, w1, w2, _ = leaves
        _, h1, h2, ones, slope1, slope2, out2, in2, out1, in1, grad = state
        d_grad = 2 * grad
        d_in1 = d_grad.dot(w1)
        d_w1 = d_grad.T.dot(in1)
        d_h1 = -2 * h1 * (d_in1 * out1)
        d_out1 = d_in1 * slope1
        d_in2 = d_out1.dot(w2)
        d_w2 = d_out1.T.dot(in2)
        d_h2 = -2 * h2 * (d_in2 * out2)
        d_w3 = (d_in2 * slope2).T.dot(ones)
        d_z2 = d_h2 * slope2  # and now through the forward
        d_w2 += h1.T.dot(d_z2)
        d_z1 = (d_h1 + d_z2.dot(w2.T)) * slope1
        d_w1 += x.T.dot(d_z1)
        return d_w1, d_w2, d_w3

    return Workload(
        name=name,
        title="gradient of a gradient, small MLP, float32",
        nodes=6,
        leaves=leaves,
        constants={},
        forward=forward,
        by_hand=ByHand(hand_forward, hand_backward),
        script="y = (((x @ w1).tanh() @ w2).tanh() @ w3).sum()\n(g,) = torch.autograd.grad(y, x, create_graph=True)\n"
        "return torch.autograd.grad((g * g).sum(), [w1, w2, w3])",
        repetitions=repetitions,
        per_node=False,
        twice=True,
        tolerance=1e-6 if np.dtype(dtype).itemsize == 4 else 1e-9,
    )
