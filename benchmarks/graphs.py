"""Workloads that are mostly graph: chains of scalars, random DAGs of small matrices, one leaf used thousands of times."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import ByHand, Workload


def chain(name: str, nodes: int, repetitions: int, left_out: tuple[str, ...] = ()) -> Workload:
    """``y = y * a + b`` on float64 scalars, `nodes` operations long."""
    rounds = nodes // 2

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        y, a, b = leaves
        for _ in range(rounds):
            y = y * a + b
        return y

    def hand_forward(leaves: Any, constants: Any) -> Any:
        y, a, b = (value[()] for value in leaves)
        inputs = []
        for _ in range(rounds):
            inputs.append(y)
            y = y * a + b
        return y, inputs

    def hand_backward(leaves: Any, constants: Any, state: Any) -> Any:
        a = leaves[1][()]
        grad, grad_a, grad_b = np.float64(1), np.float64(0), np.float64(0)
        for y in reversed(state[1]):
            grad_b = grad_b + grad
            grad_a = grad_a + grad * y
            grad = grad * a
        return grad, grad_a, grad_b

    return Workload(
        name=name,
        title=f"0-d chain of {nodes:,} nodes",
        nodes=nodes,
        leaves={"x": np.array(1.0), "a": np.array(0.999), "b": np.array(0.001)},
        constants={},
        forward=forward,
        by_hand=ByHand(hand_forward, hand_backward),
        script=f"y = x\nfor _ in range({rounds}):\n    y = y * a + b\nreturn y",
        repetitions=repetitions,
        scalar=True,
        left_out=left_out,
    )


def fan_in(name: str, uses: int, size: int | None, repetitions: int) -> Workload:
    """One leaf of `size` elements (``None``: 0-d) used `uses` times, the products added up one after the other."""

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        x, k = leaves[0], constants[0]
        mul, add = library.mul, library.add
        terms = [mul(x, k) for _ in range(uses)]
        total = terms[0]
        for i in range(1, uses):
            total = add(total, terms[i])
        return total if size is None else library.sum(total)

    def hand_forward(leaves: Any, constants: Any) -> Any:
        x, k = leaves[0][()], constants[0][()]
        terms = [x * k for _ in range(uses)]
        total = terms[0]
        for i in range(1, uses):
            total = total + terms[i]
        return total if size is None else np.add.reduce(total, None), terms

    def hand_backward(leaves: Any, constants: Any, state: Any) -> Any:
        k = constants[0][()]
        grad = np.float64(1) if size is None else np.ones(size)
        total = grad * k
        for _ in range(1, uses):
            total = total + grad * k
        return (total,)

    tail = "return total" if size is None else "return total.sum()"
    return Workload(
        name=name,
        title=f"one {'0-d leaf' if size is None else f'leaf of {size:,} elements'} used {uses:,} times",
        nodes=2 * uses - 1 + (size is not None),
        leaves={"x": np.array(0.5) if size is None else np.linspace(0, 1, size)},
        constants={"k": np.array(1.001)},
        forward=forward,
        by_hand=ByHand(hand_forward, hand_backward),
        script=f"terms = [x * k for _ in range({uses})]\ntotal = terms[0]\n"
        f"for i in range(1, {uses}):\n    total = total + terms[i]\n{tail}",
        repetitions=repetitions,
        scalar=size is None,
    )


def _random_program(
    rng: np.random.Generator, operations: int, leaves: int, matrix: int
) -> tuple[list[tuple[str, int, int]], list[int]]:
    """Operations (name, operand, operand) over values numbered from the leaves on, and the values that nothing uses.

    A bound on each value keeps the numbers small: what would exceed it becomes a tanh.
    """
    bound = [1.0] * leaves
    program: list[tuple[str, int, int]] = []
    used: set[int] = set()
    for k in range(leaves, leaves + operations):
        op = str(rng.choice(["add", "mul", "sub", "tanh", "matmul"]))
        recent = range(max(0, k - 60), k)
        unused = [i for i in recent if i not in used]
        i = int(unused[rng.integers(len(unused))]) if unused and rng.random() < 0.7 else int(rng.integers(recent.start, k))
        j = int(rng.integers(recent.start, k))
        product = bound[i] * bound[j]
        size = {"add": bound[i] + bound[j], "sub": bound[i] + bound[j], "mul": product, "matmul": matrix * product, "tanh": 1.0}[
            op
        ]
        if size > 50:
            op, size = "tanh", 1.0
        used.update((i,) if op == "tanh" else (i, j))
        program.append((op, i, j))
        bound.append(size)
    return program, [i for i in range(len(bound)) if i not in used]


def dag(name: str, operations: int, matrix: int, repetitions: int, leaf_count: int = 8) -> Workload:
    """A random DAG of `operations` on float64 matrices `matrix` x `matrix`; its open ends are added up and summed."""
    rng = np.random.default_rng(0)
    program, sinks = _random_program(rng, operations, leaf_count, matrix)

    def forward(library: Any, leaves: Any, constants: Any) -> Any:
        values = list(leaves)
        append, add, sub, mul, matmul, tanh = values.append, library.add, library.sub, library.mul, library.matmul, library.tanh
        for op, i, j in program:
            if op == "add":
                append(add(values[i], values[j]))
            elif op == "mul":
                append(mul(values[i], values[j]))
            elif op == "sub":
                append(sub(values[i], values[j]))
            elif op == "matmul":
                append(matmul(values[i], values[j]))
            else:
                append(tanh(values[i]))
        total = values[sinks[0]]
        for i in sinks[1:]:
            total = add(total, values[i])
        return library.sum(total)

    names = [f"x{i}" for i in range(leaf_count)]
    return Workload(
        name=name,
        title=f"DAG of {operations + len(sinks):,} operations on {matrix}x{matrix} matrices",
        nodes=operations + len(sinks),
        leaves={leaf: rng.uniform(-0.5, 0.5, (matrix, matrix)) for leaf in names},
        constants={},
        forward=forward,
        by_hand=_dag_by_hand(program, sinks, matrix, leaf_count),
        script=_dag_script(program, sinks, names),
        repetitions=repetitions,
        tolerance=1e-8,
    )


def _dag_by_hand(program: list[tuple[str, int, int]], sinks: list[int], matrix: int, leaf_count: int) -> ByHand:
    dot, tanh = np.ndarray.dot, np.tanh

    def forward(leaves: Any, constants: Any) -> Any:
        values = list(leaves)
        append = values.append
        for op, i, j in program:
            if op == "add":
                append(values[i] + values[j])
            elif op == "mul":
                append(values[i] * values[j])
            elif op == "sub":
                append(values[i] - values[j])
            elif op == "matmul":
                append(dot(values[i], values[j]))
            else:
                append(tanh(values[i]))
        total = values[sinks[0]]
        for i in sinks[1:]:
            total = total + values[i]
        return np.add.reduce(total, None), values

    def backward(leaves: Any, constants: Any, state: Any) -> Any:
        values = state[1]
        grads: list[Any] = [None] * len(values)
        ones = np.ones((matrix, matrix))
        for i in sinks:
            grads[i] = ones
        for k in range(len(program) - 1, -1, -1):
            op, i, j = program[k]
            grad = grads[leaf_count + k]
            second = None
            if op == "add":
                first = second = grad
            elif op == "mul":
                first, second = grad * values[j], grad * values[i]
            elif op == "sub":
                first, second = grad, -grad
            elif op == "matmul":
                first, second = dot(grad, values[j].T), dot(values[i].T, grad)
            else:
                result = values[leaf_count + k]
                product = grad * result
                product *= result
                first = grad - product
            grads[i] = first if grads[i] is None else grads[i] + first
            if second is not None:
                grads[j] = second if grads[j] is None else grads[j] + second
        return [np.zeros((matrix, matrix)) if grad is None else grad for grad in grads[:leaf_count]]

    return ByHand(forward, backward)


def _dag_script(program: list[tuple[str, int, int]], sinks: list[int], names: list[str]) -> str:
    """The same interpreter loop, as a script would write it."""
    return "\n".join(
        (
            f"program = {program!r}",
            f"values = [{', '.join(names)}]",
            "for op, i, j in program:",
            "    if op == 'add':",
            "        values.append(values[i] + values[j])",
            "    elif op == 'mul':",
            "        values.append(values[i] * values[j])",
            "    elif op == 'sub':",
            "        values.append(values[i] - values[j])",
            "    elif op == 'matmul':",
            "        values.append(values[i] @ values[j])",
            "    else:",
            "        values.append(torch.tanh(values[i]))",
            f"total = values[{sinks[0]}]",
            f"for i in {sinks[1:]!r}:",
            "    total = total + values[i]",
            "return total.sum()",
        )
    )
