"""Two of PyTorch's names that a script may use and that open more than the script language has: kept, and closed behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


class DataLoader(torch.utils.data.DataLoader):  # type: ignore[misc]  # PyTorch is not there to be looked at
    """PyTorch's, with every batch made in this process whatever ``num_workers`` says, as agrad has it: no processes for scripts."""

    __module__ = torch.utils.data.DataLoader.__module__

    def _get_iterator(self) -> Any:
        own = self.__dict__
        asked = {name: own[name] for name in ("num_workers", "timeout")}
        own.update(num_workers=0, timeout=0)
        try:
            return super()._get_iterator()
        finally:
            own.update(asked)


@contextmanager
def safe_arrays() -> Iterator[None]:
    """Until the block ends, an array that ``Tensor.numpy()`` gives keeps the memory it shows alive.

    PyTorch's keeps the tensor alive, whose memory goes when its ``data`` is set, and the array would show what comes there next.
    """
    plain = torch.Tensor.numpy

    def numpy(self: torch.Tensor, *, force: bool = False) -> Any:
        found = plain(self, force=force)  # with all that PyTorch has to say against it
        return found if force else plain(self.detach())

    torch.Tensor.numpy = numpy
    try:
        yield
    finally:
        torch.Tensor.numpy = plain
