"""The names of ``torch.utils.data``."""

from __future__ import annotations

from typing import Any

from . import data_loader, datasets, samplers

_HOMES: dict[Any, str] = {
    datasets: "Dataset IterableDataset TensorDataset ConcatDataset Subset random_split",
    samplers: "Sampler SequentialSampler RandomSampler SubsetRandomSampler BatchSampler",
    data_loader: "DataLoader default_collate",
}
DATA: dict[str, Any] = {name: getattr(home, name) for home, names in _HOMES.items() for name in names.split()}
