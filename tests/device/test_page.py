"""What docs/devices.md shows runs."""

from __future__ import annotations

import re
from pathlib import Path

from scripts import run

from autograd_cli.scenario.load import read_scenario
from autograd_cli.session.local import run_scenario

PAGE = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code of a language on the page."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found
    return found


def test_scenarios_of_the_page_run_on_the_device() -> None:
    for text in blocks("yaml"):
        trace = run_scenario(read_scenario(text.encode(), None))
        assert trace.error is None, trace.error
        assert trace.scenario.device == "cuda"


def test_scripts_of_the_page_run_on_the_device() -> None:
    for text in blocks("python"):
        document = run(text)
        assert document["error"] is None, document["error"]
        assert document["variables"]["x"]["device"] == "cuda:0"
