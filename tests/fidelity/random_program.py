"""Random programs in the script language, from the templates of ``fuzz_table`` and ``fuzz_statements``.

A program makes leaves, computes, makes views, changes tensors in place, hangs up hooks, switches grad mode, and asks for passes, in any
order. Errors are legitimate: a line that must fail is tried, and what it raised is printed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import fuzz_statements
import fuzz_table
from fuzz_prelude import PRELUDE
from fuzz_values import small
from fuzz_writer import NoFit, Writer

from autograd_cli import torch

EXPRESSIONS = {
    name: fuzz_table.templates(getattr(fuzz_table, name))
    for name in [
        "ELEMENTWISE",
        "BINARY",
        "KINKS",
        "REDUCTIONS",
        "PRODUCTS",
        "COPIES",
        "INDICES",
        "LAYERS",
        "LOSSES",
        "VIEWS",
        "CUTS",
        "MIXED",
    ]
}
STATEMENTS = {
    name: fuzz_table.templates(getattr(fuzz_statements, name))
    for name in ["IN_PLACE", "IN_PLACE_CUTS", "CALLS", "LOOPS", "PROBES", "HOOKS", "STATE"]
}
WEIGHTS = {
    "ELEMENTWISE": 5, "BINARY": 6, "KINKS": 2, "REDUCTIONS": 3, "PRODUCTS": 2, "COPIES": 2, "INDICES": 2, "LAYERS": 1, "LOSSES": 1,
    "VIEWS": 6, "CUTS": 1, "MIXED": 1,
}  # fmt: skip
SMOOTH_KINDS = ["ELEMENTWISE", "BINARY", "REDUCTIONS", "PRODUCTS", "COPIES", "INDICES", "LAYERS", "LOSSES", "VIEWS"]
# What finite differences cannot follow: shapes that depend on values, and places that are written twice.
NOT_SMOOTH = re.compile(r"\{x\} > |dtype|scatter\(0, \{ints:x|\{pick\}\] (\+?=)")
ONCE = re.compile(
    r"norm\(\{|_norm|conv|glu|prelu|atan2|hardsigmoid|clamp\(\{r"
)  # whose second derivatives are composed otherwise than PyTorch's


def expression(w: Writer) -> None:
    """A new name for an expression of the table."""
    kinds = SMOOTH_KINDS if w.smooth else list(WEIGHTS)
    kind = w.rng.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
    template = w.rng.choice(EXPRESSIONS[kind])
    if w.smooth and NOT_SMOOTH.search(template):
        raise NoFit
    if w.twice and ONCE.search(template):
        raise NoFit
    text, chosen = w.fill(template)
    if kind != "VIEWS":
        for name in chosen.values():
            if isinstance(w.names.get(name), torch.Tensor):
                w.use(w.names[name])
    operands = {name for name in chosen.values() if isinstance(w.names.get(name), torch.Tensor)}
    several = len(operands) > 1 or "torch.tensor(" in template
    if several and kind not in ("VIEWS", "PRODUCTS", "INDICES", "COPIES") and not w.alike(operands):
        raise NoFit
    for name in w.bind(text, mixed=several or kind in ("COPIES", "LAYERS", "LOSSES")):
        value = w.names[name]
        if kind in ("ELEMENTWISE", "REDUCTIONS", "KINKS", "LAYERS", "LOSSES") and isinstance(value, torch.Tensor):
            w.use(value)  # exp() and its like save their results


def statement(kind: str) -> Callable[[Writer], None]:
    """A statement of the table."""

    def step(w: Writer) -> None:
        template = w.rng.choice(STATEMENTS[kind])
        if w.smooth and NOT_SMOOTH.search(template):
            raise NoFit
        text, chosen = w.fill(template)
        operands = [w.names[name] for name in chosen.values() if isinstance(w.names.get(name), torch.Tensor)]
        if kind in ("CALLS", "LOOPS") and not all(one.is_contiguous() and one.dtype == torch.float64 for one in operands):
            raise NoFit  # several operations on them: see Writer.alike; and float32 would add up its rounding
        for definition in PRELUDE:
            if re.search(rf"\b{definition}\b", text):
                w.need(definition)
        w.run(text)

    return step


def fresh(w: Writer) -> None:
    """A result that nobody has saved: what may be changed in place."""
    text, chosen = w.fill(w.rng.choice(["{x} + 1", "{x}.clone()", "{x} - {b}", "{x} * 1", "2 * {x}"]))
    if len(chosen) > 1 and not w.alike(set(chosen.values())):
        raise NoFit
    w.bind(text)


def plain(w: Writer) -> None:
    """A constant that changes in place may fill."""
    shape = w.rng.choice([(2, 3), (3,), (), (2, 2, 3), (3, 3)])
    w.bind(f"torch.{w.rng.choice(['zeros', 'ones', 'rand'])}({shape})")


def block(w: Writer) -> None:
    """Some steps inside a `with`."""
    if w.indent > 1:
        raise NoFit
    heads = {
        "with torch.no_grad():": torch.no_grad,
        "with torch.enable_grad():": torch.enable_grad,
        "with torch.set_grad_enabled(False):": lambda: torch.set_grad_enabled(False),
        "with torch.set_grad_enabled(True):": lambda: torch.set_grad_enabled(True),
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):": lambda: (
            torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)
        ),
        "with torch.autograd.graph.save_on_cpu():": torch.autograd.graph.save_on_cpu,
    }
    head = w.rng.choice(list(heads))
    with w.block(head, heads[head]()):
        for _ in range(w.rng.randint(1, 3)):
            one(w, BODY)


def backward(w: Writer) -> None:
    """A pass that adds to .grad."""
    own(w)
    keep = w.rng.choice(["retain_graph=True", "retain_graph=True", "create_graph=True" if w.twice else "retain_graph=True", ""])
    root, gradient = _root(w), ""
    kind = w.rng.randrange(8)
    if kind == 0:
        gradient = f"inputs=[{w.pick(lambda t: t.requires_grad)}]"
    elif kind == 1:
        other = _root(w)
        w.run(f"torch.autograd.backward([{root}, {other}, {root}]{', ' if keep else ''}{keep})")
        return
    elif kind == 2:
        x, _ = w.fill("{g}")
        ones = f"{w.nested(tuple(w.names[x].shape), lambda: round(w.rng.uniform(-2, 2), 1))}"
        root, gradient = x, f"torch.tensor({ones})"
    elif kind == 3:
        root = w.pick()
    w.run(f"{root}.backward({', '.join(part for part in (gradient, keep) if part)})")


def grad(w: Writer) -> None:
    """A pass that returns gradients, and something done with them."""
    inputs = list(dict.fromkeys(w.pick(lambda t: t.requires_grad) for _ in range(w.rng.choice([1, 1, 2, 3]))))
    options = ["allow_unused=True"] if w.rng.random() < 0.7 else []
    if w.rng.random() < 0.25:
        options = ["materialize_grads=True"]
    create = w.twice and w.rng.random() < 0.5
    options.append("create_graph=True" if create else w.rng.choice(["retain_graph=True"] * 4 + ["retain_graph=False"]))
    root = _root(w)
    if w.rng.random() < 0.15:
        root = f"[{root}, {_root(w)}]"
    name = w.new_name()
    if not w.run(f"{name} = torch.autograd.grad({root}, [{', '.join(inputs)}], {', '.join(options)})"):
        return
    got = w.names[name]
    for number, value in enumerate(got):
        if value is not None:
            made = w.bind(
                f"{name}[{number}]" + w.rng.choice([" * 1", ".sin()", " ** 2", ".tanh()"] if create else [" * 1", ".sum()"])
            )
            if create and made and w.rng.random() < 0.6:
                w.bind(f"{made[0]}.sum() + ({inputs[number]} ** 2).sum()")


def own(w: Writer) -> None:
    """Own copies of the gradients. In PyTorch the .grad of two leaves may share memory where a gradient is a view (its issue #34082),
    and a second pass then adds to both: own copies in between keep that out."""
    held = [name for name in w.tensors() if _has_grad(w.names[name])]
    if held:
        w.run(
            f"for leaf in [{', '.join(held)}]:\n    leaf.grad = {w.rng.choice(['leaf.grad.clone()', 'None', 'leaf.grad.clone()'])}"
        )
        w.names.pop("leaf", None)
        w.put("del leaf")


def _has_grad(tensor: Any) -> bool:
    return tensor.is_leaf and tensor.grad is not None


def _root(w: Writer) -> str:
    """A scalar that requires grad, nearly always."""
    names = [w.pick(lambda t: t.requires_grad) for _ in range(w.rng.choice([1, 1, 2, 3]))]
    return f"({' + '.join(f'{name}.sum()' for name in names)})"


BODY = {
    expression: 60,
    fresh: 8,
    plain: 2,
    statement("IN_PLACE"): 16,
    statement("IN_PLACE_CUTS"): 2,
    statement("CALLS"): 4,
    statement("LOOPS"): 3,
    statement("PROBES"): 6,
    statement("HOOKS"): 6,
    statement("STATE"): 3,
    block: 4,
    grad: 4,
    backward: 3,
}
SMOOTH_BODY = {expression: 60, fresh: 12, statement("IN_PLACE"): 18, statement("LOOPS"): 3}


def one(w: Writer, kinds: dict[Callable[[Writer], None], int]) -> None:
    """One step of a kind drawn by weight; where it finds no operand, there is none."""
    step = w.rng.choices(list(kinds), list(kinds.values()))[0]
    try:
        step(w)
    except NoFit:
        pass


def program(seed: int | random.Random) -> str:
    """The text of one program."""
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    w = Writer(rng, seed if isinstance(seed, int) else 0, wild=rng.random() < 0.2, twice=rng.random() < 0.6)
    with w.at_work():
        for _ in range(rng.randint(1, 4)):
            w.leaf()
        for _ in range(rng.randint(3, 30)):
            one(w, BODY)
        for _ in range(rng.choice([1, 1, 1, 2])):
            one(w, {backward: 3, grad: 2})
        if rng.random() < 0.05:
            w.put(
                rng.choice(
                    ["raise ValueError('end')", "torch.ones(2, requires_grad=True).backward()", "torch.ones(2).sum().backward()"]
                )
            )
    return w.text()


def smooth_program(seed: int | random.Random) -> str:
    """A program whose gradients finite differences can follow; ``total`` is the root of its pass, which is not part of it."""
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    w = Writer(rng, seed if isinstance(seed, int) else 0, smooth=True)
    with w.at_work():
        for _ in range(rng.randint(1, 4)):
            w.leaf()
        for _ in range(rng.randint(3, 20)):
            one(w, SMOOTH_BODY)
        names = [name for name in w.tensors() if w.names[name].requires_grad and small(w.names[name])]
        w.put("total = " + " + ".join(f"{name}.sin().sum()" for name in names))
    return w.text()
