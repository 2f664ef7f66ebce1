"""Writes a program line by line, and runs each line in agrad as soon as it is written.

So the writer knows shapes, dtypes and versions without a rule for each operation, and a line that fails is known to fail: it goes
into the program as one that is tried, because PyTorch must refuse it, too.
"""

from __future__ import annotations

import math
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fuzz_prelude import PRELUDE

from autograd_cli import torch
from autograd_cli.errors import Unsupported
from autograd_cli.scenario.model import Scenario
from autograd_cli.scenario.script import Script
from autograd_cli.session.local import run_state
from autograd_cli.session.options import RunOptions

Tensor = torch.Tensor
Shape = tuple[int, ...]
SHAPES: list[Shape] = [(), (3,), (1,), (2, 3), (3, 2), (2, 1), (1, 3), (2, 2, 3), (3, 3), (2, 3, 2), (4,), (2, 1, 2, 2)]
NUMBERS = ["0.5", "-1.5", "2", "3", "0.1", "-0.7", "1", "2.5"]
LARGEST, SMALLEST = 60, 1e3  # a tensor of more elements is not used further, nor one with larger values
PLACEHOLDER = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


class NoFit(Exception):
    """There is no operand for a placeholder."""


class Writer:
    """One program in the making.

    Parameters
    ----------
    rng : random.Random
        The only source of chance: the same seed writes the same program.
    seed : int
        That of the program's own random numbers.
    smooth : bool
        Leave out what finite differences cannot follow: integers, float32, kinks, and what cuts the graph.
    twice : bool
        Ask for second derivatives, and leave out what is differentiated twice otherwise than in PyTorch.
    wild : bool
        Change tensors in place also where somebody saved them.
    """

    def __init__(self, rng: random.Random, seed: int = 0, smooth: bool = False, wild: bool = False, twice: bool = False) -> None:
        self.rng, self.seed, self.smooth, self.wild, self.twice = rng, seed, smooth, wild, twice
        self.lines: list[str] = []
        self.indent = 0
        self.count = 0
        self.errors_left = 0 if smooth else rng.choice([0, 0, 1, 2])
        self.names: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math, "print": _silent}
        self.used_up: list[Any] = []  # tensors (never views) whose values somebody may have saved
        self.prelude: list[str] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The state of a run in float64, for as long as lines are written."""
        scenario = Scenario(None, Script.whole_file("", "random.py"), dtype="float64")
        with run_state(scenario, RunOptions(), "cpu"):
            torch.manual_seed(self.seed)
            yield

    # ---- lines ----

    def put(self, text: str) -> None:
        """Add lines to the program."""
        self.lines += textwrap.indent(text, "    " * self.indent).split("\n")

    def run(self, text: str) -> bool:
        """Run a statement here and add it to the program; whether it succeeded. One that fails is tried in the program, or left out."""
        before = dict(self.names)
        try:
            exec(compile(text, "<line>", "exec"), self.names)
        except Unsupported:
            raise NoFit(text) from None
        except Exception:
            if not self._failed(text):
                self.names = before
            return False
        made = [value for name, value in self.names.items() if before.get(name) is not value]
        if any(is_laid_out_otherwise(value) for value in made):
            self.names = before
            raise NoFit
        self.put(text)
        return True

    def bind(self, expression: str, mixed: bool = True) -> list[str]:
        """Name the value of an expression, each tensor of a tuple by its own; the names. `mixed`: it has several operands."""
        try:
            value = eval(expression, self.names)
        except Unsupported:
            raise NoFit(expression) from None
        except Exception:
            self._failed(expression)
            return []
        values = value if isinstance(value, list | tuple) else [value]
        if mixed and any(is_laid_out_otherwise(one) for one in values):
            raise NoFit
        made = [self.new_name() for _ in values]
        self.names.update(zip(made, values, strict=True))
        self.put(f"{', '.join(made)}{',' if made[1:] == [] and value is not values[0] else ''} = {expression}")
        return made

    def _failed(self, text: str) -> bool:
        """Have a line that failed tried in the program, where it may still have one; whether it is there."""
        if not self.errors_left:
            return False
        self.errors_left -= 1
        self.need("kind")
        self.put(f"try:\n{textwrap.indent(text, '    ')}\nexcept Exception as error:\n    print(kind(error))")
        return True

    def new_name(self) -> str:
        """A name that the program does not have yet."""
        self.count += 1
        return f"t{self.count - 1}"

    def need(self, definition: str) -> str:
        """Have a definition of the prelude in the program; its name."""
        if definition not in self.prelude:
            self.prelude.append(definition)
            exec(PRELUDE[definition], self.names)
        return definition

    def text(self) -> str:
        """The program."""
        return "\n".join([*(PRELUDE[name].strip("\n") for name in self.prelude), *self.lines, ""])

    @contextmanager
    def block(self, head: str, entered: Any = None) -> Iterator[None]:
        """The lines inside are the body of `head`; `entered` is the context that they run in here."""
        self.put(head)
        start, self.indent = len(self.lines), self.indent + 1
        try:
            if entered is None:
                yield
            else:
                with entered:
                    yield
        finally:
            if len(self.lines) == start:
                self.put("pass")
            self.indent -= 1

    # ---- operands ----

    def tensors(self) -> list[str]:
        """The names of all tensors, in the order in which they were made."""
        return [name for name, value in self.names.items() if isinstance(value, Tensor) and not forbidden(value)]

    def pick(self, fits: Callable[[Any], bool] = lambda tensor: True, floating: bool = True) -> str:
        """A tensor that fits, the recent ones more often."""
        found = [name for name in self.tensors() if fits(self.names[name]) and self.names[name].is_floating_point() is floating]
        found = found[-self.rng.choice([3, 6, 1000]) :]
        for _ in range(6):
            if not found:
                break
            name = self.rng.choice(found)
            if tame(self.names[name]):
                return name
            found.remove(name)
        raise NoFit

    def shaped(self, shape: Shape, fits: Callable[[Any], bool] = lambda tensor: True) -> str:
        """A tensor of this shape: one that is there and fits, or a new leaf."""
        if self.rng.random() < 0.6:
            try:
                return self.pick(lambda tensor: tuple(tensor.shape) == shape and tensor.dtype == torch.float64 and fits(tensor))
            except NoFit:
                pass
        return self.leaf(shape)

    def leaf(self, shape: Shape | None = None) -> str:
        """A new leaf; one in six requires no gradient."""
        shape = self.rng.choice(SHAPES) if shape is None else tuple(shape)
        needs = self.smooth or self.rng.random() < 5 / 6
        dtype = ", dtype=torch.float32" if not self.smooth and self.rng.random() < 0.04 else ""
        made = self.bind(f"torch.randn({shape}{dtype}{', requires_grad=True' if needs else ''})")
        return made[0]

    def leaves(self) -> list[str]:
        """The leaves that require grad."""
        return [name for name in self.tensors() if self.names[name].is_leaf and self.names[name].requires_grad]

    def use(self, tensor: Any) -> None:
        """Somebody may have saved the values of `tensor`."""
        base = owner(tensor)
        if not self.is_used(base):
            self.used_up.append(base)

    def is_used(self, tensor: Any) -> bool:
        """Whether somebody may have saved its values."""
        base = owner(tensor)
        return any(base is one for one in self.used_up)

    def may_be_read(self, tensor: Any, chosen: dict[str, str]) -> bool:
        """Whether `tensor` may be read while the tensor ``{a}``, if there is one, is written: not where it shows that one's memory with
        gaps or repeated, which PyTorch does not look for, so that it reads what it has just written."""
        written = self.names.get(chosen.get("a", ""))
        return written is None or tensor is written or owner(tensor) is not owner(written) or tensor.is_contiguous()

    def alike(self, operands: set[str]) -> bool:
        """Whether operands lie in memory row by row. Where they differ, PyTorch and NumPy choose differently for the result, and view()
        can tell."""
        return all(self.names[name].is_contiguous() for name in operands)

    # ---- templates ----

    def fill(self, template: str) -> tuple[str, dict[str, str]]:
        """The template with operands in place of its placeholders, and which they are. See ``fuzz_table``."""
        chosen: dict[str, str] = {}

        def replace(match: re.Match[str]) -> str:
            word, argument = match.groups()
            if word in chosen:
                return chosen[word]
            text = getattr(self, f"_{word}")(argument, chosen) if hasattr(self, f"_{word}") else None
            if text is None:
                raise KeyError(f"no placeholder {word!r} in {template}")
            if word not in ("one", "s", "n", "ints", "flag", "new", "p"):
                chosen[word] = text
            return text

        return PLACEHOLDER.sub(replace, template), chosen

    def evaluated(self, text: str, chosen: dict[str, str]) -> Any:
        """A value that a template computes of its operands."""
        return eval(text, {name: self.names.get(value, value) for name, value in chosen.items()} | {"torch": torch})

    def _x(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.pick(dimensions(argument))

    _y = _x

    def _a(self, argument: str | None, chosen: dict[str, str]) -> str:
        """What is to be changed in place."""
        shaped = dimensions(argument)

        def fits(tensor: Any) -> bool:
            return shaped(tensor) and not any(s == 0 and n > 1 for s, n in zip(tensor.stride(), tensor.shape, strict=True))

        if self.wild and self.rng.random() < 0.7:
            return self.pick(fits)
        if not self.smooth and self.rng.random() < 0.02:
            return self.pick(lambda tensor: fits(tensor) and tensor.is_leaf)
        return self.pick(lambda tensor: fits(tensor) and not tensor.is_leaf and not self.is_used(tensor))

    def _o(self, argument: str | None, chosen: dict[str, str]) -> str:
        """What is to be changed by an operation that saves its result. Second derivatives of such a change of a view are recorded on the
        operation here, on the view's new history in PyTorch."""
        name = self._a(argument, chosen)
        if self.twice and self.names[name]._base is not None:
            raise NoFit
        return name

    def _b(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.pick(lambda tensor: broadcast(tensor.shape, self._of(chosen).shape) is not None)

    def _f(self, argument: str | None, chosen: dict[str, str]) -> str:
        """As ``e``, and another: of a tensor and itself some losses are what rounding makes of zero."""
        return self.pick(lambda tensor: tensor.shape == self._of(chosen).shape and owner(tensor) is not owner(self._of(chosen)))

    def _e(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.pick(lambda tensor: tensor.shape == self._of(chosen).shape and self.may_be_read(tensor, chosen))

    def _r(self, argument: str | None, chosen: dict[str, str]) -> str:
        shape = tuple(self._of(chosen).shape)
        return self.pick(lambda tensor: broadcast(tensor.shape, shape) == shape and self.may_be_read(tensor, chosen))

    _z = _r

    def _l(self, argument: str | None, chosen: dict[str, str]) -> str:
        """A leaf that requires grad."""
        return self.pick(lambda tensor: tensor.is_leaf and tensor.requires_grad)

    def _tidy(self, argument: str | None, chosen: dict[str, str]) -> str:
        """A tensor whose numbers are no rounding errors: of these PyTorch prints others."""
        return self.pick(is_tidy)

    def _held(self, argument: str | None, chosen: dict[str, str]) -> str:
        """A leaf that requires grad and whose gradient, if it has one, is tidy."""
        return self.pick(lambda tensor: tensor.is_leaf and tensor.requires_grad and (tensor.grad is None or is_tidy(tensor.grad)))

    def _w(self, argument: str | None, chosen: dict[str, str]) -> str:
        """Another leaf that requires grad."""
        return self.pick(lambda tensor: tensor.is_leaf and tensor.requires_grad and tensor is not self._of(chosen))

    def _g(self, argument: str | None, chosen: dict[str, str]) -> str:
        """A result that requires grad."""
        return self.pick(lambda tensor: not tensor.is_leaf)

    def _q(self, argument: str | None, chosen: dict[str, str]) -> str:
        """An integer or bool tensor."""
        return self.pick(dimensions(argument), floating=False)

    def _s(self, argument: str, chosen: dict[str, str]) -> str:
        """A tensor of the shape that the argument computes."""
        return self.shaped(tuple(self.evaluated(argument, chosen)), lambda tensor: self.may_be_read(tensor, chosen))

    def _d(self, argument: str | None, chosen: dict[str, str]) -> str:
        ndim = self._of(chosen).dim()
        if not ndim and self.smooth:
            raise NoFit
        return str(self.rng.choice([*range(-ndim, ndim)] or [0, -1]))

    _c = _d

    def _at(self, argument: str, chosen: dict[str, str]) -> str:
        """An index into the dimension that the argument names."""
        size = self.evaluated(argument, chosen)
        if not size:
            raise NoFit
        return str(self.rng.randrange(-size, size))

    def _ints(self, argument: str, chosen: dict[str, str]) -> str:
        """An index tensor: ``shape | bound``."""
        shape, bound = (self.evaluated(part, chosen) for part in argument.split("|"))
        return f"torch.tensor({self.nested(tuple(shape), lambda: self.rng.randrange(bound))})"

    def _distinct(self, argument: str, chosen: dict[str, str]) -> str:
        """An index tensor with different elements: ``count | bound``."""
        count, bound = (self.evaluated(part, chosen) for part in argument.split("|"))
        return f"torch.tensor({self.rng.sample(range(bound), min(count, bound))})"

    def _mask(self, argument: str, chosen: dict[str, str]) -> str:
        """A bool tensor of the shape that the argument computes."""
        return f"torch.tensor({self.nested(tuple(self.evaluated(argument, chosen)), lambda: self.rng.random() < 0.6)})"

    def _like(self, argument: str, chosen: dict[str, str]) -> str:
        """Numbers in the shape that the argument computes, as a list."""
        shape = tuple(self.evaluated(argument, chosen))
        return str(self.nested(shape, lambda: round(self.rng.uniform(-2, 2), 2)))

    def _one(self, argument: str, chosen: dict[str, str]) -> str:
        return self.rng.choice(argument.split("|"))

    def _n(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.rng.choice(NUMBERS)

    def _p(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.rng.choice(["0.5", "2", "1.5", "0.3"])

    def _flag(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.rng.choice(["True", "False"])

    def _new(self, argument: str | None, chosen: dict[str, str]) -> str:
        return self.new_name()

    def _of(self, chosen: dict[str, str]) -> Any:
        """The first operand."""
        return self.names[next(iter(chosen.values()))]

    def _shape(self, argument: str | None, chosen: dict[str, str]) -> str:
        """A shape with as many elements as the first operand."""
        count = self._of(chosen).numel()
        if count == 0:
            return str(tuple(self._of(chosen).shape))
        found = [(count,), (1, count), (-1, 1)] + [(k, -1) for k in (2, 3, 4) if count % k == 0]
        found += [(count // (k * j), k, j) for k in (1, 2, 3) for j in (2, 3) if count % (k * j) == 0]
        return str(self.rng.choice(found))

    def _order(self, argument: str | None, chosen: dict[str, str]) -> str:
        """The dimensions of the first operand in another order."""
        ndim = self._of(chosen).dim()
        return ", ".join(map(str, self.rng.sample(range(ndim), ndim))) or "()"

    def _item(self, argument: str | None, chosen: dict[str, str]) -> str:
        """An index of the first operand: integers, slices, None, Ellipsis; in a few cases index tensors and masks."""
        return self.index(tuple(self._of(chosen).shape), advanced=False)

    def _pick(self, argument: str | None, chosen: dict[str, str]) -> str:
        """Any index, index tensors and masks among them."""
        return self.index(tuple(self._of(chosen).shape), advanced=True)

    def index(self, shape: Shape, advanced: bool) -> str:
        """An index of a tensor of this shape."""
        if advanced and shape and self.rng.random() < 0.2:
            return str(f"torch.tensor({self.nested(shape, lambda: self.rng.random() < 0.6)})")
        parts = [self._part(size, advanced) for size in shape[: self.rng.randint(0 if not shape else 1, len(shape))]]
        if not advanced and self.rng.random() < 0.15:  # beside index tensors PyTorch gives the new dimension another stride
            parts.insert(self.rng.randint(0, len(parts)), "None")
        if not parts or self.rng.random() < 0.1:
            parts.insert(self.rng.choice([0, len(parts)]), "...") if self.rng.random() < 0.5 or not parts else None
            if parts[0] == "..." and len(parts) - 1 - parts.count("None") < len(
                shape
            ):  # what follows indexes the last dimensions
                sizes = shape[len(shape) - (len(parts) - 1 - parts.count("None")) :]
                parts = ["...", *(self._part(size, advanced) for size in sizes)]
        return ", ".join(parts)

    def _part(self, size: int, advanced: bool) -> str:
        """An index of one dimension."""
        start = self.rng.randint(0, max(size - 1, 0))
        choices = [":", f"{start}:", f":{start + 1}", "::2", f"-{size}:", f"{start}:{size}:2"]
        if size:
            choices += [str(start), str(start - size)]
        if advanced and size:
            picked = [self.rng.randrange(size) for _ in range(self.rng.choice([1, 2, 3, 2]))]
            choices += [f"torch.tensor({picked})", str(picked), f"torch.tensor({self.rng.sample(range(size), min(2, size))})"] * 2
        return self.rng.choice(choices)

    def nested(self, shape: Shape, draw: Callable[[], Any]) -> Any:
        """Nested lists of what `draw` gives."""
        return [self.nested(shape[1:], draw) for _ in range(shape[0])] if shape else draw()


def dimensions(argument: str | None) -> Callable[[Any], bool]:
    """Whether a tensor has the dimensions that ``2`` or ``1+`` asks for."""
    if argument is None:
        return lambda tensor: True
    if argument.endswith("+"):
        return lambda tensor: tensor.dim() >= int(argument[:-1])
    return lambda tensor: tensor.dim() == int(argument)


def tame(tensor: Any) -> bool:
    """Whether its values are finite and moderate, and not many."""
    if not tensor.numel() or tensor.numel() > LARGEST:
        return False
    largest = float(tensor.detach().abs().max()) if tensor.is_floating_point() else 0.0
    return largest < SMALLEST  # False for NaN


def forbidden(tensor: Any) -> bool:
    """Whether it is a view that nobody may use any more, because its base was changed in place."""
    try:
        tensor.grad_fn  # noqa: B018
    except RuntimeError:
        return True
    return False


def is_laid_out_otherwise(value: Any) -> bool:
    """Whether a result lies in memory in another order than row by row. Where operands differ in theirs, PyTorch and NumPy choose
    differently, and view() can tell."""
    return isinstance(value, Tensor) and value._base is None and not value.is_contiguous()


def is_tidy(tensor: Any) -> bool:
    """Whether no number of it is so small that it is what rounding left of zero."""
    sizes = tensor.detach().abs()
    return bool(((sizes == 0) | (sizes > 1e-6)).all())


def small(tensor: Any) -> bool:
    """Whether its values are small enough for finite differences of functions of it."""
    return tame(tensor) and float(tensor.detach().abs().max()) < 10


def owner(tensor: Any) -> Any:
    """The tensor whose memory a view shows; itself for others."""
    return tensor if tensor._base is None else tensor._base


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape two shapes broadcast to, None where they do not."""
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b), strict=True)
    sizes = []
    for left, right in pairs:
        if left != right and 1 not in (left, right):
            return None
        sizes.append(right if left == 1 else left)
    return tuple(sizes)


def _silent(*values: Any, **options: Any) -> None:
    for value in values:
        str(value)
