"""What may stand for each placeholder of a template: ``{x}`` is what ``_x`` gives. See ``fuzz_table``."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from fuzz_values import NoFit, Shape, broadcast, dimensions, is_tidy, owner

NUMBERS = ["0.5", "-1.5", "2", "3", "0.1", "-0.7", "1", "2.5"]


class Placeholders:
    """A part of the Writer, which says what its attributes are and picks tensors."""

    rng: random.Random
    names: dict[str, Any]
    smooth: bool
    wild: bool
    twice: bool
    pick: Callable[..., str]
    shaped: Callable[..., str]
    evaluated: Callable[..., Any]
    may_be_read: Callable[..., bool]
    is_used: Callable[[Any], bool]
    new_name: Callable[[], str]

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

    def _first(self, argument: str | None, chosen: dict[str, str]) -> str:
        """A tensor that is the first result of its operation, or the only one: PyTorch 2.13 stops with an internal error where another
        one's gradient is retained and it is then changed in place."""
        return self.pick(lambda tensor: tensor.output_nr == 0)

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
