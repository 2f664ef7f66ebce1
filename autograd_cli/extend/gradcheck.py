"""``torch.autograd.gradcheck`` and ``gradgradcheck``: gradients against finite differences.

Source of the rules: https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core import autograd
from ..core.array import device_of, put_on
from ..core.device_streams import stream_of
from ..core.instrument import inside
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgumentValue, Unsupported
from .gradcheck_parts import (
    GradcheckError,
    UndefinedGrad,
    analytical_jacobian,
    check_inputs,
    differentiable,
    in_parts,
    mismatch,
    numerical_jacobian,
)
from .tuples import zeros


@dataclass(frozen=True)
class Options:
    """What the checks share.

    Attributes
    ----------
    eps : float
        Half the step of the finite differences.
    atol, rtol : float
        |formula - differences| <= atol + rtol * |differences| has to hold.
    nondet_tol : float
        How much two backward passes on the same input may differ.
    check_undefined_grad : bool
        Also try what the backward does when no gradient comes.
    """

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_undefined_grad: bool


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_ad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` are those that finite differences give.

    Parameters
    ----------
    inputs : Tensor or tuple of Tensor
        In float64 or complex128, those to check with ``requires_grad=True``.
    raise_exception : bool
        Raise GradcheckError, which says which output, which input and which two numbers; otherwise return False.
    check_grad_dtypes, check_batched_grad, fast_mode, masked
        Accepted; the check is always the slow and whole one.

    Raises
    ------
    GradcheckError
    BadArgument
        No input requires grad.
    """
    if check_forward_ad or check_batched_forward_ad:
        raise Unsupported("gradcheck of forward mode: agrad has no forward mode", hint="leave check_forward_ad out")
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    check_inputs(arguments)
    options = Options(eps, atol, rtol, nondet_tol, check_undefined_grad)
    try:
        with inside("gradcheck"):
            if check_backward_ad:
                _check(func, arguments, options)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func: Callable[..., Any], arguments: tuple[Any, ...], options: Options) -> None:
    """Raise GradcheckError where something is wrong."""
    results = in_parts(func(*arguments))
    named = [(name, r) for name, r in results if r.requires_grad]
    outputs = [r for _, r in named]
    shown = [r.requires_grad or not outputs for _, r in results]  # all of them when none has a history
    wanted = [i for i, a in enumerate(arguments) if isinstance(a, Tensor) and a.requires_grad]
    numerical = {i: numerical_jacobian(func, arguments, i, options.eps, shown) for i in wanted}
    if not outputs:
        if any(abs(matrix).max(initial=0) > options.atol for matrices in numerical.values() for matrix in matrices):
            raise GradcheckError(
                "the function has no output that requires grad, and finite differences say that its result does depend on its inputs",
                hint="look for detach(), .data, no_grad() or a conversion to integers in it",
            )
        return
    inputs = [arguments[i] for i in wanted]
    for number, (name, output) in enumerate(named):
        found = analytical_jacobian(output, inputs, name, options.nondet_tol)
        for position, matrix in zip(wanted, found, strict=True):
            error = mismatch(matrix, numerical[position][number], options.atol, options.rtol, name, position)
            if error is not None:
                raise error
    _check_zero_gradient(outputs, inputs)
    if options.check_undefined_grad:
        _check_undefined(func, arguments, inputs, len(outputs))


def _check_zero_gradient(outputs: list[Tensor], inputs: list[Tensor]) -> None:
    """A backward is linear: from zeros it makes zeros."""
    nothing = [zeros(o) for o in outputs]
    for position, grad in enumerate(autograd.grad(outputs, inputs, nothing, retain_graph=True, allow_unused=True)):
        if grad is not None and (grad._data != 0).any():
            raise GradcheckError(
                f"the backward gives input {position} a gradient that is not zero when the gradients of all outputs are zero",
                hint="a backward multiplies by the gradient it is given; it adds nothing to it",
            )


def _check_undefined(func: Callable[..., Any], arguments: tuple[Any, ...], inputs: list[Tensor], count: int) -> None:
    """A backward has to work when all gradients that come are None, and when any one of several is."""
    for missing in [None, *(range(count) if count > 1 else ())]:
        outputs = differentiable(func(*arguments))
        shown = [UndefinedGrad.apply(o) if missing in (None, i) else o for i, o in enumerate(outputs)]
        try:
            found = autograd.grad(shown, inputs, [zeros(o) for o in outputs], allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(
                f"the backward fails when no gradient comes for an output: {error}",
                hint="treat a gradient that is None as zeros, or check with check_undefined_grad=False",
            ) from error
        if any(g is not None and (g._data != 0).any() for g in found):
            raise GradcheckError("the backward gives gradients that are not zero when none came for any output")


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of `func` are those that finite differences give. See ``gradcheck``.

    Parameters
    ----------
    grad_outputs : Tensor or tuple of Tensor, optional
        Where to check; default: drawn from -1 to 1.
    """
    if check_fwd_over_rev:
        raise Unsupported("gradgradcheck of forward mode: agrad has no forward mode", hint="leave check_fwd_over_rev out")
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    outputs = differentiable(func(*arguments))
    if grad_outputs is None:
        given = tuple(_drawn(o) for o in outputs)
    else:
        given = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    count = len(given)
    if count != len(outputs):
        raise BadArgumentValue(f"the function has {len(outputs)} differentiable outputs, and {count} gradients were given")

    def gradient(*everything: Any) -> Any:
        own, above = everything[: len(everything) - count], everything[len(everything) - count :]
        results = differentiable(func(*own))
        wanted = [a for a in own if isinstance(a, Tensor) and a.requires_grad]
        found = autograd.grad(results, wanted, above, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradient,
        (*arguments, *given),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
    )


def _drawn(output: Tensor) -> Tensor:
    size = output._data.size
    data = stream_of(device_of(output._data)).uniform(size, -1.0, 1.0, output._data.dtype).reshape(output._data.shape)
    return fresh(put_on(data[()], device_of(output._data))).requires_grad_()
