"""Distributed Traces for the render tests: one recorded by hand with PyTorch's values, the others made from small parts."""

from __future__ import annotations

import msgspec
from sample_traces import DATA, leaf, node

from autograd_cli.trace.dist_model import (
    ContextRecord,
    DistErrorRecord,
    DistPassRecord,
    DistTrace,
    GradientRecord,
    MessageRecord,
    RecvRecord,
    SendRecord,
    StageRecord,
    WorkerPassRecord,
    WorkerRecord,
)
from autograd_cli.trace.model import Graph, NodeRecord, ScenarioRecord


def worked() -> DistTrace:
    """t3 = plus(t1, t2) on worker1; (t3 * t4).sum() (values from PyTorch, times invented)."""
    return msgspec.json.decode((DATA / "worked.dist.json").read_bytes(), type=DistTrace)


def rpc(node_id: int, name: str, message_id: str, peer: str, targets=(), line=None, variable=None) -> NodeRecord:
    """A send or recv function."""
    made = node(node_id, f"{name}RpcBackward", 0, targets, variable, line)
    made.shape, made.message_id, made.peer = None, message_id, peer
    return made


def worker(rank: int, nodes, contexts=(), status="ok") -> WorkerRecord:
    return WorkerRecord(f"worker{rank}", rank, 100 + rank, "host", "cpu", status, "", {}, Graph(list(nodes)), list(contexts))


def a_dist_pass(workers, *, context="0:0", root="worker0", roots=(), line=13, **more) -> DistPassRecord:
    return DistPassRecord(context, "fast", root, list(roots), line, workers, {"gradient": 1}, {"gradient": 8}, 0.004, **more)


def dist(workers, passes=(), messages=(), error=None) -> DistTrace:
    return DistTrace(
        "agrad/dist@1",
        ScenarioRecord("run.yaml", "A run", 0, "cpu", "float32"),
        "processes",
        "fast",
        "ok" if error is None else "error",
        error,
        [],
        list(workers),
        list(passes),
        list(messages),
    )


def stalled() -> DistTrace:
    """The a, b, c example of PyTorch's design note, with an add whose result is used and a mul whose result is not.

    Worker 1 is engaged by message 1:0 and waits for 1:1, whose recv function (node 7 of worker 0) no root reaches. So 0:1 starves.
    """
    first = [
        leaf(0, "a", 8),
        leaf(1, "b", 9),
        rpc(2, "Send", "0:0", "worker1", [0, 1], 11),
        leaf(3, "c", 10),
        rpc(4, "Send", "0:1", "worker1", [1, 3], 12),
        rpc(5, "Recv", "1:0", "worker1", (), 11, "d"),
        node(6, "SumBackward0", 3, [5], None, 13, ()),
        rpc(7, "Recv", "1:1", "worker1", (), 12, "e"),
    ]
    second = [
        rpc(0, "Recv", "0:0", "worker0", (), 11),
        node(1, "AddBackward0", 0, [0, (0, 1)], None, 11),
        rpc(2, "Send", "1:0", "worker0", [1], 11),
        rpc(3, "Recv", "0:1", "worker0", (), 12),
        node(4, "MulBackward0", 2, [3, (3, 1)], None, 12),
        rpc(5, "Send", "1:1", "worker0", [4], 12),
    ]
    sends = [SendRecord("0:0", "worker1", 2, 2), SendRecord("0:1", "worker1", 4, 2)]
    recvs = [RecvRecord("1:0", "worker1", 5, 1), RecvRecord("1:1", "worker1", 7, 1)]
    here = ContextRecord("0:0", ["worker1"], sends, recvs, [])
    sends = [SendRecord("1:0", "worker0", 2, 1), SendRecord("1:1", "worker0", 5, 1)]
    recvs = [RecvRecord("0:0", "worker0", 0, 2), RecvRecord("0:1", "worker0", 3, 2)]
    there = ContextRecord("0:0", ["worker0"], sends, recvs, [])
    one = a_dist_pass(
        {
            "worker0": WorkerPassRecord({"6": 0, "5": 1, "2": 1, "4": 1, "0": 1, "1": 2, "3": 1}, [6, 5, 2, 0], []),
            "worker1": WorkerPassRecord({"2": 1, "1": 1, "0": 2, "5": 1, "4": 1, "3": 2}, [2, 1, 0], []),
        },
        roots=[6],
        failed=True,
    )
    error = DistErrorRecord(
        "BackwardStalled", "RuntimeError", "FAST waits", 13, 11, "backward: d.sum()", None, 4, None, [], "worker0"
    )
    calls = [("call", "worker0", "worker1", "0:1", "torch.multiply"), ("reply", "worker1", "worker0", "1:1", "torch.multiply")]
    messages = [MessageRecord(kind, source, to, number, name, 16, 0.0, 0.001) for kind, source, to, number, name in calls]
    return dist([worker(0, first, [here], "error"), worker(1, second, [there])], [one], messages, error)


