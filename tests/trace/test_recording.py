"""What a Trace says of the graph: nodes, edges, lines, variables, saved tensors, passes (names and orders as PyTorch has them)."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest
from traced import as_trace, by_variable, names, record, trace_of

from autograd_cli import torch
from autograd_cli.core.modes import modes
from autograd_cli.trace.event_recorder import EventRecorder
from autograd_cli.trace.model import EdgeRecord
from autograd_cli.trace.recorder import Recorder

ABC = """
    a = torch.ones(3, 3, requires_grad=True)
    b = torch.ones(3, 3, requires_grad=True)
    c = torch.ones(3, 3, requires_grad=True)
    d = a + b
    e = b * c
    d.sum().backward()
"""


def test_nodes_are_numbered_in_the_order_of_recording_and_leaves_come_before_their_first_use():
    trace = trace_of(ABC)
    assert [(n.id, n.name, n.variable) for n in trace.graph.nodes] == [
        (0, "AccumulateGrad", "a"),
        (1, "AccumulateGrad", "b"),
        (2, "AddBackward0", "d"),
        (3, "AccumulateGrad", "c"),
        (4, "MulBackward0", "e"),
        (5, "SumBackward0", None),
    ]


def test_edges_and_lines_and_shapes():
    nodes = trace_of(ABC).graph.nodes
    assert [n.next for n in nodes] == [
        [],
        [],
        [EdgeRecord(0, 0), EdgeRecord(1, 0)],
        [],
        [EdgeRecord(1, 0), EdgeRecord(3, 0)],
        [EdgeRecord(2, 0)],
    ]
    assert [n.line for n in nodes] == [1, 2, 4, 3, 5, 6]
    assert [n.shape for n in nodes] == [[3, 3]] * 5 + [[]]
    assert {n.dtype for n in nodes} == {"float32"}
    assert {n.device for n in nodes} == {"cpu"}


def test_a_pass_counts_dependencies_of_what_it_reaches_and_lists_what_it_ran():
    trace = trace_of(ABC)
    (found,) = trace.passes
    assert (found.kind, found.line, found.roots) == ("backward", 6, [5])
    assert found.dependencies == {"5": 0, "2": 1, "0": 1, "1": 1}
    assert found.order == [5, 2, 0, 1]
    assert found.duration >= 0


def test_peak_bytes_are_those_of_the_gradients_under_way():
    trace = trace_of("""
        a = torch.ones(10, requires_grad=True)
        a.exp().exp().exp().sum().backward()
    """)
    assert trace.passes[0].peak_bytes == 2 * 40  # one exp's gradient comes in, the other goes out


def test_sequence_numbers_keep_pytorchs_order_and_leaves_have_the_highest():
    nodes = trace_of(ABC).graph.nodes
    inner = [n.sequence_nr for n in nodes if not n.is_leaf]
    assert inner == sorted(set(inner))
    assert {n.sequence_nr for n in nodes if n.is_leaf} == {18446744073709551615}


def test_an_input_that_needs_no_gradient_is_an_edge_to_nowhere():
    trace = trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = a * 2
        z = 3 - y
    """)
    assert by_variable(trace)["y"].next == [EdgeRecord(0, 0), None]


def test_saved_tensors_with_version_and_size():
    trace = trace_of("""
        a = torch.ones(2, 3, requires_grad=True)
        b = torch.ones(3, dtype=torch.float64)
        b.add_(1)
        y = a * b
        z = y.exp()
    """)
    nodes = by_variable(trace)
    saved = [(s.name, s.shape, s.dtype, s.version, s.bytes) for s in nodes["y"].saved]
    assert saved == [("other", [3], "float64", 1, 24)]
    assert [(s.name, s.shape, s.dtype, s.bytes) for s in nodes["z"].saved] == [("result", [2, 3], "float64", 48)]


# ---- lines and variables ----


def test_a_variable_names_the_last_node_of_its_statement():
    nodes = by_variable(
        trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = (a * 2).exp() + 1
    """)
    )
    assert nodes["y"].name == "AddBackward0"


def test_the_last_top_level_name_bound_to_a_tensor_wins():
    nodes = by_variable(
        trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = a * 2
        loss = y
    """)
    )
    assert nodes["loss"].name == "MulBackward0"
    assert "y" not in nodes


def test_a_name_inside_a_function_names_its_node_and_the_line_is_the_inner_one():
    nodes = by_variable(
        trace_of("""
        def f(x):
            inner = x * 2
            return inner.exp()
        a = torch.ones(2, requires_grad=True)
        y = f(a)
    """)
    )
    assert (nodes["inner"].name, nodes["inner"].line) == ("MulBackward0", 2)
    assert (nodes["y"].name, nodes["y"].line) == ("ExpBackward0", 3)


