"""Mermaid text: the whole of a small graph, and the edges of random ones."""

from __future__ import annotations

import re

from sample_traces import abc, edge_set, leaf, random_dag, trace

from autograd_cli.render.mermaid import mermaid

ABC = """\
flowchart TB
  n0["<b>SumBackward0</b><br/>[]<br/>deps 0"]:::op
  n1["<b>AddBackward0</b><br/>d [2, 2]<br/>deps 1"]:::op
  n2["<b>AccumulateGrad</b><br/>a [2, 2]<br/>deps 1"]:::leaf
  n3["<b>AccumulateGrad</b><br/>b [2, 2]<br/>deps 1"]:::leaf
  n4["<b>MulBackward0</b><br/>e [2, 2]<br/>deps 0"]:::unreached
  n5["<b>AccumulateGrad</b><br/>c [2, 2]<br/>deps 0"]:::unreached
  n0 --> n1
  n1 --> n2
  n1 --> n3
  n4 -.-> n3
  n4 -.-> n5
  classDef op fill:#dcedf9,stroke:#0072b2,color:#10222f
  classDef leaf fill:#daf1e7,stroke:#00795a,color:#0c261d
  classDef unreached fill:#fbfbfc,stroke:#b4bac2,color:#68707b,stroke-dasharray:4 3
"""


def test_the_abc_flowchart():
    assert mermaid(abc()) == ABC


def test_edges_are_the_graphs():
    for seed in range(100):
        graph = random_dag(seed)
        edges = re.findall(r"^  n(\d+) (?:-->|-\.->)(?:\|\d+\|)? n(\d+)$", mermaid(graph), re.M)
        assert {(int(a), int(b)) for a, b in edges} == edge_set(graph)
        assert len(edges) == sum(len(node.next) for node in graph.graph.nodes)


def test_odd_names_stay_inside_their_label():
    text = mermaid(trace([leaf(0, 'a"]; <b>#quot; & \n')]))
    assert 'n0["<b>AccumulateGrad</b><br/>a#quot;]; #lt;b#gt;#35;quot; #amp; \\n [2, 2]<br/>deps -"]:::leaf' in text
