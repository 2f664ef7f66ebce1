"""`--check`: what is expected against the plain data of a Trace."""

import math

import pytest

from autograd_cli.scenario.expect import check
from autograd_cli.scenario.load import read_scenario
from autograd_cli.trace.model import EdgeRecord, ErrorRecord, Graph, NodeRecord, PassRecord, ScenarioRecord, Trace


def tensor(value, shape, grad=None, dtype="float32", node=None, **more):
    return {"type": "tensor", "shape": shape, "dtype": dtype, "value": value, "grad": grad, "node": node, **more}


def node(id, name, next=()):
    edges = [EdgeRecord(target, 0) for target in next]
    return NodeRecord(
        id=id, name=name, sequence_nr=id, variable=None, line=1, device="cpu", shape=[], dtype="float32", next=edges, saved=[]
    )


def one_pass(dependencies, order, **more):
    return PassRecord(
        kind="backward", line=9, roots=[4], dependencies=dependencies, order=order, duration=0.0, peak_bytes=0, **more
    )


def error(message):
    return ErrorRecord("ScriptRaised", "ValueError", message, 3, 1, "x", None, None, None, [])


VARIABLES = {
    "a": tensor([[0.5, 0.25], [1.0, 2.0]], [2, 2], [[1.0, 1.0], [1.0, 1.0]], node=2),
    "half": tensor([1.0], [1], dtype="float16"),
    "double": tensor(1.0, [], dtype="float64"),
    "odd": tensor(["nan", "inf", "-inf"], [3]),
    "odd_floats": tensor([math.nan, math.inf, -math.inf], [3]),
    "z": tensor([[1.0, 2.0], [3.0, 4.0]], [2], [[0.0, 1.0], [0.0, 1.0]], dtype="complex64"),
    "mask": tensor([True, False], [2], dtype="bool"),
    "ints": tensor([1, 2], [2], dtype="int64"),
    "none_left": tensor([], [0, 3]),
    "big": tensor(None, [100, 200], elided=True),
    "d": tensor(3.75, [], node=4),
    "e": tensor(0.0, [], node=5),
    "constant": tensor(1.0, []),
    "n": {"type": "number", "value": 3},
    "x": {"type": "number", "value": 1.5},
    "name": {"type": "str", "value": "Ada"},
    "flag": {"type": "bool", "value": True},
    "nothing": {"type": "NoneType", "value": None},
    "pair": {"type": "tuple", "items": [{"type": "number", "value": 1}, tensor([1.0, 2.0], [2])]},
    "table": {"type": "dict", "items": {"k": {"type": "number", "value": 1}}},
    "net": {"type": "module", "class": "Net", "parameters": {"0.weight": tensor([[1.0]], [1, 1], [[0.5]])}},
    "opt": {"type": "SGD"},
}


def trace(**changes):
    fields = {
        "format": "agrad/run@1",
        "scenario": ScenarioRecord(None, None, 0, "cpu", "float32"),
        "status": "ok",
        "error": None,
        "warnings": [],
        "stdout": "one  \ntwo\n\n",
        "variables": VARIABLES,
        "graph": Graph([node(2, "AccumulateGrad"), node(4, "SumBackward0", [2]), node(5, "MulBackward0", [2])]),
        "passes": [
            one_pass({"5": 7}, [5]),
            one_pass({"4": 0, "2": 1}, [4, 2]),
            one_pass({}, [], elided=True),
            one_pass({"5": 9}, [5], inside="gradcheck"),
        ],
    }
    return Trace(**{**fields, **changes})


def differences(expect, **changes):
    text = f"forward: x = 1\nexpect: {expect}"
    return [str(found) for found in check(read_scenario(text.encode(), None, "s.yaml").expect, trace(**changes))]


