"""`--check`: what came out of a run against the scenario's `expect`. Reads the Trace's plain data and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from autograd_cli.errors import Place
from autograd_cli.scenario.build_expect import read_expect
from autograd_cli.scenario.closeness import Tolerance, difference, numbers_differ
from autograd_cli.scenario.fields import did_you_mean
from autograd_cli.scenario.model import Expect
from autograd_cli.trace.model import PassRecord, Trace

__all__ = ["Difference", "check", "read_expect"]


@dataclass(frozen=True)
class Difference:
    """One thing that is not as expected; ``where`` is the key, such as ``grads.a``."""

    where: str
    message: str
    place: Place | None = None

    def __str__(self) -> str:
        at = f" ({self.place})" if self.place else ""
        return f"{self.where} {self.message}{at}"


def check(expect: Expect, trace: Trace) -> list[Difference]:
    """Every difference between what was expected and what the Trace says, in the order of the file's sections."""
    return list(_Check(expect, trace).differences())


class _Check:
    def __init__(self, expect: Expect, trace: Trace) -> None:
        self.expect = expect
        self.trace = trace
        self.tolerance = Tolerance(expect.rtol, expect.atol)

    def differences(self) -> Iterator[Difference]:
        yield from self._error()
        for name, expected in self.expect.variables.items():
            yield from self._variable(name, expected)
        for name, expected in self.expect.grads.items():
            yield from self._grad(name, expected)
        yield from self._dependencies()
        yield from self._order()
        yield from self._stdout()

    def _differs(self, where: str, message: str) -> Difference:
        return Difference(where, message, self.expect.places.get(where))

    # ---- how the run ended ----

    def _error(self) -> Iterator[Difference]:
        wanted, error = self.expect.error, self.trace.error
        if wanted is None:
            if self.trace.status == "error":
                yield self._differs("the run", f"failed: {error.message if error else 'no reason is recorded'}")
        elif error is None or self.trace.status != "error":
            yield self._differs("error", f"is missing: the run worked, expected it to fail with {wanted!r}")
        elif _squeezed(wanted) not in _squeezed(error.message):
            yield self._differs("error", f"has the message {error.message!r}, expected it to contain {wanted!r}")

    def _stdout(self) -> Iterator[Difference]:
        if self.expect.stdout is None:
            return
        want, have = _lines(self.expect.stdout), _lines(self.trace.stdout)
        for number, (wanted, found) in enumerate(zip(want, have, strict=False), start=1):
            if wanted != found:
                yield self._differs("stdout", f"line {number} is {found!r}, expected {wanted!r}")
                return
        if len(want) > len(have):
            yield self._differs("stdout", f"ends after {len(have)} lines, expected line {len(have) + 1}: {want[len(have)]!r}")
        elif len(have) > len(want):
            yield self._differs("stdout", f"goes on after line {len(want)}: {have[len(want)]!r}")

    # ---- values ----

    def _variable(self, name: str, expected: Any) -> Iterator[Difference]:
        where = f"variables.{name}"
        value = self._find(name)
        if value is None:
            yield self._missing(where, name)
            return
        found = difference(expected, value, self.tolerance)
        if found:
            yield self._differs(where, found)

    def _grad(self, name: str, expected: Any) -> Iterator[Difference]:
        where = f"grads.{name}"
        value = self._find(name)
        if value is None:
            yield self._missing(where, name)
            return
        if value.get("type") != "tensor":
            yield self._differs(where, f"is of a {value.get('class', value.get('type'))}, which has no grad")
            return
        grad = value.get("grad")
        if grad is None or expected is None:
            if grad is not None:
                yield self._differs(where, "is there, expected none")
            elif expected is not None:
                elided = value.get("elided")
                yield self._differs(
                    where, "is too large to be in the document, so it cannot be compared" if elided else "is None"
                )
            return
        found = numbers_differ(expected, grad, value["shape"], value["dtype"], self.tolerance)
        if found:
            yield self._differs(where, found)

    def _find(self, name: str) -> Mapping[str, Any] | None:
        """The VALUE of a variable, or of a parameter of a module: ``net.0.weight``."""
        variables = self.trace.variables
        if name in variables:
            return variables[name]  # type: ignore[no-any-return]
        head, _, rest = name.partition(".")
        found: Mapping[str, Any] | None = variables.get(head, {}).get("parameters", {}).get(rest)
        return found

    def _missing(self, where: str, name: str) -> Difference:
        known = list(self.trace.variables)
        for module, value in self.trace.variables.items():
            known += [f"{module}.{parameter}" for parameter in value.get("parameters", {})]
        there = (
            f"the run left {', '.join(known[:12])}{', …' if len(known) > 12 else ''}" if known else "the run left no variables"
        )
        return self._differs(where, f"is missing: there is no variable {name}; {did_you_mean(name, known) or there}")

    # ---- the last pass ----

    def _last_pass(self) -> PassRecord | None:
        """The last pass that the script asked for and that was recorded in full."""
        for one in reversed(self.trace.passes):
            if one.elided in (UNSET, False) and one.inside is UNSET:
                return one
        return None

    def _dependencies(self) -> Iterator[Difference]:
        last = self._last_pass()
        for name, expected in self.expect.dependencies.items():
            where = f"dependencies.{name}"
            value = self._find(name)
            if value is None:
                yield self._missing(where, name)
            elif last is None:
                yield self._differs(where, "cannot be checked: no backward pass ran")
            else:
                count = last.dependencies.get(str(value.get("node")), 0)
                if count != expected:
                    yield self._differs(where, f"is {count}, expected {expected}")

    def _order(self) -> Iterator[Difference]:
        if self.expect.order is None:
            return
        last = self._last_pass()
        if last is None:
            yield self._differs("order", "cannot be checked: no backward pass ran")
            return
        names = {node.id: node.name for node in self.trace.graph.nodes}
        have, want = [names.get(node, f"node {node}") for node in last.order], list(self.expect.order)
        if have != want:
            at = next((i for i, (h, w) in enumerate(zip(have, want, strict=False)) if h != w), min(len(have), len(want)))
            yield self._differs(
                "order", f"is {', '.join(have) or 'empty'}; expected {', '.join(want) or 'nothing'} (first different: {at + 1})"
            )


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def _squeezed(text: str) -> str:
    """White space apart: YAML may have folded the text."""
    return " ".join(text.split())
