"""The events of a run: kinds, fields and order as OUTPUT.md's contract has them."""

from __future__ import annotations

from traced import names, trace_of

COMMON = {"seq", "t", "worker", "device", "pass", "kind"}
FIELDS = {  # kind -> its own fields
    "record": {"node", "line", "variable"},
    "save": {"node", "name", "storage", "bytes", "version"},
    "pass_start": {"roots"},
    "dependencies": {"counts"},
    "ready": {"node", "why"},
    "evaluate_start": {"node"},
    "evaluate_end": {"node"},
    "accumulate": {"node", "variable", "into"},
    "hook": {"node"},
    "release": {"node", "why"},
    "write": {"storage", "version", "line"},
    "pass_end": set(),
}

SCRIPT = """
    a = torch.ones(2, requires_grad=True)
    y = a.exp()
    a.register_hook(lambda g: None)
    y.sum().backward()
    b = torch.ones(2)
    b.mul_(2)
"""


def test_every_event_has_the_fields_of_its_kind():
    events = trace_of(SCRIPT, events=True).events
    assert {e["kind"] for e in events} == set(FIELDS)
    for event in events:
        assert COMMON | FIELDS[event["kind"]] <= set(event), event
        assert not [key for key in event if key.startswith("_")]


def test_events_are_numbered_and_timed_in_order():
    events = trace_of(SCRIPT, events=True).events
    assert [e["seq"] for e in events] == list(range(len(events)))
    times = [e["t"] for e in events]
    assert times == sorted(times)
    assert times[0] >= 0


def test_a_pass_is_told_from_start_to_end():
    trace = trace_of(SCRIPT, events=True)
    told = [
        (e["kind"], *(names(trace, [e["node"]]) if "node" in e else ()), *([e["why"]] if "why" in e else ()))
        for e in trace.events
        if e["pass"] == 0
    ]
    assert told == [
        ("pass_start",),
        ("dependencies",),
        ("ready", "SumBackward0", "root"),
        ("evaluate_start", "SumBackward0"),
        ("evaluate_end", "SumBackward0"),
        ("ready", "ExpBackward0", "last_gradient"),
        ("evaluate_start", "ExpBackward0"),
        ("evaluate_end", "ExpBackward0"),
        ("release", "ExpBackward0", "pass"),
        ("ready", "a", "last_gradient"),
        ("hook", "a"),
        ("evaluate_start", "a"),
        ("accumulate", "a"),
        ("evaluate_end", "a"),
        ("pass_end",),
    ]


def test_the_forward_is_told_outside_of_passes():
    trace = trace_of(SCRIPT, events=True)
    outside = [(e["kind"], e.get("line")) for e in trace.events if e["pass"] is None]
    assert outside == [("record", 2), ("save", None), ("record", 4), ("write", 6)]


def test_nodes_and_variables_are_told_by_id_and_name():
    trace = trace_of(SCRIPT, events=True)
    by_kind = {e["kind"]: e for e in trace.events}
    ids = {n.variable: n.id for n in trace.graph.nodes}
    assert by_kind["accumulate"]["node"] == ids["a"]
    assert by_kind["accumulate"]["variable"] == "a"
    assert by_kind["accumulate"]["into"] == "grad"
    assert by_kind["save"]["node"] == ids["y"]
    assert by_kind["pass_start"]["roots"] == trace.passes[0].roots
    assert by_kind["dependencies"]["counts"] == trace.passes[0].dependencies


def test_counts_that_fall_to_zero_make_a_node_ready_exactly_once():
    trace = trace_of(
        """
        a = torch.ones(2, requires_grad=True)
        y = a * a
        z = (y + y * a).sum()
        z.backward()
        """,
        events=True,
    )
    ready = [e["node"] for e in trace.events if e["kind"] == "ready"]
    assert sorted(ready) == sorted(map(int, trace.passes[0].dependencies))
    ends = [e["node"] for e in trace.events if e["kind"] == "evaluate_end"]
    assert ends == trace.passes[0].order


def test_saved_storages_are_told_apart_and_shared_ones_are_recognised():
    trace = trace_of(
        """
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2)
        y = a * b
        z = a * b.detach()
        w = a * torch.ones(2)
        b.add_(1)
        """,
        events=True,
    )
    saved = [e["storage"] for e in trace.events if e["kind"] == "save"]
    assert saved[0] == saved[1] != saved[2]
    (write,) = (e for e in trace.events if e["kind"] == "write")
    assert (write["storage"], write["version"], write["line"]) == (saved[0], 1, 6)


def test_retained_graphs_release_nothing():
    trace = trace_of(
        """
        a = torch.ones(2, requires_grad=True)
        y = a.exp().sum()
        y.backward(retain_graph=True)
        """,
        events=True,
    )
    assert not [e for e in trace.events if e["kind"] == "release"]


def test_without_events_none_are_kept():
    assert "events" not in vars_of(trace_of(SCRIPT))


def vars_of(trace):
    """The fields that are set, as the codec writes them."""
    import msgspec

    return msgspec.to_builtins(trace)
