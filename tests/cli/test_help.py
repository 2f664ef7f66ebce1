"""`--help` everywhere, and that it costs nothing."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from autograd_cli.cli.main import COMMANDS, agrad

HEAVY = {
    "numpy",
    "rich",
    "msgspec",
    "yaml",
    "graphviz",
    "greenlet",
    "multiprocessing",
    "subprocess",
    "socket",
    "RestrictedPython",
}


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has after `statement`."""
    code = f"import sys\ntry:\n    {statement}\nexcept SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"], ["run", "--help"], ["graph", "--help"], ["run", "--jsn"]])
def test_help_and_usage_import_nothing_heavy(arguments):
    modules = loaded_by(f"from autograd_cli.cli.main import agrad; agrad.main({arguments!r})")
    assert "autograd_cli.cli.main" in modules
    # The standard library's importlib.metadata, which knows the version, imports socket through email.
    assert not (HEAVY - {"socket"} if arguments == ["--version"] else HEAVY) & modules


def test_group_help_imports_no_command():
    modules = loaded_by("from autograd_cli.cli.main import agrad; agrad.main(['--help'])")
    assert not {f"autograd_cli.cli.{name}" for name in COMMANDS} & modules


@pytest.mark.parametrize("name", COMMANDS)
def test_table_says_what_the_command_says(name):
    command = agrad.get_command(click.Context(agrad), name)
    assert command.name in (name, "command")
    assert command.help.splitlines()[0] == COMMANDS[name]


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), *((name, "--help") for name in COMMANDS)])
def test_every_help_ends_with_examples(invoke, arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0
    assert result.stderr == ""
    sections = [line for line in result.stdout.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert sections[-1] == "Examples:"


def test_help_lists_every_command(invoke):
    text = invoke("--help").stdout
    for name, words in COMMANDS.items():
        assert f"  {name:<{max(map(len, COMMANDS))}}  {words}" in text


def test_module_is_the_command(agrad_process):
    done = agrad_process("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("agrad ")
    assert done.stderr == ""


def test_completion_knows_commands_and_scenarios(agrad_process):
    def complete(words: str, position: str) -> str:
        return agrad_process(env={"_AGRAD_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": position}).stdout

    assert "plain,graph" in complete("agrad g", "1")
    assert "plain,iris" in complete("agrad run ir", "2")
    assert "plain,--check" in complete("agrad run --ch", "2")
