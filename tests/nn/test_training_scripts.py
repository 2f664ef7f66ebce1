"""Scripts of the kind that PyTorch tutorials teach print what PyTorch prints, character by character (``record_scripts.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 25


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_prints_what_pytorch_prints(script: Path) -> None:
    trace = run_scenario(load_scenario(script))
    assert trace.error is None, trace.error
    assert trace.stdout == script.with_suffix(".txt").read_text(encoding="utf-8")
