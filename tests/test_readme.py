"""Every command that the README and docs/ show is run, and prints what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Numbers that differ from run to run: durations.
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


def sets_up(command: str) -> bool:
    """The two commands that install: a test cannot run them inside the environment they make."""
    return "pip install" in command


def words(text: str) -> list[str]:
    lines = (TIMES.sub("<time>", line).rstrip() for line in text.splitlines())
    return [re.sub(r"[ ─━]+", " ", line) for line in lines if line.strip()]


@pytest.mark.parametrize(("page", "command", "shown"), [e for e in examples() if not sets_up(e[1])])
def test_command_prints_what_the_page_shows(page: str, command: str, shown: str, tmp_path: Path) -> None:
    agrad = Path(sys.executable).parent / "agrad"
    assert agrad.exists(), "the package is not installed in this environment"
    for folder in ("scenarios",):
        (tmp_path / folder).symlink_to(ROOT / folder)
    env = {
        "PATH": f"{agrad.parent}:/usr/bin:/bin",
        "PYTHONIOENCODING": "utf-8",
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "HOME": str(tmp_path),
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
