"""Every command that the README and docs/ show is run, and prints what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# A page's block that begins with a comment naming a file, `# lesson.yaml`, is that file.
FILE = re.compile(r"```(?:yaml|python)\n(# (\S+\.(?:yaml|py))\n.*?)```", re.S)
# Numbers that differ from run to run, or from machine to machine: durations, and the version of PyTorch.
VERSION = re.compile(r"(?<=PyTorch )\d+\.\d+\S*")
TIMES = re.compile(r"\b\d+(\.\d+)?(e-?\d+)? ?(s|ms|µs|us)\b")


def examples() -> list[tuple[str, str, str]]:
    """(page, command, what the page shows below it) of every console block; `…` stands for lines left out."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                found.append((page.name, command, shown))
    return found


def write_files(page: str, folder: Path) -> None:
    """The files that a page shows, into `folder`."""
    text = next(path for path in PAGES if path.name == page).read_text(encoding="utf-8")
    for content, name in FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")


def sets_up(command: str) -> bool:
    """The two commands that install: a test cannot run them inside the environment they make."""
    return "pip install" in command


def words(text: str) -> list[str]:
    lines = (VERSION.sub("<version>", TIMES.sub("<time>", line)).rstrip() for line in text.splitlines())
    return [re.sub(r"[ ─━]+", " ", line) for line in lines if line.strip()]


def asks_pytorch(command: str) -> bool:
    """Whether PyTorch has to be installed for it; what the command says without is tests/cli/test_compare_command.py's."""
    return "agrad compare" in command


def runnable() -> list[Any]:
    """The examples that a test can run, those that ask PyTorch with their mark."""
    found = [example for example in examples() if not sets_up(example[1])]
    return [pytest.param(*e, marks=[pytest.mark.torch] if asks_pytorch(e[1]) else []) for e in found]


@pytest.mark.parametrize(("page", "command", "shown"), runnable())
def test_command_prints_what_the_page_shows(page: str, command: str, shown: str, tmp_path: Path) -> None:
    agrad = Path(sys.executable).parent / "agrad"
    assert agrad.exists(), "the package is not installed in this environment"
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    write_files(page, tmp_path)
    env = {
        "PATH": f"{agrad.parent}:/usr/bin:/bin",
        "PYTHONIOENCODING": "utf-8",
        "LANG": "C.UTF-8",
        "COLUMNS": "76" if page == "errors.md" else "100",  # that page is shown in terminals
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),  # this source tree, wherever the installed command would look
    }
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=env, timeout=120
    )
    got, want = words(done.stdout + done.stderr), words(shown)
    position = 0
    for line in want:
        if line.strip() in ("…", "..."):
            continue
        assert line in got[position:], f"{page}: `{command}` does not print {line!r}; it printed:\n{done.stdout}{done.stderr}"
        position += got[position:].index(line) + 1


def test_readme_has_exactly_two_set_up_commands() -> None:
    assert len([c for page, c, _ in examples() if page == "README.md" and sets_up(c)]) == 2


def test_readme_names_every_built_in_scenario() -> None:
    names = {path.stem for path in (ROOT / "scenarios").glob("*.yaml")}
    listed = re.search(r"runs one from any folder:\n(.*?)\.\n", PAGES[0].read_text(encoding="utf-8"), re.S)
    assert listed
    assert set(re.findall(r"`([\w-]+)`", listed[1])) == names


def test_picture_is_the_one_that_agrad_draws(tmp_path: Path) -> None:
    """The same words in both; where they stand is up to the layout engine."""
    agrad = Path(sys.executable).parent / "agrad"
    subprocess.run([agrad, "graph", "abc", "-o", tmp_path / "abc.svg"], check=True, capture_output=True, timeout=120)
    drawn, shown = ((folder / "abc.svg").read_text(encoding="utf-8") for folder in (tmp_path, ROOT / "docs"))
    text = re.compile(r">([^<>\n]+)<")
    assert sorted(text.findall(drawn)) == sorted(text.findall(shown))
    assert "MulBackward0" in text.findall(shown)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"
