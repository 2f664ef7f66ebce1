"""The entry of ``docs/errors.md`` that needs a device: its snippet fails on the strict device as the page shows, and its fix works."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "explain"))

from snippets import PAGE, snippets

from autograd_cli.render.terminal_error import print_error
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario

FAILING, FIX = (snippet for snippet in snippets() if snippet.needs_device)


def test_the_panel_is_the_one_that_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("devices.py").write_text(FAILING.text, encoding="utf-8")
    trace = run_scenario(load_scenario("devices.py"))
    assert trace.error is not None
    assert (trace.error.kind, trace.error.line) == ("DeviceMismatch", FAILING.marked("fails"))
    out = io.StringIO()
    print_error(trace.error, Console(file=out, width=76), trace=trace)
    assert f"```text\n{out.getvalue()}```" in PAGE.read_text(encoding="utf-8")


def test_the_fix_prints_what_its_comment_says(tmp_path):
    path = tmp_path / "moved.py"
    path.write_text(FIX.text, encoding="utf-8")
    trace = run_scenario(load_scenario(path))
    assert trace.error is None
    assert trace.stdout == FIX.printed
