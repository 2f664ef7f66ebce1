"""The recorded programs over worker processes: graph, message ids and the order of each worker's pass are PyTorch's."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from autograd_cli.render.dist_stall import stall_lines
from autograd_cli.scenario.load import load_scenario, read_scenario
from autograd_cli.session.cluster import DistOptions, run_distributed
from autograd_cli.session.options import RunOptions
from autograd_cli.trace import codec
from autograd_cli.trace.dist_model import DistTrace, WorkerRecord

from .programs import Program, all_of, golden
from .test_goldens import same_numbers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forkserver and signals")
# Those with one pass a context, whose messages do not race: their order is the same on every run.
ORDERED = [
    "builtin_call",
    "call_to_self",
    "containers",
    "detached_inside_a_call",
    "different_dtypes",
    "hooks",
    "mixed_requires_grad",
    "nested_call",
    "nested_call_itself",
    "no_grad_call",
    "own_leaf_of_the_callee",
    "split_outputs",
    "two_contexts",
    "unused_outputs",
    "views",
    "worked_example",
    "zero_dimensional",
]
PROGRAMS = {program.name: program for program in all_of("programs")}


def run(text: str, workers: int | None = None, **options: Any) -> DistTrace:
    """A scenario's run over processes."""
    return run_distributed(read_scenario(text.encode(), None), RunOptions(**options), DistOptions(workers=workers))


def scenario_of(program: Program) -> str:
    """A program as a scenario: every worker has its text, the first runs its main()."""
    text = textwrap.indent(program.text + "\ndef nothing(*_):\n    pass\n", "    ")
    return f"workers: {program.workers}\nforward:\n  all: |\n{text}\n  worker0: |\n    result = main(nothing, nothing)\n"


def graph_of(worker: WorkerRecord, index: int, roots: list[int]) -> list[Any]:
    """A worker's graph in the form of the goldens."""
    nodes = {node.id: node for node in worker.graph.nodes}
    sends = [s.node for s in worker.contexts[index].sends] if index < len(worker.contexts) else []
    order: list[int] = []
    todo = [n for n in reversed([*sends, *roots]) if n is not None]
    while todo:
        number = todo.pop()
        if number not in order:
            order.append(number)
            todo.extend(e.node for e in reversed(nodes[number].next) if e is not None)
    return [[nodes[n].name, [None if e is None else [order.index(e.node), e.input] for e in nodes[n].next]] for n in order]


@pytest.mark.parametrize("name", ORDERED)
def test_document_shows_what_pytorch_did(name: str) -> None:
    expected = golden(name)["contexts"]
    dist = run(scenario_of(PROGRAMS[name]))
    assert dist.status == "ok", dist.error
    assert len(dist.passes) == len(expected)
    for index, (one, wanted) in enumerate(zip(dist.passes, expected, strict=True)):
        for rank, worker in enumerate(dist.workers):
            names = {node.id: node.name for node in worker.graph.nodes}
            part = one.workers.get(worker.name)
            assert [names[n] for n in part.order] == wanted["order"][rank] if part else not wanted["order"][rank]
            if wanted["graph"][rank]["nodes"]:
                assert graph_of(worker, index, one.roots if rank == 0 else []) == wanted["graph"][rank]["nodes"]
            if index < len(worker.contexts):
                context = worker.contexts[index]
                assert [s.message_id for s in context.sends] == [shown(m) for m in wanted["graph"][rank]["sends"]]
                assert sorted(r.message_id for r in context.recvs) == sorted(shown(m) for m in wanted["graph"][rank]["recvs"])
                ours = [g.value for g in context.gradients]
                theirs = [grad for _, _, grad in wanted["gradients"][rank]]
                assert same_numbers(sorted(ours, key=str), sorted(theirs, key=str))


def shown(number: int) -> str:
    """A message id as documents have it."""
    return f"{number >> 48}:{number & (1 << 48) - 1}"


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_ring_multiplies_by_every_worker(workers: int) -> None:
    scenario = load_scenario(path_of("ring"))
    dist = run_distributed(scenario, RunOptions(), DistOptions(workers=workers))
    assert dist.status == "ok", dist.error
    factor = 1.0
    for rank in range(workers):
        factor *= rank + 2
    (gradient,) = dist.workers[0].contexts[0].gradients
    assert gradient.value == [factor, factor]
    assert dist.passes[0].messages["gradient"] == 2 * workers  # each hop's request and its answer
    assert codec.decode(codec.encode(dist)) == dist


def path_of(name: str) -> Path:
    """A scenario of the project."""
    return Path(__file__).parents[2] / "scenarios" / f"{name}.yaml"


def test_error_of_a_remote_function_has_its_line_and_worker() -> None:
    dist = run(
        """workers: 2
forward: |
  def divide(x):
      return 1 / (x - x.item())

  def fail(n):
      return [1, 2][n]

  rpc.rpc_sync("worker1", fail, args=(7,))
"""
    )
    assert dist.error is not None
    assert (dist.error.kind, dist.error.type, dist.error.line, dist.error.worker) == ("RemoteError", "IndexError", 9, "worker0")
    assert "on worker1, line 7: IndexError: list index out of range" in dist.error.message
    assert all(worker.status == "ok" for worker in dist.workers[1:])


