"""The engine on graphs made by hand: both loops, their order, their counts and what they leave behind when a node fails."""

from __future__ import annotations

import contextlib
from collections import Counter

import numpy as np
import pytest
from hand_made_graphs import Blueprint, Boom, Built, Listener, Piece, blueprints, expected_grads, is_leaf, reached
from hypothesis import given
from hypothesis import strategies as st
from test_ready_queue import LiteralHeap


def fan_out(leaves: int) -> Blueprint:
    """One node with an edge to each leaf."""
    return Blueprint(leaves, [Piece(1, [(i, 0) for i in range(leaves)], [[1]] * leaves)], [(leaves, 0)])


@given(blueprints())
def test_both_loops_give_every_leaf_the_sum_over_all_paths(plan):
    plain, counted = Built(plan), Built(plan)
    plain.plain()
    counted.counted()
    assert plain.grads() == counted.grads() == expected_grads(plan)


@given(blueprints())
def test_both_loops_run_inner_nodes_in_the_same_order(plan):
    plain, counted = Built(plan), Built(plan)
    plain.plain()
    counted.counted()
    assert plain.log == counted.log


@given(blueprints(roots=3))
def test_several_roots_also_equal_and_fed_by_each_other(plan):
    built = Built(plan)
    built.counted()
    assert built.grads() == expected_grads(plan)
    assert sorted(built.log) == sorted(set(built.log))


@given(blueprints(roots=3))
def test_dependencies_are_the_edges_that_lead_to_a_node(plan):
    built = Built(plan)
    with Listener() as heard:
        built.counted()
    inside = reached(plan, [i for i, _ in plan.roots])
    edges = Counter(e[0] for i in inside if i >= plan.leaves for e in plan.pieces[i - plan.leaves].edges if e is not None)
    assert {built.index[n]: count for n, count in heard.counts.items()} == {i: edges[i] for i in inside}
    assert heard.restricted is False


@given(blueprints(roots=3))
def test_the_whole_order_leaves_included_is_that_of_a_queue_of_ready_nodes(plan):
    built = Built(plan)
    with Listener() as heard:
        built.counted()
    assert [built.index[n] for n in heard.order] == order_by_hand(plan, built)


def order_by_hand(plan, built):
    """PyTorch's rule in its shortest form: a GraphRoot feeds the roots, nodes wait for all their edges, ties are as in C++."""
    inside = reached(plan, [i for i, _ in plan.roots])
    edges_of = {i: plan.pieces[i - plan.leaves].edges if i >= plan.leaves else [] for i in inside}
    waiting = Counter(e[0] for i in inside for e in edges_of[i] if e is not None)
    waiting.update(i for i, _ in plan.roots)
    heap, order = LiteralHeap(), []

    def arrived(index):
        waiting[index] -= 1
        if not waiting[index]:
            heap.push(built.nodes[index])

    for index, _ in plan.roots:
        arrived(index)
    while heap.heap:
        order.append(built.index[heap.pop()])
        for edge in edges_of[order[-1]]:
            if edge is not None:
                arrived(edge[0])
    return order


@given(blueprints(), st.integers(0, 1000))
def test_a_failing_node_leaves_the_same_grads_in_both_loops(plan, choice):
    inside = sorted(i for i in reached(plan, [plan.roots[0][0]]) if i >= plan.leaves)
    victim = inside[choice % len(inside)]
    left = []
    for loop in ("plain", "counted"):
        built = Built(plan)
        built.nodes[victim].fails = True
        with contextlib.suppress(Boom):
            getattr(built, loop)()
        left.append((built.log, built.grads()))
    assert left[0] == left[1]


@given(blueprints(), st.integers(0, 1000))
def test_after_a_failure_a_leaf_has_its_whole_gradient_or_none(plan, choice):
    inside = sorted(i for i in reached(plan, [plan.roots[0][0]]) if i >= plan.leaves)
    victim = inside[choice % len(inside)]
    built = Built(plan)
    built.nodes[victim].fails = True
    try:
        built.plain()
    except Boom:
        unfinished = reached(plan, set(inside) - set(built.log[:-1]))
        whole = expected_grads(plan)
        assert built.grads() == [None if i in unfinished else whole[i] for i in range(plan.leaves)]
    else:
        assert built.grads() == expected_grads(plan)  # no gradient reached the node, so it was not called


