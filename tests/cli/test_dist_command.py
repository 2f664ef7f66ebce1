"""``agrad dist`` over real processes: what it prints, its document, and that nothing is left behind, however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from autograd_cli.cli.main import agrad
from tests.cli.conftest import process_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forkserver and signals")

WORKED = """workers: 2
forward: |
  def my_add(x, y):
      return torch.add(x, y)
  t1 = torch.rand((2, 2), requires_grad=True)
  t2 = torch.rand((2, 2), requires_grad=True)
  t3 = rpc.rpc_sync("worker1", my_add, args=(t1, t2))
  t4 = torch.rand((2, 2), requires_grad=True)
  loss = (t3 * t4).sum()
backward: loss
"""
# The text of PyTorch's design note, as a user pastes it: a context of its own, and no `backward:` key.
NOTE = """workers: 2
forward: |
  import torch
  import torch.distributed.autograd as dist_autograd
  import torch.distributed.rpc as rpc

  def my_add(t1, t2):
      return torch.add(t1, t2)

  with dist_autograd.context() as context_id:
      t1 = torch.rand((3, 3), requires_grad=True)
      t2 = torch.rand((3, 3), requires_grad=True)
      t3 = rpc.rpc_sync("worker1", my_add, args=(t1, t2))
      t4 = torch.rand((3, 3), requires_grad=True)
      t5 = torch.mul(t3, t4)
      loss = t5.sum()
      dist_autograd.backward(context_id, [loss])
      grads = dist_autograd.get_gradients(context_id)
      print(len(grads), torch.equal(grads[t4], t3), torch.equal(grads[t1], t4))
"""
SLOW = """workers: 3
forward: |
  def nap(n):
      time.sleep(n)
  import time
  print('begun')
  rpc.rpc_sync('worker1', nap, args=(60,))
"""

SLOW_PASS = """workers: 3
forward: |
  import time
  def nap(grad):
      print('in the pass')
      time.sleep(60)
  def inner(x):
      y = x * 2
      y.register_hook(nap)
      return y.exp()
  def outer(x):
      return rpc.rpc_sync('worker2', inner, args=(x,))
  w = torch.ones(3, requires_grad=True)
  y = rpc.rpc_sync('worker1', outer, args=(w,))
backward: y.sum()
"""


def run(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """One command line in a process of its own, since it starts others."""
    return subprocess.run(
        [sys.executable, "-m", "autograd_cli", *arguments],
        capture_output=True,
        text=True,
        env=process_environment(),
        timeout=120,
        **more,
    )


def workers_of(pid: int) -> list[int]:
    """The processes of the group that `pid` leads, itself apart."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in found.splitlines())
    return [int(row[0]) for row in rows if int(row[1]) == pid and int(row[0]) != pid and "Z" not in row[2]]


def wait_until(condition: Any, seconds: float = 20.0) -> bool:
    """Whether `condition` came true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def start(path: str, first_line: bytes) -> subprocess.Popen[bytes]:
    """A run in a process group of its own, that has printed a line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "autograd_cli", "dist", path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=process_environment(), start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == first_line
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing behind, whatever the test found."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.fixture
def sleeping(scenario: Any) -> Any:
    """A run in which worker1 sleeps."""
    process = start(scenario(SLOW), b"worker0 | begun\n")
    yield process
    end(process)


@pytest.fixture
def in_the_pass(scenario: Any) -> Any:
    """A run whose backward pass has reached worker2, where a hook sleeps."""
    process = start(scenario(SLOW_PASS), b"worker2 | in the pass\n")
    yield process
    end(process)


