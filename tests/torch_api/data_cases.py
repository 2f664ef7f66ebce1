"""What torch.utils.data gives, as text: in PyTorch (``record_data.py``) and here. No torch in this file."""

from __future__ import annotations

from typing import Any

CASES = [
    "[[y.tolist() for x, y in D.DataLoader(ds, batch_size=4, shuffle=True)] for _ in range(2)]",
    "[x.tolist() for x, y in D.DataLoader(ds, batch_size=3)]",
    "[y.tolist() for x, y in D.DataLoader(ds, batch_size=4, drop_last=True)], len(D.DataLoader(ds, batch_size=4, drop_last=True))",
    "[y.tolist() for x, y in D.DataLoader(ds, batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(5))]",
    "[part.indices for part in D.random_split(ds, [7, 3])]",
    "[part.indices for part in D.random_split(ds, [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(3))]",
    "list(D.RandomSampler(range(5), replacement=True, num_samples=40))",
    "list(D.RandomSampler(range(5), num_samples=12))",
    "list(D.BatchSampler(D.SequentialSampler(range(5)), 2, False)), list(D.BatchSampler(D.SequentialSampler(range(5)), 2, True))",
    "list(D.SubsetRandomSampler([3, 5, 9]))",
    "next(iter(D.DataLoader([{'a': 1, 'b': 2.5}, {'a': 3, 'b': 4.0}], batch_size=2)))",
    "next(iter(D.DataLoader([('x', 1, [1.5, True]), ('y', 2, [2.5, False])], batch_size=2)))",
    "list(D.DataLoader([1, 2, 3], batch_size=None)), list(D.DataLoader([1.0, 2.0]))",
    "len(ds + ds), (ds + ds)[13], D.Subset(ds, [1, 2])[1], len(D.DataLoader(ds, batch_size=3))",
    "list(D.DataLoader(ds, batch_sampler=[[0, 1], [5]], collate_fn=len))",
    "list(D.DataLoader(D.Subset(ds, [4, 2]), num_workers=0))",
]


def result(torch: Any, data: Any, expression: str) -> str:
    """The text of a value, and the random number that comes next."""
    torch.manual_seed(1)
    names = {"torch": torch, "D": data, "ds": data.TensorDataset(torch.arange(20.0).reshape(10, 2), torch.arange(10))}
    return f"{eval(expression, names)} {torch.rand(1)}"
