"""How a command ends: exit status of every kind, Ctrl-C, a reader that goes away, and bugs of our own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_cli import errors
from autograd_cli.cli.exit import exit_code
from autograd_cli.trace.codec import error_trace

SOURCE_TREE = Path(__file__).parents[2]
SET_UP = {"InvalidScenario", "ForbiddenSyntax", "ForbiddenImport", "FileProblem", "DeviceUnavailable", "ExtraMissing"}


def all_errors() -> list[type[errors.AgradError]]:
    found, stack = [], [errors.AgradError]
    while stack:
        found.append(stack.pop())
        stack.extend(kind for kind in found[-1].__subclasses__() if kind.__module__ == errors.__name__)
    return found


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_exit_code_of_every_kind(kind):
    trace = error_trace(None, errors.AgradError("message"))
    trace.error.kind = kind.kind_name or kind.__name__
    expected = {"Interrupted": 130, "SetUpError": 2, **dict.fromkeys(SET_UP, 2)}.get(kind.__name__, 1)
    assert exit_code(trace) == expected


def test_exit_code_of_a_kind_nobody_knows():
    trace = error_trace(None, errors.AgradError("message"))
    trace.error.kind = "FromALaterVersion"
    assert exit_code(trace) == 1


def raising(error: BaseException):
    def run_scenario(scenario, options=None):
        raise error

    return run_scenario


@pytest.fixture
def failing_run(monkeypatch):
    """Let the next run raise something that it should not."""

    def fail_with(error: BaseException) -> None:
        monkeypatch.setattr("autograd_cli.session.local.run_scenario", raising(error))

    return fail_with


@pytest.mark.parametrize("command", ["run", "graph"])
def test_bug_is_owned(invoke, failing_run, command):
    failing_run(KeyError("lost"))
    result = invoke(command)
    assert result.exit_code == 1
    assert "this is a bug in agrad: KeyError: 'lost' at test_exit.py:" in result.stderr
    assert "AGRAD_DEBUG=1" in result.stderr
    document = invoke(command, "--json")
    assert document.exit_code == 1
    assert json.loads(document.stdout)["error"]["kind"] == "InternalError"
    assert json.loads(document.stdout)["format"] == f"agrad/{command}@1"


def test_bug_with_debug_shows_the_traceback(invoke, failing_run):
    failing_run(KeyError("lost"))
    result = invoke("run", env={"AGRAD_DEBUG": "1"})
    assert isinstance(result.exception, KeyError)


def test_too_little_memory_is_no_bug(invoke, failing_run):
    failing_run(MemoryError())
    result = invoke("run", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["kind"] == "LimitExceeded"
    assert "bug" not in result.stderr


def test_interrupt_outside_the_script_is_one_line(invoke, failing_run):
    failing_run(KeyboardInterrupt())
    result = invoke("run")
    assert (result.exit_code, result.stdout, result.stderr.strip()) == (130, "", "Interrupted.")


def test_raised_set_up_error_keeps_its_status(invoke, failing_run):
    failing_run(errors.DeviceUnavailable("there is no cuda here", hint="use cpu"))
    result = invoke("run", "--json")
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert (error["kind"], error["type"], error["hint"]) == ("DeviceUnavailable", "RuntimeError", "use cpu")
    assert "there is no cuda here" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("arguments", [["run"], ["run", "--quiet"], ["run", "--events"]])
def test_interrupted_script(agrad_popen, scenario, arguments):
    process = agrad_popen(*arguments, scenario('forward: |\n  print("begun")\n  while True:\n      pass\n'))
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(signal.SIGINT)
    output, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == b""
    assert re.fullmatch(r"\s*Interrupted at line [234]\.\s*", messages.decode())


@pytest.mark.skipif(sys.platform == "win32", reason="the status of a closed pipe is Unix's")
def test_reader_of_a_printing_script_goes_away(agrad_popen, scenario):
    path = scenario(
        "forward: |\n  while True:\n      try:\n          print('x' * 1000)\n      except Exception:\n          pass\n"
    )
    process = agrad_popen("run", path)
    assert process.stdout.readline() == b"x" * 1000 + b"\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="the status of a closed pipe is Unix's")
@pytest.mark.parametrize(
    "arguments", [["graph", "--dot"], ["graph"], ["graph", "--json"], ["run", "--json"], ["run", "--verbose"]]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_reader_of_a_long_result_goes_away(agrad_popen, scenario, monkeypatch, arguments, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    # Several times what a pipe holds.
    path = scenario(
        "forward: |\n  x = torch.ones(1, requires_grad=True)\n  for i in range(3000):\n      x = x + 1\nbackward: x\n"
    )
    process = agrad_popen(*arguments, path)
    assert process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["run iris --quiet", "run iris --quiet --json", "run", "graph", "graph --dot", "schema"])
def test_full_disk_is_told_in_one_line(tmp_path, arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "autograd_cli", *arguments.split()], stdout=full, stderr=subprocess.PIPE, cwd=SOURCE_TREE
        )
    assert done.returncode == 1
    assert done.stderr.decode() == "agrad: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="closing a stream is a shell's business")
@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        ("run >&-", 0, ""),
        ("run --json >&-", 0, ""),
        ("graph >&-", 0, ""),
        ("run 2>&-", 0, ""),
        ("run --quiet <&-", 0, ""),
        ("run - <&-", 2, "standard input is closed"),
        ("graph - <&-", 2, "standard input is closed"),
    ],
)
def test_closed_streams(redirection, code, said):
    command = f"'{sys.executable}' -m autograd_cli {redirection}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=SOURCE_TREE)
    assert done.returncode == code
    assert said in done.stderr
    assert bool(said) == bool(done.stderr)
