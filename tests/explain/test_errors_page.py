"""Every snippet of ``docs/errors.md`` does what the page says, and what PyTorch does: it fails with the kind and at the line, or it runs
and prints what the comments say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from snippets import Snippet, snippets

from autograd_cli.cli.checking import check_run
from autograd_cli.cli.topics import all_topics
from autograd_cli.core.warning import WARNINGS
from autograd_cli.errors import AgradError
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.cluster import run_distributed
from autograd_cli.session.local import run_scenario
from autograd_cli.trace.codec import error_record

PYTORCH = json.loads(Path(__file__).with_name("pytorch.json").read_text(encoding="utf-8"))
HERE = [snippet for snippet in snippets() if not snippet.needs_device]
FAILING = [snippet for snippet in HERE if snippet.marked("fails")]
RUNNING = [snippet for snippet in HERE if not snippet.marked("fails")]
# What has no snippet: an error of the machine or of the user's hands, and what is shown as a command.
WITHOUT = {
    "CompareMismatch",
    "ExtraMissing",
    "Interrupted",
    "FileProblem",
    "InternalError",
    "NotOwner",
    "WorkerDied",
    "WorkerTimeout",
}


def run(snippet: Snippet, folder: Path) -> Any:
    """The document of a snippet; where it cannot be started, something with its error."""
    path = folder / f"snippet.{'py' if snippet.language == 'python' else 'yaml'}"
    path.write_text(snippet.text, encoding="utf-8")
    try:
        scenario = load_scenario(path)
        if scenario.is_distributed:
            return run_distributed(scenario)
        trace = run_scenario(scenario)
        if scenario.expect is not None:
            check_run(scenario, trace)
        return trace
    except AgradError as error:
        return type("NotStarted", (), {"error": error_record(error), "warnings": []})


@pytest.mark.parametrize("snippet", FAILING, ids=lambda s: s.key)
def test_it_fails_with_its_kind_at_the_line(snippet: Snippet, tmp_path: Path) -> None:
    if snippet.language == "yaml" and sys.platform == "win32":
        pytest.skip("forkserver")
    error = run(snippet, tmp_path).error
    assert error is not None
    assert error.kind == snippet.kind
    assert error.line == snippet.marked("fails")
    assert error.message
    pytorch = PYTORCH.get(snippet.key)
    if pytorch is not None:
        assert {"type": error.type, "line": error.line} == pytorch["error"]


@pytest.mark.parametrize("snippet", RUNNING, ids=lambda s: s.key)
def test_it_runs_and_prints_what_pytorch_prints(snippet: Snippet, tmp_path: Path) -> None:
    trace = run(snippet, tmp_path)
    assert trace.error is None
    pytorch = PYTORCH[snippet.key]
    assert pytorch["error"] is None
    assert trace.stdout == pytorch["stdout"]
    assert [w.line for w in trace.warnings] == pytorch["warnings"]
    warned = snippet.marked("warns")
    assert [(w.kind, w.line) for w in trace.warnings] == ([] if warned is None else [(snippet.kind, warned)])
    if warned is None:
        assert trace.stdout == snippet.printed


def test_every_kind_has_an_entry_and_each_entry_an_example() -> None:
    listed = (Path(__file__).parents[2] / "docs" / "output.md").read_text(encoding="utf-8")
    kinds = {name for name in all_topics() if f"`{name}`" in listed}
    assert set(all_topics()) == kinds, "docs/output.md lists every kind"
    assert set(WARNINGS) <= kinds
    assert {s.kind for s in FAILING} | set(WARNINGS) | WITHOUT | {"DeviceMismatch"} == kinds
    assert {s.kind for s in RUNNING if s.marked("warns")} == set(WARNINGS)


def test_the_classics_have_a_full_explanation() -> None:
    classics = [topic for topic in all_topics().values() if topic.group == "The nine classics"]
    assert len(classics) == 9
    for topic in classics:
        for part in ("**What you wrote**", "**What agrad prints**", "**Why.**", "**How to fix it.**", "**Related:**"):
            assert part in topic.text, f"{topic.name} has no {part}"
        assert sum(s.kind == topic.name for s in snippets()) >= 2
