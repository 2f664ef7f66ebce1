"""``torch.autograd.functional``: products of vectors with Jacobians and Hessians. The matrices themselves are in ``jacobian.py``.

Source of the rules: https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api

Note [Twice backward is forward]
    A backward pass gives v^T J. Taken with the gradient of the outputs left open (zeros that require grad), its result is linear in it,
    and the gradient of *that* with respect to the open gradient, weighted with v, is J v: forward mode by two backward passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.grad_mode import enable_grad
from ..core.instrument import inside
from ..errors import BadArgument
from .tuples import (
    Tensors,
    as_given,
    as_tuple,
    check_depends,
    check_single,
    check_vector,
    filled,
    finished,
    gradients,
    prepared,
    recording,
    zeros,
)

NAME = "autograd.functional"


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of `func`, and v^T J: the gradient of its inputs when v is that of its outputs.

    Parameters
    ----------
    func : callable
    inputs : Tensor or tuple of Tensor
    v : Tensor or tuple of Tensor, optional
        Of the shapes of the outputs; may be left out for a single output with one element.
    create_graph : bool
        Let the results be differentiated.
    strict : bool
        Complain of an input that an output does not depend on, instead of giving zeros.
    """
    with inside(NAME):
        with enable_grad():
            in_tuple, tensors = as_tuple(inputs, "inputs", "vjp")
            tensors = prepared(tensors, create_graph=create_graph, need_graph=True)
            out_tuple, outputs = as_tuple(func(*tensors), "outputs of the function", "vjp")
            check_depends(outputs, strict, "output")
            v = _vector(v, outputs, "returns", "vjp", create_graph)
        with recording(create_graph):
            found = gradients(outputs, tensors, v, create_graph=create_graph)
            product = filled(found, tensors, strict, create_graph, "input")
    return as_given(finished(outputs, create_graph), out_tuple), as_given(finished(product, create_graph), in_tuple)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs of `func`, and J v: how they change when the inputs move along v. See Note [Twice backward is forward]."""
    with inside(NAME):
        with enable_grad():
            _in_tuple, tensors = as_tuple(inputs, "inputs", "jvp")
            tensors = prepared(tensors, create_graph=create_graph, need_graph=True)
            v = _vector(v, tensors, "takes", "jvp", create_graph)
            out_tuple, outputs = as_tuple(func(*tensors), "outputs of the function", "jvp")
            check_depends(outputs, strict, "output")
            open_gradients = tuple(zeros(o, requires_grad=True) for o in outputs)
            backwards = gradients(outputs, tensors, open_gradients, create_graph=True)
            check_depends(backwards, strict, "the gradient of input")
        with recording(create_graph):
            found = gradients(backwards, open_gradients, v, create_graph=create_graph)
            product = filled(found, outputs, strict, create_graph, "the gradient of output")
    return as_given(finished(outputs, create_graph), out_tuple), as_given(finished(product, create_graph), out_tuple)


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The output of `func`, a scalar, and v^T H."""
    with inside(NAME):
        with enable_grad():
            in_tuple, tensors = as_tuple(inputs, "inputs", "vhp")
            tensors = prepared(tensors, create_graph=create_graph, need_graph=True)
            v = _vector(v, tensors, "takes", "vhp", create_graph)
            outputs, jacobian = _gradient_of_scalar(func, tensors, "vhp", strict)
        with recording(create_graph):
            found = gradients(jacobian, tensors, v, create_graph=create_graph)
            product = filled(found, tensors, strict, create_graph, "input")
    return finished(outputs, create_graph)[0], as_given(finished(product, create_graph), in_tuple)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The output of `func`, a scalar, and H v. ``vhp`` gives the same with a pass less, as H is symmetric where it is continuous."""
    with inside(NAME):
        with enable_grad():
            in_tuple, tensors = as_tuple(inputs, "inputs", "hvp")
            tensors = prepared(tensors, create_graph=create_graph, need_graph=True)
            v = _vector(v, tensors, "takes", "hvp", create_graph)
            outputs, jacobian = _gradient_of_scalar(func, tensors, "hvp", strict)
            open_gradients = tuple(zeros(t, requires_grad=True) for t in tensors)
            backwards = gradients(jacobian, tensors, open_gradients, create_graph=True)
        with recording(create_graph):
            found = gradients(backwards, open_gradients, v, create_graph=create_graph)
            product = filled(found, tensors, strict, create_graph, "the gradient of input")
    return finished(outputs, create_graph)[0], as_given(finished(product, create_graph), in_tuple)


def _vector(v: Any, like: Tensors, verb: str, function: str, create_graph: bool) -> Tensors | None:
    """The vector of a product with what the user's function "takes" or "returns"; None stands for a single 1."""
    if v is None:
        check_single(like, f"v may be left out only when the function {verb} one tensor with one element")
        return None
    vector = prepared(as_tuple(v, "v", function)[1], create_graph=create_graph, need_graph=False)
    check_vector(vector, like)
    return vector


def _gradient_of_scalar(
    func: Callable[..., Any], inputs: Tensors, function: str, strict: bool
) -> tuple[Tensors, tuple[Any, ...]]:
    out_tuple, outputs = as_tuple(func(*inputs), "outputs of the function", function)
    check_depends(outputs, strict, "output")
    if out_tuple:
        raise BadArgument(f"the function given to {function}() returns one tensor, not a tuple")
    check_single(outputs, f"the function given to {function}() returns a tensor with one element")
    jacobian = gradients(outputs, inputs, create_graph=True)
    check_depends(jacobian, strict, "the gradient of input")
    return outputs, jacobian
