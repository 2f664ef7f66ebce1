"""The `expect` key: what must come out of a run."""

from __future__ import annotations

from autograd_cli.errors import Place
from autograd_cli.scenario.fields import Reader
from autograd_cli.scenario.model import Expect
from autograd_cli.scenario.yaml_reader import Node

KEYS = ("variables", "grads", "dependencies", "order", "stdout", "error", "rtol", "atol")


def read_expect(reader: Reader, node: Node) -> Expect:
    """The Expect of its YAML node."""
    entries = {key: value for key, (_, value) in reader.mapping(node, "expect", KEYS).items()}
    places: dict[str, Place] = {key: reader.document.place(value) for key, value in entries.items()}
    values: dict[str, dict[str, object]] = {"variables": {}, "grads": {}}
    for section, found in values.items():
        for name, key, value in _entries(reader, entries, section, places):
            found[name] = reader.data(value, f"{section}.{name}", text=section == "variables" or _is_null(reader, value))
            places[f"{section}.{name}"] = reader.document.place(key)
    dependencies = {
        name: reader.integer(value, f"dependencies.{name}", 0)
        for name, _, value in _entries(reader, entries, "dependencies", places)
    }
    return Expect(
        variables=values["variables"],
        grads=values["grads"],
        dependencies=dependencies,
        places=places,
        order=tuple(reader.text(item, "a node's name") for item in reader.items(entries["order"], "order"))
        if "order" in entries
        else None,
        stdout=_output(reader, entries["stdout"]) if "stdout" in entries else None,
        error=_error(reader, entries["error"]) if "error" in entries else None,
        rtol=reader.number(entries["rtol"], "rtol") if "rtol" in entries else None,
        atol=reader.number(entries["atol"], "atol") if "atol" in entries else None,
    )


def _entries(reader: Reader, entries: dict[str, Node], section: str, places: dict[str, Place]) -> list[tuple[str, Node, Node]]:
    if section not in entries:
        return []
    found = reader.mapping(entries[section], f"expect.{section}")
    for name, (key, _) in found.items():
        places[f"{section}.{name}"] = reader.document.place(key)
    return [(name, key, value) for name, (key, value) in found.items()]


def _is_null(reader: Reader, node: Node) -> bool:
    """`grads: {e: null}`: the tensor must have no gradient."""
    return node.kind == "scalar" and reader.scalar(node, "a gradient", words=True) is None


def _output(reader: Reader, node: Node) -> str:
    """Text; a number stands for itself, so that `stdout: 3.0` means what it looks like."""
    value = reader.scalar(node, "stdout")
    return node.value if value is not None else ""


def _error(reader: Reader, node: Node) -> str:
    text = reader.text(node, "error")
    if not text.strip():
        raise reader.error("error must be a part of the message", node)
    return text
