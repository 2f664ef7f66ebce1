"""Mistakes in the command line: one message that says what to do, status 2."""

from __future__ import annotations

import json

import pytest

MISTAKES = [
    (["rnu"], "agrad: no such command 'rnu'. Did you mean 'agrad run'?"),
    (["iris"], "agrad: no such command 'iris'. Did you mean 'agrad run iris'?"),
    (["qqqqq"], "agrad: no such command 'qqqqq'. The commands are: run, graph"),
    (["--json"], "agrad: no such option '--json'. The options of a command stand after it."),
    (["run", "--jsn"], "agrad run: no such option '--jsn'. Did you mean '--json'?"),
    (["run", "abc", "iris"], "agrad run: got unexpected extra argument (iris)"),
    (["run", "--quiet", "--verbose"], "agrad run: --quiet and --verbose cannot both be meant"),
    (["run", "--record", "5"], "'5' is neither all, nor first:N,last:M, nor N..M"),
    (["run", "--record", "first:-1"], "'first:-1' is neither"),
    (["run", "--record", "3..2"], "'3..2' names no pass"),
    (["run", "--record", "0..2"], "passes are counted from 1"),
    (["run", "--timeout", "soon"], "'soon' is not a positive number of seconds"),
    (["run", "--timeout", "nan"], "'nan' is not a positive number of seconds"),
    (["run", "--timeout", "0"], "'0' is not a positive number of seconds"),
    (["run", "--seed", "1.5"], "'1.5' is not an integer"),
    (["run", "--seed", str(2**64)], "is out of range"),
    (["run", "--max-elements", "0"], "it must be at least 1"),
    (["graph", "--pass", "0"], "passes are counted from 1"),
    (["graph", "--pass", "one"], "'one' is not an integer"),
    (["graph", "-o"], "agrad graph: option '-o' requires an argument"),
    (["graph", "-o", "picture.bmp2"], "Formats: svg, png, dot, json, "),
    (["graph", "-o", "picture"], "the ending of 'picture' is not that of a format"),
    (["graph", "--dot", "-o", "picture.svg"], "one result has one form, and the options name 2: 'dot', 'svg'"),
    (["graph", "--dot", "--json"], "one result has one form"),
    (["schema", "--json"], "agrad schema: no such option '--json'"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_mistake_is_explained(invoke, arguments, message):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    lines = result.stderr.splitlines()
    assert lines[-2].startswith("Usage: agrad")
    assert lines[-1].startswith("Help:  agrad")


def test_mistake_prints_nothing_on_standard_output(invoke):
    assert invoke("run", "--jsn").stdout == ""


@pytest.mark.parametrize("command", ["run", "graph"])
def test_mistake_with_json_is_a_document_too(invoke, command):
    result = invoke(command, "--json", "--record", "5")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert document["format"] == f"agrad/{command}@1"
    assert document["status"] == "error"
    assert document["error"]["kind"] == "BadArgument"
    assert "'5' is neither all" in document["error"]["message"]


@pytest.mark.parametrize("value", ["all", "first:3", "last:2", "first:1,last:4", "First:1, Last:4", "7..9", "1..1"])
def test_record_accepts(value):
    from autograd_cli.cli.options import record_value

    assert record_value(None, None, value) == value.replace(" ", "").lower()


@pytest.mark.parametrize(("text", "number"), [("12", 12), ("-3", -3), ("1e6", 1_000_000), ("1_000", 1000)])
def test_integer_accepts(text, number):
    from autograd_cli.cli.options import integer

    assert integer(-10)(None, None, text) == number
