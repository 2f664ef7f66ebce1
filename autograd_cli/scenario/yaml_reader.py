"""YAML text to a tree of nodes that know their place, by the 1.2 core schema.

PyYAML's parser gives the events; everything after it is ours: no tag makes an object, nothing is recursive, aliases are counted,
duplicate keys are refused, and `on`, `no`, `010`, `1:30` and `2024-01-01` mean what YAML 1.2 says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from autograd_cli.errors import InvalidScenario, Place

MAX_DEPTH = 100
MAX_NODES = 2_000_000  # also counts what aliases repeat

LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DOTTED = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS = re.compile(r"[-+]?(inf|infinity)|nan", re.IGNORECASE)
_TAGS = {f"tag:yaml.org,2002:{name}": name for name in ("str", "int", "float", "bool", "null", "seq", "map")}


class Node:
    """A scalar ("scalar": text), a list ("list": nodes) or a mapping ("mapping": pairs of nodes) of a YAML document.

    ``style`` is YAML's: ``|`` ``>`` ``'`` ``"`` or None for plain text; ``start`` and ``end`` are 0-based (line, column).
    ``size`` counts the nodes below, with what aliases repeat.
    """

    __slots__ = ("end", "kind", "size", "start", "style", "tag", "value")

    def __init__(
        self, kind: str, value: Any, start: tuple[int, int], end: tuple[int, int], style: str | None, tag: str | None
    ) -> None:
        self.kind = kind
        self.value = value
        self.start = start
        self.end = end
        self.style = style
        self.tag = tag
        self.size = 1


class Document:
    """A YAML document: its root Node, the name of its file and the file's lines."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines = tuple(LINE_BREAK.split(text))
        self.root = _Composer(self, text).compose()

    def place(self, node: Node) -> Place:
        """Where a node begins."""
        return self.place_at(*node.start)

    def place_at(self, line: int, column: int) -> Place:
        """A Place from a 0-based line and column."""
        source = self.lines[line] if line < len(self.lines) else ""
        return Place(self.file, line + 1, column + 1, source)

    def error(self, message: str, node: Node, hint: str | None = None) -> InvalidScenario:
        """An InvalidScenario about a node, to be raised."""
        return InvalidScenario(message, hint=hint, place=self.place(node))


def scalar(node: Node, *, words: bool = False) -> Any:
    """The value of a scalar node by the core schema: None, bool, int, float or str.

    With ``words`` the words `nan` and `inf` are numbers too, as they are in data and in `expect`.
    Raises ValueError for a tag that does not fit its text, and for an integer too long to read.
    """
    text: str = node.value
    if node.tag == "str" or (node.tag is None and node.style is not None):
        return text
    value = _resolve(text, words)
    wanted: Any = {"int": int, "float": (int, float), "bool": bool, "null": type(None)}.get(node.tag or "")
    if wanted and (not isinstance(value, wanted) or (node.tag in ("int", "float") and isinstance(value, bool))):
        raise ValueError(f"{text!r} is not of the type !!{node.tag}")
    return float(value) if node.tag == "float" else value


def _resolve(text: str, words: bool) -> Any:
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        if len(text) > 4000:
            raise ValueError(f"an integer of {len(text)} digits is too long")
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _DOTTED.fullmatch(text):
        return float(text.replace(".", ""))
    if words and _WORDS.fullmatch(text):
        return float(text)
    return text


