"""All samples of the op table: the blocks of every file ``samples*.py``, and what PyTorch answered, one file of goldens for each."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from samples import expressions

HERE = Path(__file__).parent
FAMILIES = tuple(sorted(path.stem for path in HERE.glob("samples*.py")))


def block(family: str, name: str) -> list[str]:
    """The expressions of one block (``SMOOTH``, ``CORNERS``, ``ERRORS``) of a file."""
    return expressions(getattr(import_module(family), name, ""))


def goldens_of(family: str) -> Path:
    """Where the answers to a file's samples are."""
    return HERE / f"{family.replace('samples', 'goldens')}.json"


SMOOTH, CORNERS, ERRORS = ([e for family in FAMILIES for e in block(family, name)] for name in ("SMOOTH", "CORNERS", "ERRORS"))


@cache
def goldens() -> dict[str, dict[str, Any]]:
    """PyTorch's answers to all samples."""
    found: dict[str, dict[str, Any]] = {}
    for family in FAMILIES:
        found |= json.loads(goldens_of(family).read_text(encoding="utf-8"))
    return found
