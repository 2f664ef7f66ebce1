"""With PyTorch installed, `pytest --torch`: every program and scenario does in agrad what it does there, asked anew each time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fidelity"))

from golden import Strict

from autograd_cli.pytorch.comparison import compare_traces
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.session.options import RunOptions
from autograd_cli.trace import codec
from autograd_cli.trace.compare_model import CompareTrace
from autograd_cli.trace.model import Trace

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "fidelity" / "programs").glob("*.yaml"))
SCENARIOS = [path for path in sorted((ROOT / "scenarios").glob("*.yaml")) if not load_scenario(path).is_distributed]

pytestmark = pytest.mark.torch


def compared(path: Path, **options: object) -> CompareTrace:
    """What `agrad compare` finds."""
    from autograd_cli.pytorch.compare import compare_scenario

    return compare_scenario(load_scenario(path), RunOptions(**options))


def in_pytorch(text: str, tmp_path: Path, **options: object) -> Trace:
    """A snippet under PyTorch."""
    from autograd_cli.pytorch.run import run_in_pytorch

    path = tmp_path / "snippet.py"
    path.write_text(text, encoding="utf-8")
    return run_in_pytorch(load_scenario(path), RunOptions(**options))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_does_what_it_does_in_pytorch(path: Path) -> None:
    from autograd_cli.pytorch.run import run_in_pytorch

    scenario = load_scenario(path)
    assert compare_traces(run_scenario(scenario), run_in_pytorch(scenario), Strict()).differences == []


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_does_what_it_does_in_pytorch(path: Path) -> None:
    found = compared(path)
    assert (found.status, found.differences) == ("ok", [])
    assert sum(one.equal for one in found.compared) > 15


HARD_TO_WATCH = {
    "torch.func": "from torch.func import grad, jacrev, vmap\nx = torch.arange(3.0)\nprint(jacrev(lambda v: v**2)(x))\n"
    "print(vmap(grad(lambda v: v.sin()))(x))",
    "a function that vjp returned": "from torch.func import vjp\nout, back = vjp(torch.sin, torch.ones(2))\nprint(back(torch.ones(2)))",
    "a view without a place": "x = torch.ones(4, requires_grad=True)\nwith torch.no_grad():\n  v = x[:2]\ntry:\n  v.mul_(2)\n"
    "except RuntimeError as e:\n  print('refused')",
    "views of inference": "w = torch.ones(2, requires_grad=True)\nwith torch.inference_mode():\n"
    "  v = torch.ones(2, requires_grad=True)\n  u = w.view(2)\nprint(u.requires_grad, v.requires_grad)",
    "addresses": "x = torch.ones(1, requires_grad=True)\nprint(x.sin().grad_fn, x.register_hook(print))",
    "a node hook that fails": "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.grad_fn.register_prehook(lambda g: 3)\n"
    "try:\n  y.sum().backward()\nexcept TypeError:\n  print('refused')",
    "an LSTM": "lstm = torch.nn.LSTM(2, 3)\nout, _ = lstm(torch.ones(4, 1, 2))\nout.sum().backward()",
}


@pytest.mark.parametrize("text", HARD_TO_WATCH.values(), ids=HARD_TO_WATCH)
def test_what_is_hard_to_watch_is_compared_all_the_same(text: str, tmp_path: Path) -> None:
    path = tmp_path / "snippet.py"
    path.write_text(text, encoding="utf-8")
    assert compared(path).differences == []


def test_a_saved_trace_of_pytorch_is_drawn_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from autograd_cli.pytorch.run import run_in_pytorch
    from autograd_cli.render.terminal import rail

    trace = codec.decode(codec.encode(run_in_pytorch(load_scenario(ROOT / "scenarios" / "abc.yaml"))))
    assert isinstance(trace, Trace)
    drawn = rail(trace)
    assert "AccumulateGrad a [3, 3] deps 1" in drawn
    assert "MulBackward0   e [3, 3] deps 0" in drawn


def test_parameters_of_modules_have_their_paths(tmp_path: Path) -> None:
    text = "from torch import nn\nnet = nn.Sequential(nn.Linear(2, 3), nn.Tanh())\nnet(torch.ones(1, 2)).sum().backward()"
    trace = in_pytorch(text, tmp_path)
    assert {node.variable for node in trace.graph.nodes if node.is_leaf} == {"net.0.weight", "net.0.bias"}
    assert set(trace.variables["net"]["parameters"]) == {"0.weight", "0.bias"}


@pytest.mark.parametrize("held", [50_000, 10], ids=["short", "long"])
def test_a_long_loop_keeps_its_first_and_last_passes(held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autograd_cli.pytorch import watch

    monkeypatch.setattr(watch, "MOST_NODES", held)
    text = "w = torch.ones(2, requires_grad=True)\nfor i in range(50):\n    (w * i).sum().backward()"
    trace = in_pytorch(text, tmp_path)
    assert [number for number, one in enumerate(trace.passes) if one.elided is not True] == [0, 1, 48, 49]
    assert len(trace.graph.nodes) == 4 * 2 + 1
    assert [one.elided is True for one in in_pytorch(text, tmp_path, record="all").passes] == [False] * 50


def test_seed_and_time_limit_are_heard(tmp_path: Path) -> None:
    draw = "x = torch.rand(3)"
    assert in_pytorch(draw, tmp_path, seed=1).variables == in_pytorch(draw, tmp_path, seed=1).variables
    assert in_pytorch(draw, tmp_path, seed=1).variables != in_pytorch(draw, tmp_path, seed=2).variables
    error = in_pytorch("while True:\n    pass", tmp_path, timeout=0.2).error
    assert error is not None
    assert error.kind == "LimitExceeded"


def test_pytorch_is_left_as_it_was(tmp_path: Path) -> None:
    import torch

    def state() -> tuple[object, ...]:
        grad = torch.autograd.backward, torch.autograd.grad, torch.Tensor.register_hook, torch.Tensor.numpy
        return torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads(), torch.initial_seed(), *grad

    before = state(), torch.get_rng_state().tolist()
    in_pytorch(
        "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.manual_seed(7)\n"
        "torch.set_printoptions(precision=2)\ntorch.autograd.set_detect_anomaly(True)\ntorch.rand(3)",
        tmp_path,
    )
    assert (state(), torch.get_rng_state().tolist()) == before
    assert str(torch.tensor(1 / 3)) == "tensor(0.3333)"
    assert not torch.is_anomaly_enabled()


@pytest.mark.parametrize(("arguments", "code"), [(["abc"], 0), (["abc", "vector"], 0), (["ring"], 2), (["abc", "ring"], 2)])
def test_command(arguments: list[str], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "autograd_cli", "compare", "--json", *arguments], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == code, done.stderr
    document = json.loads(done.stdout)
    documents = document["comparisons"] if len(arguments) > 1 else [document]
    assert [one["format"] for one in documents] == ["agrad/compare@1"] * len(arguments)
    assert document["status"] == ("ok" if code == 0 else "error")
