"""What `agrad dist` prints after a run, as literal text; the rails and the lanes."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from sample_dist import a_dist_pass, dist, raised_on_the_other, stage, stalled, training, worked, worker

from autograd_cli.render.dist_lanes import lanes
from autograd_cli.render.terminal import print_dist_rail
from autograd_cli.render.terminal_dist import print_dist_report
from autograd_cli.trace.dist_model import MessageRecord, WorkerPassRecord
from autograd_cli.trace.model import WarningRecord

WORKED = """\

worker0: calls backward(): 7 nodes evaluated
function         message  peer     tensors  bytes  line  node  deps  step
─────────────────────────────────────────────────────────────────────────
SendRpcBackward  0:0      worker1        2     32     8     4     1  5
RecvRpcBackward  1:0      worker1        1     16     8     2     1  4
gradients in context 0:0 (in the context, not in .grad):
leaf  shape   gradient
──────────────────────────────────────────────────
t4    [2, 2]  [[0.8037, 1.4023], [0.5786, 1.0285]]
t1    [2, 2]  [[0.4556, 0.6323], [0.3489, 0.4017]]
t2    [2, 2]  [[0.4556, 0.6323], [0.3489, 0.4017]]
order, with the gradients waited for: SumBackward0 loss (0), MulBackward0 (1),
  AccumulateGrad t4 (1), RecvRpcBackward 1:0 (1), SendRpcBackward 0:0 (1),
  AccumulateGrad t1 (1), AccumulateGrad t2 (1)

worker1: takes part in the pass: 3 nodes evaluated
function         message  peer     tensors  bytes  line  node  deps  step
─────────────────────────────────────────────────────────────────────────
SendRpcBackward  1:0      worker0        1     16     8     0     1  1
RecvRpcBackward  0:0      worker0        2     32     8     2     2  3
order, with the gradients waited for: SendRpcBackward 1:0 (1), AddBackward0 (1),
  RecvRpcBackward 0:0 (2)
"""
RAIL = """\
One call to a neighbour
2 workers, FAST mode, backward() on worker0 at line 11: 2 gradient messages

worker0
calls backward(): 7 nodes evaluated
1      ● SumBackward0    loss              []     deps 0
     ╭─╯
2    ╰─▶ MulBackward0                      [2, 2] deps 1
   ╭─┬─╯
3  │ ╰─▶ AccumulateGrad  t4                [2, 2] deps 1
4  ╰───▶ RecvRpcBackward t3 1:0 to worker1        deps 1
5      ● SendRpcBackward 0:0 from worker1         deps 1
   ╭─┬─╯
6  │ ╰─▶ AccumulateGrad  t1                [2, 2] deps 1
7  ╰───▶ AccumulateGrad  t2                [2, 2] deps 1

worker1
takes part in the pass: 3 nodes evaluated
1    ● SendRpcBackward 1:0 from worker0        deps 1
   ╭─╯
2  ╰─▶ AddBackward0                     [2, 2] deps 1
   ╭─╯ ×2 to RecvRpcBackward
3  ╰─▶ RecvRpcBackward 0:0 to worker0          deps 2

deps: the gradients a node waits for. The number in front: its step.
A recv function sends gradients to its peer, where the send function of the message waits.
"""


def printed(show, *args, width=80, encoding="utf-8", **keywords) -> str:
    """What `show` prints to a console that is no terminal."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    show(*args, Console(file=file, width=width), **keywords)
    file.flush()
    return raw.getvalue().decode(encoding)


def test_the_report_of_the_worked_example():
    text = printed(print_dist_report, worked())
    assert text.startswith(WORKED)
    assert "\nbackward() on worker0, context 0:0, FAST\ntook 0.50 ms: 2 gradient messages, 48 bytes\n" in text
    assert text.endswith("""0:0      worker1  worker0  gradient               32  0.10
         worker0  worker1  cleanup                 0  0.10
""")


