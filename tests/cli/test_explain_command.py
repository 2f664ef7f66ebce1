"""``agrad explain``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_cli.cli.topics import all_topics, sections

ROOT = Path(__file__).parents[2]


def test_without_a_topic_everything_is_listed_with_a_sentence(invoke):
    result = invoke("explain", env={"COLUMNS": "200"})
    assert result.exit_code == 0
    for topic in all_topics().values():
        assert f"  {topic.name} " in result.stdout
        assert topic.summary.replace("`", "")[:40] in result.stdout


@pytest.mark.parametrize("name", sorted(all_topics()))
def test_every_topic_can_be_shown_in_a_narrow_terminal(invoke, name):
    result = invoke("explain", name.lower(), env={"COLUMNS": "80"})
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{name}\n")
    shown, code = result.stdout.splitlines(), code_of(name)
    assert [line for line in shown if len(line) > 80 and line[1:] not in code] == []
    assert "**Why" not in result.stdout


@pytest.mark.parametrize("name", ["NonScalarRoot", "UnusedInput", "ForbiddenImport"])
def test_lines_of_code_stay_whole_however_narrow_the_terminal_is(invoke, name):
    shown = invoke("explain", name, env={"COLUMNS": "40"}).stdout.splitlines()
    assert [line for line in code_of(name) if line and f" {line}" not in shown] == []
    assert [line for line in shown if line != line.rstrip()] == []


def code_of(name):
    """The lines in the code blocks of a topic."""
    return [line for block in all_topics()[name].text.split("```")[1::2] for line in block.splitlines()[1:]]


def test_a_page_shows_the_snippet_the_panel_and_the_fixes(invoke):
    text = invoke("explain", "GraphFreed", env={"COLUMNS": "80"}).stdout
    for part in ("loss.backward()  # fails", "╭─  GraphFreed (RuntimeError)", "retain_graph=True", "Why.", "How to fix it."):
        assert part in text


@pytest.mark.parametrize(
    ("word", "suggested"),
    [
        ("GraphFred", "GraphFreed"),
        ("inplace", "InplaceModified"),
        ("nonscalar", "NonScalarRoot"),
        ("devicemissmatch", "DeviceMismatch"),
    ],
)
def test_an_unknown_topic_is_bad_usage_and_gets_the_nearest(invoke, word, suggested):
    result = invoke("explain", word)
    assert result.exit_code == 2
    assert "Did you mean" in result.stderr
    assert suggested in result.stderr


def test_a_word_like_nothing_says_how_to_list_all(invoke):
    result = invoke("explain", "qqqqqq")
    assert result.exit_code == 2
    assert "'agrad explain' lists everything" in result.stderr


def test_it_needs_no_engine():
    code = (
        "import sys\nfrom autograd_cli.cli.main import agrad\ntry:\n    agrad.main(['explain', 'NoGraph'])\n"
        "except SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert not {"numpy", "autograd_cli.core", "yaml", "autograd_cli.session"} & set(done.stderr.split())


def test_names_are_completed_whatever_the_case(agrad_process):
    env = {"_AGRAD_COMPLETE": "bash_complete", "COMP_WORDS": "agrad explain graphf", "COMP_CWORD": "2"}
    assert "GraphFreed" in agrad_process(env=env).stdout


def test_a_comment_of_a_snippet_is_no_heading():
    text = "## One\nwords\n```python\n## a comment\nx = 1\n```\n## Two\nmore\n"
    assert list(sections(text, "##")) == [("One", "words\n```python\n## a comment\nx = 1\n```"), ("Two", "more")]