def test_document_is_that_of_the_contract(scenario: Any) -> None:
    done = run("dist", scenario(WORKED), "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["format"], document["engine"], document["mode"], document["status"]) == (
        "agrad/dist@1",
        "processes",
        "fast",
        "ok",
    )
    first, second = document["workers"]
    names = [[node["name"] for node in w["graph"]["nodes"]] for w in (first, second)]
    assert sorted(names[0]) == sorted(
        ["SumBackward0", "MulBackward0", "RecvRpcBackward", "SendRpcBackward", *["AccumulateGrad"] * 3]
    )
    assert names[1] == ["RecvRpcBackward", "AddBackward0", "SendRpcBackward"]
    context = first["contexts"][0]
    assert context["id"] == "0:0"
    assert [s["message_id"] for s in context["sends"]] == ["0:0"]
    assert [r["message_id"] for r in context["recvs"]] == ["1:0"]
    value = {v["variable"]: v["value"] for v in context["gradients"]}
    variables = first["variables"]
    assert value["t4"] == variables["t3"]["value"]
    assert value["t1"] == value["t2"] == variables["t4"]["value"]
    one = document["passes"][0]
    assert one["messages"]["gradient"] == 2
    assert one["bytes"]["gradient"] == 16 + 32
    recv = next(n for n in first["graph"]["nodes"] if n["name"] == "RecvRpcBackward")
    assert (recv["variable"], recv["line"], recv["sequence_nr"], recv["message_id"], recv["peer"]) == (
        "t3",
        7,
        0,
        "1:0",
        "worker1",
    )


def test_two_runs_give_the_same_document_times_and_processes_apart(scenario: Any) -> None:
    def plain(document: Any) -> Any:
        for worker in document["workers"]:
            worker.pop("pid")
        for one in document["passes"]:
            one.pop("duration")
            for part in one["workers"].values():
                part["stages"] = None
        for message in document["messages"]:
            message["sent"] = message["received"] = None
        return document

    path = scenario(WORKED)
    assert plain(json.loads(run("dist", path, "--json").stdout)) == plain(json.loads(run("dist", path, "--json").stdout))


def test_the_notes_own_text_runs(scenario: Any) -> None:
    done = run("dist", scenario(NOTE), "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "worker0 | 2 True True\n".replace("2", "3"), "")


@pytest.mark.parametrize("workers", ["1", "2", "8"])
def test_the_default_scenario_adapts_to_any_number_of_workers(workers: str) -> None:
    done = run("dist", "--workers", workers)
    assert done.returncode == 0, done.stderr
    assert "around the ring" in done.stdout
    assert "gradients in context 0:0 (in the context, not in .grad)" in done.stdout


def test_sixty_four_workers() -> None:
    assert run("dist", "--workers", "64", "-q").returncode == 0


def test_a_scenario_without_workers_runs_on_the_first(scenario: Any) -> None:
    done = run("dist", scenario("forward: |\n  print(rank, world_size, name)\n"), "-q")
    assert (done.returncode, done.stdout) == (0, "worker0 | 0 3 worker0\n")


def test_scripts_of_several_workers_meet(scenario: Any) -> None:
    text = (
        "workers: [ps, trainer]\nforward:\n  all: |\n    import torch.distributed as dist\n  ps: |\n    dist.barrier()\n    print('ps')\n"
        "  trainer: |\n    dist.barrier()\n    print('trainer')\n"
    )
    done = run("dist", scenario(text), "-q")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["ps | ps", "trainer | trainer"]


def test_stall_is_told(scenario: Any) -> None:
    done = run("run", "stalls")
    assert done.returncode == 1
    assert "BackwardStalled" in done.stderr
    assert "worker0 waits for the gradient of send function 0:1" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("rpc.rpc_sync('worker9', torch.add, args=(torch.ones(1), 1))", "UnknownWorker"),
        ("rpc.rpc_sync('worker1', lambda x: x, args=(1,))", "UnknownFunction"),
        ("rpc.rpc_sync('worker1', torch.mm, args=(torch.ones(2, 2), torch.ones(3, 3)))", "RemoteError"),
        ("torch.distributed.rpc.remote", "Unsupported"),
        ("1 / 0", "ScriptRaised"),
    ],
)
def test_failures_have_their_kind_and_line(scenario: Any, script: str, kind: str) -> None:
    done = run("dist", scenario(f"workers: 2\nforward: |\n  x = 1\n  {script}\n"), "--json")
    assert done.returncode == 1, done.stderr
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["line"], error["worker"]) == (kind, 4, "worker0")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["--workers", "0"], ["--mode", "both", "--check"], ["--mode", "quick"]])
def test_what_cannot_be_started_ends_with_its_status(arguments: list[str]) -> None:
    done = run("dist", *arguments)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr


