"""The two Jacobians that gradcheck compares, and what it says when they differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import autograd
from ..core import dtype as dt
from ..core.array import device_of, put_on
from ..core.function import Function
from ..core.grad_mode import enable_grad, no_grad
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, ScriptError
from ..ops.complex_numbers import imag, real

SHOWN = 64  # elements of a Jacobian that an error shows


class GradcheckError(ScriptError, RuntimeError):
    """A gradient that is not what finite differences say."""

    kind_name, type_name = "BadArgument", "GradcheckError"


class ValuesDecide(ScriptError, AssertionError):
    """A function whose results have another shape or dtype where its inputs are a little different."""

    kind_name = "BadArgument"


class UndefinedGrad(Function):
    """Hands a tensor on; gives no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        """The tensor."""
        return x.clone()  # type: ignore[attr-defined]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """None."""
        return None


def check_inputs(arguments: tuple[Any, ...]) -> None:
    """Some input has to require grad; those that do must not be expanded, and should be float64."""
    wanted = [(i, a) for i, a in enumerate(arguments) if isinstance(a, Tensor) and a.requires_grad]
    if not wanted:
        raise BadArgumentValue(
            "gradcheck needs an input that requires grad, and none does", hint="make the inputs with requires_grad=True"
        )
    for position, tensor in wanted:
        data = tensor._data
        if any(s == 0 and n > 1 for s, n in zip(getattr(data, "strides", ()), data.shape, strict=False)):
            raise BadArgument(
                f"input {position} of gradcheck is expanded: several of its elements share one place in memory",
                hint="call contiguous() on it",
            )
        if dt.of(data) not in (dt.float64, dt.complex128):
            warn("GradcheckPrecision", position=position, dtype=dt.of(data).name)


def differentiable(outputs: Any) -> list[Tensor]:
    """The outputs that have a history."""
    return [o for o in floating(outputs) if o.requires_grad]


def floating(outputs: Any) -> list[Tensor]:
    """The outputs that could have one: tensors of floating-point numbers."""
    found = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    for output in found:
        if not isinstance(output, Tensor):
            raise BadArgumentType(
                f"the function given to gradcheck returned {type(output).__name__}, and its outputs are tensors",
                hint="return one tensor or a tuple of them",
            )
    return [o for o in found if isinstance(o, Tensor) and dt.of(o._data).category >= dt.FLOATING]


def in_parts(outputs: Any) -> list[tuple[str, Tensor]]:
    """The outputs as real tensors with what to call them: a complex one counts as two, its real and its imaginary part, as in PyTorch."""
    found: list[tuple[str, Tensor]] = []
    number = 0
    for output in floating(outputs):
        name = f"output {number}" + ("" if output.grad_fn is None else f" (made by {output.grad_fn.name()})")
        number += output.requires_grad
        if dt.of(output._data).is_complex:
            found += [(f"the real part of {name}", real(output)), (f"the imaginary part of {name}", imag(output))]
        else:
            found.append((name, output))
    return found


def numerical_jacobian(
    func: Callable[..., Any], arguments: tuple[Any, ...], position: int, eps: float, wanted: list[bool]
) -> list[Any]:
    """The Jacobian of the outputs that are `wanted` with respect to one input, as arrays [input element, output element], by central
    differences. That of a complex input, dx + 1j * dy, has both parts of the input moved."""
    tensor = arguments[position]
    with no_grad():
        base = tensor._storage()
        columns: list[list[Any]] = []
        for element in range(base.size):
            place = np.unravel_index(element, base.shape)
            before = base[place].copy()
            column: list[Any] = []
            for unit in (1, 1j) if base.dtype.kind == "c" else (1,):
                values = []
                for step in (-eps, eps):
                    base[place] = before + step * unit
                    values.append([o.copy() for o in _values(func, arguments, wanted)])
                base[place] = before
                _check_alike(*values)
                slopes = [unit * ((b.astype(np.float64) - a) / (2 * eps)).reshape(-1) for a, b in zip(*values, strict=True)]
                column = [c + s for c, s in zip(column, slopes, strict=True)] if column else slopes
            columns.append(column)
    if not columns:  # an input without elements
        return [np.zeros((0, o.size)) for o in _values(func, arguments, wanted)]
    return [np.stack([column[o] for column in columns]) for o in range(len(columns[0]))]


def _check_alike(below: list[Any], above: list[Any]) -> None:
    """On both sides of a point the results have to be of one kind."""
    for number, (a, b) in enumerate(zip(below, above, strict=True)):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise ValuesDecide(
                f"output {number} has shape {list(a.shape)}, {dt.of(a).name} a little below the input given to gradcheck, and shape "
                f"{list(b.shape)}, {dt.of(b).name} a little above",
                hint="check the function where its shape and dtype do not depend on the values",
            )


def _values(func: Callable[..., Any], arguments: tuple[Any, ...], wanted: list[bool]) -> list[Any]:
    with enable_grad():  # the function may take gradients itself
        outputs = [o for _, o in in_parts(func(*arguments))]
    return [np.asarray(put_on(o._data, "cpu")) for o, is_wanted in zip(outputs, wanted, strict=True) if is_wanted]


def analytical_jacobian(output: Tensor, inputs: list[Tensor], name: str, nondet_tol: float) -> list[Any]:
    """The Jacobian of one output with respect to each input, by backward passes; done twice, which must not differ."""
    first, second = (_by_passes(output, inputs) for _ in range(2))
    for position, (one, two) in enumerate(zip(first, second, strict=True)):
        if not np.all(abs(one - two) <= nondet_tol):
            raise GradcheckError(
                f"two backward passes from {name} give input {position} different gradients; they may differ by {nondet_tol}",
                hint="look for random numbers in the backward, or give nondet_tol=",
            )
    return first


def _by_passes(output: Tensor, inputs: list[Tensor]) -> list[Any]:
    found = [np.zeros((t._data.size, output._data.size), np.result_type(t._data.dtype, np.float64)) for t in inputs]
    for element in range(output._data.size):
        one = np.zeros(output._data.shape, output._data.dtype)
        one.reshape(-1)[element] = 1
        grads = autograd.grad(
            output, inputs, fresh(put_on(one[()], device_of(output._data))), retain_graph=True, allow_unused=True
        )
        for matrix, grad in zip(found, grads, strict=True):
            if grad is not None:
                matrix[:, element] = np.asarray(put_on(grad._data, "cpu")).reshape(-1)
    return found


def mismatch(formula: Any, differences: Any, atol: float, rtol: float, name: str, position: int) -> GradcheckError | None:
    """The error for two Jacobians that differ; None when they agree."""
    wrong = ~np.isclose(formula, differences, rtol=rtol, atol=atol, equal_nan=False)
    if not wrong.any():
        return None
    distance = np.where(wrong, abs(formula - differences), -1)
    row, column = np.unravel_index(int(np.nanargmax(np.where(np.isnan(distance), np.inf, distance))), distance.shape)
    text = (
        f"the gradient of {name} with respect to input {position} is wrong: element {row} of the input and element {column} "
        f"of the output, the backward says {formula[row, column]:.6g} and finite differences say {differences[row, column]:.6g}"
    )
    if formula.size <= SHOWN:
        text += f"\nfinite differences:\n{_shown(differences)}\nbackward:\n{_shown(formula)}"
    return GradcheckError(text, hint="compare the formula of the backward with the derivative of the forward")


def _shown(matrix: Any) -> str:
    return np.array2string(matrix, precision=4, suppress_small=True, floatmode="maxprec_equal")
