"""The scripts of ``causes/`` fail, and their comments say what the error has to tell: at the end of a line, `# saved by NODE: VARIABLE,
version N`, and so for changed, freed, first pass and unreached; `# fails: KIND of VARIABLE, at NODE` where it fails.

What PyTorch does with them is in ``causes.json``.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.trace import codec

HERE = Path(__file__).parent
SCRIPTS = sorted(path.stem for path in (HERE / "causes").glob("*.py"))
PYTORCH = json.loads((HERE / "causes.json").read_text(encoding="utf-8"))
MARK = re.compile(
    r"# (saved|changed|freed|first pass|unreached)(?: by (\w+))?(?:: ([\w.]+))?(?:, version (\d+))?\s*(?=#|$)"
    r"|# fails: (\w+)(?: of ([\w.]+))?(?:, at (\w+))?\s*(?=#|$)"
)


def lines_of(name: str) -> list[str]:
    return (HERE / "causes" / f"{name}.py").read_text(encoding="utf-8").splitlines()


def marks(name: str) -> tuple[list[Any], tuple[Any, ...]]:
    """What the comments of a script say: (the causes, the error)."""
    causes, error = [], ()
    for number, line in enumerate(lines_of(name), 1):
        found = list(MARK.finditer(line))
        assert len(found) == line.count("#"), f"line {number} has a comment that is no mark"
        for what, node, variable, version, kind, subject, place in (match.groups() for match in found):
            if kind:
                error = (kind, number, subject, place)
            else:
                causes.append((what.replace(" ", "_"), number, node, variable, version and int(version)))
    return causes, error


@cache
def told(name: str) -> dict[str, Any]:
    return json.loads(codec.encode(run_scenario(load_scenario(HERE / "causes" / f"{name}.py"))))


def node_name(document: dict[str, Any], node: int | None) -> str | None:
    return None if node is None else {n["id"]: n["name"] for n in document["graph"]["nodes"]}[node]


@pytest.mark.parametrize("name", SCRIPTS)
def test_error_tells_what_the_marks_say(name: str) -> None:
    document = told(name)
    error = document["error"]
    causes, expected = marks(name)
    assert (error["kind"], error["line"], error["variable"], node_name(document, error["node"])) == expected
    found = [(c["what"], c["line"], node_name(document, c["node"]), c["variable"], c["version"]) for c in error["causes"]]
    assert sorted(found, key=str) == sorted(causes, key=str)


@pytest.mark.parametrize("name", SCRIPTS)
def test_causes_carry_the_text_of_their_lines(name: str) -> None:
    lines = lines_of(name)
    assert [c["source"] for c in told(name)["error"]["causes"]] == [
        lines[c["line"] - 1].strip() for c in told(name)["error"]["causes"]
    ]


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_fails_where_and_as_in_pytorch(name: str) -> None:
    error, pytorch = told(name)["error"], PYTORCH[name]
    assert (error["type"], error["line"]) == (pytorch["type"], pytorch["line"])
    if pytorch["versions"] is not None:
        saved = next(c for c in error["causes"] if c["what"] == "saved")
        now = re.search(r"it is at version (\d+) now", error["message"])
        assert now is not None
        assert [saved["version"], int(now[1])] == pytorch["versions"]


def test_every_script_was_recorded() -> None:
    assert sorted(PYTORCH) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_message_names_the_variable_and_the_hint_says_what_to_do(name: str) -> None:
    error = told(name)["error"]
    assert error["hint"]
    if error["variable"] is not None and error["kind"] != "GraphFreed":
        assert re.search(rf"\b{re.escape(error['variable'])}\b", error["message"])
    for cause in error["causes"]:
        assert f"line {cause['line']}" in error["message"] or cause["what"] in ("first_pass", "unreached")
