"""``torch.autograd.graph``: edges of the graph by name, versions by hand, and hooks on several gradients at once.

Source of the rules: https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from . import dtype as dt
from .hooks import RemovableHandle
from .modes import modes
from .node import AccumulateGrad, Node, edge_to
from .tensor import Tensor


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes: input `output_nr` of `node`. ``backward`` and ``grad`` take it in the place of a tensor."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge that the gradient of `tensor` goes to: its ``grad_fn``, or the AccumulateGrad of a leaf."""
    if tensor._edge is None:
        raise BadArgument(
            "a tensor that does not require grad has no gradient edge",
            hint="set requires_grad=True on the leaves before the forward",
        )
    edge = KnownEdge(tensor._edge.function, tensor._edge.input_nr)
    edge.data = np.broadcast_to(np.zeros((), tensor._data.dtype), tensor._data.shape) if modes.host_only else tensor._data
    return edge


class KnownEdge(GradientEdge):
    """A GradientEdge that knows what its gradient looks like."""

    data: Any


KnownEdge.__name__ = KnownEdge.__qualname__ = "GradientEdge"


class EdgeAsTensor:
    """A GradientEdge where ``backward`` and ``grad`` expect a tensor.

    Attributes
    ----------
    _data
        An array of the kind of the gradient; None for an edge that the user put together.
    """

    _counter = None

    def __init__(self, edge: GradientEdge) -> None:
        self._edge = edge_to(edge.node, edge.output_nr)
        self._data = getattr(edge, "data", None)

    @property
    def dtype(self) -> Any:
        """Of the gradient."""
        return dt.of(self._data)

    def retain_grad(self) -> None:
        """Nothing: an edge has no ``.grad``."""


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Say that `tensor` (or each of several) was changed in place by something that does not say so itself."""
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(one, Tensor):
            raise BadArgumentType(f"increment_version() takes tensors, not {type(one).__name__}")
        one._written("increment_version")


class _MultiHandle(RemovableHandle):
    """The handles of the hooks on several tensors, removed together."""

    def __init__(self, handles: list[RemovableHandle]) -> None:
        super().__init__({}, 0)
        self._handles = handles

    def remove(self) -> None:
        """Take the hooks away."""
        for handle in self._handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[[Any], Any], *, mode: str = "all") -> RemovableHandle:
    """Call `fn` once in each backward pass: with the gradients of `tensors` when all that take part are known (``all``), or with the
    first one that is (``any``).

    In mode ``all`` a tensor that the pass does not reach has None.
    """
    if mode not in ("all", "any"):
        raise BadArgumentValue(f'mode is "all" or "any", not {mode!r}')
    if not all(isinstance(t, Tensor) and t.requires_grad for t in tensors):
        raise BadArgument("a hook can be registered on tensors that require grad only")
    seen: dict[int, Any] = {}  # by pass: what has arrived so far
    nodes = [t._edge.function for t in tensors]

    def of_all(position: int, gradient: Tensor) -> None:
        number = _pass_number()
        if number not in seen:
            seen.clear()  # an earlier pass that failed left its part
            seen[number] = [[None] * len(tensors), sum(map(runs_now, nodes))]
        arrived = seen[number]
        arrived[0][position] = gradient
        arrived[1] -= 1
        if arrived[1] == 0:
            del seen[number]
            fn(arrived[0])

    def of_any(gradient: Tensor) -> None:
        number = _pass_number()
        if number not in seen:
            seen.clear()
            seen[number] = True
            fn(gradient)

    hooks = [of_any if mode == "any" else functools.partial(of_all, i) for i in range(len(tensors))]
    return _MultiHandle([t.register_hook(hook) for t, hook in zip(tensors, hooks, strict=True)])


def _pass_number() -> int:
    return -1 if modes.graph_task is None else modes.graph_task[0]


def runs_now(node: Node) -> bool:
    """Whether the pass that runs here will evaluate `node` or hand its gradient over (PyTorch's ``_will_engine_execute_node``, which
    leaves a root out that is the only one)."""
    task = None if modes.graph_task is None else modes.graph_task[2]
    if task is None:
        return True
    if node not in task.dependencies or node is task.root:
        return False
    if task.exec_info is None:
        return True
    info = task.exec_info.get(node)
    if info is not None and info.captures and node.__class__ is AccumulateGrad:
        raise BadArgument(
            "a hook on several gradients cannot tell whether a leaf takes part while grad() asks for that leaf's gradient",
            hint="use backward(inputs=...), or hang the hook on results of operations",
        )
    return info is not None and (info.needed or bool(info.captures))