def test_a_loop_names_the_node_of_every_iteration():
    trace = trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = a
        for i in range(3):
            y = y * 2
    """)
    assert [(n.name, n.variable, n.line) for n in trace.graph.nodes if not n.is_leaf] == [("MulBackward0", "y", 4)] * 3


def test_a_loop_of_one_composite_operation_names_its_result_in_every_iteration_and_nothing_inside():
    trace = trace_of("""
        y = torch.ones(2, 3, requires_grad=True)
        w = torch.ones(3, 3)
        b = torch.ones(3)
        for i in range(3):
            y = torch.nn.functional.linear(y, w).mean(0, keepdim=True).reshape(1, 3)
    """)
    named = [n.variable for n in trace.graph.nodes if not n.is_leaf]
    assert named.count("y") == 3
    assert named[-1] == "y"
    per_iteration = len(named) // 3
    assert named == ([None] * (per_iteration - 1) + ["y"]) * 3


def test_a_statement_over_several_lines_belongs_to_its_target():
    nodes = by_variable(
        trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = (
            a * 2
            + 1
        )
    """)
    )
    assert nodes["y"].name == "AddBackward0"


def test_what_leaves_the_graph_does_not_give_its_name_to_a_node():
    trace = trace_of("""
        a = torch.ones(2, requires_grad=True)
        n = (a * 2).sum().item()
    """)
    assert [n.variable for n in trace.graph.nodes] == ["a", None, None]


def test_leaves_of_a_module_have_its_path():
    class Module:
        def __init__(self):
            self.weight = torch.ones(2, requires_grad=True)

        def named_parameters(self):
            return [("0.weight", self.weight)]

    trace = trace_of("net = Module()\ny = net.weight * 2", Module=Module)
    assert [n.variable for n in trace.graph.nodes] == ["net.0.weight", "y"]


# ---- passes ----


def test_grad_is_restricted_to_what_it_runs_and_captured_nodes_are_not_listed():
    trace = trace_of("""
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2, requires_grad=True)
        d = (a * b).sum()
        g = torch.autograd.grad(d, [a])
    """)
    (found,) = trace.passes
    assert found.restricted is True
    assert found.kind == "grad"
    assert names(trace, found.order) == ["SumBackward0", "MulBackward0"]
    assert set(found.dependencies) == {str(i) for i in found.order}


