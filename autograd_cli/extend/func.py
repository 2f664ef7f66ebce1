"""``torch.func``: functions that take a function and return its derivative.

Source of the rules: https://docs.pytorch.org/docs/stable/func.api.html

Here they are backward passes: a call gets inputs of its own that require grad, so that transforms can be nested and derivatives of
derivatives come out of graphs of graphs. ``vmap`` runs the function for one slice after the other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.grad_mode import enable_grad
from ..core.instrument import inside
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from ..ops.lists import stack
from .trees import flatten, rebuild
from .tuples import gradients, zeros

NAME = "func"
ArgNums = int | tuple[int, ...]


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

    def shaped(self, values: list[Any]) -> list[Any]:
        """`values`, one for each tensor, in the trees of the arguments."""
        found, start = [], 0
        for tree, count in self._shapes:
            found.append(rebuild(tree, values[start : start + count]))
            start += count
        return found


def _own(leaf: Any) -> Any:
    if not isinstance(leaf, Tensor):
        raise BadArgumentType(f"torch.func differentiates by tensors, not by {type(leaf).__name__}")
    return leaf.view_as(leaf) if leaf.requires_grad else leaf.detach().requires_grad_()  # type: ignore[attr-defined]


def _without_graph(value: Any, keep: bool) -> Any:
    """Tensors cut off our graph, unless an outer transform (or the user's own graph) needs it."""
    leaves, tree = flatten(value)
    return rebuild(tree, [v.detach() if isinstance(v, Tensor) and not keep else v for v in leaves])


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
        shaped = own.shaped([_without_graph(g, keep) for g in found])
        gradient = tuple(shaped) if isinstance(argnums, tuple) else shaped[0]
        value = _without_graph(value, keep)
        return (gradient, (value, _without_graph(aux, keep))) if has_aux else (gradient, value)

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
        return tuple(own.shaped([_without_graph(g, keep_now) for g in found]))

    shown = rebuild(tree, [_without_graph(o, keep) for o in outputs])
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
    shown = rebuild(tree, [_without_graph(o, keep) for o in outputs])
    change = rebuild(tree, [_without_graph(m, keep) for m in moved])
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
        shown = rebuild(tree, found)
        return (shown, _without_graph(aux, keep)) if has_aux else shown

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
    shaped = own.shaped([_without_graph(w, keep) for w in whole])
    return tuple(shaped) if several else shaped[0]


def jacfwd(
    func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """As ``jacrev``: the Jacobian is the same, whichever way it is computed."""
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: Callable[..., Any], argnums: ArgNums = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of `func`: the Jacobian of its Jacobian."""
    return jacrev(jacrev(func, argnums), argnums)


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Callable[..., Any]:
    """A function that runs `func` for each slice of its arguments along `in_dims` and stacks the results along `out_dims`."""
    if randomness not in ("error", "different", "same"):
        raise BadArgumentValue(f'randomness is "error", "different" or "same", not {randomness!r}')

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten(args)
        dims = _dims_of(in_dims, args)
        sizes = {leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None}
        if len(sizes) != 1:
            raise BadArgumentValue(
                "vmap() needs an argument to map over"
                if not sizes
                else f"vmap() got arguments of different sizes to map over: {sorted(sizes)}"
            )
        results = []
        for i in range(sizes.pop()):
            own = [leaf if dim is None else leaf.select(dim, i) for leaf, dim in zip(leaves, dims, strict=True)]
            results.append(flatten(func(*rebuild(tree, own), **kwargs)))
        shape = results[0][1]
        columns = list(zip(*(r[0] for r in results), strict=True))
        where = _spread(out_dims, shape, len(columns))
        return rebuild(shape, [_stacked(list(c), dim) for c, dim in zip(columns, where, strict=True)])

    return mapped


def _stacked(values: list[Any], dim: Any) -> Any:
    if not all(isinstance(v, Tensor) for v in values):
        raise BadArgumentValue(f"the function given to vmap() returns tensors, not {type(values[0]).__name__}")
    return values[0] if dim is None else stack(values, dim)


def _dims_of(in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
    """The dimension to map over for each leaf of the arguments; None for what is the same for all."""
    if isinstance(in_dims, int):
        in_dims = (in_dims,) * len(args)
    if not isinstance(in_dims, (tuple, list)) or len(in_dims) != len(args):
        raise BadArgumentValue(f"in_dims is an int or a tuple with one entry for each of the {len(args)} arguments")
    found: list[Any] = []
    for dim, arg in zip(in_dims, args, strict=True):
        leaves, tree = flatten(arg)
        for leaf, own in zip(leaves, _spread(dim, tree, len(leaves)), strict=True):
            if own is not None and not (isinstance(leaf, Tensor) and -leaf.ndim <= own < leaf.ndim):
                what = f"a tensor of shape {list(leaf.shape)}" if isinstance(leaf, Tensor) else type(leaf).__name__
                raise BadArgumentValue(
                    f"vmap() cannot map over dimension {own} of {what}", hint="in_dims=None keeps an argument whole"
                )
            found.append(own)
    return found


def _spread(dims: Any, tree: Any, count: int) -> list[Any]:
    """One dimension for each leaf: `dims` is one for all of them, or a tree like theirs."""
    if dims is None or isinstance(dims, int):
        return [dims] * count
    leaves, _ = flatten(dims)
    if len(leaves) != count:
        raise BadArgumentValue(f"{len(leaves)} dimensions were given for {count} tensors")
    return leaves