@pytest.mark.parametrize("trace", [worked(), stalled(), raised_on_the_other(), training(12)], ids=lambda trace: trace.mode)
def test_reports_fit_in_eighty_columns_and_have_an_ascii_twin(trace):
    assert max(map(len, printed(print_dist_report, trace).splitlines())) <= 80
    assert printed(print_dist_report, trace, encoding="ascii").isascii()


def test_rails_name_message_and_peer():
    assert printed(print_dist_rail, worked()) == RAIL
    assert printed(print_dist_rail, worked(), encoding="ascii").isascii()


def test_functions_that_wait_and_those_that_no_root_reaches():
    rows = [line.split() for line in printed(print_dist_report, stalled()).splitlines() if "RpcBackward  " in line]
    assert {row[1]: row[-1] for row in rows if row[0] == "SendRpcBackward"} == {
        "0:0": "3",
        "0:1": "waits",
        "1:0": "1",
        "1:1": "waits",
    }
    assert [row[-3:] for row in rows if row[:2] == ["RecvRpcBackward", "1:1"]] == [["0", "not", "reached"]]


def test_of_many_contexts_and_passes_the_first_and_the_last_are_shown():
    text = printed(print_dist_report, training(12))
    assert [f"context 0:{i}\n" in text for i in (0, 1, 10, 11)] == [True, False, False, True]
    assert "… 10 contexts are not shown (--json has everything)" in text
    assert "pass 1 of 12" in text
    assert "… 10 passes are not shown" in text
    assert "pass 12 of 12" in text


def test_gradients_are_written_as_elsewhere_and_cut_at_the_width():
    trace = training(1)
    gradient = trace.workers[0].contexts[0].gradients[0]
    gradient.shape, gradient.value = [20], [0.1] * 19 + [1.0]
    assert f"w     [20]   [{'0.1000, ' * 8}…\n" in printed(print_dist_report, trace)
    assert f"w     [20]   [{'0.1000, ' * 19}1.]\n" in printed(print_dist_report, trace, width=200)


def test_of_many_workers_and_messages_the_middle_is_left_out():
    messages = [MessageRecord("call", "worker0", "worker1", f"0:{i}", "f", 8, float(i), None) for i in range(100)]
    text = printed(print_dist_report, dist([worker(i, []) for i in range(30)], (), messages))
    shown = [line.split(":")[0] for line in text.splitlines() if line.startswith("worker") and "recorded" in line]
    assert shown == [f"worker{i}" for i in (*range(12), *range(26, 30))]
    assert "… 14 workers are not shown" in text
    assert "…        60 more" in text
    assert text.count("lost") == 40


def test_quiet_keeps_the_warnings():
    trace = worked()
    trace.warnings.append(WarningRecord("NonLeafGrad", "t5 is no leaf", 9))
    assert printed(print_dist_report, trace, quiet=True) == "warning: line 9: t5 is no leaf (agrad explain NonLeafGrad)\n"


def test_lanes_show_each_stage_where_it_was_in_time():
    parts = {
        "worker0": WorkerPassRecord({}, [], [stage("compute", 0.0, 3.0), stage("send", 3.0, 3.0), stage("wait", 3.0, 8.0)]),
        "worker1": WorkerPassRecord({}, [], [stage("recv", 4.0, 4.0), stage("compute", 5.0, 9.0)]),
    }
    one = a_dist_pass(parts)
    assert lanes(one, 20) == [
        "worker0  ▇▇▇▸·····",
        "worker1      ◂▇▇▇▇▇",
        "         ▇ compute  ▸ send  ◂ recv  · wait",
    ]
    assert lanes(one, 20, is_ascii=True)[:2] == ["worker0  ###>.....", "worker1      <#####"]
    assert lanes(a_dist_pass({"worker0": WorkerPassRecord({}, [], [])}), 80) == []


def test_a_pass_without_duration_has_lanes():
    assert lanes(a_dist_pass({"worker0": WorkerPassRecord({}, [], [stage("recv", 1.0, 1.0)])}), 80)[0] == "worker0  ◂"
