"""``backward`` and ``grad``: what users call.

Source of the rules: https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html and ``torch.autograd.grad.html``.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from ..errors import (
    AgradError,
    BadArgument,
    BadArgumentType,
    BadArgumentValue,
    DeviceMismatch,
    DtypeMismatch,
    GradShapeMismatch,
    NoGraph,
    NonScalarRoot,
    UnusedInput,
)
from .array import SCALARS, array_module, device_of
from .basic_ops import moved, recording, to_dtype
from .engine import run_backward
from .gradient_edge import EdgeAsTensor, GradientEdge
from .mode_listener import nobody_listens
from .modes import modes
from .node import NOWHERE
from .op_support import fresh
from .tensor import Tensor
from .warning import warn


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the ``.grad`` of the leaves they depend on.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        The roots.
    grad_tensors : Tensor, None, or a sequence of them
        The gradient that enters at each root; it may be left out for a root with one element.
    retain_graph : bool, optional
        Keep what the graph saved for another pass; default: the value of `create_graph`.
    create_graph : bool
        Record the backward pass itself, so that its results can be differentiated.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate into these only.
    grad_variables : Tensor or sequence, optional
        The old name of `grad_tensors`.

    Raises
    ------
    NonScalarRoot, NoGraph, GradShapeMismatch, GraphFreed, InplaceModified
    """
    if grad_variables is not None:  # the old name
        if grad_tensors is not None:
            raise BadArgument("backward() takes grad_tensors or grad_variables, its old name, not both")
        grad_tensors = grad_variables
    roots = _sequence(tensors, "tensors")
    grads = _root_gradients(roots, grad_tensors, create_graph)
    wanted = None
    if inputs is not None:
        wanted = _sequence(inputs, "inputs")
        if not wanted:
            raise BadArgument("inputs of backward() must not be empty", hint="leave `inputs` out to reach every leaf")
        for tensor in wanted:
            if tensor._edge is None:
                raise NoGraph(
                    "backward() was asked for the gradient of this tensor, which does not require grad: nothing was recorded for it",
                    hint="call requires_grad_() on it before the forward",
                ).about(tensor)
            tensor.retain_grad()
        wanted = [tensor._edge for tensor in wanted]
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warn("CreateGraphBackward")
    run_backward([t._edge for t in roots], grads, kind="backward", keep_graph=keep, create_graph=create_graph, inputs=wanted)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`; nothing is accumulated. `only_inputs` says nothing, as in PyTorch.

    Returns
    -------
    tuple of Tensor or None
        One for each input; None where an input is not used and `allow_unused`.

    Raises
    ------
    UnusedInput
        An input is not used, and `allow_unused` is not given.
    """
    if allow_unused is False and materialize_grads:
        raise BadArgumentValue("grad() with materialize_grads=True cannot have allow_unused=False")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots, wanted = _sequence(outputs, "outputs"), _sequence(inputs, "inputs")
    keep = create_graph if retain_graph is None else retain_graph
    if not wanted:
        raise BadArgument("inputs of grad() must not be empty", hint="name the tensors whose gradients you want")
    if is_grads_batched:
        return _batched(roots, wanted, grad_outputs, keep, create_graph, allow_unused)
    for position, tensor in enumerate(wanted):
        if tensor._edge is None:
            raise NoGraph(
                f"grad() was asked for the gradient of this tensor (input {position}), which does not require grad: nothing was recorded "
                "for it",
                hint="call requires_grad_() on it before the forward",
            ).about(tensor)
    grads = _root_gradients(roots, grad_outputs, create_graph)
    edges = [t._edge for t in wanted]
    found = run_backward([t._edge for t in roots], grads, kind="grad", keep_graph=keep, create_graph=create_graph, inputs=edges)
    results: list[Tensor | None] = []
    same = {id(t._data): t for t in _given_tensors(grad_outputs)}  # a gradient handed on as it is stays the same tensor
    for position, (tensor, g) in enumerate(zip(wanted, found, strict=True)):
        if g is None and materialize_grads:
            g = _zeros_like(tensor, create_graph)
        if g is None and not allow_unused:
            error = UnusedInput(
                f"grad() was asked for the gradient of this tensor (input {position}), which is not in the graph of the outputs",
                hint="use it in the forward, or ask with allow_unused=True, which gives None for it",
            ).about(tensor)
            raise _refused(error)
        if g is not None and g.__class__ is not Tensor:
            g = same.setdefault(id(g), fresh(g))
        results.append(g)
    return tuple(results)


def _refused(error: AgradError) -> AgradError:
    """`error`, which a pass that has run ends with."""
    if modes.instrument is not None:
        modes.instrument.pass_refused(error)
    return error


def _zeros_like(tensor: Any, requires_grad: bool) -> Tensor:
    """What stands for the gradient of an input that was not used."""
    if isinstance(tensor, EdgeAsTensor):
        raise _refused(
            BadArgument(
                "materialize_grads=True makes zeros for inputs that are not used, and one of them is a GradientEdge, which has no shape",
                hint="give the tensor instead of its edge, or use allow_unused=True, which gives None for it",
            )
        )
    return fresh(array_module(tensor._data).zeros_like(tensor._data)[()]).requires_grad_(requires_grad)


def _given_tensors(grad_outputs: Any) -> list[Tensor]:
    """The tensors among the gradients that the user gave."""
    return [t for t in (grad_outputs if isinstance(grad_outputs, (list, tuple)) else [grad_outputs]) if isinstance(t, Tensor)]


def _batched(roots: Any, wanted: Any, grad_outputs: Any, keep: bool, create: bool, unused: bool) -> tuple[Any, ...]:
    """``is_grads_batched``: one pass for each row of the gradients, stacked. PyTorch runs all rows in one, so that only one is told of."""
    rows = _sequence(grad_outputs, "grad_outputs")
    count = len(rows[0]._data)
    found: list[tuple[Tensor | None, ...]] = []
    for i in range(count):
        row = [r[i] if create else fresh(r._data[i]) for r in rows]  # type: ignore[index]
        with nobody_listens() if found and not create else nullcontext():
            found.append(grad(roots, wanted, row, keep or i < count - 1, create, allow_unused=unused))
    return tuple(None if parts[0] is None else recording.stack(parts) for parts in zip(*found, strict=True))


def _sequence(value: Any, name: str) -> list[Tensor]:
    items: Any = [value] if isinstance(value, (Tensor, GradientEdge)) else value
    if isinstance(items, (list, tuple)) and any(isinstance(t, GradientEdge) for t in items):
        items = [EdgeAsTensor(t) if isinstance(t, GradientEdge) else t for t in items]
    if isinstance(items, str):  # the one sequence of which PyTorch says so
        raise BadArgument(f"`{name}` takes tensors, not strings", hint="give the tensor, not its name")
    if not isinstance(items, (list, tuple)) or not all(isinstance(t, (Tensor, EdgeAsTensor)) for t in items):
        raise BadArgumentType(f"`{name}` takes a tensor or a sequence of tensors, not {type(value).__name__}")
    return list(items)


def _root_gradients(roots: list[Tensor], given: Any, create_graph: bool) -> list[Any]:
    if given is None or isinstance(given, Tensor):
        given = [given] * len(roots) if given is None else [given]
    if not isinstance(given, (list, tuple)):
        raise BadArgumentType(f"a gradient is a tensor or None, not {type(given).__name__}")
    for one in given:
        if one is not None and not isinstance(one, Tensor):
            raise BadArgumentType(f"a gradient is a tensor or None, not {type(one).__name__}")
    if len(given) != len(roots):
        raise BadArgument(f"{len(roots)} roots need as many gradients, or none")
    return [_root_gradient(root, g, create_graph) for root, g in zip(roots, given, strict=True)]


def _root_gradient(root: Tensor, given: Tensor | None, create_graph: bool) -> Any:
    data = root._data
    if root._edge is None or root._edge is NOWHERE:
        raise NoGraph(
            "a pass has to begin at a tensor that requires grad, and this tensor does not: no graph was recorded for it",
            hint="set requires_grad=True on the leaves before the forward, and do not compute under no_grad() or from detach()",
        ).about(root)
    if data is None:  # an edge that the user put together
        if not isinstance(given, Tensor):
            raise NonScalarRoot("the gradient of a GradientEdge made by hand has to be given: its shape is not known")
        return given if create_graph else given._data
    if given is None:
        if data.size != 1:
            raise NonScalarRoot(
                f"a pass begins with a gradient of its root. It can be left out for a root with one element only, where it is 1, "
                f"and this tensor has {data.size} (shape {list(data.shape)})",
                hint="reduce it to a scalar (loss.sum() or loss.mean()), or pass a gradient of its shape: backward(gradient)",
            ).about(root)
        if data.dtype.kind not in "fV":
            raise BadArgument(
                f"a gradient can be left out for real floating-point roots only, and this tensor is {root.dtype.name}",
                hint="make it real: z.abs(), z.real, or view_as_real(z).sum(); or pass a gradient of its dtype",
            ).about(root)
        one = data.dtype.type(1) if data.__class__ in SCALARS else array_module(data).ones(data.shape, data.dtype)
        return fresh(one) if create_graph else one
    if not isinstance(given, Tensor):
        raise BadArgumentType(f"a gradient is a tensor or None, not {type(given).__name__}")
    if given._data.shape != data.shape:
        raise GradShapeMismatch(
            f"the gradient that was passed has shape {list(given._data.shape)}, and this tensor, where it enters, has shape "
            f"{list(data.shape)}",
            hint="a gradient has one number for each element of its tensor, so it has the same shape: torch.ones_like(y), for example",
        ).about(root)
    if given._data.dtype != data.dtype:
        if "c" in (given._data.dtype.kind, data.dtype.kind):
            raise DtypeMismatch(
                f"the gradient that was passed is {given.dtype.name}, and this tensor, where it enters, is {root.dtype.name}",
                hint="the gradient of a complex root is complex, of the same dtype; that of a real root is real",
            ).about(root)
        given = to_dtype(given, data.dtype)
    if not modes.host_only and device_of(given._data) != device_of(data):
        if data.shape:
            raise DeviceMismatch(
                f"the gradient is on {device_of(given._data)} and its root on {device_of(data)}",
                hint="a gradient lives where its root does: move it with .to(root.device)",
            )
        given = moved(given, device_of(data))
    return given if create_graph else given._data
