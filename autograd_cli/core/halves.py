"""float16 and bfloat16 computed as PyTorch's CPU kernels do.

Note [Halves]
    A kernel of PyTorch on 2-byte floats computes in float32 and rounds its result once. NumPy rounds at every step of a formula, and
    ml_dtypes lacks much. So an operation's arrays of such a dtype go up to float32 before its forward, and what comes out of it in
    float32 is rounded to the dtype they had. A Python number beside them is not rounded to it: kernels take it as a float32.
    Formulas of gradients are made of operations, each a kernel, and round after each. Those that PyTorch computes in one kernel are
    marked ``@one_kernel``. Programs without such tensors pay nothing: the operations are written without all this until the first of these
    dtypes is used, and anew then (``modes.halves_seen``), as in Note [Two writings of an operation].
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .dtype import HALVES
from .modes import modes

FLOAT32 = np.dtype(np.float32)
WIDER = (FLOAT32.__class__, np.dtype(np.complex64).__class__, np.dtype(np.complex128).__class__)
WIDE = (FLOAT32, np.dtype(np.float64))
# Numbers beside a tensor in these are taken as they are; elsewhere they are rounded to the tensor's dtype first.
EXACT_NUMBERS = frozenset(["mul", "div"])


def any_half(halves: Any, *values: Any) -> bool:
    """Whether one of the arguments of an operation is data of a dtype among `halves`."""
    return any(getattr(value, "dtype", None) in halves for value in values)


def in_float(compute: Callable[..., Any], *args: Any) -> Any:
    """The result of `compute` with its arrays of 2-byte floats in float32, rounded to their dtype."""
    half, wide, given = None, False, []
    for value in args:
        kind = getattr(value, "dtype", None)
        if kind in HALVES:
            half = half or kind
            value = value.astype(FLOAT32)
        elif kind.__class__ in WIDER:
            wide = True
        given.append(value)
    if wide or half is None:
        return compute(*args)
    return rounded(compute(*given), half)


def rounded(found: Any, half: Any) -> Any:
    """What is wider in `found`, one result or several, in the dtype `half`."""
    if found.__class__ is tuple:
        return tuple([rounded(part, half) for part in found])
    return found.astype(half) if getattr(found, "dtype", None) in WIDE else found


def rounded_number(number: Any, half: Any) -> Any:
    """A Python number as the dtype `half` has it, if it is one of 2-byte floats."""
    return float(half.type(number)) if half in HALVES and number.__class__ is float else number


def exact(tensor: Any, data: Any) -> Any:
    """The Python number that a tensor beside 2-byte floats was, at the precision of float32; its `data` if it was none."""
    number = None if tensor._meta is None else tensor._meta.exact
    return data if number is None else number


def one_kernel(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Let a formula on arrays of 2-byte floats round once, at its end. Tensors, which record it, are taken as they are."""

    @wraps(formula)
    def computed(*args: Any) -> Any:
        if modes.halves_seen and any_half(HALVES, *args):
            return in_float(formula, *args)
        return formula(*args)

    return computed


def is_number(value: Any) -> bool:
    """Whether `value` in a formula is a number that has not the dtype of the arrays."""
    return isinstance(value, float)


def times(a: Any, b: Any) -> Any:
    """``a * b`` of a formula, where one may be a Python number."""
    return _beside_number(operator.mul, a, b) if is_number(a) or is_number(b) else a * b


def over(a: Any, b: Any) -> Any:
    """``a / b`` of a formula, where one may be a Python number."""
    return _beside_number(operator.truediv, a, b) if is_number(a) or is_number(b) else a / b


def _beside_number(compute: Any, a: Any, b: Any) -> Any:
    if any_half(HALVES, a, b):
        return in_float(compute, *(float(value) if is_number(value) else value for value in (a, b)))
    return compute(a, b)