def test_several_roots_and_a_root_that_feeds_another():
    trace = trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = (a * 2).sum()
        z = y * 3
        torch.autograd.backward([y, z, y])
    """)
    (found,) = trace.passes
    assert names(trace, found.roots) == ["SumBackward0", "MulBackward0", "SumBackward0"]
    assert {names(trace, [int(i)])[0]: n for i, n in found.dependencies.items() if int(i) in found.roots} == {
        "SumBackward0": 1,
        "MulBackward0": 0,
    }


def test_a_failed_pass_ends_with_the_node_that_raised():
    recorder, left = record("""
        a = torch.ones(2, requires_grad=True)
        b = a.exp()
        c = b.sum()
        b.detach().mul_(2)
        try:
            c.backward()
        except RuntimeError:
            pass
    """)
    trace = as_trace(recorder, left)
    (found,) = trace.passes
    assert found.failed is True
    assert names(trace, found.order) == ["SumBackward0", "ExpBackward0"]


def test_nodes_of_a_recorded_pass_have_the_line_of_the_node_they_come_from():
    trace = trace_of("""
        a = torch.ones(2, requires_grad=True)
        y = (a * a).exp()
        z = y.sum()
        (g,) = torch.autograd.grad(z, [a], create_graph=True)
    """)
    later = [n for n in trace.graph.nodes if n.id > by_variable(trace)["z"].id]
    assert later
    assert {n.line for n in later} <= {2, 3}


def test_a_pass_in_a_hook_is_a_pass_of_its_own_and_the_outer_one_goes_on():
    trace = trace_of(
        """
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2, requires_grad=True)
        def inner(g):
            with torch.enable_grad():
                (b * 5).sum().backward()
        y = a * 2
        y.register_hook(inner)
        y.sum().backward()
        (b * 3).sum().backward()
    """,
        events=True,
    )
    assert [(p.line, names(trace, p.order)) for p in trace.passes] == [
        (8, ["SumBackward0", "MulBackward0", "a"]),
        (5, ["SumBackward0", "MulBackward0", "b"]),
        (9, ["SumBackward0", "MulBackward0", "b"]),
    ]
    ends = [(e["kind"], e["pass"]) for e in trace.events if e["kind"] in ("pass_start", "pass_end")]
    assert ends == [("pass_start", 0), ("pass_start", 1), ("pass_end", 1), ("pass_end", 0), ("pass_start", 2), ("pass_end", 2)]


def test_many_passes_in_hooks_are_kept_and_left_out_like_others():
    recorder, left = record("""
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2, requires_grad=True)
        def inner(g):
            with torch.enable_grad():
                (b * 5).sum().backward()
        for i in range(6):
            y = a * 2
            y.register_hook(inner)
            y.sum().backward()
    """)
    trace = as_trace(recorder, left)
    assert [p.line for p in trace.passes] == [9, 5] * 6
    assert [p.elided is True for p in trace.passes] == [False] * 2 + [True] * 8 + [False] * 2
    assert {i for p in trace.passes for i in p.order} <= {n.id for n in trace.graph.nodes}


def test_a_leaf_that_is_its_own_root():
    trace = trace_of("""
        a = torch.tensor(2.0, requires_grad=True)
        a.backward()
    """)
    assert [(n.name, n.variable) for n in trace.graph.nodes] == [("AccumulateGrad", "a")]
    assert trace.passes[0].order == [0]


# ---- the Recorder itself ----


def test_a_recorder_listens_only_while_installed():
    recorder, _ = record("a = torch.ones(2, requires_grad=True)")
    assert modes.instrument is None
    before = len(recorder.entries())
    (torch.ones(2, requires_grad=True) * 2).sum().backward()
    assert len(recorder.entries()) == before
    assert recorder.passes == []


def test_reading_grad_of_an_inner_tensor_warns_once_a_line():
    recorder, _ = record("""
        a = torch.ones(2, requires_grad=True)
        y = a * 2
        for i in range(3):
            y.grad
        y.grad
    """)
    assert [(w.kind, w.line) for w in recorder.warnings] == [("NonLeafGrad", 4), ("NonLeafGrad", 5)]


def test_recording_changes_no_result():
    script = """
        torch.manual_seed(0)
        a = torch.rand(3, requires_grad=True)
        ((a * a).exp() / (a + 1)).sum().backward()
    """
    _, heard = record(script)
    scope = {"torch": torch}
    exec(compile("\n".join(line.strip() for line in script.splitlines()), "alone.py", "exec"), scope)
    assert heard["a"].grad.tolist() == scope["a"].grad.tolist()


@pytest.mark.parametrize("times", [2, 3])
def test_the_same_script_gives_the_same_trace(times):
    def normal():
        trace = trace_of(ABC)
        for p in trace.passes:
            p.duration = 0.0
        return trace

    assert all(normal() == normal() for _ in range(times))


def test_without_a_script_lines_are_those_of_the_code_that_uses_the_package():
    recorder = Recorder()
    with recorder:
        a = torch.ones(2, requires_grad=True)
        y = a * 2
    first = sys._getframe().f_lineno - 2
    trace = as_trace(recorder, {"a": a, "y": y})
    assert [(n.variable, n.line) for n in trace.graph.nodes] == [("a", first), ("y", first + 1)]


def test_recorders_nest_and_give_the_garbage_collector_back_as_it_was():
    before = gc.get_threshold()
    outer, inner = Recorder(), Recorder()
    with outer:
        a = torch.ones(2, requires_grad=True)
        with inner:
            y = a * 2
        z = y * 3
    assert gc.get_threshold() == before
    assert [e[0] for e in inner.entries().values()] == ["AccumulateGrad", "MulBackward0"]
    assert "MulBackward0" in [e[0] for e in outer.entries().values()]
    assert z.requires_grad


def test_a_long_chain_and_a_second_pass_through_it_are_recorded():
    trace = trace_of("""
        y = a = torch.tensor(1.0, requires_grad=True)
        for i in range(20000):
            y = y + 1
        y.backward()
        y.backward()
    """)
    assert len(trace.graph.nodes) == 20_001
    assert [len(p.order) for p in trace.passes] == [20_001, 20_001]
    assert trace.passes[0].dependencies == trace.passes[1].dependencies


def test_a_recorder_keeps_no_tensors_and_no_nodes_alive():
    recorder = EventRecorder()
    with recorder:
        a = torch.ones(2, requires_grad=True)
        y = a.exp()
        refs = [weakref.ref(a), weakref.ref(y), weakref.ref(y.grad_fn)]
        y.sum().backward()
        del a, y
        assert [ref() for ref in refs] == [None] * 3
    assert [e[0] for e in recorder.entries().values()] == ["AccumulateGrad", "ExpBackward0", "SumBackward0"]
