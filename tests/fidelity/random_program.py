"""Random programs in the script language: valid (shapes are tracked while they are written), each ending with a kind of pass.

Float64 throughout, so that the order of sums inside a kernel cannot hide a wrong gradient.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable

Shape = tuple[int, ...]
SHAPES: list[Shape] = [(), (3,), (1,), (2, 3), (3, 2), (2, 1), (1, 3), (2, 2, 3), (3, 3)]
UNARY = ["exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "square", "neg", "abs"]
BOUNDED = {  # kept inside the domain, and from overflowing in a chain
    "exp": "torch.exp({x}.tanh())",
    "log": "torch.log({x}.abs() + 0.5)",
    "sqrt": "({x} ** 2 + 0.5).sqrt()",
    "square": "torch.square({x}.sin())",
}


class Writer:
    """Writes one program line by line and knows the shape of every name.

    Parameters
    ----------
    rng : random.Random
        The only source of chance: the same seed writes the same program.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.shapes: dict[str, Shape] = {}
        self.leaves: list[str] = []

    def name(self, shape: Shape, expression: str) -> str:
        """Bind a new name to an expression of the given shape."""
        name = f"t{len(self.shapes)}"
        self.shapes[name] = shape
        self.lines.append(f"{name} = {expression}")
        return name

    def pick(self, fits: Callable[[Shape], bool] = lambda shape: True) -> str | None:
        """A name whose shape fits, the recent ones more often."""
        found = [name for name, shape in self.shapes.items() if fits(shape)]
        if not found:
            return None
        return self.rng.choice(found[-self.rng.choice([3, 8, 1000]) :])

    def leaf(self) -> None:
        """A leaf; one in six requires no gradient."""
        shape = self.rng.choice(SHAPES)
        needs = self.rng.random() < 5 / 6
        name = self.name(shape, f"torch.randn({shape}{', requires_grad=True' if needs else ''})")
        if needs:
            self.leaves.append(name)

    def operation(self) -> None:
        """One more result, by a random kind of operation; a kind that finds no operand writes nothing."""
        kinds = (unary, unary, binary, binary, binary, scalar, reduction, product, reshaping, joining, indexing, in_place, choice)
        self.rng.choice(kinds)(self)


def unary(w: Writer) -> None:
    """An elementwise function."""
    x = w.pick()
    function = w.rng.choice(UNARY)
    w.name(w.shapes[x], BOUNDED.get(function, f"torch.{function}({{x}})").format(x=x))


def binary(w: Writer) -> None:
    """Two tensors that broadcast, in either order."""
    x = w.pick()
    y = w.pick(lambda shape: _broadcast(shape, w.shapes[x]) is not None)
    shape = _broadcast(w.shapes[x], w.shapes[y])
    operator = w.rng.choice(["+", "-", "*", "/", "maximum"])
    if operator == "maximum":
        w.name(shape, f"torch.maximum({x}, {y})")
    elif operator == "/":
        w.name(shape, f"{x} / ({y} ** 2 + 1)")
    elif operator == "*":
        w.name(shape, f"{x} * {y}.sin()")
    else:
        w.name(shape, f"{x} {operator} {y}")


def scalar(w: Writer) -> None:
    """A tensor and a Python number."""
    x = w.pick()
    forms = [
        "{x} * 0.5",
        "2 * {x}",
        "{x} + 1",
        "1 - {x}",
        "{x} / 2",
        "1 / ({x} ** 2 + 1)",
        "{x}.cos() ** 2",
        "{x}.tanh() ** 3",
        "-{x}",
    ]
    w.name(w.shapes[x], w.rng.choice(forms).format(x=x))


def reduction(w: Writer) -> None:
    """Over everything, or over one dimension."""
    x = w.pick()
    shape = w.shapes[x]
    if not shape or w.rng.random() < 0.4:
        w.name((), f"{x}.{w.rng.choice(['sum', 'mean', 'max', 'amax'])}()")
        return
    dim = w.rng.randrange(len(shape))
    if w.rng.random() < 0.25:
        w.name(shape, f"{x}.{w.rng.choice(['softmax', 'log_softmax'])}({dim})")
        return
    keep = w.rng.random() < 0.5
    left = tuple(1 if i == dim else size for i, size in enumerate(shape) if keep or i != dim)
    function = w.rng.choice(["sum", "mean", "amax", "logsumexp", "max"])
    taken = "[0]" if function == "max" else ""
    w.name(left, f"{x}.{function}({dim}, keepdim={keep}){taken}")


def product(w: Writer) -> None:
    """A matrix product of two operands of one or two dimensions, scaled down so that a chain of them stays finite."""
    x = w.pick(lambda shape: len(shape) in (1, 2))
    y = x and w.pick(lambda shape: len(shape) in (1, 2) and shape[0] == w.shapes[x][-1])
    if y:
        w.name(w.shapes[x][:-1] + w.shapes[y][1:], f"0.2 * ({x} @ {y})")