def test_pictures_have_a_cluster_a_worker(tmp_path: Path) -> None:
    done = run("dist", "nested-call", "-q", "-o", str(tmp_path / "n.dot"))
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "n.dot").read_text()
    assert [f"cluster_{i}" in text for i in range(4)] == [True, True, True, False]
    assert {f'id="m-{m}"' in text for m in ("0-0", "1-0", "1-1", "2-0")} == {True}
    assert run("graph", "nested-call", "-o", str(tmp_path / "n.svg")).returncode == 0
    saved = tmp_path / "n.json"
    saved.write_text(run("dist", "nested-call", "--json").stdout)
    assert run("graph", str(saved), "--dot").stdout == text


def test_a_killed_worker_is_named(sleeping: Any) -> None:
    assert wait_until(lambda: len(workers_of(sleeping.pid)) >= 4)
    youngest = max(workers_of(sleeping.pid))
    os.kill(youngest, signal.SIGKILL)
    output, messages = sleeping.communicate(timeout=30)
    assert sleeping.returncode == 1
    assert b"was killed by SIGKILL" in messages
    assert output.count(b": died, and what it did is not known\n") == 1
    assert b"worker1: did not report what it did\n" in output  # it was asleep
    assert b"Traceback" not in messages + output
    assert wait_until(lambda: not workers_of(sleeping.pid))


def test_a_pass_that_was_stopped_is_shown_on_every_worker_that_answers(in_the_pass: Any) -> None:
    """worker2 stands still in a hook until the run is given up: what ran on the other two before that is not lost."""
    os.kill(max(workers_of(in_the_pass.pid)), signal.SIGSTOP)
    output, _ = in_the_pass.communicate(timeout=60)
    assert in_the_pass.returncode == 1
    assert b"worker0 (error): calls backward(): 2 nodes evaluated" in output
    assert b"worker1: takes part in the pass: 2 nodes evaluated" in output
    assert b"worker2: did not report what it did" in output


def test_a_worker_killed_in_the_middle_of_a_pass(in_the_pass: Any) -> None:
    os.kill(max(workers_of(in_the_pass.pid)), signal.SIGKILL)
    output, messages = in_the_pass.communicate(timeout=30)
    assert in_the_pass.returncode == 1
    assert b"WorkerDied" in messages
    assert b"worker2" in messages
    text = output.decode()
    assert "worker0 (error): calls backward(): 2 nodes evaluated\n" in text
    assert "worker2: died, and what it did is not known\n" in text
    rows = [line.split() for line in text.splitlines() if "  gradient  " in line]
    assert [(row[0], row[2], row[-1]) for row in rows] == [("1:1", "worker1", rows[0][-1]), ("2:0", "worker2", "?")]
    assert float(rows[0][-1]) >= 0
    assert wait_until(lambda: not workers_of(in_the_pass.pid))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="where /proc tells")
def test_a_stopped_worker_is_named(sleeping: Any) -> None:
    assert wait_until(lambda: len(workers_of(sleeping.pid)) >= 4)
    os.kill(max(workers_of(sleeping.pid)), signal.SIGSTOP)
    _, messages = sleeping.communicate(timeout=30)
    assert sleeping.returncode == 1
    assert b"WorkerTimeout" in messages
    assert b"is stopped" in messages
    assert wait_until(lambda: not workers_of(sleeping.pid))


def test_a_reader_that_goes_away_ends_the_run(scenario: Any) -> None:
    path = scenario("workers: 2\nforward: |\n  while True:\n    print('x' * 1000)\n")
    command = f"{sys.executable} -m autograd_cli dist {path} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=process_environment(), timeout=60)
    assert done.stdout.startswith("worker0 | xxx")
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_everything(sleeping: Any) -> None:
    os.killpg(sleeping.pid, signal.SIGINT)
    output, messages = sleeping.communicate(timeout=30)
    assert sleeping.returncode == 130
    assert b"Traceback" not in messages + output
    assert wait_until(lambda: not workers_of(sleeping.pid))


def test_no_worker_outlives_a_killed_coordinator(sleeping: Any) -> None:
    os.kill(sleeping.pid, signal.SIGKILL)
    assert wait_until(lambda: not workers_of(sleeping.pid))


def test_time_limit(scenario: Any) -> None:
    done = run("dist", scenario(SLOW), "--timeout", "1", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["kind"] == "LimitExceeded"


def test_the_command_is_listed() -> None:
    assert "dist" in agrad.commands or "dist" in agrad.list_commands(None)  # type: ignore[arg-type]
