"""FACTS.md, what PyTorch's own autograd tests state: each row names what shows its fact here, or says why it does not apply."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TEXT = (HERE / "FACTS.md").read_text(encoding="utf-8")
NOT_HERE = "not here: "


def rows() -> list[tuple[str, ...]]:
    """(class, test, fact, shown by) of each row."""
    found = []
    section = ""
    for line in TEXT.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| test |", "| ---")):
            found.append((section, *(cell.strip() for cell in line.strip("|").split("|"))))
    return found


ROWS = rows()


@cache
def functions_in(path: str) -> frozenset[str]:
    """The test functions of a file below ``tests/``."""
    return frozenset(re.findall(r"^def (test_\w+)", (HERE.parent / path).read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_a_fact_is_shown_or_does_not_apply(row: tuple[str, ...]) -> None:
    _, test, fact, shown = row
    assert test
    assert fact
    if shown.startswith(NOT_HERE):
        assert len(shown) > len(NOT_HERE)
        return
    names = re.findall(r"`([^`]+)`", shown)
    assert names, "name a program or a test, or say why the fact does not apply"
    for name in names:
        path, _, function = name.partition("::")
        if function:
            assert function in functions_in(path), f"there is no {name}"
        else:
            assert (HERE / "programs" / f"{name}.yaml").exists(), f"there is no program {name}"


def test_no_test_is_named_twice() -> None:
    named = [row[:2] for row in ROWS]
    assert len(named) == len(set(named))


def test_the_page_counts_its_rows() -> None:
    without = sum(row[3].startswith(NOT_HERE) for row in ROWS)
    said = re.search(r"Of (\d+) tests (\d+) have their fact shown here, and (\d+) do not apply", TEXT)
    assert said is not None
    assert [int(number) for number in said.groups()] == [len(ROWS), len(ROWS) - without, without]


def test_the_programs_are_more_than_150() -> None:
    programs = {name for row in ROWS for name in re.findall(r"`(\w+)`", row[3])}
    assert len(programs) >= 150
