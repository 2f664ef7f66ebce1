"""``torch.autograd.functional.jacobian`` and ``hessian``: row by row, a backward pass for each element of the output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.grad_mode import enable_grad
from ..core.instrument import inside
from ..core.tensor import Tensor
from ..errors import BadArgument, ScriptError, Unsupported
from ..ops.lists import stack
from .functional import NAME
from .tuples import Tensors, as_given, as_tuple, check_depends, finished, gradients, prepared, refuse_independent, zeros

_STRATEGIES = ("reverse-mode", "forward-mode")


class UnknownStrategy(ScriptError, AssertionError):
    """A strategy that is neither of the two."""

    kind_name = "BadArgument"


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func` at `inputs`.

    Parameters
    ----------
    inputs : Tensor or tuple of Tensor
    create_graph : bool
        Let the result be differentiated.
    strict : bool
        Complain of an input that an output does not depend on, instead of giving zeros.
    vectorize, strategy
        How PyTorch is to compute it. Here it is done row by row, with the same result.

    Returns
    -------
    Tensor, or tuple (of tuples) of Tensor
        For each output and each input, of shape output.shape + input.shape.
    """
    _check_strategy(strategy, vectorize, create_graph, strict)
    with inside(NAME), enable_grad():
        in_tuple, tensors = as_tuple(inputs, "inputs", "jacobian")
        tensors = prepared(tensors, create_graph=create_graph, need_graph=True)
        out_tuple, outputs = as_tuple(func(*tensors), "outputs of the function", "jacobian")
        check_depends(outputs, strict, "output")
        rows = tuple(_of_output(i, o, tensors, strict, create_graph) for i, o in enumerate(outputs))
    return as_given(finished(rows, create_graph), out_tuple, in_tuple)


def _of_output(number: int, output: Tensor, inputs: Tensors, strict: bool, create_graph: bool) -> Tensors:
    """The Jacobian of one output with respect to each input."""
    columns: list[list[Tensor]] = [[] for _ in inputs]
    for element in range(output._data.size):
        one = output.reshape(-1)[element]  # type: ignore[attr-defined]
        found = gradients((one,), inputs, retain_graph=True, create_graph=create_graph)
        for position, (grad, tensor) in enumerate(zip(found, inputs, strict=True)):
            if grad is None:
                refuse_independent(strict, f"input {position}", f"output {number}")
                grad = zeros(tensor)
            elif create_graph and not grad.requires_grad:
                refuse_independent(strict, f"input {position}", f"the Jacobian of output {number}")
            columns[position].append(grad)
    shapes = [(*output.shape, *tensor.shape) for tensor in inputs]
    return tuple(stack(rows, 0).view(shape) for rows, shape in zip(columns, shapes, strict=True))  # type: ignore[attr-defined]


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of `func`, which returns a scalar: the Jacobian of its gradient. See ``jacobian``."""
    in_tuple, tensors = as_tuple(inputs, "inputs", "hessian")

    def scalar(*arguments: Tensor) -> Any:
        output = func(*arguments)
        out_tuple, outputs = as_tuple(output, "outputs of the function", "hessian")
        check_depends(outputs, strict, "output")
        if out_tuple:
            raise BadArgument("the function given to hessian() returns one tensor, not a tuple")
        if output._data.size != 1:
            raise BadArgument(f"the function given to hessian() returns one element, not a tensor of shape {list(output.shape)}")
        return output.squeeze()

    def gradient(*arguments: Tensor) -> Any:
        found = jacobian(scalar, arguments, create_graph=True)
        check_depends(found, strict, "the gradient of input")
        return found

    found = jacobian(gradient, tensors, create_graph, strict, vectorize, outer_jacobian_strategy)
    return as_given(found, in_tuple, in_tuple)


def _check_strategy(strategy: str, vectorize: bool, create_graph: bool, strict: bool) -> None:
    if strategy not in _STRATEGIES:
        raise UnknownStrategy(f'the strategy is "reverse-mode" or "forward-mode", not {strategy!r}')
    if strategy == "forward-mode" and (create_graph or strict or not vectorize):
        raise Unsupported(
            "the strategy forward-mode goes with vectorize=True, and neither with create_graph=True nor with strict=True",
            hint="leave the strategy out: the result is the same",
        )
    if vectorize and strict:
        raise BadArgument("strict=True and vectorize=True do not go together", hint="leave vectorize out")
