"""The comparison that `agrad compare` and the fidelity tests rest on: it sees each kind of difference, and names it well."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fidelity"))

from golden import NAMES, golden

from autograd_cli.pytorch.comparison import compare_traces
from autograd_cli.scenario.closeness import Tolerance
from autograd_cli.trace.compare_model import WHAT
from autograd_cli.trace.model import EdgeRecord, Trace

Change = Callable[[Trace], Any]


def changed(name: str, change: Change) -> Trace:
    """A golden with one thing changed."""
    trace = copy.deepcopy(golden(name))
    change(trace)
    return trace


def set_node(number: int, **fields: Any) -> Change:
    """A change of a node."""

    def change(trace: Trace) -> None:
        trace.graph.nodes[number] = msgspec.structs.replace(trace.graph.nodes[number], **fields)

    return change


# Of the program retain_grad: y = x * 3, z = (y * y).sum(), z.backward(). Ids: 0 sum, 1 mul, 2 mul (y), 3 the leaf x.
CHANGES: list[tuple[Change, list[tuple[str, str]]]] = [
    (lambda t: t.passes[0].order.reverse(), [("order", "step 1 of pass 1")]),
    (lambda t: t.passes[0].order.pop(), [("order", "step 4 of pass 1")]),
    (lambda t: t.passes[0].dependencies.update({"2": 1}), [("dependencies", "MulBackward0 in pass 1")]),
    (lambda t: t.passes[0].dependencies.pop("2"), [("dependencies", "MulBackward0 in pass 1")]),
    (lambda t: setattr(t.passes[0], "line", 8), [("pass", "pass 1.line")]),
    (lambda t: setattr(t.passes[0], "kind", "grad"), [("pass", "pass 1.kind")]),
    (lambda t: t.passes.pop(), [("pass", "passes that begin at line 9")]),
    (lambda t: t.graph.nodes[1].next.pop(), [("edge", "MulBackward0: number of edges")]),
    (set_node(1, next=[EdgeRecord(2, 0), None]), [("edge", "MulBackward0, edge 1")]),
    (set_node(1, next=[EdgeRecord(2, 0), EdgeRecord(2, 1)]), [("edge", "MulBackward0, edge 1")]),
    (lambda t: t.graph.nodes[1].saved.pop(), [("saved", "MulBackward0")]),
    (set_node(1, shape=[2, 2]), [("node", "MulBackward0.shape")]),
    (set_node(0, dtype="float64"), [("node", "SumBackward0.dtype")]),
    (set_node(1, sequence_nr=-1), [("sequence", "MulBackward0")]),
    (lambda t: t.variables["x"].update(grad=[18.0, 36.001]), [("gradient", "x[1]")]),
    (lambda t: t.variables["x"].update(grad=None), [("gradient", "x")]),
    (lambda t: t.variables["x"].update(value=[1.0, "nan"]), [("value", "x[1]")]),
    (lambda t: t.variables["y"].update(version=1), [("variable", "y.version")]),
    (lambda t: t.variables["y"].update(dtype="float64"), [("variable", "y.dtype")]),
    (lambda t: t.variables["x"].update(node=1), [("variable", "x.node")]),
    (lambda t: t.variables.pop("y"), [("variable", "y")]),
    (lambda t: t.variables.update(y={"type": "number", "value": 3.0}), [("variable", "y.type")]),
    (lambda t: setattr(t, "stdout", t.stdout.replace("12", "13")), [("stdout", "line 2 of what is printed")]),
    (lambda t: setattr(t, "stdout", t.stdout + "more\n"), [("stdout", "line 3 of what is printed")]),
]


@pytest.mark.parametrize(("change", "expected"), CHANGES, ids=lambda value: value[0][1] if isinstance(value, list) else "")
def test_one_change_is_one_difference(change: Change, expected: list[tuple[str, str]]) -> None:
    found = compare_traces(changed("retain_grad", change), golden("retain_grad"))
    assert [(one.what, one.where) for one in found.in_order()] == expected


def test_a_wrong_node_is_named_where_it_is_and_not_below() -> None:
    """Everything that speaks of the node says so; what is below it, which both sides have, is not held against it."""
    found = compare_traces(changed("retain_grad", set_node(0, name="SumBackward1")), golden("retain_grad"))
    assert [(one.what, one.ours, one.torch) for one in found.differences if one.what == "node"] == [
        ("node", "SumBackward1", "SumBackward0")
    ]
    assert {one.what for one in found.differences} <= {"node", "variable", "dependencies", "order"}


def test_a_rounding_error_is_no_difference() -> None:
    rounded = changed("retain_grad", lambda t: t.variables["x"].update(grad=[18.000001, 36.0]))
    assert compare_traces(rounded, golden("retain_grad")).differences == []
    assert len(compare_traces(rounded, golden("retain_grad"), Tolerance(rtol=0.0, atol=0.0)).differences) == 1


def test_nan_equals_nan() -> None:
    def change(trace: Trace) -> None:
        trace.variables["x"]["value"] = ["nan", "-inf"]

    both = changed("retain_grad", change)
    assert compare_traces(both, copy.deepcopy(both)).differences == []


def test_of_two_runs_that_end_differently_only_what_both_have_is_compared() -> None:
    shorter = changed("error_in_loop", lambda t: setattr(t.error, "line", 6))
    shorter.variables.pop("total")
    found = compare_traces(shorter, golden("error_in_loop"))
    (only,) = found.differences
    assert (only.what, only.ours, only.torch) == (
        "error",
        {"type": "RuntimeError", "line": 6},
        {"type": "RuntimeError", "line": 7},
    )


def test_counts_say_how_much_was_compared() -> None:
    found = compare_traces(golden("retain_grad"), golden("retain_grad"))
    assert found.differences == []
    assert {one.what: one.equal for one in found.compared()} == {
        "node": 4,
        "edge": 5,
        "saved": 3,
        "sequence": 3,
        "variable": 3,
        "value": 3,
        "gradient": 3,
        "pass": 1,
        "dependencies": 4,
        "order": 4,
        "stdout": 2,
    }
    assert [one.what for one in found.compared()] == [what for what in WHAT if what != "error"]


@pytest.mark.parametrize("name", NAMES)
def test_ids_mean_nothing(name: str) -> None:
    """A golden beside itself with its nodes numbered the other way round."""
    assert compare_traces(renumbered(golden(name)), golden(name)).differences == []


def renumbered(trace: Trace) -> Trace:
    """The same run with the ids of its nodes in reverse."""
    trace = copy.deepcopy(trace)
    new = {node.id: len(trace.graph.nodes) - 1 - place for place, node in enumerate(trace.graph.nodes)}
    for node in trace.graph.nodes:
        node.id = new[node.id]
        node.next = [edge and EdgeRecord(new[edge.node], edge.input) for edge in node.next]
    trace.graph.nodes.sort(key=lambda node: node.id)
    for one in trace.passes:
        one.roots, one.order = [new[node] for node in one.roots], [new[node] for node in one.order]
        one.dependencies = {str(new[int(node)]): count for node, count in one.dependencies.items()}
    values = list(trace.variables.values())
    while values:
        value = values.pop()
        if value["type"] == "tensor" and value["node"] is not None:
            value["node"] = new[value["node"]]
        inside = value.get("items") or value.get("parameters") or ()
        values.extend(inside.values() if isinstance(inside, dict) else inside)
    return trace


def test_a_pass_more_is_one_difference() -> None:
    name = next(name for name in NAMES if len(golden(name).passes) >= 4 and len({one.line for one in golden(name).passes}) >= 4)
    found = compare_traces(changed(name, lambda trace: trace.passes.pop(1)), golden(name))
    assert [one.what for one in found.differences] == ["pass"]


def test_a_printed_line_more_is_one_difference() -> None:
    def change(trace: Trace) -> None:
        first, rest = trace.stdout.split("\n", 1)
        trace.stdout = f"{first}\none more\n{rest}"

    name = next(name for name in NAMES if len(golden(name).stdout.splitlines()) >= 5)
    found = compare_traces(changed(name, change), golden(name))
    assert [(one.what, one.where, one.ours, one.torch) for one in found.differences] == [
        ("stdout", "line 2 of what is printed", "one more", None)
    ]
