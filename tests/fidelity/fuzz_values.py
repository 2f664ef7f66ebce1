"""What the writer of random programs asks about tensors and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_cli import torch

Tensor = torch.Tensor
Shape = tuple[int, ...]
LARGEST, SMALLEST = 60, 1e3  # a tensor of more elements is not used further, nor one with larger values


class NoFit(Exception):
    """There is no operand for a placeholder."""


def dimensions(argument: str | None) -> Callable[[Any], bool]:
    """Whether a tensor has the dimensions that ``2`` or ``1+`` asks for."""
    if argument is None:
        return lambda tensor: True
    if argument.endswith("+"):
        return lambda tensor: tensor.dim() >= int(argument[:-1])
    return lambda tensor: tensor.dim() == int(argument)


def tame(tensor: Any) -> bool:
    """Whether its values are finite and moderate, and not many."""
    if not tensor.numel() or tensor.numel() > LARGEST:
        return False
    largest = float(tensor.detach().abs().max()) if tensor.is_floating_point() else 0.0
    return largest < SMALLEST  # False for NaN


def forbidden(tensor: Any) -> bool:
    """Whether it is a view that nobody may use any more, because its base was changed in place."""
    try:
        tensor.grad_fn  # noqa: B018
    except RuntimeError:
        return True
    return False


def is_laid_out_otherwise(value: Any) -> bool:
    """Whether a result lies in memory in another order than row by row. Where operands differ in theirs, PyTorch and NumPy choose
    differently, and view() can tell."""
    return isinstance(value, Tensor) and value._base is None and not value.is_contiguous()


def is_tidy(tensor: Any) -> bool:
    """Whether no number of it is so small that it is what rounding left of zero."""
    sizes = tensor.detach().abs()
    return bool(((sizes == 0) | (sizes > 1e-6)).all())


def small(tensor: Any) -> bool:
    """Whether its values are small enough for finite differences of functions of it."""
    return tame(tensor) and float(tensor.detach().abs().max()) < 10


def owner(tensor: Any) -> Any:
    """The tensor whose memory a view shows; itself for others."""
    return tensor if tensor._base is None else tensor._base


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape two shapes broadcast to, None where they do not."""
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b), strict=True)
    sizes = []
    for left, right in pairs:
        if left != right and 1 not in (left, right):
            return None
        sizes.append(right if left == 1 else left)
    return tuple(sizes)


def silent(*values: Any, **options: Any) -> None:
    for value in values:
        str(value)
