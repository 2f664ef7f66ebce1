"""Values of a script as plain data: the VALUE of OUTPUT.md."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_cli import torch
from autograd_cli.trace.snapshot import Snapshot, is_shown, nested, number


def value(thing, node_id=lambda node: None):
    """The VALUE of `thing`, after it went through JSON."""
    made = Snapshot(node_id).value(thing)
    assert msgspec.json.decode(msgspec.json.encode(made)) == made
    return made


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        (None, {"type": "NoneType", "value": None}),
        (True, {"type": "bool", "value": True}),
        (3, {"type": "number", "value": 3}),
        (0.1, {"type": "number", "value": 0.1}),
        (float("nan"), {"type": "number", "value": "nan"}),
        (float("inf"), {"type": "number", "value": "inf"}),
        (float("-inf"), {"type": "number", "value": "-inf"}),
        (2 - 3j, {"type": "number", "value": [2.0, -3.0]}),
        (complex("inf+nanj"), {"type": "number", "value": ["inf", "nan"]}),
        ("text \N{SNOWMAN}", {"type": "str", "value": "text \N{SNOWMAN}"}),
        ([], {"type": "list", "items": []}),
        ((1, "a"), {"type": "tuple", "items": [{"type": "number", "value": 1}, {"type": "str", "value": "a"}]}),
        (
            {"k": None, 3: 4},
            {"type": "dict", "items": {"k": {"type": "NoneType", "value": None}, "3": {"type": "number", "value": 4}}},
        ),
        (torch.Size([2, 3]), {"type": "tuple", "items": [{"type": "number", "value": 2}, {"type": "number", "value": 3}]}),
        (object(), {"type": "object"}),
        (np.float64(0.5), {"type": "number", "value": 0.5}),
        (np.float32(0.5), {"type": "number", "value": 0.5}),
        (np.int64(5), {"type": "number", "value": 5}),
        (np.bool_(True), {"type": "bool", "value": True}),
        (np.str_("s"), {"type": "str", "value": "s"}),
    ],
    ids=repr,
)
def test_plain_values(thing, expected):
    assert value(thing) == expected


@pytest.mark.parametrize(
    "huge", [2**63, 2**64 - 1, -(2**63), 2**64, -(2**63) - 1, 10**50, 7**200_000], ids=lambda n: f"{n.bit_length()} bits"
)
def test_integers_of_any_size_survive_json(huge):
    shown = value(huge)["value"]
    assert shown == huge if isinstance(shown, int) else int(shown, 0) == huge


class Number(float):
    pass


class Text(str):
    __slots__ = ()


def test_subclasses_of_numbers_and_text_are_numbers_and_text():
    assert value(Number(1.5)) == {"type": "number", "value": 1.5}
    assert value(Text("t")) == {"type": "str", "value": "t"}


def test_a_leaf():
    a = torch.tensor([[1.0, 2.0]], requires_grad=True)
    (a * 3).sum().backward()
    assert value(a, lambda node: 7) == {
        "type": "tensor",
        "shape": [1, 2],
        "dtype": "float32",
        "device": "cpu",
        "requires_grad": True,
        "is_leaf": True,
        "grad_fn": None,
        "node": 7,
        "version": 0,
        "value": [[1.0, 2.0]],
        "grad": [[3.0, 3.0]],
    }


def test_an_inner_tensor_and_one_without_a_graph():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = value(a * 2, lambda node: 4)
    assert (y["grad_fn"], y["node"], y["is_leaf"], y["requires_grad"], y["grad"]) == ("MulBackward0", 4, False, True, None)
    d = torch.ones(2).add_(1)
    assert (value(d)["grad_fn"], value(d)["node"], value(d)["is_leaf"], value(d)["version"]) == (None, None, True, 1)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: torch.tensor(2.5), 2.5),
        (lambda: torch.tensor([float("nan"), float("inf"), -float("inf"), 1]), ["nan", "inf", "-inf", 1.0]),
        (lambda: torch.tensor([1 + 2j, complex("nan+infj")]), [[1.0, 2.0], ["nan", "inf"]]),
        (lambda: torch.tensor([True, False]), [True, False]),
        (lambda: torch.tensor([1, -(2**63)]), [1, -(2**63)]),
        (lambda: torch.zeros(0, 3), []),
        (lambda: torch.zeros(2, 0), [[], []]),
        (lambda: torch.tensor([0.5], dtype=torch.float16), [0.5]),
    ],
    ids=["0-d", "not finite", "complex", "bool", "int", "0x3", "2x0", "half"],
)
def test_values_of_tensors(make, expected):
    assert value(make())["value"] == expected


def test_single_precision_values_are_written_in_full():
    x = torch.tensor([0.1])
    assert value(x)["value"] == [float(np.float32(0.1))]


def test_the_largest_tensor_that_is_written_out_and_the_next_one():
    whole, too_large = value(torch.zeros(100, 100)), value(torch.zeros(10_001))
    assert np.shape(whole["value"]) == (100, 100)
    assert "elided" not in whole
    assert too_large["value"] is None
    assert too_large["elided"] is True
    assert too_large["shape"] == [10_001]


def test_a_list_inside_itself_is_a_cycle_and_one_that_is_there_twice_is_not():
    inner = [1]
    outer = [inner, inner]
    outer.append(outer)
    shown = value(outer)
    assert shown["items"][0] == shown["items"][1] == {"type": "list", "items": [{"type": "number", "value": 1}]}
    assert shown["items"][2] == {"type": "cycle"}
    loop = {"self": None}
    loop["self"] = ([loop],)
    assert value(loop)["items"]["self"]["items"][0]["items"][0] == {"type": "cycle"}


def test_a_list_nested_a_hundred_thousand_deep_is_cut():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    shown, depth = value(deep), 0
    while shown["items"]:
        shown, depth = shown["items"][0], depth + 1
    assert shown == {"type": "list", "items": [], "elided": True}
    assert 50 <= depth <= 200
    while deep:  # taken apart by hand, so that the interpreter need not
        deep = deep[0]


def test_a_list_that_doubles_itself_forty_times_is_cut():
    doubled = [0]
    for _ in range(40):
        doubled = [doubled, doubled]
    assert len(msgspec.json.encode(value(doubled))) < 20_000_000


def test_a_long_list_is_cut_and_says_so():
    shown = value(list(range(1_000_000)))
    assert shown["elided"] is True
    assert len(shown["items"]) < 200_000


def test_a_module_shows_its_parameters():
    class Linear:
        def named_parameters(self):
            return [("weight", torch.ones(2, requires_grad=True))]

    shown = value(Linear())
    assert (shown["type"], shown["class"]) == ("module", "Linear")
    assert shown["parameters"]["weight"]["value"] == [1.0, 1.0]


@pytest.mark.parametrize(
    "hidden", [math, len, lambda: 0, int, torch], ids=["module", "builtin", "function", "class", "namespace"]
)
def test_functions_classes_and_modules_are_not_shown(hidden):
    assert not is_shown("name", hidden)
    assert is_shown("name", 3)
    assert not is_shown("__builtins__", {})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_any_plain_value_survives_json(thing):
    value(thing)


@given(st.floats(width=64))
def test_every_float_comes_back(x):
    shown = msgspec.json.decode(msgspec.json.encode(number(x)))
    assert float(shown) == x or math.isnan(x)


@given(st.lists(st.floats(width=32), min_size=1, max_size=5))
def test_nested_values_are_exact(values):
    data = np.array(values, np.float32)
    back = np.array([float(v) for v in nested(data)], np.float32)
    assert np.array_equal(back, data, equal_nan=True)
