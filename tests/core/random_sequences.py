"""Random sequences of what a user does with autograd, and what came of them: the same text for agrad and for PyTorch.

``python tests/core/random_sequences.py`` (needs torch) records them in ``sequences.json``;
``python tests/core/random_sequences.py FIRST COUNT`` prints those of other seeds, for a longer comparison by hand.
"""

from __future__ import annotations

import json
import os
import random
import sys
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ.setdefault("AGRAD_TEST_PYTORCH", "1")
from under_test import torch

RECORDED = Path(__file__).parent / "sequences.json"
SHAPES = [(), (2,), (1,), (2, 2), (2, 1)]

OPERATIONS = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a.tanh(),
    lambda a, b: (a * 0.3).exp(),
    lambda a, b: a.sum(),
    lambda a, b: a * 2.5,
    lambda a, b: -a,
    lambda a, b: a**2,
    lambda a, b: torch.stack([a, a * b.sum()]).sum(0),
    lambda a, b: (a * 1).reshape(-1) * 1,
    lambda a, b: a.mean(),
    lambda a, b: a.sigmoid(),
]


def shown(tensor: Any) -> Any:
    """A tensor as plain data."""
    return None if tensor is None else [str(tensor.dtype).removeprefix("torch."), list(tensor.shape), tensor.tolist()]


class Sequence:
    """One random sequence: the tensors it has made so far, and what happened."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.happened: list[Any] = []
        self.handles: list[Any] = []
        self.tensors = [self.new_leaf() for _ in range(self.rng.randint(1, 4))]
        for _ in range(self.rng.randint(3, 22)):
            action, _ = self.rng.choices(*ACTIONS)[0]
            try:
                self.happened.append(action(self))
            except Exception as error:
                kind = next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")
                self.happened.append(["error", kind])
        self.left = [
            [
                shown(t),
                t.requires_grad,
                t.is_leaf,
                shown(t.grad if t.is_leaf or t.retains_grad else None),
                type(t.grad_fn).__name__,
            ]
            for t in self.tensors
        ]

    def new_leaf(self) -> Any:
        shape = self.rng.choice(SHAPES)
        values = [round(self.rng.uniform(-1.5, 1.5), 3) for _ in range(torch.zeros(shape).numel())]
        dtype = self.rng.choice([torch.float64, torch.float64, torch.float32])
        return torch.tensor(values, dtype=dtype).reshape(shape).requires_grad_(self.rng.random() < 0.8)

    def pick(self) -> Any:
        return self.tensors[self.rng.randrange(len(self.tensors))]

    def operation(self) -> Any:
        a, b, number = self.pick(), self.pick(), self.rng.randrange(len(OPERATIONS))
        self.tensors.append(OPERATIONS[number](a, b))
        return ["operation", number]

    def detach(self) -> str:
        self.tensors.append(self.pick().detach())
        return "detach"

    def no_grad(self) -> str:
        with torch.no_grad():
            self.tensors.append(self.pick() * 2)
        return "no_grad"

    def retain(self) -> str:
        self.pick().retain_grad()
        return "retain_grad"

    def hook(self) -> str:
        tensor, factor, number = self.pick(), self.rng.choice([2.0, -1.0, None]), len(self.handles)

        def hook(grad: Any) -> Any:
            self.happened.append(["hook", number, shown(grad)])
            return None if factor is None else grad * factor

        self.handles.append(tensor.register_hook(hook))
        return "hook"

    def remove_hook(self) -> str:
        if self.handles:
            self.rng.choice(self.handles).remove()
        return "remove"

    def post_accumulate_hook(self) -> str:
        tensor, number = self.pick(), len(self.handles)
        hook = tensor.register_post_accumulate_grad_hook
        self.handles.append(hook(lambda leaf: self.happened.append(["accumulated", number, shown(leaf.grad)])))
        return "post-accumulate hook"

    def change_in_place(self) -> str:
        self.pick().detach().mul_(1.5)
        return "mul_"

    def change_data(self) -> str:
        self.pick().data.add_(0.25)
        return "data.add_"

    def switch_requires_grad(self) -> str:
        self.pick().requires_grad_(self.rng.random() < 0.5)
        return "requires_grad_"

    def backward(self) -> str:
        roots = [self.pick() for _ in range(self.rng.choice([1, 1, 1, 2]))]
        options: dict[str, Any] = {
            "retain_graph": self.rng.choice([None, True, True, False]),
            "create_graph": self.rng.random() < 0.2,
        }
        if self.rng.random() < 0.2:
            options["inputs"] = [self.pick() for _ in range(self.rng.randint(1, 2))]
        grads = [torch.ones_like(r.detach()) * self.rng.choice([1.0, 2.0]) if self.rng.random() < 0.8 else None for r in roots]
        torch.autograd.backward(roots, grads, **options)
        return "backward"

    def grad(self) -> Any:
        outputs = [self.pick() for _ in range(self.rng.choice([1, 1, 2]))]
        inputs = [self.pick() for _ in range(self.rng.randint(1, 3))]
        found = torch.autograd.grad(
            outputs,
            inputs,
            [torch.ones_like(r.detach()) for r in outputs],
            retain_graph=self.rng.choice([None, True, True]),
            create_graph=self.rng.random() < 0.4,
            allow_unused=self.rng.choice([None, True, True]),
        )
        self.tensors.extend(g for g in found if g is not None and self.rng.random() < 0.6)
        return ["grad", [shown(g) for g in found], [g is not None and g.requires_grad for g in found]]


_WEIGHTED = [
    (Sequence.operation, 45),
    (Sequence.detach, 5),
    (Sequence.no_grad, 4),
    (Sequence.retain, 6),
    (Sequence.hook, 8),
    (Sequence.remove_hook, 2),
    (Sequence.post_accumulate_hook, 3),
    (Sequence.change_in_place, 4),
    (Sequence.change_data, 2),
    (Sequence.switch_requires_grad, 1),
    (Sequence.backward, 12),
    (Sequence.grad, 8),
]
ACTIONS = (_WEIGHTED, [weight for _, weight in _WEIGHTED])


def run(seed: int) -> dict[str, Any]:
    """What happened in the sequence of `seed`, and what it left."""
    sequence = Sequence(seed)
    return {"seed": seed, "happened": sequence.happened, "left": sequence.left}


def main() -> None:
    """Record, or print others."""
    warnings.simplefilter("ignore")
    if len(sys.argv) > 1:
        first, count = map(int, sys.argv[1:])
        for seed in range(first, first + count):
            print(json.dumps(run(seed)))
        return
    lines = ",\n".join(json.dumps(run(seed), separators=(",", ":")) for seed in range(120))
    RECORDED.write_text(f'{{"torch": "{torch.__version__}", "sequences": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
