"""torch.utils.data gives PyTorch's items in PyTorch's order, and leaves the random stream where PyTorch leaves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from data_cases import CASES, result

from autograd_cli.torch_api.modules import modules

TORCH: Any = modules()["torch"]
DATA: Any = modules()["torch.utils.data"]
GOLDENS: dict[str, str] = json.loads(Path(__file__).with_name("data.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_items_and_order_are_pytorchs(case: str) -> None:
    assert result(TORCH, DATA, case) == GOLDENS[case]


def test_a_dataset_of_ones_own() -> None:
    class Squares(DATA.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            return TORCH.tensor(float(index)), index**2

    batches = list(DATA.DataLoader(Squares(), batch_size=2))
    assert [b[1].tolist() for b in batches] == [[0, 1], [4, 9]]


class Stream(DATA.IterableDataset):  # type: ignore[misc]
    def __iter__(self) -> Any:
        return iter(range(5))

    def __len__(self) -> int:
        return 5


def test_an_iterable_dataset() -> None:
    assert [b.tolist() for b in DATA.DataLoader(Stream(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [b.tolist() for b in DATA.DataLoader(Stream(), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DATA.DataLoader(Stream(), batch_size=None)) == [0, 1, 2, 3, 4]
    loaders = [DATA.DataLoader(Stream(), batch_size=n, drop_last=d) for n, d in ((2, False), (2, True), (None, False))]
    assert [len(loader) for loader in loaders] == [3, 2, 5]


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: DATA.TensorDataset(TORCH.ones(2), TORCH.ones(3)), AssertionError),
        (lambda: DATA.TensorDataset([1, 2]), TypeError),
        (lambda: DATA.DataLoader(range(3), shuffle=True, sampler=[0]), ValueError),
        (lambda: DATA.DataLoader(range(3), batch_size=0), ValueError),
        (lambda: DATA.DataLoader(Stream(), batch_size=0), ValueError),
        (lambda: DATA.DataLoader(Stream(), shuffle=True), ValueError),
        (lambda: DATA.DataLoader(Stream(), sampler=[0]), ValueError),
        (lambda: DATA.DataLoader(Stream(), batch_sampler=[[0]]), ValueError),
        (lambda: DATA.random_split(range(5), [2, 2]), ValueError),
        (lambda: DATA.ConcatDataset([range(3), range(3)])[-7], ValueError),
        (lambda: DATA.ConcatDataset([range(3), range(3)])[6], IndexError),
        (lambda: next(iter(DATA.DataLoader([object()], batch_size=1))), TypeError),
        (lambda: next(iter(DATA.DataLoader([TORCH.ones(1), TORCH.ones(2)], batch_size=2))), RuntimeError),
    ],
)
def test_what_makes_no_batch_is_refused(make: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        make()
