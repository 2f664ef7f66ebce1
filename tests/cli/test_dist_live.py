"""The live view of ``agrad dist``: its rows as text, and a whole run on a terminal of its own."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograd_cli.cli.dist_board import Board
from tests.cli.conftest import process_environment

NAMES = ["worker0", "worker1"]


def shown(board: Board, now: float, width: int = 80, height: int = 24) -> list[str]:
    """The view's lines."""
    return [str(line).rstrip() for line in board.lines(width, height, now)]


def test_a_call_there_and_back() -> None:
    board = Board(NAMES, [1, 2])
    assert shown(board, 0.0)[1].split() == ["worker0", "started", "0", "0"]
    board.on_stage(0, "send call", "0:0", 1, 1.0)
    board.on_stage(1, "recv call", "0:0", 0, 1.0)
    assert [line.split()[1] for line in shown(board, 1.1)] == ["stage", "send", "receive"]
    # What follows a message is shown once the message has been seen: a caller waits, and who was called works.
    assert shown(board, 2.0) == [
        "worker   stage    calls  messages  last message              lately",
        "worker0  wait         1         1  call 0:0 to worker1       ▸",
        "worker1  compute      1         1  call 0:0 from worker0     ◂",
    ]
    board.on_stage(1, "send reply", "1:0", 0, 3.0)
    board.on_stage(0, "recv reply", "1:0", 1, 3.0)
    assert [line.split()[1] for line in shown(board, 4.0)[1:]] == ["compute", "wait"]


def test_stages_of_a_pass_and_how_it_ended() -> None:
    board = Board(NAMES, [1, 2], is_ascii=True)
    for kind in ("compute", "send gradient", "wait", "wait", "recv gradient", "compute", "done"):
        board.on_stage(0, kind, "1:0" if "gradient" in kind else None, 1, 0.0)
    board.on_stage(1, "failed", None, None, 0.0)
    lines = shown(board, 0.1)
    assert lines[1].split() == ["worker0", "done", "0", "2", "gradient", "1:0", "from", "worker1", "#>.<#"]
    assert lines[2].split() == ["worker1", "failed", "0", "0"]


def test_the_view_names_smart_mode() -> None:
    assert shown(Board(NAMES, [1, 2], mode="smart"), 0.0, width=100)[0].endswith("lately, in SMART mode")


def test_the_view_fits_the_terminal() -> None:
    board = Board([f"worker{i}" for i in range(60)], list(range(60)))
    for rank in range(60):
        for _ in range(200):
            board.on_stage(rank, "send gradient", "59:1000000", 59, 0.0)
    for width, height in ((80, 22), (120, 38), (40, 5)):
        lines = shown(board, 0.0, width, height)
        assert len(lines) <= height
        assert max(map(len, lines)) <= width
    assert shown(board, 0.0, 80, 22)[-1] == "… 40 more workers"


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")
def test_on_a_terminal_prints_stand_above_the_view_in_whole_lines(scenario: Any, tmp_path: Path) -> None:
    import pty

    text = (
        "workers: 2\nforward: |\n  def f(x):\n      print('half', end=' ')\n      print('a line')\n      return x * 2\n"
        "  x = torch.ones(2, requires_grad=True)\n  y = rpc.rpc_sync('worker1', f, args=(x,))\n  print('\\x1b[2Jdone')\nbackward: y.sum()\n"
    )
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "autograd_cli", "dist", scenario(text)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**process_environment(), "COLUMNS": "80", "LINES": "24", "TERM": "xterm", "NO_COLOR": "1"},
    )
    os.close(follower)
    output = b""
    with contextlib.suppress(OSError):  # EIO: the terminal's other side is closed
        while block := os.read(leader, 65536):
            output += block
    os.close(leader)
    assert process.wait(30) == 0
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode()).replace("\r", "\n").split("\n")
    assert "worker1 | half a line" in lines
    assert "worker0 | \\x1b[2Jdone" in lines
    assert any(line.split() == ["worker", "stage", "calls", "messages", "last", "message", "lately"] for line in lines)
    assert any(line.startswith("gradients in context 0:0") for line in lines)
