"""The document of ``agrad dist``: numbers that belong together, and what it says where little or nothing ran."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
import pytest

from tests.cli.test_dist_command import WORKED, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forkserver and signals")

RETRIED = """workers: 3
forward: |
  failures = [1]
  def boom(grad):
      if failures:
          failures.pop()
          raise ValueError("once")
  with dist_autograd.context() as c:
      x = torch.ones(2, requires_grad=True)
      z = rpc.rpc_sync("worker2", torch.mul, args=(x, 3.0)) * 2
      z.register_hook(boom)
      try:
          dist_autograd.backward(c, [z.sum()])
      except ValueError:
          print("failed")
      dist_autograd.backward(c, [z.sum()])
      print(dist_autograd.get_gradients(c)[x].tolist())
"""
RAISES_REMOTELY = """workers: 3
forward: |
  def boom(grad):
      raise ValueError("no")
  def inner(x):
      y = x * 2
      y.register_hook(boom)
      return y.exp()
  def outer(x):
      return rpc.rpc_sync("worker2", inner, args=(x * 3,))
  w = torch.ones(3, requires_grad=True)
  y = rpc.rpc_sync("worker1", outer, args=(w,))
backward: y.sum()
"""
LOOP = """workers: 2
forward: |
  w = torch.ones(3, requires_grad=True, dtype=torch.float64)
  for i in range(12):
      with dist_autograd.context() as c:
          y = rpc.rpc_sync("worker1", torch.mul, args=(w, float(i)))
          dist_autograd.backward(c, [y.sum()])
