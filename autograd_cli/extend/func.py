"""``torch.func``: functions that take a function and return its derivative.

Source of the rules: https://docs.pytorch.org/docs/stable/func.api.html

Here they are backward passes: a call gets inputs of its own that require grad, so that transforms can be nested and derivatives of
derivatives come out of graphs of graphs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakSet

from ..core.grad_mode import enable_grad
from ..core.instrument import inside
from ..core.node import Node
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from ..ops.lists import stack
from .trees import flatten, rebuild
from .tuples import gradients, zeros

NAME = "func"
ArgNums = int | tuple[int, ...]
_ended: WeakSet[Node] = WeakSet()  # where the graphs of calls that are over begin


def _gradients(outputs: Iterable[Any], inputs: Sequence[Tensor], given: Any = None) -> list[Tensor]:
    """The gradients of `inputs`, with a graph of their own; zeros for those that are not used."""
    found = gradients(outputs, tuple(inputs), given, create_graph=True)
    return [zeros(tensor) if grad is None else grad for grad, tensor in zip(found, inputs, strict=True)]


def _picked(args: tuple[Any, ...], argnums: ArgNums, function: str) -> list[int]:
    """The positions to differentiate by, counted from the front."""
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    if not wanted:
        raise BadArgument(f"{function}: argnums must not be empty")
    for number in wanted:
        if not isinstance(number, int):
            raise BadArgumentType(f"{function}: argnums is an int or a tuple of ints, not {type(number).__name__}")
        if not -len(args) <= number < len(args):
            raise BadArgument(f"{function}: argnums {number} is out of range for {len(args)} arguments")
    return [n % len(args) for n in wanted]


class Fresh:
    """The arguments of one call, with tensors of their own at the places to differentiate by.

    Attributes
    ----------
    tensors : list of Tensor
        Those tensors, in the order of the places and within each in the order of its tree.
    """

    def __init__(self, args: tuple[Any, ...], places: list[int]) -> None:
        self.args = list(args)
        self.tensors: list[Tensor] = []
        self._shapes: list[tuple[Any, int]] = []
        for place in places:
            leaves, tree = flatten(args[place])
            made = [_own(leaf) for leaf in leaves]
            self.args[place] = rebuild(tree, made)
            self.tensors += made
            self._shapes.append((tree, len(made)))
        self._inside: set[Node] = {tensor._edge.function for tensor in self.tensors}

    def shaped(self, values: list[Any]) -> list[Any]:
        """`values`, one for each tensor, in the trees of the arguments."""
        found, start = [], 0
        for tree, count in self._shapes:
            found.append(rebuild(tree, values[start : start + count]))
            start += count
        return found

    def cut(self, value: Any, keep: bool) -> Any:
        """The tensors of `value` without the graph of this call, where nothing outside needs it.

        Outside are an outer transform or the user's own graph, to which an argument belongs (`keep`) or which the function reached itself.
        """
        leaves, tree = flatten(value)
        return rebuild(tree, [v.detach() if isinstance(v, Tensor) and not (keep or self._leads_out(v)) else v for v in leaves])

    def end(self) -> None:
        """The call is over: from now on its tensors are inside for every other, too."""
        _ended.update(tensor._edge.function for tensor in self.tensors)

    def _leads_out(self, tensor: Tensor) -> bool:
        """Whether the graph of `tensor` ends anywhere but in the tensors of this call."""
        todo = [] if tensor._edge is None else [tensor._edge.function]
        while todo:
            node = todo.pop()
            if node in self._inside or node in _ended:
                continue
            following = [edge.function for edge in node.next_edges if edge is not None]
            if not following:
                return True
            self._inside.add(node)
            todo += following
        return False


def _own(leaf: Any) -> Any:
    if not isinstance(leaf, Tensor):
        raise BadArgumentValue(f"torch.func differentiates by tensors, not by {type(leaf).__name__}", hint="torch.tensor(…)")
    return leaf.view_as(leaf) if leaf.requires_grad else leaf.detach().requires_grad_()  # type: ignore[attr-defined]


def _needs_graph(args: tuple[Any, ...]) -> bool:
    """Whether some argument is itself part of a graph: then the result must be differentiable."""
    return any(isinstance(leaf, Tensor) and leaf.requires_grad for a in args for leaf in flatten(a)[0])


def grad_and_value(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of `func`, a scalar, and its value."""

    @functools.wraps(func)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        keep = _needs_graph(args)
        with enable_grad(), inside(NAME):
            own = Fresh(args, _picked(args, argnums, "grad"))
            value, aux = _split(func(*own.args, **kwargs), has_aux)
            if not isinstance(value, Tensor) or value._data.shape != ():
                what = f"shape {list(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
                raise BadArgument(
                    f"the function given to grad() returns a scalar tensor, not {what}", hint="reduce it: .sum(), .mean()"
                )
            found = _gradients((value,), own.tensors)
        shaped = own.shaped([own.cut(g, keep) for g in found])
        gradient = tuple(shaped) if isinstance(argnums, tuple) else shaped[0]
        value, aux = own.cut(value, keep), own.cut(aux, keep)
        own.end()
        return (gradient, (value, aux)) if has_aux else (gradient, value)

    return derivative


