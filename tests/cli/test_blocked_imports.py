"""Commands that start no worker must work where there are no processes, no sockets and nothing of Unix."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCKED = [
    "greenlet",
    "multiprocessing",
    "socket",
    "fcntl",
    "termios",
    "tty",
    "pty",
    "resource",
    "pwd",
    "grp",
    "subprocess",
    "asyncio",
]

PROGRAM = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(name + " is not there")

sys.meta_path.insert(0, Blocked())
for name in {blocked!r}:
    assert name not in sys.modules, name
from autograd_cli.cli.main import agrad
agrad.main({arguments!r})
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["run"],
        ["run", "--json", "--events"],
        ["run", "tiny-network", "--check"],
        ["graph"],
        ["graph", "--dot"],
        ["graph", "--json"],
        ["schema"],
    ],
    ids=" ".join,
)
def test_works_without_processes_and_sockets(arguments):
    program = PROGRAM.format(blocked=BLOCKED, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_block_blocks():
    program = PROGRAM.format(blocked=["numpy"], arguments=["run"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "numpy is not there" in done.stderr
