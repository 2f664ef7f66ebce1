"""``DataLoader``: batches of a dataset, in PyTorch's order under a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.generator import Generator, default_generator
from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue
from ..ops import creation
from ..ops.lists import stack
from .datasets import IterableDataset
from .samplers import BatchSampler, RandomSampler, SequentialSampler


def default_collate(batch: Sequence[Any]) -> Any:
    """A list of items as one: tensors stacked, numbers made a tensor, tuples and dictionaries item by item."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, (np.ndarray, np.generic)):
        return stack([creation.as_tensor(item) for item in batch], 0)
    if isinstance(first, float):
        return creation.tensor(list(batch), dtype=float)
    if isinstance(first, int):
        return creation.tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        if any(len(item) != len(first) for item in batch):
            raise BadArgumentValue("the items of a batch must have one length", hint="give the DataLoader a collate_fn")
        columns = [default_collate(column) for column in zip(*batch, strict=True)]
        named = isinstance(first, tuple) and hasattr(first, "_fields")
        return type(first)(*columns) if named else columns
    raise BadArgumentType(f"a batch cannot be made of {type(first).__name__}", hint="give the DataLoader a collate_fn")


class DataLoader:
    """Batches of a dataset.

    Parameters
    ----------
    dataset : Dataset, or anything with ``len`` and ``[]``
    batch_size : int or None
        None: items one by one.
    shuffle : bool
        A new random order in each pass. See Note [Seeds of a loader].
    drop_last : bool
        Leave out the last batch if it is smaller.
    num_workers : int
        Accepted; everything runs in this process.
    """

    __module__ = "torch.utils.data.dataloader"

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None, batch_sampler: Any = None,
        num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None, pin_memory: bool = False, drop_last: bool = False,
        timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None, generator: Generator | None = None,
        **ignored: Any,
    ) -> None:  # fmt: skip
        if sampler is not None and shuffle:
            raise BadArgumentValue("a DataLoader takes a sampler or shuffle=True, not both")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise BadArgumentValue("batch_sampler takes the place of batch_size, shuffle, sampler and drop_last")
        self.dataset, self.num_workers, self.generator = dataset, num_workers, generator
        self.is_iterable = isinstance(dataset, IterableDataset)
        if self.is_iterable and (shuffle or sampler is not None or batch_sampler is not None):
            raise BadArgumentValue(
                "an IterableDataset has an order of its own: no shuffle, sampler or batch_sampler goes with it"
            )
        if sampler is None and not self.is_iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:  # of an IterableDataset, batches of the items themselves
            batch_sampler = BatchSampler(dataset if self.is_iterable else sampler, batch_size, drop_last)
        self.sampler, self.batch_sampler, self.batch_size, self.drop_last = sampler, batch_sampler, batch_size, drop_last
        self.collate_fn = collate_fn or (default_collate if batch_size is not None or batch_sampler is not None else _converted)

    def __iter__(self) -> Iterator[Any]:
        (self.generator or default_generator).random(1, np.int64)
        if self.is_iterable:
            return (self.collate_fn(found) for found in self._order())
        if self.batch_sampler is not None:
            return (self.collate_fn([self.dataset[i] for i in batch]) for batch in self.batch_sampler)
        return (self.collate_fn(self.dataset[i]) for i in self.sampler)

    def _order(self) -> Any:
        """What is gone through: batches or single ones, of indices or, for an IterableDataset, of items."""
        if self.batch_sampler is not None:
            return self.batch_sampler
        return self.dataset if self.is_iterable else self.sampler

    def __len__(self) -> int:
        return len(self._order())


def _converted(item: Any) -> Any:
    """An item that is no batch: arrays become tensors."""
    return creation.as_tensor(item) if isinstance(item, (np.ndarray, np.generic)) else item
