"""Which passes of a long run are kept, and that the rest leaves no traces in memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traced import as_trace, names, record, trace_of

from autograd_cli.errors import BadArgumentValue
from autograd_cli.trace.policy import KeepPolicy

LOOP = """
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.tensor([3.0, 4.0])
    for i in range({passes}):
        loss = ((w * x).exp() * 0.001).sum()
        loss.backward()
        w.grad = None
"""


def kept(trace):
    return [i for i, p in enumerate(trace.passes) if p.elided is not True]


@pytest.mark.parametrize(("passes", "expected"), [(1, 1), (8, 8), (9, 4), (50, 4)])
def test_up_to_eight_passes_are_kept_and_of_more_the_first_two_and_the_last_two(passes, expected):
    trace = trace_of(LOOP.format(passes=passes))
    assert len(trace.passes) == passes
    assert kept(trace) == (list(range(passes)) if passes <= 8 else [0, 1, passes - 2, passes - 1])
    assert len(kept(trace)) == expected


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("all", list(range(12))),
        ("first:1,last:3", [0, 9, 10, 11]),
        ("last:1", [11]),
        ("first:2", [0, 1]),
        ("first:0,last:0", []),
        ("5..7", [4, 5, 6]),
        ("12..12", [11]),
        ("20..30", []),
        ("first:6,last:6", list(range(12))),
    ],
)
def test_what_was_asked_for_is_kept(keep, expected):
    assert kept(trace_of(LOOP.format(passes=12), keep=keep)) == expected


def test_a_pass_left_out_keeps_its_counts_only():
    trace = trace_of(LOOP.format(passes=12))
    left_out, whole = trace.passes[5], trace.passes[1]
    assert (left_out.elided, left_out.order, left_out.dependencies, left_out.roots) == (True, [], {}, [])
    assert left_out.nodes == len(whole.order)
    assert left_out.peak_bytes == whole.peak_bytes
    assert left_out.line == whole.line
    assert left_out.duration > 0


def test_nodes_of_passes_left_out_are_left_out_and_the_others_are_whole():
    trace = trace_of(LOOP.format(passes=30))
    per_pass = ["MulBackward0", "ExpBackward0", "MulBackward0", "SumBackward0"]
    assert [n.name for n in trace.graph.nodes if not n.is_leaf] == per_pass * 4
    for i in kept(trace):
        assert names(trace, trace.passes[i].order) == [*reversed(per_pass), "w"]


def test_ids_are_dense_and_edges_lead_to_nodes_that_are_there():
    trace = trace_of(LOOP.format(passes=30))
    ids = [n.id for n in trace.graph.nodes]
    assert ids == list(range(len(ids)))
    assert all(e is None or e.node in ids for n in trace.graph.nodes for e in n.next)


def test_what_was_recorded_after_the_last_pass_is_kept():
    trace = trace_of(LOOP.format(passes=12) + "    last = w * 7")
    assert trace.graph.nodes[-1].variable == "last"


def test_a_node_of_a_dropped_pass_that_a_later_one_uses_is_kept_with_all_it_leads_to():
    trace = trace_of("""
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        base = None
        for i in range(30):
            if i == 10:
                base = (w * 2).exp()
            loss = (w * 3).sum() if base is None or i < 29 else (base * 5).sum()
            loss.backward()
    """)
    last = trace.passes[-1]
    assert names(trace, last.order) == ["SumBackward0", "MulBackward0", "ExpBackward0", "MulBackward0", "w"]
    assert [n.variable for n in trace.graph.nodes].count("base") == 1


def test_events_of_passes_left_out_are_left_out():
    trace = trace_of(LOOP.format(passes=12), events=True)
    assert {e["pass"] for e in trace.events if e["pass"] is not None} == {0, 1, 10, 11}
    seqs = [e["seq"] for e in trace.events]
    assert seqs == sorted(set(seqs))


def memory_of(recorder):
    """How many entries, events and pinned nodes a Recorder holds."""
    events = 0 if recorder.log is None else len(recorder.log.events)
    segments = [*recorder.segments.values(), recorder._segment]
    return sum(len(s.entries) + len(s.pinned) for s in segments) + len(recorder.segments) + events


@pytest.mark.parametrize("events", [False, True], ids=["quiet", "events"])
@pytest.mark.parametrize(
    "body",
    [
        "loss = (w * 2).exp().sum(); loss.backward()",
        "v = torch.ones(2, requires_grad=True); loss = (w * v).sum(); loss.backward()",
        "w = (w - 0.1).detach().requires_grad_(); (w * w).sum().backward()",
        "torch.autograd.grad((w * w).sum(), [w], create_graph=True)",
        "(g,) = torch.autograd.grad((w * w * w).sum(), [w], create_graph=True); g.sum().backward(); w.grad = None",
    ],
    ids=["plain", "new leaf", "rebound leaf", "recorded", "double"],
)
def test_a_loop_of_any_length_is_recorded_in_constant_memory(body, events):
    script = "w = torch.ones(2, requires_grad=True)\nfor i in range({}): " + body
    short, _ = record(script.format(50), events=events)
    long, left = record(script.format(500), events=events)
    assert memory_of(long) == memory_of(short)
    assert len(as_trace(long, left).graph.nodes) < 60


@pytest.mark.parametrize(
    "text",
    ["", "some", "first", "first:x", "first:1,first:2,last:1", "3..1", "0..4", "first:1;last:2", "middle:3", "1..", "-1..3"],
)
def test_text_that_says_nothing_is_refused(text):
    with pytest.raises(BadArgumentValue, match="--record") as caught:
        KeepPolicy.parse(text)
    assert "first:N,last:M" in caught.value.hint


@given(st.integers(0, 5), st.integers(0, 5), st.integers(1, 30))
def test_what_is_kept_at_the_end_was_kept_all_along(first, last, total):
    """A pass once dropped is gone, so a policy may never want back what it let go."""
    policy = KeepPolicy.parse(f"first:{first},last:{last}")
    for index in range(total):
        decisions = [policy.keeps(index, so_far) for so_far in range(index + 1, total + 1)]
        assert decisions == sorted(decisions, reverse=True)