@pytest.mark.parametrize("loop", ["plain", "counted"])
def test_a_node_that_gives_a_wrong_shape_is_named_and_spares_the_leaves_it_feeds(loop):
    # leaf 0 is fed by the failing node and by another one that runs before it; leaf 1 by the other one only
    plan = Blueprint(
        2, [Piece(1, [(0, 0)], [[1]]), Piece(1, [(0, 0), (1, 0)], [[1], [1]]), Piece(1, [(2, 0), (3, 0)], [[1], [1]])]
    )
    plan.roots = [(4, 0)]
    built = Built(plan)
    type(built.nodes[2]).fits = None
    failing = built.nodes[2]
    failing.__class__ = type("WrongShape", (type(failing),), {"__slots__": (), "fits": (((5,), np.dtype(np.int64)),)})
    with pytest.raises(RuntimeError, match=r"shape \[2\] was returned for an input of shape \[5\]") as caught:
        getattr(built, loop)()
    assert caught.value.node is failing
    assert built.grads() == [None, [1, 2]]


@pytest.mark.parametrize("loop", ["plain", "counted"])
def test_a_node_without_any_gradient_is_passed_but_not_called(loop):
    plan = Blueprint(2, [Piece(2, [(0, 0)], [[1, 1]]), Piece(1, [(2, 0), (2, 1), (1, 0)], [[None], [None], [1]])], [(3, 0)])
    built = Built(plan)
    getattr(built, loop)()
    assert built.log == [3]
    assert built.grads() == [None, [1, 2]]


def test_leaves_that_tie_accumulate_in_pytorchs_order():
    built = Built(fan_out(7))
    with Listener() as heard:
        built.counted()
    assert [built.index[n] for n in heard.order if is_leaf(n)] == [0, 2, 5, 6, 4, 1, 3]


def test_a_leaf_runs_before_any_inner_node_that_is_ready():
    # root -> (inner node, leaf): the leaf has the highest sequence number there is
    plan = Blueprint(1, [Piece(1, [], []), Piece(1, [(1, 0), (0, 0)], [[1], [1]])], [(2, 0)])
    built = Built(plan)
    with Listener() as heard:
        built.counted()
    assert [built.index[n] for n in heard.order] == [2, 0, 1]


def test_the_same_root_twice_enters_twice_and_runs_once():
    built = Built(Blueprint(1, [Piece(1, [(0, 0)], [[1]])], [(1, 0), (1, 0)]))
    with Listener() as heard:
        built.counted()
    assert built.log == [1]
    assert built.grads() == [[2, 5]]
    assert heard.said[0] == ("pass_start backward", (built.nodes[1], built.nodes[1]))


def test_a_root_that_feeds_another_root_waits_for_nobody_and_the_other_for_both():
    plan = Blueprint(1, [Piece(1, [(0, 0)], [[1]]), Piece(1, [(1, 0)], [[3]])], [(1, 0), (2, 0)])
    built = Built(plan)
    with Listener() as heard:
        built.counted()
    assert built.log == [2, 1]
    assert built.grads() == [[1 + 3, 2 + 9]]
    assert [heard.counts[built.nodes[i]] for i in range(3)] == [1, 1, 0]


def test_a_leaf_can_be_the_root():
    plan = Blueprint(1, [], [(0, 0)])
    plain, counted = Built(plan), Built(plan)
    plain.plain()
    counted.counted()
    assert plain.grads() == counted.grads() == [[1, 2]]


def test_a_listener_hears_a_pass_in_order():
    built = Built(Blueprint(1, [Piece(1, [(0, 0)], [[1]])], [(1, 0)]))
    leaf, inner = built.nodes
    with Listener() as heard:
        built.counted()
    assert heard.said == [
        ("pass_start backward", (inner,)),
        ("dependencies", None),
        ("ready root", inner),
        ("evaluate_start", inner),
        ("evaluate_end", inner),
        ("ready last_gradient", leaf),
        ("evaluate_start", leaf),
        ("accumulate grad", leaf),
        ("evaluate_end", leaf),
        ("pass_end", None),
    ]


def test_a_listener_hears_which_node_raised_and_that_the_pass_ended():
    built = Built(Blueprint(1, [Piece(1, [(0, 0)], [[1]]), Piece(1, [(1, 0)], [[1]])], [(2, 0)]))
    built.nodes[1].fails = True
    with Listener() as heard, pytest.raises(Boom):
        built.counted()
    assert [built.index[n] for n in heard.order] == [2, 1]
    assert isinstance(heard.errors[0], Boom)
