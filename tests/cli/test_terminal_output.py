"""Charset, colours, control characters, and the progress bar."""

from __future__ import annotations

import io
import sys

import pytest

from autograd_cli.cli import progress
from autograd_cli.cli.console import ScriptOutput, is_ascii_only, stderr_console
from autograd_cli.errors import Interrupted


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("arguments", [["graph"], ["run", "-v"], ["graph", "nowhere"]], ids=" ".join)
def test_output_is_ascii_where_the_terminal_is(agrad_process, arguments, encoding):
    done = agrad_process(*arguments, env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert "Traceback" not in done.stderr
    assert (done.stdout + done.stderr).isascii()
    assert done.stdout or done.returncode == 2


def test_script_may_print_what_the_terminal_cannot(agrad_process, scenario):
    path = scenario('forward: |\n  print("∇ is nabla")\n')
    done = agrad_process("run", "-q", path, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stdout) == (0, "\\u2207 is nabla\n")
    document = agrad_process("run", "--json", path, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert "∇ is nabla" in document.stdout


@pytest.mark.parametrize("arguments", [["run"], ["graph"], ["run", "nowhere"]], ids=" ".join)
def test_no_colours_where_there_is_no_terminal(agrad_process, arguments):
    done = agrad_process(*arguments)
    assert "\x1b" not in done.stdout + done.stderr


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert stderr_console().color_system is not None
    monkeypatch.setenv("NO_COLOR", "1")
    stderr_console().print("text", style="red")
    assert "\x1b[31m" not in sys.stderr.getvalue()


def test_ascii_is_known_by_the_encoding(monkeypatch):
    for encoding, expected in (("utf-8", False), ("UTF-8", False), ("ascii", True), ("cp1252", True)):
        stream = Terminal()
        stream.encoding = encoding
        monkeypatch.setattr(sys, "stderr", stream)
        assert is_ascii_only(stderr_console()) is expected


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("plain\ttext\r\n", "plain\ttext\r\n"),
        ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("a\x00b\x7f", "a\\x00b\\x7f"),
        ("café ∇", "café ∇"),
    ],
)
def test_script_cannot_drive_the_terminal(monkeypatch, printed, shown):
    monkeypatch.setattr(sys, "stdout", Terminal())
    ScriptOutput()(printed)
    assert sys.stdout.getvalue() == shown


def test_output_to_a_file_is_what_was_printed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    ScriptOutput()("\x1b[2J")
    assert sys.stdout.getvalue() == "\x1b[2J"


def test_closed_pipe_ends_the_run_and_no_script_can_catch_it(monkeypatch):
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())
    output = ScriptOutput()
    with pytest.raises(Interrupted) as caught:
        output("text")
    assert isinstance(output.failure, BrokenPipeError)
    assert not isinstance(caught.value, Exception)


# ---- the progress bar ----


def test_no_progress_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.LoopProgress() as bar:
        assert not bar.enabled
        bar.on_progress(10, 100.0)
    assert sys.stderr.getvalue() == ""


def test_short_loop_shows_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.LoopProgress() as bar:
        bar.on_progress(1, 0.1)
        bar.on_progress(2, progress.PATIENCE - 0.01)
    assert sys.stderr.getvalue() == ""


def test_long_loop_shows_the_count_and_cleans_up(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress.LoopProgress() as bar:
        bar.on_progress(7, 1.0)
        assert "backward passes" in sys.stderr.getvalue()
        assert "7" in sys.stderr.getvalue()
        drawn = len(sys.stderr.getvalue())
        bar.on_progress(8, 1.0 + progress.REDRAW / 2)
        assert len(sys.stderr.getvalue()) == drawn
        bar.on_progress(9, 1.0 + progress.REDRAW * 2)
        assert "9" in sys.stderr.getvalue()[drawn:]
    assert sys.stderr.getvalue().endswith("\x1b[2K")  # the line of the bar is empty again


def test_bar_steps_aside_for_what_the_script_prints(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setenv("TERM", "xterm")
    with progress.LoopProgress() as bar:
        output = ScriptOutput(bar.step_aside, bar.step_back)
        bar.on_progress(7, 1.0)
        output("no end of line")
        cleaned = sys.stderr.getvalue()
        assert cleaned.endswith("\x1b[2K")
        bar.on_progress(8, 2.0)
        assert sys.stderr.getvalue() == cleaned  # never on top of a line that is not complete
        output("\n")
        bar.on_progress(9, 3.0)
        assert len(sys.stderr.getvalue()) > len(cleaned)
    assert sys.stdout.getvalue() == "no end of line\n"