@pytest.mark.parametrize(
    "expect",
    [
        "{}",
        "{variables: {a: [[0.5, 0.25], [1, 2]], n: 3, x: 1.5, name: Ada, flag: true, nothing: null}}",
        "{variables: {a: [[0.5000001, 0.25], [1, 2]]}}",
        "{variables: {half: [1.0009]}}",
        "{variables: {double: 1.0000001}}",
        "{variables: {odd: [nan, inf, -inf], odd_floats: [.nan, .inf, -.inf]}}",
        "{variables: {z: [[1, 2], [3, 4]], mask: [true, false], ints: [1, 2], none_left: []}}".replace(", none_left: []", ""),
        "{variables: {pair: [1, [1, 2]], table: {k: 1}, net.0.weight: [[1]]}}",
        "{variables: {a: [[0.6, 0.3], [1, 2]]}, atol: 0.2}",
        "{variables: {a: [[0.6, 0.3], [1, 2]]}, rtol: 0.5}",
        "{variables: {ints: [1, 3]}, atol: 1}",
        "{grads: {a: [[1, 1], [1, 1]], net.0.weight: [[0.5]], z: [[0, 1], [0, 1]], d: null}}",
        "{dependencies: {d: 0, a: 1, e: 0, constant: 0}}",
        "{order: [SumBackward0, AccumulateGrad]}",
        '{stdout: "one\\ntwo"}',
        '{stdout: "one \\ntwo  \\n\\n"}',
    ],
)
def test_as_expected(expect):
    assert differences(expect) == []


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ("{variables: {a: [[0.5, 0.25], [1, 2.1]]}}", "variables.a at [1][1] is 2.0, expected 2.1 (rtol 1.3e-06, atol 1e-05)"),
        ("{variables: {a: [[9, 9], [1, 2]]}}", "2 of 4 values differ"),
        ("{variables: {a: [1, 2]}}", "has shape [2, 2], expected [2]"),
        ("{variables: {a: [[1], [2, 3]]}}", "ragged"),
        ("{variables: {half: [1.01]}}", "rtol 0.001"),
        ("{variables: {double: 1.000001}}", "rtol 1e-07"),
        ("{variables: {odd: [1, inf, -inf]}}", "at [0] is 'nan', expected 1"),
        ("{variables: {odd: [nan, -inf, -inf]}}", "at [1]"),
        ("{variables: {z: [1, 2]}}", "has shape [2], expected [2] (complex"),
        ("{variables: {mask: [1, 0]}}", "2 of 2"),
        ("{variables: {ints: [1, 3]}}", "at [1] is 2, expected 3"),
        ("{variables: {n: 3.5}}", "is 3, expected 3.5"),
        ("{variables: {name: Eve}}", "is 'Ada', expected 'Eve'"),
        ("{variables: {flag: 1}}", "is True, expected 1"),
        ("{variables: {nothing: 0}}", "is None, expected 0"),
        ("{variables: {pair: [1]}}", "has 2 items, expected 1 items"),
        ("{variables: {pair: [1, [1, 3]]}}", "differs at [1]: it at [1] is 2.0"),
        ("{variables: {table: {q: 1}}}", "has the keys ['k'], expected ['q']"),
        ("{variables: {table: {k: 2}}}", "differs at ['k']"),
        ("{variables: {big: [1]}}", "too large"),
        ("{variables: {opt: 1}}", "is a SGD"),
        ("{variables: {nme: Ada}}", "did you mean name or net?"),
        ("{variables: {zzzzz: 1}}", "the run left a, half"),
        ("{grads: {a: [[1, 1], [1, 2]]}}", "grads.a at [1][1] is 1.0, expected 2 (rtol 1.3e-06, atol 1e-05) (s.yaml:2:18)"),
        ("{grads: {d: 1}}", "grads.d is None"),
        ("{grads: {a: null}}", "grads.a is there, expected none"),
        ("{grads: {n: 1}}", "is of a number, which has no grad"),
        ("{grads: {net.0.wight: 1}}", "did you mean net.0.weight"),
        ("{grads: {big: 1}}", "too large"),
        ("{dependencies: {a: 2}}", "dependencies.a is 1, expected 2"),
        ("{dependencies: {e: 9}}", "dependencies.e is 0, expected 9"),
        ("{dependencies: {q: 1}}", "no variable q"),
        (
            "{order: [AccumulateGrad, SumBackward0]}",
            "order is SumBackward0, AccumulateGrad; expected AccumulateGrad, SumBackward0",
        ),
        ("{order: [SumBackward0]}", "first different: 2"),
        ("{stdout: one}", "stdout goes on after line 1: 'two'"),
        ('{stdout: "one\\n2"}', "stdout line 2 is 'two', expected '2'"),
        ('{stdout: "one\\ntwo\\nthree"}', "stdout ends after 2 lines, expected line 3: 'three'"),
        ('{stdout: ""}', "goes on after line 0"),
        ("{error: boom}", "error is missing: the run worked"),
    ],
)
def test_differences_say_what_and_where(expect, words):
    (found,) = differences(expect)
    assert words in found


def test_an_expected_error_must_happen_and_its_message_contain_the_text():
    failed = {"status": "error", "error": error("shapes [2] and [3]\n do not fit")}
    assert differences("{error: do not fit}", **failed) == []
    assert differences("{error: '[3] do not'}", **failed) == []
    (found,) = differences("{error: overflow}", **failed)
    assert "expected it to contain 'overflow'" in found


def test_an_error_that_nobody_expects_is_a_difference():
    (found,) = differences("{}", status="error", error=error("division by zero"))
    assert found == "the run failed: division by zero"


def test_values_are_checked_also_when_the_error_was_expected():
    (found,) = differences("{error: x, variables: {n: 4}}", status="error", error=error("x"))
    assert found.startswith("variables.n")


def test_without_a_pass():
    assert differences("{dependencies: {a: 1}}", passes=[]) == [
        "dependencies.a cannot be checked: no backward pass ran (s.yaml:2:25)"
    ]
    assert "no backward pass" in differences("{order: []}", passes=[])[0]


def test_every_difference_is_reported():
    found = differences("{variables: {n: 1, x: 1}, grads: {a: 1}, dependencies: {a: 3}, order: [], stdout: x}")
    assert [line.split()[0] for line in found] == ["variables.n", "variables.x", "grads.a", "dependencies.a", "order", "stdout"]


def test_empty_tensors():
    assert differences("{variables: {none_left: []}}") == []
    assert differences("{variables: {none_left: [1]}}") != []
    empty = {"none": tensor([], [0])}
    assert differences("{variables: {none: []}}", variables=empty) == []