class _Composer:
    """Builds the tree from the parser's events, with its own stack instead of recursion."""

    def __init__(self, document: Document, text: str) -> None:
        self.document = document
        self.text = text
        self.anchors: dict[str, Node] = {}
        self.stack: list[Node] = []
        self.nodes = 0
        self.root: Node | None = None

    def compose(self) -> Node | None:
        """The root node, or None for an empty document."""
        self._check_characters()
        documents = 0
        for event in self._events():
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._error("a scenario file holds one YAML document, and here a second one begins", _start(event))
            elif isinstance(event, yaml.NodeEvent):
                self._node(event)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._close(event)
        return self.root

    def _events(self) -> Iterator[Any]:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            yield from yaml.parse(self.text, Loader=loader)
        except yaml.MarkedYAMLError as error:
            mark: Any = error.problem_mark or error.context_mark
            where = (mark.line, mark.column) if mark else (0, 0)
            where = self._not_past_the_end(where)
            message, hint = _in_better_words(error, self._line(where[0])[: where[1] + 1])
            raise self._error(message, where, hint) from None
        except yaml.YAMLError as error:
            raise self._error(f"this is not YAML: {error}", (0, 0)) from None

    def _check_characters(self) -> None:
        found = NOT_PRINTABLE.search(self.text)
        if found:
            before = LINE_BREAK.split(self.text[: found.start()])
            where = (len(before) - 1, len(before[-1]))
            raise self._error(f"the character U+{ord(found.group()):04X} may not stand in a YAML file", where)

    def _node(self, event: Any) -> None:
        start = _start(event)
        if isinstance(event, yaml.AliasEvent):
            node = self.anchors.get(event.anchor or "")
            if node is None or node in self.stack:
                why = "stands for a node that contains it" if node else "has no anchor before it"
                raise self._error(f"the alias *{event.anchor} {why}", start)
            self._add(node, start)
            return
        end = (event.end_mark.line, event.end_mark.column)
        tag = self._tag(event, start)
        if isinstance(event, yaml.ScalarEvent):
            node = Node("scalar", event.value, start, end, event.style or None, tag)
        else:
            node = Node("list" if isinstance(event, yaml.SequenceStartEvent) else "mapping", [], start, end, None, tag)
        if event.anchor:
            self.anchors[event.anchor] = node
        self._add(node, start)
        if node.kind != "scalar":
            if len(self.stack) >= MAX_DEPTH:
                raise self._error(f"lists and mappings are nested more than {MAX_DEPTH} deep", start)
            self.stack.append(node)

    def _tag(self, event: Any, start: tuple[int, int]) -> str | None:
        if event.tag is None:
            return None
        if event.tag == "!" and isinstance(event, yaml.ScalarEvent):
            return "str"
        tag = _TAGS.get(str(event.tag))
        kinds = {"seq": yaml.SequenceStartEvent, "map": yaml.MappingStartEvent}
        if tag is None or not isinstance(event, kinds.get(tag, yaml.ScalarEvent)):
            raise self._error(f"the tag {event.tag} has no meaning here", start, "leave the tag out")
        return tag

    def _add(self, node: Node, where: tuple[int, int]) -> None:
        """Hang a finished scalar, an alias or a collection that just opened under its parent."""
        self.nodes += node.size
        if self.nodes > MAX_NODES:
            raise self._error(
                f"more than {MAX_NODES} values, counting what aliases repeat", where, "put large data into a .npy or .csv file"
            )
        if not self.stack:
            self.root = node
        else:
            self.stack[-1].value.append(node)

    def _close(self, event: Any) -> None:
        node = self.stack.pop()
        node.end = (event.end_mark.line, event.end_mark.column)
        node.size += sum(child.size for child in node.value)
        if node.kind == "mapping":
            node.value = list(zip(node.value[::2], node.value[1::2], strict=True))
            self._refuse_duplicates(node)

    def _refuse_duplicates(self, node: Node) -> None:
        seen: dict[str, Node] = {}
        for key, _ in node.value:
            if key.kind != "scalar":
                raise self._error("a key must be text", key.start)
            if key.value in seen:
                first = seen[key.value].start[0] + 1
                raise self._error(f"the key {key.value!r} is here a second time; the first is on line {first}", key.start)
            seen[key.value] = key

    def _not_past_the_end(self, where: tuple[int, int]) -> tuple[int, int]:
        """A position behind the last text of the file is moved to its end."""
        line = where[0]
        if any(text.strip() for text in self.document.lines[line:]):
            return where
        while line > 0 and not self._line(line).strip():
            line -= 1
        return line, len(self._line(line).rstrip())

    def _line(self, line: int) -> str:
        return self.document.lines[line] if line < len(self.document.lines) else ""

    def _error(self, message: str, where: tuple[int, int], hint: str | None = None) -> InvalidScenario:
        return InvalidScenario(message, hint=hint, place=self.document.place_at(*where))


def _start(event: Any) -> tuple[int, int]:
    return event.start_mark.line, event.start_mark.column


def _in_better_words(error: yaml.MarkedYAMLError, before: str) -> tuple[str, str | None]:
    """(message, hint) for an error of the parser; ``before`` is its line up to and including the position."""
    problem = error.problem or error.context or "it could not be read"
    context = f" ({error.context})" if error.context and error.problem else ""
    hint = None
    if "\t" in before[: len(before) - len(before.lstrip())] or "'\\t'" in problem:
        return "YAML is indented with spaces; here is a tab", "replace the tab by spaces"
    if "mapping values are not allowed" in problem or "did not find expected ',' or '}'" in problem:
        hint = "text with a colon in it needs quotes, or a block: forward: | with the script below it, indented"
    elif "cannot start any token" in problem:
        hint = "put the text in quotes"
    return f"this is not YAML: {problem}{context}", hint