def raised_on_the_other() -> DistTrace:
    """A node of worker 1 raises; worker 0 is told, and its last node has done its work."""
    first = [leaf(0, "x", 3), rpc(1, "Recv", "1:0", "worker1", (), 4, "y"), node(2, "SumBackward0", 1, [1], None, 5, ())]
    second = [leaf(0, "w", 1), node(1, "ExpBackward0", 0, [0], None, 2), rpc(2, "Send", "1:0", "worker0", [1], 4)]
    one = a_dist_pass(
        {
            "worker0": WorkerPassRecord({"2": 0, "1": 1}, [2, 1], []),
            "worker1": WorkerPassRecord({"2": 1, "1": 1, "0": 1}, [2, 1], [], failed=True),
        },
        roots=[2],
        failed=True,
    )
    error = DistErrorRecord("RemoteError", "ValueError", "on worker1, line 2: no", 5, 1, "x", None, None, None, [], "worker0")
    return dist([worker(0, first, status="error"), worker(1, second)], [one], (), error)


def training(passes: int) -> DistTrace:
    """A loop with a context a step: worker 1 takes part in every pass but the second; only the first and the last are kept."""
    first, second, records, contexts, others = [leaf(0, "w", 1)], [], [], [], []
    for step in range(passes):
        first += [
            rpc(3 * step + 1, "Send", f"0:{step}", "worker1", [0], 4),
            rpc(3 * step + 2, "Recv", f"1:{step}", "worker1", (), 4, "y"),
            node(3 * step + 3, "SumBackward0", 10 * step + 1, [3 * step + 2], "loss", 5, ()),
        ]
        first[-3].sequence_nr = 10 * step
        kept = step in (0, 1, passes - 1)
        workers = {"worker0": WorkerPassRecord({}, [], [])}
        if kept:
            counts = {str(3 * step + 3): 0, str(3 * step + 2): 1, str(3 * step + 1): 1, "0": 1}
            workers["worker0"] = WorkerPassRecord(counts, [3 * step + 3, 3 * step + 2, 3 * step + 1, 0], [])
        if step != 1:
            second.append(rpc(step, "Send", f"1:{step}", "worker0", (), 4))
            second[-1].sequence_nr = step
            workers["worker1"] = WorkerPassRecord({str(step): 1}, [step], []) if kept else WorkerPassRecord({}, [], [])
        elided = {} if kept else {"elided": True}
        records.append(a_dist_pass(workers, context=f"0:{step}", roots=[3 * step + 3] if kept else [], line=6, **elided))
        gradient = GradientRecord("w", None, [2], [float(step), 0.0], "float64")
        send, recv = SendRecord(f"0:{step}", "worker1", 3 * step + 1, 1), RecvRecord(f"1:{step}", "worker1", 3 * step + 2, 1)
        contexts.append(ContextRecord(f"0:{step}", ["worker1"], [send], [recv], [gradient]))
        others.append(ContextRecord(f"0:{step}", ["worker0"], [], [], []))
    first = [n for n in first if n.id == 0 or (n.id - 1) // 3 in (0, 1, passes - 1)]  # what was not kept is not there
    second = [n for n in second if n.id in (0, 1, passes - 1)]
    return dist([worker(0, first, contexts), worker(1, second, others)], records)


def stage(kind: str, start: float, end: float) -> StageRecord:
    return StageRecord(1, kind, None, None, None, start, end)