"""


def document(*arguments: str) -> Any:
    """The document of one run."""
    return json.loads(run(*arguments, "--json").stdout)


def test_events_have_one_clock_and_messages_leave_before_they_come(scenario: Any) -> None:
    found = document("dist", scenario(WORKED), "--events")
    events = found["events"]
    assert [e["seq"] for e in events if e["worker"] == "worker1"] == list(range(sum(e["worker"] == "worker1" for e in events)))
    for kind in ("call", "reply", "gradient"):
        left = {(e["message_id"], e["worker"], e["peer"]): e["t"] for e in events if e["kind"] == f"{kind}_send"}
        came = {(e["message_id"], e["peer"], e["worker"]): e["t"] for e in events if e["kind"] == f"{kind}_receive"}
        assert left.keys() == came.keys() != set()
        assert all(left[key] < came[key] for key in left)
    ready = [(e["worker"], e["node"]) for e in events if e["kind"] == "ready" and e["why"] == "message"]
    sends = {w["name"]: [n["id"] for n in w["graph"]["nodes"] if n["name"] == "SendRpcBackward"] for w in found["workers"]}
    assert sorted(ready) == [("worker0", sends["worker0"][0]), ("worker1", sends["worker1"][0])]
    roots = [(e["worker"], e["node"]) for e in events if e["kind"] == "ready" and e["why"] == "root"]
    assert roots == [("worker0", found["passes"][0]["roots"][0])]
    assert "gradient_send" in run("dist", scenario(WORKED), "--events").stdout


def test_stages_name_their_nodes(scenario: Any) -> None:
    found = document("dist", scenario(WORKED))
    names = [{n["id"]: n["name"] for n in w["graph"]["nodes"]} for w in found["workers"]]
    first, second = (
        [(s["kind"], names[i].get(s["node"]), s["message_id"]) for s in found["passes"][0]["workers"][f"worker{i}"]["stages"]]
        for i in (0, 1)
    )
    assert first[:5] == [
        ("compute", "SumBackward0", None),
        ("send", "RecvRpcBackward", "1:0"),
        ("wait", "SendRpcBackward", "0:0"),
        ("recv", "SendRpcBackward", "0:0"),
        ("compute", "AccumulateGrad", None),
    ]
    assert second == [
        ("recv", "SendRpcBackward", "1:0"),
        ("compute", "AddBackward0", None),
        ("send", "RecvRpcBackward", "0:0"),
    ]


def test_messages_are_sorted_by_sender_and_id(scenario: Any) -> None:
    found = document("dist", "ring", "--workers", "12")["messages"]
    keys = [(int(m["from"][6:]), m["message_id"] is None, [*map(int, (m["message_id"] or "0:0").split(":"))]) for m in found]
    assert keys == sorted(keys)


def test_a_pass_that_failed_before_it_left_is_not_mixed_with_the_next(scenario: Any) -> None:
    done = run("dist", scenario(RETRIED), "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["workers"][0]["stdout"]) == (0, "failed\n[6.0, 6.0]\n")
    first, second = found["passes"]
    assert (first.get("failed"), list(first["workers"]), first["messages"]["gradient"]) == (True, ["worker0"], 0)
    assert (second.get("failed"), list(second["workers"]), second["messages"]["gradient"]) == (None, ["worker0", "worker2"], 2)


def test_only_the_worker_whose_node_raised_is_marked(scenario: Any) -> None:
    path = scenario(RAISES_REMOTELY)
    one = document("dist", path)["passes"][0]
    assert {name: part.get("failed") for name, part in one["workers"].items()} == {
        "worker0": None,
        "worker1": None,
        "worker2": True,
    }
    drawn = run("graph", path)
    assert drawn.returncode == 1
    assert [line.split()[2] for line in drawn.stdout.splitlines() if "failed here" in line] == ["MulBackward0"]
    assert "RemoteError (ValueError) on worker0" in drawn.stderr


def test_of_a_long_run_the_middle_is_left_out_and_can_be_asked_for(scenario: Any) -> None:
    path = scenario(LOOP)
    found = document("dist", path)
    assert [i for i, one in enumerate(found["passes"]) if not one.get("elided")] == [0, 1, 10, 11]
    assert found["passes"][5]["workers"]["worker0"] == {"dependencies": {}, "order": [], "stages": []}
    assert {g["dtype"] for context in found["workers"][0]["contexts"] for g in context["gradients"]} == {"float64"}
    drawn = run("graph", path, "--pass", "6")
    assert "pass 6 of 12, backward() on worker0" in drawn.stdout
    assert "RecvRpcBackward y 1:5 to worker1" in drawn.stdout
    for arguments in (["--pass", "13"], ["--around", "nothing"]):
        refused = run("graph", path, *arguments)
        assert (refused.returncode, refused.stdout) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["--device", "cuda:9"], "DeviceUnavailable"),
        (["--workers", "0"], "BadArgument"),
        (["nowhere.yaml"], "FileProblem"),
    ],
)
def test_what_was_not_started_has_the_document_of_a_distributed_run(arguments: list[str], kind: str) -> None:
    done = run("dist", *arguments, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["format"], found["status"], found["error"]["kind"]) == (2, "agrad/dist@1", "error", kind)
    assert (found["workers"], found["passes"], found["messages"]) == ([], [], [])


def test_a_wrong_ending_is_refused_before_anything_runs() -> None:
    done = run("dist", "-o", "picture.xyz")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Formats: svg, png, dot, json" in done.stderr


def test_agrad_run_gives_the_same_document(scenario: Any) -> None:
    path = scenario(WORKED)
    ran, dist = document("run", path, "--workers", "3"), document("dist", path, "--workers", "3")
    assert ran["format"] == dist["format"] == "agrad/dist@1"
    assert [w["graph"] for w in ran["workers"]] == [w["graph"] for w in dist["workers"]]
    assert [w["contexts"] for w in ran["workers"]] == [w["contexts"] for w in dist["workers"]]


def test_a_saved_document_is_drawn_and_a_damaged_one_refused(scenario: Any, tmp_path: Any) -> None:
    found = document("dist", scenario(WORKED))
    saved = tmp_path / "run.json"
    saved.write_bytes(msgspec.json.encode(found))
    assert run("graph", str(saved)).stdout == run("graph", scenario(WORKED)).stdout
    found["passes"][0]["workers"]["worker1"]["order"].append(77)
    saved.write_bytes(msgspec.json.encode(found))
    done = run("graph", str(saved))
    assert done.returncode == 2
    assert "node 77 of worker1" in " ".join(done.stderr.split())


def test_an_expected_stall_is_a_success_and_an_unexpected_value_is_none(scenario: Any) -> None:
    done = run("dist", "stalls", "--check", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    wrong = run("dist", scenario(WORKED + "expect:\n  grads: {t1: [[0.0, 0.0], [0.0, 0.0]]}\n"), "--check", "-q")
    assert wrong.returncode == 1
    assert "ExpectationFailed" in wrong.stderr


def test_what_a_check_finds_is_the_error_of_the_document(scenario: Any) -> None:
    done = run("dist", scenario(WORKED + "expect:\n  grads: {t1: [[0.0, 0.0], [0.0, 0.0]]}\n"), "--check", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"]) == (1, "error")
    assert (found["error"]["kind"], found["error"]["type"], found["error"]["worker"]) == (
        "ExpectationFailed",
        "AssertionError",
        None,
    )
