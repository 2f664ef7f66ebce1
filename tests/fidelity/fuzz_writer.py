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

from fuzz_placeholders import Placeholders
from fuzz_prelude import PRELUDE
from fuzz_values import NoFit, Shape, forbidden, is_laid_out_otherwise, owner, silent, tame

from autograd_cli import torch
from autograd_cli.errors import Unsupported
from autograd_cli.scenario.model import Scenario
from autograd_cli.scenario.script import Script
from autograd_cli.session.local import run_state
from autograd_cli.session.options import RunOptions

Tensor = torch.Tensor
SHAPES: list[Shape] = [(), (3,), (1,), (2, 3), (3, 2), (2, 1), (1, 3), (2, 2, 3), (3, 3), (2, 3, 2), (4,), (2, 1, 2, 2)]
PLACEHOLDER = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


class Writer(Placeholders):
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
        self.names: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math, "print": silent}
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
            if tame(self.names[name]) and not self.makes_history(self.names[name]):
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

    def makes_history(self, tensor: Any) -> bool:
        """Whether it is a view whose base was changed, and gradients are off: its new history is made where it is used here, and where
        a use of it is recorded in PyTorch, so that the order of a pass may differ."""
        return not torch.is_grad_enabled() and tensor._meta is not None and tensor._meta.stale

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