def test_failed_pass_is_marked_and_what_follows_works() -> None:
    dist = run(
        """workers: 3
forward: |
  broken = [True]
  w = torch.tensor([2.0], requires_grad=True)

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
      a = rpc.rpc_sync("worker1", torch.mul, args=(x, x))
      b = rpc.rpc_sync("worker2", watched, args=(x,))
      try:
          dist_autograd.backward(context_id, [a + b], retain_graph=True)
      except ValueError as error:
          print(error)
      print(len(dist_autograd.get_gradients(context_id)))
      rpc.rpc_sync("worker2", repair)
      dist_autograd.backward(context_id, [a + b])
      print(dist_autograd.get_gradients(context_id)[x])
"""
    )
    assert dist.status == "ok", dist.error
    lines = dist.workers[0].stdout.splitlines()
    assert "on worker2, line 8: ValueError: no gradient today" in lines[0]
    assert lines[1:] == ["0", "tensor([8.])"]
    assert [one.failed is True for one in dist.passes] == [True, False]


def test_stalled_pass_is_explained_alike_by_its_message_and_by_the_lines_of_the_calls() -> None:
    """The dead call holds up `z`, and so worker2, which would have gone on."""
    dist = run(
        """workers: 3
forward: |
  a = torch.tensor([1.0, 2.0], requires_grad=True)
  z = rpc.rpc_sync("worker2", torch.mul, args=(a, 2.0)) * 3
  e = rpc.rpc_sync("worker1", torch.add, args=(z, 1.0))
backward: z.sum()
"""
    )
    assert dist.error is not None
    assert "send function 0:1: its recv function on worker1 is not reached from the roots; " in dist.error.message
    assert "send function 0:0: its recv function on worker2 waits for gradients itself. " in dist.error.message
    first, second = stall_lines(dist)
    assert first.endswith("Its send function 0:1 waits for the recv function on worker1, which the roots do not reach.")
    assert second.endswith("Its send function 0:0 waits for the recv function on worker2, which waits for gradients itself.")


@pytest.mark.parametrize("mode", ["fast", "smart"])
def test_worker_killed_in_the_middle_of_a_pass_is_named(mode: str) -> None:
    """worker1 tells its process id and waits in a hook; the coordinator of this test kills it there."""
    found: list[int] = []

    def started(names: list[str], pids: list[int]) -> None:
        found.extend(pids)

    def printed(name: str, text: str) -> None:
        if "in the hook" in text:
            os.kill(found[1], signal.SIGKILL)

    text = """workers: 3
forward: |
  import time

  def wait(grad):
      print("in the hook")
      time.sleep(60)

  def watched(x):
      y = x * 2
      y.register_hook(wait)
      return y

  x = torch.tensor([3.0], requires_grad=True)
  y = rpc.rpc_sync("worker1", watched, args=(x,))
backward: y
"""
    options = RunOptions(on_print=None)
    dist = run_distributed(read_scenario(text.encode(), None), options, DistOptions(None, mode, printed, on_start=started))
    assert dist.error is not None
    assert dist.error.kind == "WorkerDied"
    assert "worker1" in dist.error.message
    assert "SIGKILL" in dist.error.message
    assert dist.error.worker == "worker1"
    assert [worker.status for worker in dist.workers][1] == "died"
    assert not any(alive(pid) for pid in found)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="where /proc tells")
def test_stopped_worker_is_the_error_s_worker() -> None:
    text = "workers: 3\nforward:\n  all: |\n    import time\n    time.sleep(60)\n"
    stop = DistOptions(on_start=lambda names, pids: os.kill(pids[1], signal.SIGSTOP))
    dist = run_distributed(read_scenario(text.encode(), None), RunOptions(), stop)
    assert dist.error is not None
    assert (dist.error.kind, dist.error.worker) == ("WorkerTimeout", "worker1")


def alive(pid: int) -> bool:
    """Whether a process is there; our own children that ended were waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_no_process_is_left_after_a_run_whatever_its_end() -> None:
    found: list[int] = []
    for script in ("x = 1", "1 / 0", "rpc.rpc_sync('worker1', torch.mm, args=(1, 2))", "import time; time.sleep(60)"):
        text = f"workers: 3\nforward: |\n  {script}\n"
        limit = 0.5 if "sleep" in script else None
        run_distributed(
            read_scenario(text.encode(), None),
            RunOptions(timeout=limit),
            DistOptions(on_start=lambda names, pids: found.extend(pids)),
        )
    assert len(found) == 12
    assert not any(alive(pid) for pid in found)


def test_thousand_nested_hops_over_processes() -> None:
    """Calls wait on one loop, not on a pool of threads: PyTorch's nested calls block at 47 hops over three workers."""
    dist = run(
        """workers: 3
forward: |
  def hop(x, left):
      if left == 0:
          return x * 1
      return rpc.rpc_sync((rpc.get_worker_info().id + 1) % 3, hop, args=(x, left - 1))

  x = torch.tensor([3.0], requires_grad=True)
  y = rpc.rpc_sync("worker1", hop, args=(x, 1000))
backward: y
"""
    )
    assert dist.status == "ok", dist.error
    assert dist.workers[0].contexts[0].gradients[0].value == [1.0]
