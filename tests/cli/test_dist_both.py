"""``agrad dist --mode both``: FAST and SMART side by side."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from autograd_cli.trace.both_model import Difference, differences
from autograd_cli.trace.codec import decode
from autograd_cli.trace.dist_model import DistTrace, GradientRecord
from tests.cli.test_dist_command import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forkserver and signals")

# The answer has two tensors and only one is used: FAST sends zeros for the other, as PyTorch does; in one process v has no gradient.
ZEROS = """workers: 2
forward: |
  def two(u, v):
      return u * 2, v * 3
  u = torch.ones(2, requires_grad=True)
  v = torch.ones(2, requires_grad=True)
  with dist_autograd.context() as c:
      a, b = rpc.rpc_sync("worker1", two, args=(u, v))
      dist_autograd.backward(c, [a.sum()])
"""
CAUGHT = """workers: 2
forward: |
  a = torch.ones(2, requires_grad=True)
  with dist_autograd.context() as c:
      d = rpc.rpc_sync("worker1", torch.add, args=(a, a))
      e = rpc.rpc_sync("worker1", torch.mul, args=(a, a))
      try:
          dist_autograd.backward(c, [d.sum()])
      except RuntimeError:
          print("stalled")
"""
FAILS = """workers: 2
forward: |
  a = torch.ones(2, requires_grad=True)
  rpc.rpc_sync("worker1", torch.matmul, args=(a, torch.ones(3)))
"""


def both(path: str) -> tuple[int, Any]:
    """The exit status and the document."""
    done = run("dist", path, "--mode", "both", "--json")
    return done.returncode, json.loads(done.stdout)


def gradients(document: Any) -> dict[str, Any]:
    """Of the first worker's first context."""
    return {g["variable"]: g["value"] for g in document["workers"][0]["contexts"][0]["gradients"]}


def test_the_design_note_s_example_stalls_in_fast_and_ends_in_smart() -> None:
    code, found = both("stalls")
    assert (code, found["format"]) == (0, "agrad/both@1")
    assert [found[mode]["format"] for mode in ("fast", "smart")] == ["agrad/dist@1"] * 2
    assert found["fast"]["error"]["kind"] == "BackwardStalled"
    assert found["smart"]["error"] is None
    assert gradients(found["smart"]) == dict.fromkeys("ab", [[1.0] * 3] * 3)  # d = a + b, of ones


def test_the_report_tells_why_and_what_is_left_out() -> None:
    done = run("dist", "stalls", "--mode", "both")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert any(line.split() == ["ended", "BackwardStalled", "yes"] for line in lines)
    assert "only SMART ran on worker0: AccumulateGrad b" in lines
    assert any("0:1 (worker0 to worker1), 1:1 (worker1 to worker0)" in line for line in lines)
    assert any(line.startswith("FAST cannot finish: ") for line in lines)
    assert not any("equal" in line or "differ" in line for line in lines)


def test_where_everything_is_used_the_gradients_are_equal() -> None:
    done = run("dist", "ring", "--mode", "both")
    assert done.returncode == 0, done.stderr
    assert "The gradients of both are equal." in done.stdout
    assert "leaves out" not in done.stdout


def test_zeros_of_fast_are_told_and_are_no_failure(scenario: Any) -> None:
    code, found = both(scenario(ZEROS))
    assert code == 0
    assert (gradients(found["fast"]), gradients(found["smart"])) == ({"u": [2.0, 2.0], "v": [0.0, 0.0]}, {"u": [2.0, 2.0]})
    shown = run("dist", scenario(ZEROS), "--mode", "both").stdout
    assert "has no gradient: v on worker0, context 0:0" in shown
    assert "All other gradients are equal." in shown


def test_a_stall_that_the_script_caught_is_not_compared(scenario: Any) -> None:
    done = run("dist", scenario(CAUGHT), "--mode", "both")
    assert done.returncode == 0, done.stderr
    assert "A pass of FAST failed in context 0:0: its gradients are not compared." in done.stdout


def test_an_error_of_the_script_is_the_run_s(scenario: Any) -> None:
    done = run("dist", scenario(FAILS), "--mode", "both")
    alone = run("dist", scenario(FAILS), "--mode", "fast")
    assert done.returncode == alone.returncode == 1
    assert done.stderr == alone.stderr != ""


@pytest.mark.parametrize("option", [["--check"], ["-o", "x.svg"], ["--events"]])
def test_what_is_for_one_run_is_refused(option: list[str]) -> None:
    done = run("dist", "ring", "--mode", "both", *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is for one run" in " ".join(done.stderr.split())


def test_another_number_is_a_difference_and_another_order_of_unnamed_leaves_is_none() -> None:
    def with_gradients(*found: tuple[str | None, list[float]]) -> DistTrace:
        dist = decode(run("dist", "ring", "--json").stdout.encode())
        assert isinstance(dist, DistTrace)
        dist.workers[0].contexts[0].gradients = [GradientRecord(name, None, [len(v)], v) for name, v in found]
        return dist

    left = with_gradients(("x", [1.0, 2.0]), (None, [3.0]), (None, [0.0]), (None, [4.0]))
    moved = with_gradients((None, [4.0]), ("x", [1.0, 2.0]), (None, [3.0]), (None, [0.0]))
    assert differences(left, moved) == []
    other = with_gradients(("x", [1.0, 2.5]), (None, [3.0]), (None, [4.0]))
    assert differences(left, other) == [
        Difference("worker0", "0:0", "x", only_zeros=False),
        Difference("worker0", "0:0", "(no name)", only_zeros=True),
    ]
