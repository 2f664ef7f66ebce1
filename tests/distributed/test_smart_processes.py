"""SMART mode over worker processes: what the document says of it, and which mode a pass has."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from autograd_cli.render.dist_view import prepare_dist
from autograd_cli.scenario.load import load_scenario, read_scenario
from autograd_cli.session.cluster import DistOptions, run_distributed
from autograd_cli.session.options import RunOptions
from autograd_cli.trace import codec
from autograd_cli.trace.dist_model import DistTrace, WorkerRecord
from autograd_cli.trace.model import NodeRecord

from .test_processes import path_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forkserver and signals")


def run(name: str, mode: str | None = "smart", workers: int | None = None, **options: Any) -> DistTrace:
    """A scenario of the project, or its text, over processes."""
    scenario = read_scenario(name.encode(), None) if "\n" in name else load_scenario(path_of(name))
    return run_distributed(scenario, RunOptions(**options), DistOptions(workers, mode))


def gradients(dist: DistTrace) -> list[list[Any]]:
    """Each worker's gradients in its first context: variable and value."""
    return [[[g.variable, g.value] for c in worker.contexts[:1] for g in c.gradients] for worker in dist.workers]


def dead(dist: DistTrace, worker: WorkerRecord) -> list[str]:
    """The nodes of a worker that the first pass neither counted nor ran."""
    part = dist.passes[0].workers[worker.name]
    found = [n for n in worker.graph.nodes if n.id not in part.order and str(n.id) not in part.dependencies]
    return sorted(described(n) for n in found)


def described(node: NodeRecord) -> str:
    """A node in a word or two."""
    return f"{node.name} {node.message_id if isinstance(node.message_id, str) else node.variable or ''}".strip()


def test_the_design_note_s_example_ends_and_what_is_unused_takes_no_part() -> None:
    dist = run("stalls", events=True)
    assert dist.status == "ok", dist.error
    ones = [[1.0] * 3] * 3
    assert gradients(dist) == [[["a", ones], ["b", ones]], []]
    assert [dead(dist, worker) for worker in dist.workers] == [
        ["AccumulateGrad c", "RecvRpcBackward 1:1", "SendRpcBackward 0:1"],
        ["MulBackward0", "RecvRpcBackward 0:1", "SendRpcBackward 1:1"],
    ]
    (one,) = dist.passes
    assert (dist.mode, one.mode) == ("smart", "smart")
    assert one.messages == {"gradient": 2, "discovery": 3, "cleanup": 2}
    assert one.bytes["gradient"] == 36 + 72
    asked = [m for m in dist.messages if m.kind == "discovery"]
    assert [(m.source, m.function) for m in asked] == [("worker0", "collect"), ("worker0", "plan"), ("worker1", "summary")]
    assert one.bytes["discovery"] == sum(m.bytes for m in asked) > 0
    assert all(m.received is not None for m in asked)
    stages = one.workers["worker0"].stages
    assert stages[0].kind == "wait"  # for the answer
    assert codec.decode(codec.encode(dist)) == dist


def test_pictures_show_dead_nodes_and_messages_as_those_that_no_pass_reaches() -> None:
    dist = run("stalls")
    view = prepare_dist(dist)
    assert [sorted(described(n.record) for n in w.nodes if n.pale) for w in view.workers] == [dead(dist, w) for w in dist.workers]
    assert {m.message_id: m.taken for m in view.messages()} == {"0:0": True, "1:0": True, "0:1": False, "1:1": False}
    assert "SMART mode" in view.subtitle


def test_events_tell_of_the_round_before_the_pass_counts() -> None:
    dist = run("stalls", events=True)
    assert isinstance(dist.events, list)
    kinds = [[e["kind"] for e in dist.events if e["worker"] == name] for name in ("worker0", "worker1")]
    first = kinds[0].index("pass_start")
    assert kinds[0][first : first + 5] == ["pass_start", "discover_send", "discover_receive", "discover_send", "dependencies"]
    assert [k for k in kinds[1] if k.startswith("discover")] == ["discover_receive", "discover_send", "discover_receive"]
    steps = [e["function"] for e in dist.events if e["kind"] == "discover_receive"]
    assert steps == ["summary", "collect", "plan"]


