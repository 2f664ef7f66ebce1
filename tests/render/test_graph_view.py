"""What a picture shows of a run: the pass, the nodes, their counts and their order."""

from __future__ import annotations

import pytest
from sample_traces import a_pass, abc, failed, forward_only, leaf, node, random_dag, trace, training_loop

from autograd_cli.errors import BadArgumentValue
from autograd_cli.render.view import prepare


def names(view) -> list[str]:
    return [f"{n.record.name} {n.variable}".strip() for n in view.nodes]


def test_nodes_come_in_the_order_of_the_pass_then_the_others():
    view = prepare(abc())
    assert [n.id for n in view.nodes] == [0, 1, 2, 3, 4, 5]
    assert [n.step for n in view.nodes] == [1, 2, 3, 4, None, None]
    assert [n.dependencies for n in view.nodes] == [0, 1, 1, 1, 0, 0]
    assert [n.state for n in view.nodes] == ["reached"] * 4 + ["unreached"] * 2


def test_no_pass_means_no_counts():
    view = prepare(forward_only())
    assert {n.dependencies for n in view.nodes} == {None}
    assert {n.state for n in view.nodes} == {"uncounted"}
    assert "not counted" in view.subtitle


def test_a_failed_pass_marks_its_node():
    view = prepare(failed())
    assert [(n.id, n.state, n.step) for n in view.nodes] == [(0, "reached", 1), (1, "failed", 2), (2, "reached", None)]
    assert "(failed)" in view.subtitle


def test_the_default_is_the_last_pass_that_was_kept():
    loop = training_loop()
    assert prepare(loop).pass_index == 59
    loop.passes.append(a_pass([], {}, elided=True))
    assert prepare(loop).pass_index == 59


def test_a_pass_shows_what_was_recorded_since_the_one_before():
    loop = training_loop()
    assert names(prepare(loop, pass_index=1)) == ["SumBackward0 loss", "MulBackward0 y", "AccumulateGrad w", "ExpBackward0 extra"]
    assert {n.id for n in prepare(loop, pass_index=1).nodes} == {0, 4, 5, 6}
    assert {n.id for n in prepare(loop, pass_index=-1).nodes} == {0, 178, 179, 180}
    assert len(prepare(loop, show_all=True).nodes) == 13
    assert prepare(loop, show_all=True).notes == []


def test_two_passes_over_one_graph_show_all_of_it():
    """grad(loss, [w]) executes a part of what backward() reaches: the rest is pale, not gone."""
    nodes = [node(0, "MulBackward0", 1, (1, 2), "loss"), node(1, "ExpBackward0", 0, (3,)), leaf(2, "v"), leaf(3, "w")]
    passes = [
        a_pass([0, 2, 1, 3], {0: 0, 1: 1, 2: 1, 3: 1}),
        a_pass([0, 1], {0: 0, 1: 1}, restricted=True),
    ]
    view = prepare(trace(nodes, passes))
    assert {n.id: n.dependencies for n in view.nodes} == {0: 0, 1: 1, 2: 0, 3: 0}
    assert {n.id for n in view.nodes if n.pale} == {2, 3}


def test_an_older_pass_does_not_show_what_came_later():
    nodes = [leaf(0, "w"), node(1, "ExpBackward0", 0, (0,)), node(2, "SinBackward0", 1, (0,))]
    passes = [a_pass([2, 0], {2: 0, 0: 1}), a_pass([1, 0], {1: 0, 0: 1})]  # the later recorded ran first
    assert {n.id for n in prepare(trace(nodes, passes)).nodes} == {0, 1}
    assert {n.id for n in prepare(trace(nodes, passes), pass_index=0).nodes} == {0, 2}


@pytest.mark.parametrize(("index", "words"), [(60, "no pass 61"), (-61, "no pass -61"), (30, "Pass 31 was not kept")])
def test_passes_that_cannot_be_shown(index, words):
    with pytest.raises(BadArgumentValue, match=words) as raised:
        prepare(training_loop(), pass_index=index)
    assert raised.value.hint


def test_around_shows_a_neighbourhood():
    assert {n.id for n in prepare(abc(), around="e", depth=1).nodes} == {3, 4, 5}
    assert {n.id for n in prepare(abc(), around="SumBackward0", depth=1).nodes} == {0, 1}
    assert {n.id for n in prepare(abc(), around="2", depth=0).nodes} == {2}
    with pytest.raises(BadArgumentValue, match="No node is called 'z'") as raised:
        prepare(abc(), around="z")
    assert "a, b, c, d, e" in raised.value.hint


def test_edges_run_downwards_among_nodes_the_pass_does_not_reach():
    for seed in range(100):
        view = prepare(random_dag(seed))
        row = {n.id: i for i, n in enumerate(view.nodes)}
        pale = {n.id for n in view.nodes if n.pale}
        assert all(row[e.source] < row[e.target] for e in view.edges() if e.source in pale and e.target in pale)
        assert sum(1 for _ in view.edges()) == sum(len(n.record.next) for n in view.nodes)
