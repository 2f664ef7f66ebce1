"""The comparison that the fidelity tests rest on: it sees each difference, and numbers nodes alike whatever their ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical
from compare import differences

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "programs").glob("*.yaml"))


def golden(name: str) -> dict[str, Any]:
    """What PyTorch did with a program."""
    return json.loads((HERE / "goldens" / f"{name}.json").read_text(encoding="utf-8"))


def test_every_golden_is_of_a_program() -> None:
    assert sorted(path.stem for path in (HERE / "goldens").glob("*.json")) == NAMES


def test_differences_are_seen() -> None:
    """The comparison itself: one changed field at a time is found, and a rounding error is not."""
    expected = canonical(golden("retain_grad"))
    for change in (
        lambda document: document["passes"][0]["order"].reverse(),
        lambda document: document["passes"][0]["dependencies"].update({"2": 1}),
        lambda document: document["graph"]["nodes"][1]["next"].pop(),
        lambda document: document["graph"]["nodes"][1]["saved"].pop(),
        lambda document: document["graph"]["nodes"][0].update(name="SumBackward1"),
        lambda document: document["variables"]["x"].update(grad=[18.0, 36.001]),
        lambda document: document["variables"]["x"].update(grad=None),
        lambda document: document["variables"]["y"].update(version=1),
        lambda document: document["variables"].pop("y"),
        lambda document: document.update(stdout=""),
    ):
        changed = canonical(golden("retain_grad"))
        change(changed)
        assert len(list(differences(expected, changed))) >= 1
    rounded = canonical(golden("retain_grad"))
    rounded["variables"]["x"]["grad"] = [18.000001, 36.0]
    assert not list(differences(expected, rounded))


@pytest.mark.parametrize("name", NAMES)
def test_canonical_numbers_are_stable(name: str) -> None:
    """A golden is canonical already; shuffled ids come back to the same numbers."""
    document = golden(name)
    once = canonical(document)
    assert canonical(document | once) == once
    assert canonical(_shuffled(document)) == once


def _shuffled(document: dict[str, Any]) -> dict[str, Any]:
    """The same document with the ids of its nodes in reverse."""
    document = json.loads(json.dumps(document))
    nodes = document["graph"]["nodes"]
    new = {node["id"]: len(nodes) - 1 - place for place, node in enumerate(nodes)}
    for node in nodes:
        node["id"] = new[node["id"]]
        node["next"] = [edge and edge | {"node": new[edge["node"]]} for edge in node["next"]]
    nodes.sort(key=lambda node: node["id"])
    for a_pass in document["passes"]:
        if not a_pass.get("elided"):
            a_pass["roots"] = [new[node] for node in a_pass["roots"]]
            a_pass["order"] = [new[node] for node in a_pass["order"]]
            a_pass["dependencies"] = {str(new[int(node)]): count for node, count in a_pass["dependencies"].items()}
    values = list(document["variables"].values())
    while values:
        value = values.pop()
        if value["type"] == "tensor" and value["node"] is not None:
            value["node"] = new[value["node"]]
        elif "items" in value:
            values.extend(value["items"].values() if isinstance(value["items"], dict) else value["items"])
    return document
