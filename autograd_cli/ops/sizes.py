"""Views with dimensions of size 1 put in, taken away or expanded."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.basic_ops import expand_to
from ..core.op import op
from ..core.tensor import Tensor
from ..errors import ShapeMismatch
from .support import as_size, want_tensor, wrap_dim, wrap_dims


@op("UnsqueezeBackward0", view=True, self=lambda grad, dim: squeeze_dim(grad, dim))
def unsqueeze_at(self, dim):
    """Self with a dimension of size 1 put in."""
    shape = self.shape
    return self.reshape((*shape[:dim], 1, *shape[dim:]))


@op("SqueezeBackward0", view=True, self=lambda grad, self_sizes: unsqueeze_to(grad, None, self_sizes))
def squeeze_all(self):
    """Self without its dimensions of size 1."""
    return self.squeeze()


@op("SqueezeBackward1", view=True, self=lambda grad, dim, self_sizes: unsqueeze_to(grad, (dim,), self_sizes))
def squeeze_dim(self, dim):
    """Self without a dimension if its size is 1."""
    return self.squeeze(dim) if self.ndim and self.shape[dim] == 1 else self[...]


@op("SqueezeBackward2", view=True, self=lambda grad, dim, self_sizes: unsqueeze_to(grad, dim, self_sizes))
def squeeze_dims(self, dim):
    """Self without some dimensions where their size is 1."""
    return self.squeeze(tuple(d for d in dim if self.ndim and self.shape[d] == 1))


@op("SqueezeBackward4", self=lambda grad, dim, self_sizes: unsqueeze_to(grad, (dim,), self_sizes))
def squeeze_result(self, dim):
    """As squeeze, of a tensor itself: ``squeeze_``, and what PyTorch's matmul does to a temporary."""
    return squeeze_dim(self, dim)


def unsqueeze_to(grad: Any, dims: Any, sizes: tuple[int, ...]) -> Any:
    """Put back what a squeeze took away: among `dims` (None: all) those of size 1."""
    return unsqueeze_multiple(grad, tuple(d for d, n in enumerate(sizes) if n == 1 and (dims is None or d in dims)))


def unsqueeze_multiple(grad: Any, dims: tuple[int, ...]) -> Any:
    """Put reduced dimensions back with size 1."""
    if grad.__class__ is not Tensor:
        shape = list(grad.shape)
        for dim in sorted(dims):
            shape.insert(dim, 1)
        return grad.reshape(shape)
    for dim in sorted(dims):
        grad = unsqueeze_at(grad, dim)
    return grad


def unsqueeze(input: Any, dim: Any) -> Any:
    """Input with a dimension of size 1 put in at `dim`."""
    return unsqueeze_at(input, wrap_dim(dim, want_tensor(input, "unsqueeze")._data.ndim + 1))


def squeeze(input: Any, dim: Any = None) -> Any:
    """Input without its dimensions of size 1, or without those of `dim` whose size is 1."""
    ndim = want_tensor(input, "squeeze")._data.ndim
    if dim is None:
        return squeeze_all(input)
    if isinstance(dim, (tuple, list)):
        return squeeze_dims(input, wrap_dims(dim, ndim) if dim else ())
    return squeeze_dim(input, wrap_dim(dim, ndim))


# ---- expand ----


def expand(input: Any, *size: Any, implicit: bool = False) -> Any:
    """Input repeated along dimensions of size 1 without copying; -1 keeps a size."""
    shape = want_tensor(input, "expand")._data.shape
    wanted = as_size(size)
    lead = len(wanted) - len(shape)
    if lead < 0:
        raise ShapeMismatch(
            f"expand() got {len(wanted)} sizes for a tensor with {len(shape)} dimensions", hint="give a size for every dimension"
        )
    full = []
    for place, n in enumerate(wanted):
        have = 1 if place < lead else shape[place - lead]
        if n == -1 and place >= lead:
            n = have
        if n < 0 or (have not in (1, n)):
            raise ShapeMismatch(
                f"a tensor of shape {list(shape)} cannot be expanded to {list(wanted)}: dimension {place} has size {have}, not {n}",
                hint="only dimensions of size 1 can be expanded",
            )
        full.append(n)
    return expand_to(input, tuple(full))


def expand_as(input: Any, other: Any) -> Any:
    """Input expanded to the shape of other."""
    return expand(input, other._data.shape)
