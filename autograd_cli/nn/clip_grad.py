"""``nn.utils.clip_grad_norm_`` and ``clip_grad_value_``; parameters and vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.grad_mode import no_grad
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument
from ..ops import compare, lists, norms, shape


def _listed(tensors: Any) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: Any) -> list[Any]:
    return [p._grad for p in _listed(parameters) if p._grad is not None]


@no_grad()
def get_total_norm(tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Any:
    """The norm of the norms of tensors: that of all their elements together."""
    given = _listed(tensors)
    if not given:
        return fresh(np.float32(0))
    first = given[0].device
    total = norms.vector_norm(lists.stack([norms.vector_norm(t, float(norm_type)).to(first) for t in given]), float(norm_type))
    if error_if_nonfinite and not math.isfinite(total._data.item()):
        raise BadArgument(f"the total norm of the gradients is {total._data.item()}, so they cannot be clipped")
    return total


@no_grad()
def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any, foreach: bool | None = None) -> None:
    """Scale gradients whose total norm is known, so that it becomes max_norm at most."""
    factor = compare.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    for gradient in _gradients(parameters):
        gradient.mul_(factor.to(gradient.device))


@no_grad()
def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Any:
    """Scale the gradients of parameters, so that the norm of all of them together is max_norm at most; returns the norm before."""
    given = _listed(parameters)
    total = get_total_norm(_gradients(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Cut each element of the gradients to [-clip_value, clip_value]."""
    for gradient in _gradients(parameters):
        gradient.clamp_(min=-float(clip_value), max=float(clip_value))


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters in one vector."""
    return lists.cat([shape.reshape(p, -1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Give parameters the values that a vector holds, one after another."""
    place = 0
    for parameter in parameters:
        size = parameter._data.size
        parameter.data = shape.view_as(vec[place : place + size], parameter).data
        place += size
