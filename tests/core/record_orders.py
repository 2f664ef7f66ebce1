"""Record the order in which PyTorch runs the nodes of random graphs: ``python tests/core/record_orders.py``. Needs torch.

What is written to ``orders.json`` is the graph as PyTorch shows it (names, sequence numbers, edges, numbers of inputs) and
what its pre hooks saw, so that a test can make the same graph node by node, without the operations.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import torch

LAST = 2**64 - 1


def program(rng: random.Random) -> list[torch.Tensor]:
    """A random program with fan-in, fan-out, nodes with several inputs and several roots: its roots."""
    tensors = [torch.rand(2, dtype=torch.float64, requires_grad=True) for _ in range(rng.randint(2, 16))]

    def pick() -> torch.Tensor:
        return rng.choice(tensors[-rng.choice([3, 8, 100]) :])

    for _ in range(rng.randint(1, 10)):
        kind = rng.random()
        if kind < 0.3:
            made = torch.stack([pick() for _ in range(rng.randint(1, 12))]).sum(0)
        elif kind < 0.45:
            made = torch.cat([pick() for _ in range(rng.randint(1, 6))]).reshape(-1, 2).sum(0)
        elif kind < 0.6:
            one, two = torch.stack([pick() for _ in range(rng.randint(2, 5))]).unbind(1)
            made = torch.stack([one.sum(), two.sum()])
        elif kind < 0.8:
            made = pick() * pick()
        else:
            made = torch.addcmul(pick(), pick(), pick())
        tensors.append(made)
    roots = [torch.stack(rng.sample(tensors, min(len(tensors), 14))).sum()]
    if rng.random() < 0.5:
        roots += [t.sum() for t in rng.sample(tensors, min(2, len(tensors)))]
    return roots


def record(seed: int) -> dict[str, Any]:
    """The graph of one program, and the order of a backward pass through it."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    roots = program(rng)
    ids: dict[Any, int] = {}
    stack = [root.grad_fn for root in roots]
    while stack:
        node = stack.pop()
        if node not in ids:
            ids[node] = len(ids)
            stack += [function for function, _ in node.next_functions if function is not None]
    order: list[int] = []
    for node, number in ids.items():
        node.register_prehook(lambda _, number=number: order.append(number))
    numbers = sorted({node._sequence_nr() for node in ids} - {LAST})
    torch.autograd.backward(roots)
    return {
        "seed": seed,
        "roots": [ids[root.grad_fn] for root in roots],
        "nodes": [
            {
                "name": node.name().rsplit("::", 1)[-1],
                "nr": None if node._sequence_nr() == LAST else numbers.index(node._sequence_nr()),
                "inputs": len(node._input_metadata) or 1,
                "next": [f and [ids[f], nr] for f, nr in node.next_functions],
            }
            for node in ids
        ],
        "order": order,
    }


def main() -> None:
    """Write the recordings, one a line."""
    found = [record(seed) for seed in range(60)]
    lines = ",\n".join(json.dumps(graph, separators=(",", ":")) for graph in found)
    text = f'{{"torch": "{torch.__version__}", "graphs": [\n{lines}\n]}}\n'
    (Path(__file__).parent / "orders.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
