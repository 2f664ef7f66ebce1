"""Reading typed values out of YAML nodes; everything that does not fit is one InvalidScenario with its place."""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterable
from typing import Any

from autograd_cli.errors import InvalidScenario
from autograd_cli.scenario.yaml_reader import Document, Node, scalar

KIND_WORDS = {"scalar": "a value", "list": "a list", "mapping": "a mapping"}


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the closest known names, or None when nothing is close."""
    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else None


class Reader:
    """Reads values of one document; a method for each type, named for what it returns."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def error(self, message: str, node: Node, hint: str | None = None) -> InvalidScenario:
        """An InvalidScenario about a node, to be raised."""
        return self.document.error(message, node, hint)

    def mapping(self, node: Node, what: str, known: Iterable[str] | None = None) -> dict[str, tuple[Node, Node]]:
        """A mapping as ``{key: (key node, value node)}``; with ``known``, any other key is refused."""
        if node.kind != "mapping":
            raise self.error(f"{what} must be a mapping, not {self.describe(node)}", node)
        entries = {}
        names = None if known is None else list(known)
        for key, value in node.value:
            if names is not None and key.value not in names:
                hint = did_you_mean(key.value, names) or f"the keys are {', '.join(names)}"
                raise self.error(f"{what} has no key {key.value!r}", key, hint)
            entries[key.value] = (key, value)
        return entries

    def items(self, node: Node, what: str) -> list[Node]:
        """The nodes of a list."""
        if node.kind != "list":
            raise self.error(f"{what} must be a list, not {self.describe(node)}", node)
        return node.value  # type: ignore[no-any-return]

    def scalar(self, node: Node, what: str, *, words: bool = False) -> Any:
        """The value of a scalar: None, bool, int, float or str."""
        if node.kind != "scalar":
            raise self.error(f"{what} must be a single value, not {self.describe(node)}", node)
        try:
            return scalar(node, words=words)
        except ValueError as error:
            raise self.error(f"{what}: {error}", node) from None

    def describe(self, node: Node) -> str:
        """A node in words, for messages: `a list`, `the number 3`, `the text 'x'`."""
        if node.kind != "scalar":
            return KIND_WORDS[node.kind]
        value = self.scalar(node, "this")
        if value is None:
            return "nothing"
        shown = node.value if len(node.value) <= 40 else node.value[:37] + "..."
        if isinstance(value, str):
            return f"the text {shown!r}"
        return str(shown) if isinstance(value, bool) else f"the number {shown}"

    def text(self, node: Node, what: str, hint: str | None = None) -> str:
        """A text."""
        value = self.scalar(node, what) if node.kind == "scalar" else None
        if not isinstance(value, str):
            raise self.error(f"{what} must be text, not {self.describe(node)}", node, hint)
        return value

    def boolean(self, node: Node, what: str) -> bool:
        """`true` or `false`."""
        value = self.scalar(node, what) if node.kind == "scalar" else None
        if not isinstance(value, bool):
            hint = "write true or false" if node.kind == "scalar" else None
            raise self.error(f"{what} must be true or false, not {self.describe(node)}", node, hint)
        return value

    def integer(self, node: Node, what: str, low: int | None = None, high: int | None = None) -> int:
        """An integer between ``low`` and ``high``, both included."""
        value = self.scalar(node, what) if node.kind == "scalar" else None
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"{what} must be an integer, not {self.describe(node)}", node)
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise self.error(f"{what} must be {limits}, not {value}", node)
        return value

    def number(self, node: Node, what: str) -> float:
        """A number that is not negative."""
        value = self.scalar(node, what) if node.kind == "scalar" else None
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self.error(f"{what} must be a number, not {self.describe(node)}", node)
        if not value >= 0:
            raise self.error(f"{what} must not be negative", node)
        return float(value)

    def choice(self, node: Node, what: str, choices: Iterable[str]) -> str:
        """One of several words."""
        value, names = self.text(node, what), list(choices)
        if value not in names:
            raise self.error(
                f"{what} cannot be {value!r}", node, did_you_mean(value, names) or f"it is one of {', '.join(names)}"
            )
        return value

    def name(self, node: Node, what: str) -> str:
        """A name that a script could bind."""
        value: str = node.value
        if not value.isidentifier() or keyword.iskeyword(value) or value.startswith("__"):
            raise self.error(
                f"{value!r} cannot be the name of {what}", node, "a name is letters, digits and _, and begins with no digit"
            )
        return value

    def data(self, node: Node, what: str, *, text: bool = False) -> Any:
        """Numbers, booleans and nested lists of them; with ``text`` also texts, nothing and mappings, as `expect` has them."""
        # The depth of a document is limited by its reader, so recursion is safe here.
        if node.kind == "list":
            return [self.data(item, what, text=text) for item in node.value]
        if node.kind == "mapping" and text:
            return {key.value: self.data(value, what, text=text) for key, value in node.value}
        if node.kind == "mapping":
            raise self.error(f"{what} must be a number or a list of numbers, not a mapping", node)
        value = self.scalar(node, what, words=True)
        if not text and not isinstance(value, (bool, int, float)):
            raise self.error(f"{what} must be a number or a list of numbers, not {self.describe(node)}", node)
        return value

    def tensor_data(self, node: Node, what: str) -> Any:
        """Like ``data``, and every list of one level must have the same length, as `torch.tensor` wants it."""
        self._shape(node, what)
        return self.data(node, what)

    def _shape(self, node: Node, what: str) -> tuple[int, ...]:
        if node.kind != "list":
            return ()
        shape: tuple[int, ...] | None = None
        for item in node.value:
            inner = self._shape(item, what)
            if shape is not None and inner != shape:
                raise self.error(f"{what} is ragged: this entry has shape {list(inner)}, the ones before it {list(shape)}", item)
            shape = inner
        return (len(node.value), *(shape or ()))
