"""DOT: what it says about the graph, read back with a small parser of its own lines."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from sample_traces import abc, edge_set, failed, forward_only, leaf, node, random_dag, square, trace, training_loop

from autograd_cli.render.dot import dot

NODE = re.compile(r'^  n(\d+) \[id="n-(\d+)", class="([^"]*)", label=<(.*?)>, tooltip="(.*?)", fillcolor', re.M)
EDGE = re.compile(r'^  n(\d+) -> n(\d+) \[id="(e-[\d-]+)"(.*)\];$', re.M)


def nodes_of(text: str) -> dict[int, tuple[str, str]]:
    """Class and label of each node."""
    return {int(found[1]): (found[3], found[4]) for found in NODE.finditer(text)}


def test_a_node_says_name_variable_shape_and_count():
    nodes = nodes_of(dot(abc()))
    assert nodes[1] == ("op", "<B>AddBackward0</B><BR/>d [2, 2]<BR/>deps 1")
    assert nodes[3] == ("leaf", "<B>AccumulateGrad</B><BR/>b [2, 2]<BR/>deps 1")
    assert nodes[4] == ("op unreached", "<B>MulBackward0</B><BR/>e [2, 2]<BR/>deps 0")
    assert nodes[5] == ("leaf unreached", "<B>AccumulateGrad</B><BR/>c [2, 2]<BR/>deps 0")


def test_pale_nodes_are_dashed_and_so_are_their_edges():
    text = dot(abc())
    assert re.search(r"  n4 \[.*dashed", text)
    assert not re.search(r"  n1 \[.*dashed", text)
    assert re.search(r"n4 -> n3 .*dashed", text)
    assert not re.search(r"n1 -> n3 .*dashed", text)


def test_without_a_pass_the_count_is_a_dash():
    assert {label.rsplit("<BR/>", 1)[1] for _, label in nodes_of(dot(forward_only())).values()} == {"deps -"}


def test_the_failed_node_has_its_class():
    assert nodes_of(dot(failed()))[1] == ("op failed", "<B>ExpBackward0</B><BR/>b [2, 2]<BR/>deps 1, failed here")


def test_every_edge_has_an_id_of_its_own():
    text = dot(square())
    assert [found[3] for found in EDGE.finditer(text)] == ["e-0-1-0", "e-0-1-1"]
    for seed in range(100):
        graph = random_dag(seed)
        edges = list(EDGE.finditer(dot(graph)))
        assert {(int(e[1]), int(e[2])) for e in edges} == edge_set(graph)
        assert len({e[3] for e in edges}) == len(edges) == sum(len(n.next) for n in graph.graph.nodes)


def test_an_input_is_named_where_it_is_not_the_first():
    graph = trace([node(0, "MulBackward0", 1, ((1, 0), (1, 1))), node(1, "UnbindBackward0", 0, (2,)), leaf(2, "a")])
    labels = [re.findall(r', label="([^"]*)"', found[4]) for found in EDGE.finditer(dot(graph))]
    assert labels == [[], [" 1 "], []]


def test_tooltips_tell_line_sequence_number_and_saved_tensors():
    tooltip = next(found[5] for found in NODE.finditer(dot(abc())) if found[1] == "4")
    assert tooltip.split("\\n") == [
        "MulBackward0 of e",
        "line 7",
        "sequence number 1",
        "float32 [2, 2] on cpu",
        "saved other: float32 [2, 2], version 0",
        "saved self: float32 [2, 2], version 0",
        "not reached by the pass",
    ]


@pytest.mark.parametrize("name", ["</script><b>", 'a"b', "a\\", "a & b", "x\ny", "naïve", "\x00", "\ud800"])
def test_odd_names_cannot_break_the_text(name):
    graph = trace([leaf(0, name)], title=name)
    text = dot(graph)
    assert text.count("\n") == dot(trace([leaf(0, "plain")], title="plain")).count("\n")
    text.encode("utf-8")
    assert "<b>" not in "".join(label for _, label in nodes_of(text).values())


def test_the_same_bytes_in_another_process():
    """Sets and dicts of strings are ordered differently there."""
    program = (
        "import sys; from sample_traces import *; from autograd_cli.render.dot import dot; sys.stdout.write(dot(random_dag(7)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            cwd=__file__.rsplit("/", 1)[0],
            env={"PYTHONHASHSEED": seed},
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {dot(random_dag(7))}


def test_a_training_loop_gives_one_iteration():
    assert len(nodes_of(dot(training_loop()))) == 4
    assert len(nodes_of(dot(training_loop(), show_all=True))) == 13
    assert "pass 60 of 60" in dot(training_loop())


def test_a_hundred_thousand_nodes():
    count = 100_000
    chain = [node(i, "MulBackward0", count - i, (i + 1,)) for i in range(count)] + [leaf(count, "x")]
    assert dot(trace(chain)).count(" -> ") == count