@pytest.mark.parametrize(
    ("name", "workers", "others"),
    [("worked-example", None, 1), ("nested-call", None, 2), ("ring", 1, 0), ("ring", 3, 2), ("ring", 8, 7)],
)
def test_where_everything_counts_the_pass_is_that_of_fast(name: str, workers: int | None, others: int) -> None:
    """The same gradients, nodes in the same order, the same gradient messages; and a round before: 2 (W - 1) + P."""
    fast, smart = (run(name, mode, workers) for mode in ("fast", "smart"))
    assert fast.status == smart.status == "ok"
    assert gradients(fast) == gradients(smart)
    (one,), (other,) = fast.passes, smart.passes
    assert {w: (p.order, p.dependencies) for w, p in one.workers.items()} == {
        w: (p.order, p.dependencies) for w, p in other.workers.items()
    }
    assert one.messages["gradient"] == other.messages["gradient"]
    assert (one.messages["discovery"], other.messages["discovery"]) == (0, 3 * others)
    assert one.bytes == {"gradient": other.bytes["gradient"]}


SCRIPT = """
  a = torch.tensor([1.0, 2.0], requires_grad=True)
  b = torch.tensor([3.0, 4.0], requires_grad=True)
  d = rpc.rpc_sync("worker1", torch.add, args=(a, b))
  e = rpc.rpc_sync("worker1", torch.mul, args=(a, b))
"""


@pytest.mark.parametrize(
    ("keys", "asked", "expected"),
    [
        ("", None, "fast"),
        ("mode: smart\n", None, "smart"),
        ("mode: smart\n", "fast", "fast"),
        ("mode: fast\n", "smart", "smart"),
    ],
)
@pytest.mark.parametrize("by_script", [True, False])
def test_the_mode_of_the_run(keys: str, asked: str | None, expected: str, *, by_script: bool) -> None:
    """The command line wins over the scenario; a script's backward() has the run's mode."""
    end = "backward: d.sum()\n"
    if by_script:
        end = "  with dist_autograd.context() as c:\n    f = rpc.rpc_sync('worker1', torch.mul, args=(a, b))\n"
        end += "    g = rpc.rpc_sync('worker1', torch.mul, args=(a, b))\n    dist_autograd.backward(c, [g.sum()])\n"
    dist = run(f"workers: 2\n{keys}forward: |{SCRIPT}{end}", asked)
    assert (dist.mode, dist.passes[0].mode) == (expected, expected)
    assert dist.status == ("ok" if expected == "smart" else "error")
    if expected == "fast":
        assert dist.error is not None
        assert "--mode smart" in str(dist.error.hint)


@pytest.mark.parametrize(("asked", "expected"), [(None, "smart"), ("fast", "fast")])
def test_backward_may_choose_its_own_mode(asked: str | None, expected: str) -> None:
    dist = run(f"workers: 2\nforward: |{SCRIPT}backward: {{roots: d.sum(), mode: smart}}\n", asked)
    assert (dist.mode, dist.passes[0].mode) == ("fast", expected)
    assert dist.status == ("ok" if expected == "smart" else "error")


def test_an_error_in_the_pass_leaves_nothing_and_the_next_pass_is_right() -> None:
    dist = run(
        """workers: 3
mode: smart
forward: |
  broken = [True]

  def refuse(grad):
      if broken[0]:
          raise ValueError("no gradient today")

  def repair():
      broken[0] = False

  def watched(x):
      y = x * 2
      y.register_hook(refuse)
      return y

  with dist_autograd.context() as context_id:
      x = torch.tensor([3.0], requires_grad=True)
      unused = rpc.rpc_sync("worker2", torch.mul, args=(x, x))
      a = rpc.rpc_sync("worker1", torch.mul, args=(x, x))
      b = rpc.rpc_sync("worker2", watched, args=(x,))
      for _ in range(2):
          try:
              dist_autograd.backward(context_id, [a + b], retain_graph=True)
          except ValueError as error:
              print(error)
          print(len(dist_autograd.get_gradients(context_id)))
      rpc.rpc_sync("worker2", repair)
      dist_autograd.backward(context_id, [a + b])
      print(dist_autograd.get_gradients(context_id)[x])
""",
        None,
    )
    assert dist.status == "ok", dist.error
    lines = dist.workers[0].stdout.splitlines()
    assert [("no gradient today" in line) for line in lines] == [True, False, True, False, False]
    assert lines[1::2] + lines[4:] == ["0", "0", "tensor([8.])"]
    assert [one.failed is True for one in dist.passes] == [True, True, False]
    assert [one.messages["discovery"] for one in dist.passes] == [6, 6, 6]