def reshaping(w: Writer) -> None:
    """A view or a copy of another shape."""
    x = w.pick(lambda shape: len(shape) >= 1)
    if not x:
        return
    shape = w.shapes[x]
    flat = 1
    for size in shape:
        flat *= size
    options: list[tuple[Shape, str]] = [
        ((flat,), f"{x}.reshape(-1)"),
        ((1, *shape), f"{x}.unsqueeze(0)"),
        ((*shape, 1), f"{x}.unsqueeze(-1)"),
        (tuple(size for size in shape if size != 1), f"{x}.squeeze()"),
        ((2, *shape), f"{x}.expand(2, {', '.join(map(str, shape))})"),
        (tuple(reversed(shape)), f"{x}.permute({', '.join(map(str, reversed(range(len(shape)))))})"),
        (shape, f"{x}.clone()"),
    ]
    if len(shape) >= 2:
        options.append(((shape[1], shape[0], *shape[2:]), f"{x}.transpose(0, 1)"))
    options = [(new, text) for new, text in options if len(new) <= 4]
    w.name(*w.rng.choice(options))


def joining(w: Writer) -> None:
    """stack or cat of tensors of one shape, some of them repeated."""
    x = w.pick()
    shape = w.shapes[x]
    parts = [x] + [w.pick(lambda other: other == shape) for _ in range(w.rng.randint(1, 6))]
    if shape and w.rng.random() < 0.5:
        dim = w.rng.randrange(len(shape))
        joined = tuple(size * len(parts) if i == dim else size for i, size in enumerate(shape))
        w.name(joined, f"torch.cat([{', '.join(parts)}], {dim})")
    elif len(shape) < 3:
        w.name((len(parts), *shape), f"torch.stack([{', '.join(parts)}])")


def indexing(w: Writer) -> None:
    """An integer, a slice or an index tensor."""
    x = w.pick(lambda shape: len(shape) >= 1)
    if not x:
        return
    size, *rest = w.shapes[x]
    at = w.rng.randrange(size)
    picked = [w.rng.randrange(size) for _ in range(3)]
    options: list[tuple[Shape, str]] = [
        (tuple(rest), f"{x}[{at}]"),
        ((size - at, *rest), f"{x}[{at}:]"),
        ((3, *rest), f"{x}[torch.tensor({picked})]"),
        ((1, size, *rest), f"{x}[None]"),
    ]
    if rest:
        options.append(((size, *rest[1:]), f"{x}[:, {w.rng.randrange(rest[0])}]"))
    w.name(*w.rng.choice([(new, text) for new, text in options if len(new) <= 4]))


def in_place(w: Writer) -> None:
    """A change in place of a fresh sum, which nobody has saved yet."""
    x = w.pick()
    y = w.pick(lambda shape: _broadcast(shape, w.shapes[x]) == w.shapes[x])
    fresh = w.name(w.shapes[x], f"{x} + 1")
    w.lines.append(w.rng.choice([f"{fresh} += {y}", f"{fresh}.mul_(0.5)", f"{fresh}.add_({y})", f"{fresh} *= {y}"]))


def choice(w: Writer) -> None:
    """where, by a mask that depends on the values."""
    x = w.pick()
    y = w.pick(lambda shape: shape == w.shapes[x])
    w.name(w.shapes[x], f"torch.where({x} > {y}, {x} * 2, {y})")


def _broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape two shapes broadcast to, None where they do not."""
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    sizes = []
    for left, right in pairs:
        if left != right and 1 not in (left, right):
            return None
        sizes.append(right if left == 1 else left)
    return tuple(sizes)


def _passes(w: Writer) -> list[str]:
    """The closing lines: the passes."""
    names = list(w.shapes)
    roots = [f"({name}.sum())" for name in w.rng.sample(names, min(len(names), w.rng.randint(1, 4)))]
    leaf = w.rng.choice(w.leaves)
    total = f"total = {' + '.join(roots)} + {leaf}.sum()"
    kind = w.rng.randrange(6)
    if kind == 0:
        # In PyTorch the .grad of two leaves may share memory where a gradient is a view (its issue #34082), and the second pass
        # then adds to both. Own copies in between keep that out.
        own = f"for leaf in [{', '.join(w.leaves)}]:\n    leaf.grad = None if leaf.grad is None else leaf.grad.clone()"
        return [total, "total.backward(retain_graph=True)", *own.split("\n"), "total.backward()"]
    if kind == 1:
        return [total, f"g = torch.autograd.grad(total, [{', '.join(w.leaves)}], allow_unused=True)", "print(g)"]
    if kind == 2:
        return [total, f"total.backward(inputs=[{leaf}])"]
    if kind == 3:
        return [
            total,
            f"g, = torch.autograd.grad(total, {leaf}, create_graph=True)",
            f"second = (g * g).sum() + ({leaf} * {leaf}).sum()",
            "second.backward()",
        ]
    if kind == 4:
        seen = [
            f"{leaf}.register_hook(lambda grad: print(round(grad.sum().item(), 6)))",
            f"{leaf}.register_hook(lambda grad: grad * 2)",
        ]
        return [total, *seen, f"torch.autograd.backward([total, ({leaf} * 3).sum(), total])"]
    return [total, "total.retain_grad()", "print(total)", "total.backward()"]


def program(seed: int) -> str:
    """The text of one scenario."""
    w = Writer(random.Random(seed))
    for _ in range(w.rng.randint(2, 6)):
        w.leaf()
    if not w.leaves:
        w.leaves.append(w.name((2,), "torch.randn(2, requires_grad=True)"))
    for _ in range(w.rng.randint(3, 25)):
        w.operation()
    script = textwrap.indent("\n".join(w.lines + _passes(w)), "  ")
    return f"title: Random program {seed}\nseed: {seed}\ndtype: float64\nforward: |\n{script}\n"
