"""The order of evaluation on graphs recorded from PyTorch (``record_orders.py``), leaves included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made_graphs import Blueprint, Built, Listener, Piece, is_leaf

RECORDED = json.loads((Path(__file__).parent / "orders.json").read_text(encoding="utf-8"))["graphs"]


def blueprint(graph):
    """The recorded graph with its nodes in the order of recording, and the number each got in PyTorch's file."""
    nodes = graph["nodes"]
    leaves = [i for i, n in enumerate(nodes) if n["nr"] is None]
    inner = sorted((i for i, n in enumerate(nodes) if n["nr"] is not None), key=lambda i: nodes[i]["nr"])
    ours = {recorded: index for index, recorded in enumerate(leaves + inner)}
    pieces = []
    for i in inner:
        edges = [edge and (ours[edge[0]], edge[1]) for edge in nodes[i]["next"]]
        pieces.append(Piece(nodes[i]["inputs"], edges, [[1] * nodes[i]["inputs"] for _ in edges]))
    return Blueprint(len(leaves), pieces, [(ours[root], 0) for root in graph["roots"]]), leaves + inner


@pytest.mark.parametrize("graph", RECORDED, ids=lambda g: f"seed{g['seed']}")
def test_nodes_run_in_the_order_recorded_from_pytorch(graph):
    plan, recorded = blueprint(graph)
    built = Built(plan)
    with Listener() as heard:
        built.counted()
    assert [recorded[built.index[n]] for n in heard.order] == graph["order"]


def test_the_recordings_have_ties_among_leaves_and_several_roots():
    many = [g for g in RECORDED if sum(n["nr"] is None for n in g["nodes"]) > 7]
    assert len(many) > 10
    assert sum(len(g["roots"]) > 1 for g in RECORDED) > 10
    assert any(n["inputs"] > 1 for g in RECORDED for n in g["nodes"])


@pytest.mark.parametrize("graph", [g for g in RECORDED if len(g["roots"]) == 1], ids=lambda g: f"seed{g['seed']}")
def test_the_short_loop_runs_inner_nodes_in_the_order_recorded_from_pytorch(graph):
    plan, recorded = blueprint(graph)
    built = Built(plan)
    built.plain()
    inner = [i for i in graph["order"] if graph["nodes"][i]["nr"] is not None]
    assert [recorded[i] for i in built.log] == inner
    assert not any(is_leaf(built.nodes[i]) for i in built.log)
