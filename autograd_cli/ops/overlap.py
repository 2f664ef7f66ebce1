"""Memory that a change in place would read and write at once: what PyTorch refuses.

The rules are those of ATen's MemoryOverlap: two tensors overlap in full when they show the same elements in the same order, in part when
they share some. Where a tensor has gaps, PyTorch does not look, and neither do we.
"""

from __future__ import annotations

from typing import Any

from ..core.array import SCALARS
from ..core.as_strided import address
from ..core.tensor import Tensor
from ..errors import BadArgument

# In place by index: no element of what is read may be one of the tensor's own.
BY_INDEX = {"index_add_", "scatter_", "scatter_add_"}
# These read their operands before they write, leave what happens open, or have looked already.
UNCHECKED = {"fill_", "masked_fill_", "addmm_", "baddbmm_", "__setitem__"}


def called(name: str) -> str:
    """An operation as the script writes it."""
    return "assigning to x[...]" if name == "__setitem__" else f"{name}()"


def check_operands(self: Tensor, name: str, operands: tuple[Any, ...]) -> None:
    """Refuse operands that show a part of what is written, or (by index) any of it."""
    if name in UNCHECKED:
        return
    for operand in operands:
        if isinstance(operand, Tensor):
            check_operand(self, name, operand, name in BY_INDEX)


def check_operand(self: Tensor, name: str, operand: Tensor, by_index: bool) -> None:
    """Refuse an operand that shows a part of `self`, or (by index) any of it. What shares memory shares its counter."""
    if operand is self or (operand._counter is not None and operand._counter is self._counter):
        found = "full" if operand is self else overlap(self._data, operand._data)
        if found == "part" or (found == "full" and by_index):
            raise BadArgument(
                f"{called(name)} would read elements of this tensor while it changes them: an operand shares memory with it",
                hint="give it a copy: x.clone()",
            ).about(self)


def overlap(a: Any, b: Any) -> str | None:
    """How two arrays share memory: in "full", in "part", or not (None, also where one of them has gaps)."""
    if a.__class__ in SCALARS or b.__class__ in SCALARS or not (a.size and b.size and is_dense(a) and is_dense(b)):
        return None
    first, second = address(a), address(b)
    if first == second and a.nbytes == b.nbytes:
        return "full" if a.strides == b.strides[max(0, b.ndim - a.ndim) :] else "part"  # an assignment drops leading ones
    return "part" if first < second + b.nbytes and second < first + a.nbytes else None


def is_dense(data: Any) -> bool:
    """Whether the elements lie side by side in some order of the dimensions, each in a place of its own."""
    expected = data.dtype.itemsize
    for stride, size in sorted((s, n) for s, n in zip(data.strides, data.shape, strict=True) if n != 1):
        if stride != expected:
            return False
        expected *= size
    return True
