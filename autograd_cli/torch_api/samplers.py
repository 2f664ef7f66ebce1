"""The samplers of ``torch.utils.data``: in which order the items of a dataset come.

Note [Seeds of a loader]
    As in PyTorch, every pass over a DataLoader first draws a number for its workers, of which there are none here, and a sampler without
    a generator of its own then draws the seed of one. So a pass moves the random stream as it does there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.generator import Generator, default_generator
from ..errors import BadArgumentValue


class Sampler:
    """Base of samplers: iterables of indices."""

    __module__ = "torch.utils.data.sampler"

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


class SequentialSampler(Sampler):
    """The indices in order."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """The indices in random order, or drawn with replacement. See Note [Seeds of a loader]."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Generator | None = None
    ) -> None:
        super().__init__(data_source)
        self.replacement, self.generator = replacement, generator
        self.num_samples = len(data_source) if num_samples is None else num_samples
        if self.num_samples <= 0:
            raise BadArgumentValue(f"num_samples is greater than 0, not {self.num_samples}")

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator(int(default_generator.random(1, np.int64)[0]))
        if self.replacement:
            for _ in range(self.num_samples // 32):
                yield from generator.randint(0, n, 32).tolist()
            yield from generator.randint(0, n, self.num_samples % 32).tolist()
            return
        for _ in range(self.num_samples // n):
            yield from generator.randperm(n).tolist()
        yield from generator.randperm(n).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        super().__init__()
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for i in (self.generator or default_generator).randperm(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler):
    """Lists of the indices that another sampler gives."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        super().__init__()
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size <= 0:
            raise BadArgumentValue(f"batch_size is a whole number greater than 0, not {batch_size!r}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
