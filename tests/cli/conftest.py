"""Ways to call agrad: in this process (fast), and as a user does (a process of its own)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from autograd_cli.cli.main import agrad

ABC = """\
title: Which nodes take part in the backward pass?
forward: |
  a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
  b = torch.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
  c = torch.tensor([[9.0, 10.0], [11.0, 12.0]], requires_grad=True)
  d = a + b
  e = b * c        # not on the way to the root
  print("d is", d.detach().sum().item())
backward: d.sum()
"""


def process_environment() -> dict[str, str]:
    """The environment of a process of its own: this source tree comes first."""
    path = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command line in this process."""
    monkeypatch.delenv("AGRAD_DEBUG", raising=False)

    def call(*arguments: str, **more: Any) -> Result:
        more["env"] = {"COLUMNS": "300", **more.get("env", {})}  # so that messages are not wrapped
        try:
            runner = CliRunner(mix_stderr=False)  # click before 8.2
        except TypeError:
            runner = CliRunner()
        result = runner.invoke(agrad, list(arguments), **more)
        assert "Traceback" not in result.stderr
        return result

    return call


@pytest.fixture
def agrad_process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command line as ``python -m autograd_cli``."""

    def call(*arguments: str, env: dict[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "autograd_cli", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**process_environment(), **(env or {})},
            **more,
        )

    return call


@pytest.fixture
def agrad_popen() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a command line and leave it running; it is killed at the end of the test."""
    started = []

    def start(*arguments: str, **more: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "autograd_cli", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=process_environment(),
            # A background job of a shell starts with Ctrl-C ignored, and so would this process.
            preexec_fn=None if sys.platform == "win32" else lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            **more,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[..., str]:
    """Write a scenario file and return its path."""

    def write(text: str = ABC, name: str = "lesson.yaml") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
