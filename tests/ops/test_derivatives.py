"""Gradients and second gradients of every smooth sample against finite differences in float64: no PyTorch involved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from observe import evaluate, tensors
from op_names import FUNCTIONAL, TORCH
from sampled import SMOOTH

from autograd_cli.core.tensor import Tensor

STEP = 1e-5
NOT_SMOOTH_IN_TWO = {"x.max()", "x.min()"}  # a second difference may step over a tie


def scalar_of(names: dict[str, Any], expression: str) -> Any:
    """A scalar that depends on every element of the result in its own way."""
    found, _ = evaluate(TORCH, FUNCTIONAL, expression, names)
    first = found[0] if isinstance(found, tuple) else found
    if first.is_complex():
        return along(first, directions(first))
    weights = TORCH.linspace(0.5, 1.5, first.numel(), dtype=TORCH.float64).reshape(first.shape)
    return (first.double() * weights).sum()


def along(grad: Any, direction: Any) -> Any:
    """By how much a real number with this gradient changes along a direction: that by a complex z is the one by its conjugate."""
    return (grad.conj() * direction).real.sum() if grad.is_complex() else (grad * direction).sum()


def slope_of(names: dict[str, Any], leaf: str, direction: Any, expression: str) -> Any:
    """The gradient by one leaf along a direction, recorded."""
    (grad,) = TORCH.autograd.grad(scalar_of(names, expression), [names[leaf]], create_graph=True)
    return along(grad, direction)


def difference(function: Any, leaf: str, direction: Any) -> float:
    """The central difference of a function of fresh tensors, one of which moves along a direction."""
    values = []
    for step in (STEP, -STEP):
        names = tensors(TORCH)
        moved = names[leaf].detach() + direction * step
        names[leaf] = moved.clone().requires_grad_()
        values.append(function(names).item())
    return (values[0] - values[1]) / (2 * STEP)


def used(expression: str) -> list[str]:
    """The leaves that an expression's first result depends on."""
    names = tensors(TORCH)
    leaves = {name: t for name, t in names.items() if isinstance(t, Tensor) and t.requires_grad}
    root = scalar_of(names, expression)
    grads = TORCH.autograd.grad(root, list(leaves.values()), allow_unused=True)
    return [name for name, g in zip(leaves, grads, strict=True) if g is not None]


def directions(like: Any) -> Any:
    """A direction that no symmetry of the operations knows, in the space of `like`."""
    state = np.random.RandomState(1)
    drawn = state.uniform(-1, 1, like.shape)
    return TORCH.tensor(drawn + 1j * state.uniform(-1, 1, like.shape) if like.is_complex() else drawn)


@pytest.mark.parametrize("expression", SMOOTH)
def test_gradient_is_the_limit_of_differences(expression: str) -> None:
    for leaf in used(expression):
        names = tensors(TORCH)
        direction = directions(names[leaf])
        (grad,) = TORCH.autograd.grad(scalar_of(names, expression), [names[leaf]])
        expected = difference(lambda new: scalar_of(new, expression), leaf, direction)
        assert along(grad, direction).item() == pytest.approx(expected, rel=1e-5, abs=1e-6), leaf


@pytest.mark.parametrize("expression", [e for e in SMOOTH if e not in NOT_SMOOTH_IN_TWO])
def test_second_gradient_is_the_limit_of_differences(expression: str) -> None:
    for leaf in used(expression):
        names = tensors(TORCH)
        direction = directions(names[leaf])
        slope = slope_of(names, leaf, direction, expression)
        for other in used(expression):
            second = None if slope.grad_fn is None else grad_or_none(slope, names[other])
            other_direction = directions(names[other])
            got = 0.0 if second is None else along(second, other_direction).item()
            expected = difference(lambda new: slope_of(new, leaf, direction, expression), other, other_direction)  # noqa: B023
            assert got == pytest.approx(expected, rel=1e-4, abs=1e-5), (leaf, other)


def grad_or_none(slope: Any, tensor: Any) -> Any:
    """The gradient of a slope that may not depend on the tensor any more."""
    return TORCH.autograd.grad(slope, [tensor], retain_graph=True, allow_unused=True)[0]