def grad(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of `func`, which returns a scalar, with respect to its argument(s) `argnums`."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        gradient, rest = both(*args, **kwargs)
        return (gradient, rest[1]) if has_aux else gradient

    return derivative


def _split(result: Any, has_aux: bool) -> tuple[Any, Any]:
    """(what is differentiated, what the function returns beside it)."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise BadArgument("with has_aux=True the function returns a pair: (result, anything else)")
    for leaf in flatten(result[1])[0]:
        if not isinstance(leaf, Tensor):
            raise BadArgument(
                f"with has_aux=True what the function returns beside its result are tensors, not {type(leaf).__name__}"
            )
    return result


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of ``func(*primals)`` and a function that takes a gradient of it back to the primals."""
    keep = _needs_graph(primals)
    with enable_grad():
        own = Fresh(primals, list(range(len(primals))))
        value, aux = _split(func(*own.args), has_aux)
    outputs, tree = flatten(value)

    def back(*cotangents: Any) -> Any:
        given, _other = flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        if len(given) != len(outputs):
            raise BadArgument(f"the function of vjp() takes {len(outputs)} gradients, one for each output, and got {len(given)}")
        keep_now = keep or _needs_graph(cotangents)
        with enable_grad(), inside(NAME):
            found = _gradients(outputs, own.tensors, given)
        return tuple(own.shaped([own.cut(g, keep_now) for g in found]))

    shown = rebuild(tree, [own.cut(o, keep) for o in outputs])
    own.end()
    return (shown, back, aux) if has_aux else (shown, back)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of ``func(*primals)`` and how it changes along `tangents`. See Note [Twice backward is forward]."""
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple) or len(primals) != len(tangents) or not primals:
        raise BadArgument("jvp() takes a tuple of primals and a tuple of as many tangents")
    keep = _needs_graph((*primals, *tangents))
    with enable_grad(), inside(NAME):
        own = Fresh(primals, list(range(len(primals))))
        value, aux = _split(func(*own.args), has_aux)
        outputs, tree = flatten(value)
        along = [leaf for tangent in tangents for leaf in flatten(tangent)[0]]
        if [t.shape for t in own.tensors] != [t.shape for t in along]:
            raise BadArgument("jvp(): each tangent has the shape of its primal")
        open_gradients = tuple(zeros(o, requires_grad=True) for o in outputs)
        backwards = gradients(outputs, tuple(own.tensors), open_gradients, create_graph=True)
        moved = _gradients(backwards, open_gradients, along)
    shown = rebuild(tree, [own.cut(o, keep) for o in outputs])
    change = rebuild(tree, [own.cut(m, keep) for m in moved])
    own.end()
    return (shown, change, aux) if has_aux else (shown, change)


def jacrev(
    func: Callable[..., Any],
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of `func` with respect to its argument(s) `argnums`, row by row."""

    @functools.wraps(func)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        keep = _needs_graph(args)
        with enable_grad(), inside(NAME):
            own = Fresh(args, _picked(args, argnums, "jacrev"))
            value, aux = _split(func(*own.args, **kwargs), has_aux)
            outputs, tree = flatten(value)
            found = [_jacobian_of(output, own, keep, isinstance(argnums, tuple)) for output in outputs]
        shown, aux = rebuild(tree, found), own.cut(aux, keep)
        own.end()
        return (shown, aux) if has_aux else shown

    return derivative


def _jacobian_of(output: Tensor, own: Fresh, keep: bool, several: bool) -> Any:
    """The Jacobian of one output, in the trees of the arguments."""
    rows: list[list[Any]] = [[] for _ in own.tensors]
    for element in range(output._data.size):
        one = output.reshape(-1)[element]  # type: ignore[attr-defined]
        for column, grad in zip(rows, _gradients((one,), own.tensors), strict=True):
            column.append(grad)
    whole = [
        stack(column, 0).reshape((*output.shape, *tensor.shape)) if column else zeros(tensor)  # type: ignore[attr-defined]
        for column, tensor in zip(rows, own.tensors, strict=True)
    ]
    shaped = own.shaped([own.cut(w, keep) for w in whole])
    return tuple(shaped) if several else shaped[0]


def jacfwd(
    func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """As ``jacrev``: the Jacobian is the same, whichever way it is computed."""
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: Callable[..., Any], argnums: ArgNums = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of `func`: the Jacobian of its Jacobian."""
    return jacrev(jacrev(func, argnums), argnums)
