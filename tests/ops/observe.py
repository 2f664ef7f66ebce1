"""What an expression of the op table does, as plain data: in PyTorch (``record.py``) and here. No torch in this file."""

from __future__ import annotations

import math
import random
from typing import Any

Record = dict[str, Any]


def tensors(torch: Any) -> dict[str, Any]:
    """The tensors that samples use: float64 ones that require grad, and others of all dtypes.

    x, y, z are 3x3 from (0.5, 1.5), n is 3x3 around 0, v and w are vectors, b, c batches, q 4-d, s a scalar, r has ties, bounds and zeros;
    a, e, g, j are complex.
    """
    rng = random.Random(0)

    def leaf(*shape: int, low: float = 0.5, high: float = 1.5) -> Any:
        flat = torch.tensor([round(rng.uniform(low, high), 3) for _ in range(math.prod(shape))], dtype=torch.float64)
        return flat.reshape(shape).clone().requires_grad_()

    def turned(*shape: int) -> Any:
        parts = leaf(*shape, low=0.2, high=1.2).detach(), leaf(*shape, low=-1.0, high=1.0).detach()
        return torch.complex(*parts).requires_grad_()

    made = {name: leaf(3, 3) for name in "xyz"}
    made |= {
        "n": leaf(3, 3, low=-1.5),
        "v": leaf(3),
        "w": leaf(3),
        "s": leaf(),
        "b": leaf(2, 3, 3),
        "c": leaf(2, 3, 3),
        "q": leaf(4, 2, 3, 3),
    }
    made["r"] = torch.tensor([[1.0, 0.0, 1.0], [-2.0, 1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    made["d"] = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    made["i"], made["t"] = torch.tensor([0, 2]), torch.tensor([0, 2, 1])
    made["m"] = made["u"] = torch.tensor([True, False, True])
    made["f"] = torch.tensor([[1.5, -2.0, 0.0], [3.0, -0.0, 4.0]])
    made["k"] = torch.tensor([[1, -2, 0], [3, 5, 4]])
    made["h"] = torch.tensor([1.5, 2.0], dtype=torch.float16)
    return made | {"a": turned(3, 3), "e": turned(3, 3), "g": turned(3), "j": turned(3)}


def put(tensor: Any, item: Any, value: Any) -> Any:
    """``tensor[item] = value`` as an expression."""
    tensor[item] = value
    return tensor


def evaluate(torch: Any, functional: Any, expression: str, names: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
    """The value of an expression and the tensors it used."""
    names = tensors(torch) if names is None else names
    return eval(expression, {"torch": torch, "F": functional, "put": put, **names}), names


def observe(torch: Any, functional: Any, expression: str) -> Record:
    """Values, dtypes and graph of an expression, and its gradients once and twice."""
    try:
        found, names = evaluate(torch, functional, expression)
    except Exception as error:
        return {"error": builtin_type(error)}
    results = list(found) if isinstance(found, (tuple, list)) and any(isinstance(r, torch.Tensor) for r in found) else [found]
    record: Record = {"results": [_result(torch, r) for r in results]}
    first = results[0]
    if isinstance(first, torch.Tensor) and first.requires_grad:
        record |= _gradients(torch, first, [t for t in names.values() if t.requires_grad])
    return record


def builtin_type(error: BaseException) -> str:
    """The Python type of an exception, as ``except`` sees it."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def _result(torch: Any, value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    return {
        "dtype": repr(value.dtype),
        "shape": list(value.shape),
        "values": numbers(value),
        "graph": None if value.grad_fn is None else tree(value.grad_fn),
    }


def _gradients(torch: Any, root: Any, leaves: list[Any]) -> Record:
    """The gradients of the sum of `root` with the graph they record, and the gradients of the sum of their squares."""
    ones = torch.ones_like(root).requires_grad_()
    grads = [g for g in torch.autograd.grad(root, leaves, ones, create_graph=True, allow_unused=True) if g is not None]
    record: Record = {
        "grads": [numbers(g) for g in grads],
        "grad_graphs": [None if g.grad_fn is None else tree(g.grad_fn) for g in grads],
        "recorded": recorded([g.grad_fn for g in grads if g.grad_fn is not None]),
    }
    squares = [(g * g).sum() if not g.is_complex() else (g * g.conj()).real.sum() for g in grads if g.grad_fn is not None]
    if squares:
        total = squares[0]
        for square in squares[1:]:
            total = total + square
        second = torch.autograd.grad(total, leaves, allow_unused=True)
        record["second"] = [None if g is None or not any(numbers(g)) else numbers(g) for g in second]
    return record


def numbers(tensor: Any) -> list[Any]:
    """The elements in row order, as JSON can hold them."""
    if tensor.is_complex():
        pairs = tensor.detach().resolve_conj().reshape(-1).tolist()
        return [None if v != v else float(f"{part + 0:.10g}") for v in pairs for part in (v.real, v.imag)]
    flat = (tensor.detach().double() + 0).reshape(-1).tolist()  # the sum makes PyTorch's symbolic zeros real
    return [v if math.isfinite(v) else str(v) for v in (float(f"{v:.10g}") for v in flat)]


def name(node: Any) -> str:
    """A node's name without its namespace; leaves are stars."""
    short = node.name().rpartition("::")[2]
    return "*" if short == "AccumulateGrad" else short.replace("Backward", "'")


def tree(node: Any, depth: int = 7) -> str:
    """A graph as text: each node with its edges in order."""
    if node is None:
        return "-"
    edges = node.next_functions
    if not edges or depth == 0:
        return name(node)
    return f"{name(node)}({', '.join(tree(f, depth - 1) + (f':{nr}' if nr else '') for f, nr in edges)})"


def recorded(roots: list[Any]) -> list[str]:
    """The nodes that lead to leaves, in the order in which they were recorded."""
    seen: dict[Any, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(f for f, _ in node.next_functions if f is not None)
    return [name(n) for n in sorted((n for n in seen if name(n) != "*"), key=lambda n: n._sequence_nr())]


def saved_by(torch: Any, found: Any) -> Record | None:
    """What the node of an expression's (first) result shows as ``_saved_…``; None where there is no node."""
    first = found[0] if isinstance(found, (tuple, list)) and found else found
    node = first.grad_fn if isinstance(first, torch.Tensor) else None
    if node is None:
        return None
    shown = {name: plain(torch, getattr(node, name)) for name in sorted(dir(node)) if name.startswith("_saved_")}
    return {"node": name(node), "saved": shown, "raw": sorted(n for n in dir(node) if n.startswith("_raw_saved_"))}


def plain(torch: Any, value: Any) -> Any:
    """A saved value as JSON can hold it, tensors as their shape and dtype."""
    if isinstance(value, torch.Tensor):
        return ["tensor", list(value.shape), repr(value.dtype)]
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(plain(torch, v) for v in value)]
    return value if value is None else [type(value).__name__, repr(value)]
