"""The datasets of ``torch.utils.data``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..core.generator import Generator, default_generator
from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue


class Dataset:
    """Base of datasets: subclasses have ``__getitem__`` and, mostly, ``__len__``."""

    __module__ = "torch.utils.data.dataset"

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Base of datasets that are only iterated over: subclasses have ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


class TensorDataset(Dataset):
    """Rows of tensors that have as many rows."""

    def __init__(self, *tensors: Any) -> None:
        if any(not isinstance(t, Tensor) for t in tensors) or not tensors:
            raise BadArgumentType("TensorDataset takes tensors", hint="TensorDataset(inputs, targets)")
        if any(len(t._data) != len(tensors[0]._data) for t in tensors):
            sizes = ", ".join(str(list(t._data.shape)) for t in tensors)
            raise AssertionError(f"Size mismatch between tensors: {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0]._data)


class Subset(Dataset):
    """Chosen items of a dataset."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Datasets one after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            index += len(self)
            if index < 0:
                raise BadArgumentValue("index is outside of the dataset")
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)
        raise IndexError("index is outside of the dataset")

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """A dataset divided at random into parts of given sizes, or of given shares."""
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = [math.floor(total * share) for share in lengths]
        for i in range(total - sum(sizes)):
            sizes[i % len(sizes)] += 1
    else:
        sizes = [int(n) for n in lengths]
    if sum(sizes) != total:
        raise BadArgumentValue(f"random_split() got sizes of {sum(sizes)} together for a dataset of {total}")
    order = (generator or default_generator).randperm(total).tolist()
    parts, start = [], 0
    for size in sizes:
        parts.append(Subset(dataset, order[start : start + size]))
        start += size
    return parts
