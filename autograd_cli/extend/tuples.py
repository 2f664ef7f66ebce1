"""What the functions of this layer share: tensors or tuples of tensors in and out, and fresh inputs to differentiate by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core import autograd
from ..core.grad_mode import set_grad_enabled
from ..core.modes import modes
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType
from ..ops.support import zeros_like

Tensors = tuple[Tensor, ...]


def as_tuple(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """(whether `value` was a tuple, its tensors)."""
    is_tuple = isinstance(value, tuple)
    items = value if is_tuple else (value,)
    for position, item in enumerate(items):
        if not isinstance(item, Tensor):
            where = f" at position {position}" if is_tuple else ""
            raise BadArgumentType(f"{function}() takes tensors as {what}, and got {type(item).__name__}{where}")
    return is_tuple, items


def as_given(values: Any, *was_tuple: bool) -> Any:
    """Tuples (inside tuples, for two flags) as the user has them: a tuple of one stands for its element where there was none."""
    if len(was_tuple) == 2:
        values = tuple(as_given(v, was_tuple[1]) for v in values)
    return values if was_tuple[0] else values[0]


def prepared(inputs: Tensors, *, create_graph: bool, need_graph: bool) -> Tensors:
    """Inputs of our own, so that only what the function does with its arguments counts, and not what it does with the same tensors
    from outside. With `create_graph` they keep their history."""
    made = []
    for tensor in inputs:
        if create_graph and tensor.requires_grad:
            made.append(tensor.view_as(tensor))  # type: ignore[attr-defined]
        else:
            made.append(tensor.detach().requires_grad_(need_graph))
    return tuple(made)


def finished(values: Iterable[Any], create_graph: bool) -> tuple[Any, ...]:
    """Results without history, unless it was asked for."""
    if create_graph:
        return tuple(values)
    return tuple(v.detach() if isinstance(v, Tensor) else finished(v, create_graph) for v in values)


def recording(create_graph: bool) -> set_grad_enabled:
    """The grad mode of the last pass: on when its graph is wanted, else as it is."""
    return set_grad_enabled(create_graph or modes.grad_enabled)


def gradients(
    outputs: Iterable[Any],
    inputs: Tensors,
    grad_outputs: Any = None,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> tuple[Tensor | None, ...]:
    """``torch.autograd.grad`` that passes over outputs without a graph and inputs that are not used."""
    outputs = tuple(outputs)
    given = (None,) * len(outputs) if grad_outputs is None else tuple(grad_outputs)
    pairs = [(o, g) for o, g in zip(outputs, given, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return autograd.grad(
        [o for o, _ in pairs],
        inputs,
        [g for _, g in pairs],
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )


def zeros(like: Tensor, *, requires_grad: bool = False) -> Tensor:
    """Zeros of the kind of `like`."""
    made: Tensor = zeros_like(like)
    return made.requires_grad_() if requires_grad else made


def filled(grads: Iterable[Tensor | None], like: Tensors, strict: bool, create_graph: bool, what: str) -> Tensors:
    """Zeros where there is no gradient; with `strict` that is an error, and so is, with `create_graph`, a gradient without history."""
    made = []
    for position, (grad, tensor) in enumerate(zip(grads, like, strict=True)):
        if grad is None:
            refuse_independent(strict, f"{what} {position}")
            grad = zeros(tensor)
        elif create_graph and not grad.requires_grad:
            refuse_independent(strict, f"{what} {position}", "the derivative")
        made.append(grad)
    return tuple(made)


def refuse_independent(strict: bool, of: str, thing: str = "the result of the function") -> None:
    """Raise, in strict mode: `thing` does not depend on `of`."""
    if strict:
        raise BadArgument(
            f"{thing} does not depend on {of}, which strict=True does not allow", hint="strict=False gives zeros there"
        )


def check_depends(values: Iterable[Any], strict: bool, thing: str) -> None:
    """In strict mode, all `values` need a history."""
    for position, value in enumerate(values):
        if value is None or not value.requires_grad:
            refuse_independent(strict, "the inputs", f"{thing} {position}")


def check_vector(v: Tensors, like: Tensors) -> None:
    """The vector of a product has the shapes of what it is multiplied with."""
    if len(v) != len(like):
        raise BadArgument(f"v has {len(v)} tensors, and {len(like)} are needed")
    for position, (one, other) in enumerate(zip(v, like, strict=True)):
        if one.shape != other.shape:
            raise BadArgument(f"v has shape {list(one.shape)} at position {position}, where {list(other.shape)} is needed")


def check_single(tensors: Tensors, message: str) -> None:
    """One tensor with one element."""
    if len(tensors) != 1 or tensors[0]._data.size != 1:
        raise BadArgument(message)
