"""Pictures of distributed runs: a cluster a worker, the ways of the gradients between them, and what did not happen."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from sample_dist import dist, raised_on_the_other, stalled, training, worked, worker

from autograd_cli.errors import BadArgumentValue
from autograd_cli.render import theme
from autograd_cli.render.dist_dot import dist_dot
from autograd_cli.render.dist_stall import stall_lines
from autograd_cli.render.dist_view import prepare_dist
from autograd_cli.render.layout import find_engines
from autograd_cli.render.picture import picture

SVG = "{http://www.w3.org/2000/svg}"


def edges(text: str) -> set[tuple[str, str]]:
    """The edges of a DOT text, by the names of their nodes."""
    return set(re.findall(r"^ *(w\d+n\d+) -> (w\d+n\d+) ", text, re.M))


def states(trace, rank: int) -> dict[int, str]:
    """The states of a worker's nodes, those that are merely reached left out."""
    return {n.id: n.state for n in prepare_dist(trace).workers[rank].nodes if n.state != theme.REACHED}


def test_every_worker_is_a_cluster_with_its_own_nodes_and_edges():
    text = dist_dot(worked())
    first, second = text.split("subgraph cluster_1 {")
    assert "subgraph cluster_0 {" in first
    assert set(re.findall(r'id="(w\d-n-\d+)"', first)) == {f"w0-n-{i}" for i in range(7)}
    assert set(re.findall(r'id="(w\d-n-\d+)"', second)) == {f"w1-n-{i}" for i in range(3)}
    own = {("w0n0", "w0n1"), ("w0n1", "w0n2"), ("w0n1", "w0n3"), ("w0n4", "w0n5"), ("w0n4", "w0n6")}
    assert edges(text) == own | {("w1n0", "w1n1"), ("w1n1", "w1n2")} | {("w0n2", "w1n0"), ("w1n2", "w0n4")}


def test_gradients_go_from_a_recv_function_to_the_send_function_of_the_message():
    found = re.findall(r'(\w+) -> (\w+) \[id="m-([\d-]+)", class="message", style=dashed', dist_dot(worked()))
    assert found == [("w0n2", "w1n0", "1-0"), ("w1n2", "w0n4", "0-0")]


def test_two_drawings_are_the_same_text():
    assert dist_dot(worked()) == dist_dot(worked())


def test_send_functions_that_wait_are_marked_on_every_worker():
    assert states(stalled(), 0) == {4: theme.STALLED, 7: theme.UNREACHED}
    assert states(stalled(), 1) == {5: theme.STALLED}
    text = dist_dot(stalled())
    assert text.count("no gradient comes") == 2
    taken = dict(re.findall(r'id="m-([\d-]+)", class="([a-z ]+)"', text))
    assert taken == {"1-0": "message", "0-0": "message", "1-1": "message pale", "0-1": "message pale"}


def test_a_stall_is_told_by_the_lines_of_the_calls():
    assert stall_lines(stalled()) == [
        "  line 12: worker1 sent a result of MulBackward0 to worker0 as the result of torch.multiply. Its send function 1:1 waits "
        "for the recv function on worker0, which the roots do not reach.",
        "  line 12: worker0 sent b, c to worker1 for a call of torch.multiply. Its send function 0:1 waits for the recv function on "
        "worker1, which waits for gradients itself.",
    ]
    assert stall_lines(worked()) == stall_lines(raised_on_the_other()) == []


def test_the_node_that_raised_is_marked_and_no_other():
    assert states(raised_on_the_other(), 0) == {0: theme.UNREACHED}
    assert states(raised_on_the_other(), 1) == {1: theme.FAILED}


def test_the_last_pass_that_was_kept_is_shown_on_all_workers():
    view = prepare_dist(training(5))
    assert [[n.id for n in w.nodes] for w in view.workers] == [[15, 14, 13, 0], [4]]
    assert view.subtitle == "2 workers, FAST mode, pass 5 of 5, backward() on worker0 at line 6: 1 gradient message"
    assert [w.subtitle for w in view.workers] == [
        "calls backward(): 4 nodes evaluated",
        "takes part in the pass: 1 node evaluated",
    ]


def test_a_worker_that_takes_no_part_in_a_pass_shows_none_of_its_other_passes():
    view = prepare_dist(training(5), pass_index=1)
    assert [n.id for n in view.workers[0].nodes] == [6, 5, 4, 0]
    assert (view.workers[1].nodes, view.workers[1].subtitle) == ([], "takes no part in the pass")


def test_passes_that_are_not_there_or_were_not_kept_are_refused():
    with pytest.raises(BadArgumentValue, match="There is no pass 6"):
        prepare_dist(training(5), pass_index=5)
    with pytest.raises(BadArgumentValue, match="Pass 3 was not kept"):
        prepare_dist(training(5), pass_index=2)


def test_around_looks_at_each_worker_and_complains_where_none_has_it():
    view = prepare_dist(worked(), around="AddBackward0", depth=0)
    assert [[n.record.name for n in w.nodes] for w in view.workers] == [[], ["AddBackward0"]]
    with pytest.raises(BadArgumentValue, match="No node is called 'nothing'"):
        prepare_dist(worked(), around="nothing")


def test_a_run_without_nodes_is_drawn_too():
    empty = dist([worker(0, []), worker(1, [])])
    assert dist_dot(empty).count("nothing was recorded") == 2
    assert prepare_dist(empty).subtitle == "2 workers, FAST mode, no backward pass"
    assert prepare_dist(dist([])).workers == []


def test_names_of_strangers_cannot_leave_their_place():
    evil = worked()
    evil.workers[0].name = 'a"]; <b>\n'
    text = dist_dot(evil)
    assert 'tooltip="a\\"]; <b>\\\\n"; label=<<B>a&quot;]; &lt;b&gt;\\n</B>' in text
    assert text.count('"]; <b>') == 2  # that tooltip, and the one of message 1:0: both inside quotes


@pytest.mark.skipif(not find_engines(), reason="no Graphviz")
def test_the_svg_has_every_node_and_message_and_says_what_it_shows(monkeypatch):
    monkeypatch.delenv("AGRAD_DOT", raising=False)
    root = ET.fromstring(picture(worked(), "svg").data)
    groups = {g.get("id"): set(g.get("class", "").split()) for g in root.iter(f"{SVG}g")}
    wanted = {f"w0-n-{i}" for i in range(7)} | {f"w1-n-{i}" for i in range(3)} | {"lane-0", "lane-1", "m-1-0", "m-0-0"}
    assert wanted <= groups.keys()
    assert "message" in groups["m-0-0"]
    assert root.find(f"{SVG}desc").text == (
        "Autograd graphs of a distributed run, 2 workers, FAST mode, backward() on worker0 at line 11: 2 gradient messages. "
        "worker0: 7 nodes, 5 edges. worker1: 3 nodes, 3 edges. Gradients went with messages 1:0 from worker0 to worker1, "
        "0:0 from worker1 to worker0."
    )
