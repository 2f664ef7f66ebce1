"""``einsum`` and its kin: sums of products over named dimensions, recorded as the permutations and batched products PyTorch makes of them.

Every operand is brought to one order of dimensions, first those of the result and then those that are summed; after that two operands at
a time become one, from the left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch, ShapeMismatch
from .arithmetic import mul
from .linalg import bmm, dot, mm
from .parts import diagonal_at
from .reduce import sum_dim
from .shape import flatten, movedim, permute_dims, reshape_to, view_to
from .sizes import unsqueeze_at
from .support import as_int, want_tensor, wrap_dims

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # in the order in which an implicit result has them


@dataclass
class Plan:
    """Where each label of an equation lies in the common order of dimensions.

    Attributes
    ----------
    inputs : list of list of str
        The labels of each operand; ``...`` stands for the dimensions without a label.
    ellipsis_dims : int
        How many dimensions ``...`` stands for at most.
    place : dict of str to int
        The dimension of each label; of ``...`` the first.
    out_dims, dims : int
        How many dimensions the result has, and how many there are with those that are summed.
    """

    inputs: list[list[str]]
    ellipsis_dims: int
    place: dict[str, int] = field(default_factory=dict)
    out_dims: int = 0
    dims: int = 0

    def add(self, label: str) -> None:
        """Give a label the next dimension, or ``...`` the next dimensions."""
        self.place[label] = self.dims
        self.dims += self.ellipsis_dims if label == "..." else 1


def _labels(text: str, where: str) -> list[str]:
    """The labels of one operand or of the result."""
    found: list[str] = []
    rest = text.replace(" ", "")
    while rest:
        label = "..." if rest.startswith("...") else rest[0]
        if label != "..." and label not in LETTERS:
            raise BadArgument(
                f"einsum() found {label!r} in {where}", hint="dimensions are named by letters, and ... stands for others"
            )
        if label == "..." and label in found:
            raise BadArgument(f"einsum() found ... twice in {where}", hint="it stands for all dimensions without a letter")
        found.append(label)
        rest = rest[len(label) :]
    return found


def plan(equation: str, shapes: list[tuple[int, ...]]) -> Plan:
    """Read an equation for operands of these shapes."""
    left, arrow, right = equation.partition("->")
    inputs = [_labels(part, f"operand {i} of {equation!r}") for i, part in enumerate(left.split(","))]
    if len(inputs) != len(shapes):
        raise BadArgument(f"einsum() got {len(shapes)} operand(s) for {equation!r}, which names {len(inputs)}")
    free = 0
    for i, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        named = len(labels) - ("..." in labels)
        if named > len(shape) or (named < len(shape) and "..." not in labels):
            raise BadArgument(
                f"einsum() names {named} dimension(s) of operand {i}, which has the shape {list(shape)}",
                hint="name every dimension, or let ... stand for the others",
            )
        free = max(free, len(shape) - named if "..." in labels else 0)
    made = Plan(inputs, free)
    counts = {label: sum(labels.count(label) for labels in inputs) for label in LETTERS}
    if not arrow:
        result = ["...", *(label for label in LETTERS if counts[label] == 1)]
    else:
        result = _labels(right, f"the result of {equation!r}")
        for label in result:
            if label != "..." and (not counts[label] or result.count(label) > 1):
                problem = "stands twice" if counts[label] else "is in no operand"
                raise BadArgument(f"einsum() cannot give a result with the label {label!r}: it {problem}")
    for label in result:
        made.add(label)
    made.out_dims = made.dims
    for label in ("...", *(label for label in LETTERS if counts[label])):
        if label not in made.place:
            made.add(label)
    return made


class _Sizes:
    """The size of each dimension of the common order, and how many operands have it."""

    def __init__(self, dims: int) -> None:
        self.sizes = [1] * dims
        self.counts = [0] * dims

    def meet(self, dim: int, size: int, label: str) -> None:
        """Another operand has this size."""
        if size == 1:
            return
        if self.sizes[dim] not in (1, size):
            raise ShapeMismatch(
                f"einsum() got the sizes {self.sizes[dim]} and {size} for the dimension {label}", hint="sizes must be equal or 1"
            )
        self.sizes[dim] = size
        self.counts[dim] += 1


def _aligned(operand: Tensor, labels: list[str], plan: Plan, sizes: _Sizes) -> Tensor:
    """An operand in the common order; a label that it has twice stands for the diagonal."""
    order = [-1] * plan.dims
    ndim, dim = operand._data.ndim, 0
    for label in labels:
        place = plan.place[label]
        if label == "...":
            free = ndim - (len(labels) - 1)
            for at in range(place + plan.ellipsis_dims - free, place + plan.ellipsis_dims):
                sizes.meet(at, operand._data.shape[dim], label)
                order[at] = dim
                dim += 1
        elif order[place] == -1:
            sizes.meet(place, operand._data.shape[dim], label)
            order[place] = dim
            dim += 1
        else:
            shape, before = operand._data.shape, order[place]
            if shape[dim] != shape[before]:
                raise ShapeMismatch(
                    f"einsum() takes the diagonal of {label}{label}, whose sizes are {shape[before]} and {shape[dim]}"
                )
            operand = movedim(diagonal_at(operand, 0, before, dim), -1, before)
    for place, at in enumerate(order):
        if at == -1:
            operand = unsqueeze_at(operand, dim)
            order[place] = dim
            dim += 1
    aligned: Tensor = permute_dims(operand, tuple(order))
    return aligned


def einsum(equation: Any, *operands: Any) -> Any:
    """The sum of products that `equation` describes: ``einsum("bij,bjk->bik", x, y)``; or operands each followed by a list of numbers."""
    equation, given = _arguments(equation, operands)
    tensors = [want_tensor(t, "einsum", f"operands[{i}]") for i, t in enumerate(given)]
    if not tensors:
        raise BadArgumentValue("einsum() takes at least one operand")
    found = plan(equation, [t._data.shape for t in tensors])
    sizes = _Sizes(found.dims)
    queue = [_aligned(t, labels, found, sizes) for t, labels in zip(tensors, found.inputs, strict=True)]
    while len(queue) > 1:
        a, b = queue[:2]
        queue[:2] = [_contracted(a, b, found, sizes.counts)]
    result = queue[0]
    if found.dims == found.out_dims:
        return result
    if len(tensors) > 1:
        return view_to(result, result._data.shape[: found.out_dims])
    return sum_dim(result, tuple(range(found.out_dims, found.dims)), False)


def _arguments(equation: Any, operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """(the equation, the operands), from either way of calling."""
    if isinstance(equation, str):
        return equation, list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    if not isinstance(equation, Tensor):
        raise BadArgumentType(f"einsum() takes an equation like 'ij,jk->ik', not {type(equation).__name__}")
    everything = [equation, *operands]
    parts = [_from_numbers(numbers) for numbers in everything[1::2]]
    result = f"->{_from_numbers(everything[-1])}" if len(everything) % 2 else ""
    return ",".join(parts) + result, everything[: len(parts) * 2 : 2]


def _from_numbers(numbers: Any) -> str:
    """A list of numbers from 0 to 51 as labels."""
    if not isinstance(numbers, (list, tuple)):
        raise BadArgumentType(f"einsum() takes a list of numbers after each operand, not {type(numbers).__name__}")
    for n in numbers:
        if n is not ... and not 0 <= as_int(n, "subscript") < len(LETTERS):
            raise BadArgumentType(f"einsum() numbers dimensions from 0 to {len(LETTERS) - 1}, not {n}")
    return "".join("..." if n is ... else LETTERS[n] for n in numbers)


def _contracted(a: Tensor, b: Tensor, plan: Plan, counts: list[int]) -> Tensor:
    """Two operands as one: the dimensions that no other operand has any more are summed."""
    both: list[int] = []
    alone: tuple[list[int], list[int]] = ([], [])
    for dim in range(plan.out_dims, plan.dims):
        in_a, in_b = a._data.shape[dim] != 1, b._data.shape[dim] != 1
        if in_a and in_b:
            counts[dim] -= 1
            if counts[dim] == 1:
                both.append(dim)
                counts[dim] = 0
        elif counts[dim] == 1 and (in_a or in_b):
            alone[in_b].append(dim)
            counts[dim] = 0
    if alone[0]:
        a = sum_dim(a, tuple(alone[0]), True)
    if alone[1]:
        b = sum_dim(b, tuple(alone[1]), True)
    return sum_of_products(a, b, both)


def sum_of_products(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """PyTorch's sumproduct_pair: one batched product of matrices; the summed dimensions stay with size 1."""
    if a._data.dtype != b._data.dtype and summed:
        raise DtypeMismatch(f"einsum() takes tensors of one dtype, not {a.dtype.name} and {b.dtype.name}")
    if not summed:
        product: Tensor = mul(a, b)
        return product
    left, right = a._data.shape, b._data.shape
    shared: list[int] = []
    only_a: list[int] = []
    only_b: list[int] = []
    for dim in range(len(left)):
        if dim not in summed:
            in_a, in_b = left[dim] != 1, right[dim] != 1
            (shared if in_a and in_b else only_a if in_a else only_b).append(dim)
    batch, rows = math.prod(left[d] for d in shared), math.prod(left[d] for d in only_a)
    inner, columns = math.prod(left[d] for d in summed), math.prod(right[d] for d in only_b)
    order = [*shared, *only_a, *summed, *only_b]
    size = [*(left[d] for d in (*shared, *only_a)), *(1 for _ in summed), *(right[d] for d in only_b)]
    a = reshape_to(permute_dims(a, tuple(order)), (batch, rows, inner))
    b = reshape_to(permute_dims(b, (*shared, *summed, *only_b, *only_a)), (batch, inner, columns))
    back = tuple(order.index(dim) for dim in range(len(left)))
    result: Tensor = permute_dims(view_to(bmm(a, b), tuple(size)), back)
    return result


