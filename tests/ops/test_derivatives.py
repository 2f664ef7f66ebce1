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
    weights = TORCH.linspace(0.5, 1.5, first.numel(), dtype=TORCH.float64).reshape(first.shape)
    return (first.double() * weights).sum()


def slope_of(names: dict[str, Any], leaf: str, direction: Any, expression: str) -> Any:
    """The gradient by one leaf along a direction, recorded."""
    (grad,) = TORCH.autograd.grad(scalar_of(names, expression), [names[leaf]], create_graph=True)
    return (grad * direction).sum()


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


def directions(shape: tuple[int, ...]) -> Any:
    """A direction that no symmetry of the operations knows."""
    return TORCH.tensor(np.random.RandomState(1).uniform(-1, 1, shape))


@pytest.mark.parametrize("expression", SMOOTH)
def test_gradient_is_the_limit_of_differences(expression: str) -> None:
    for leaf in used(expression):
        names = tensors(TORCH)
        direction = directions(names[leaf].shape)
        (grad,) = TORCH.autograd.grad(scalar_of(names, expression), [names[leaf]])
        expected = difference(lambda new: scalar_of(new, expression), leaf, direction)
        assert (grad * direction).sum().item() == pytest.approx(expected, rel=1e-5, abs=1e-6), leaf


@pytest.mark.parametrize("expression", [e for e in SMOOTH if e not in NOT_SMOOTH_IN_TWO])
def test_second_gradient_is_the_limit_of_differences(expression: str) -> None:
    for leaf in used(expression):
        names = tensors(TORCH)
        direction = directions(names[leaf].shape)
        slope = slope_of(names, leaf, direction, expression)
        for other in used(expression):
            second = None if slope.grad_fn is None else grad_or_none(slope, names[other])
            other_direction = directions(names[other].shape)
            along = 0.0 if second is None else (second * other_direction).sum().item()
            expected = difference(lambda new: slope_of(new, leaf, direction, expression), other, other_direction)  # noqa: B023
            assert along == pytest.approx(expected, rel=1e-4, abs=1e-5), (leaf, other)


def grad_or_none(slope: Any, tensor: Any) -> Any:
    """The gradient of a slope that may not depend on the tensor any more."""
    return TORCH.autograd.grad(slope, [tensor], retain_graph=True, allow_unused=True)[0]
