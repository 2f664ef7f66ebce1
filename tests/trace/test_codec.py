"""A Trace as JSON and back."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from traced import trace_of

from autograd_cli.errors import FileProblem, InplaceModified, InvalidScenario, Place
from autograd_cli.trace import codec
from autograd_cli.trace.model import (
    ACCUMULATE_GRAD_NR,
    CauseRecord,
    EdgeRecord,
    ErrorRecord,
    Graph,
    NodeRecord,
    PassRecord,
    SavedRecord,
    ScenarioRecord,
    Trace,
    WarningRecord,
)

TEXT = st.text(max_size=8)
SMALL = st.integers(0, 10**6)
MAYBE_LINE = st.none() | st.integers(1, 10**4)
FLOAT = st.floats(0, 1e6)


def unset(strategy):
    return st.just(UNSET) | strategy


NODES = st.builds(
    NodeRecord,
    id=SMALL,
    name=TEXT,
    sequence_nr=st.sampled_from([0, 5, ACCUMULATE_GRAD_NR]),
    variable=st.none() | TEXT,
    line=MAYBE_LINE,
    device=st.sampled_from(["cpu", "cuda:0"]),
    shape=st.none() | st.lists(SMALL, max_size=3),
    dtype=st.none() | TEXT,
    next=st.lists(st.none() | st.builds(EdgeRecord, SMALL, SMALL), max_size=3),
    saved=st.lists(st.builds(SavedRecord, TEXT, st.lists(SMALL, max_size=2), TEXT, SMALL, SMALL), max_size=2),
    message_id=unset(TEXT),
    peer=unset(TEXT),
)
PASSES = st.builds(
    PassRecord,
    kind=st.sampled_from(["backward", "grad"]),
    line=MAYBE_LINE,
    roots=st.lists(SMALL, max_size=2),
    dependencies=st.dictionaries(SMALL.map(str), SMALL, max_size=3),
    order=st.lists(SMALL, max_size=3),
    duration=FLOAT,
    peak_bytes=SMALL,
    failed=unset(st.just(True)),
    restricted=unset(st.just(True)),
    elided=unset(st.just(True)),
    inside=unset(TEXT),
    nodes=unset(SMALL),
)
ERRORS = st.builds(
    ErrorRecord,
    *[TEXT] * 3,
    line=MAYBE_LINE,
    column=MAYBE_LINE,
    source=st.none() | TEXT,
    hint=st.none() | TEXT,
    node=st.none() | SMALL,
    variable=st.none() | TEXT,
    causes=st.lists(st.builds(CauseRecord, TEXT, MAYBE_LINE, st.none() | SMALL, st.none() | TEXT, st.none() | SMALL), max_size=2),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda child: st.lists(child, max_size=3) | st.dictionaries(TEXT, child, max_size=3),
    max_leaves=5,
)
TRACES = st.builds(
    Trace,
    format=st.sampled_from(["agrad/run@1", "agrad/graph@1"]),
    scenario=st.builds(ScenarioRecord, st.none() | TEXT, st.none() | TEXT, SMALL, TEXT, TEXT),
    status=st.sampled_from(["ok", "error"]),
    error=st.none() | ERRORS,
    warnings=st.lists(st.builds(WarningRecord, TEXT, TEXT, MAYBE_LINE), max_size=2),
    stdout=TEXT,
    variables=st.dictionaries(TEXT, JSON, max_size=2),
    graph=st.builds(Graph, st.lists(NODES, max_size=3)),
    passes=st.lists(PASSES, max_size=2),
    events=unset(st.lists(st.dictionaries(TEXT, JSON, max_size=3), max_size=2)),
)


@given(TRACES)
def test_any_trace_survives_json(trace):
    assert codec.decode(codec.encode(trace)) == trace


@given(TRACES)
def test_an_indented_document_is_the_same_document(trace):
    assert json.loads(codec.encode(trace, indent=2)) == json.loads(codec.encode(trace))


def test_the_document_of_a_run_survives_json():
    trace = trace_of(
        """
        a = torch.tensor([1.0, float("nan")], requires_grad=True)
        y = (a * a).sum()
        y.backward()
        """,
        events=True,
    )
    document = codec.encode(trace)
    assert codec.decode(document) == trace
    assert json.loads(document, parse_constant=lambda name: pytest.fail(name))["variables"]["a"]["value"] == [1.0, "nan"]


def test_the_fields_of_the_contract_are_there():
    document = json.loads(codec.encode(trace_of("a = torch.ones(2, requires_grad=True)\n(a * a).sum().backward()")))
    assert set(document) == {"format", "scenario", "status", "error", "warnings", "stdout", "variables", "graph", "passes"}
    assert document["format"] == "agrad/run@1"
    node = {"id", "name", "sequence_nr", "variable", "line", "device", "shape", "dtype", "next", "saved"}
    assert all(set(n) == node for n in document["graph"]["nodes"])
    assert set(document["passes"][0]) == {"kind", "line", "roots", "dependencies", "order", "duration", "peak_bytes"}


def test_fields_that_a_later_version_adds_are_passed_over():
    document = json.loads(codec.encode(trace_of("a = 1")))
    document["later"] = document["scenario"]["later"] = 1
    assert codec.decode(json.dumps(document).encode()).variables["a"] == {"type": "number", "value": 1}


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"not json",
        b"[]",
        b"3",
        b"{}",
        b'{"format": 3}',
        b'{"format": "agrad/run@1"}',
        b'{"format": "agrad/run@99"}',
        b'{"format": "other"}',
        b"\xff\xfe",
        b'{"format": "agrad/run@1", "passes": 3}',
        b"[" * 100_000,
        b'{"format": "agrad/dist@1"}',
        b'{"format": "agrad/dist@1", "workers": 3}',
    ],
    ids=range(14),
)
def test_what_is_no_trace_is_one_clear_error(document):
    with pytest.raises(FileProblem):
        codec.decode(document)


def test_the_format_says_what_a_document_holds():
    local = codec.error_trace("s.yaml", InvalidScenario("unknown key"))
    dist = codec.error_dist("s.yaml", InvalidScenario("unknown key"))
    assert codec.decode(codec.encode(local)) == local
    assert codec.decode(codec.encode(dist)) == dist
    with pytest.raises(FileProblem, match="this is not a distributed trace that agrad wrote"):
        codec.decode(codec.encode(local).replace(b"agrad/run@1", b"agrad/dist@1"))
    with pytest.raises(FileProblem, match="'agrad/run@2' cannot be read here") as caught:
        codec.decode(codec.encode(local).replace(b"agrad/run@1", b"agrad/run@2"))
    assert caught.value.hint == "known: agrad/run@1, agrad/graph@1, agrad/dist@1"


def test_a_document_without_variables_is_a_trace_without_variables():
    document = json.loads(codec.encode(trace_of("a = torch.ones(2, requires_grad=True)\ny = a * a")))
    del document["variables"]
    trace = codec.decode(json.dumps({**document, "format": "agrad/graph@1"}).encode())
    assert (trace.variables, [n.variable for n in trace.graph.nodes]) == ({}, ["a", "y"])


def test_an_error_as_data():
    error = InplaceModified("changed", hint="do not", place=Place("s.yaml", 3, 5, "y.backward()"), variable="y")
    record = codec.error_record(error, node=4)
    assert msgspec.to_builtins(record) == {
        "kind": "InplaceModified",
        "type": "RuntimeError",
        "message": "changed",
        "line": 3,
        "column": 5,
        "source": "y.backward()",
        "hint": "do not",
        "node": 4,
        "variable": "y",
        "causes": [],
    }


def test_the_document_of_a_run_that_could_not_start():
    trace = codec.error_trace("s.yaml", InvalidScenario("unknown key", place=Place("s.yaml", 2, 1)))
    assert codec.decode(codec.encode(trace)) == trace
    assert (trace.status, trace.error.kind, trace.error.line, trace.scenario.path) == ("error", "InvalidScenario", 2, "s.yaml")
    assert trace.graph.nodes == []