def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Any:
    """The sum of products over some dimensions of each: over the last `dims` of a and the first of b, or over two lists of dimensions."""
    left, right = want_tensor(a, "tensordot", "a")._data.shape, want_tensor(b, "tensordot", "b")._data.shape
    if isinstance(dims, (tuple, list)):
        first, second = (d if isinstance(d, (tuple, list)) else (d,) for d in dims)
    else:
        count = as_int(dims, "dims")
        if not 0 <= count <= min(len(left), len(right)):
            raise BadArgument(f"tensordot() cannot sum over {count} dimensions of the shapes {list(left)} and {list(right)}")
        first, second = tuple(range(len(left) - count, len(left))), tuple(range(count))
    if len(first) != len(second):
        raise BadArgument("tensordot() takes as many dimensions of the one tensor as of the other")
    over_a = wrap_dims(first, len(left)) if len(first) else ()
    over_b = wrap_dims(second, len(right)) if len(second) else ()
    return _tensordot(a, b, over_a, over_b)


def _tensordot(a: Tensor, b: Tensor, over_a: tuple[int, ...], over_b: tuple[int, ...]) -> Any:
    """One product of matrices, whose rows and columns are the dimensions that stay."""
    inner = 1
    for i, j in zip(over_a, over_b, strict=True):
        n, m = a._data.shape[i], b._data.shape[j]
        if m == 1 != n:
            a = sum_dim(a, (i,), True)
        elif n == 1 != m:
            b = sum_dim(b, (j,), True)
        elif n != m:
            raise ShapeMismatch(
                f"tensordot() sums over dimension {i} of size {n} and dimension {j} of size {m}: they must be equal"
            )
        else:
            inner *= n
    left, right = a._data.shape, b._data.shape
    kept_a = [d for d in range(len(left)) if d not in over_a]
    kept_b = [d for d in range(len(right)) if d not in over_b]
    if not kept_a and not kept_b:
        return reshape_to(dot(flatten(permute_dims(a, over_a)), flatten(permute_dims(b, over_b))), ())
    rows, columns = math.prod(left[d] for d in kept_a), math.prod(right[d] for d in kept_b)
    one = reshape_to(permute_dims(a, (*kept_a, *over_a)), (rows, inner))
    other = reshape_to(permute_dims(b, (*over_b, *kept_b)), (inner, columns))
    return reshape_to(mm(one, other), (*(left[d] for d in kept_a), *(right[d] for d in kept_b)))


def inner(input: Any, other: Any) -> Any:
    """The products of the last dimensions: of two vectors their dot product."""
    left, right = want_tensor(input, "inner")._data.shape, want_tensor(other, "inner", "other")._data.shape
    if not left or not right:
        return mul(input, other)
    if left[-1] != right[-1]:
        raise ShapeMismatch(f"inner() takes last dimensions of one size, not {list(left)} and {list(right)}")
    return tensordot(input, other, ([len(left) - 1], [len(right) - 1]))
