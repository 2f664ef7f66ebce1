"""Anomaly mode: which node made a NaN, and where its forward is."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_cli import torch
from autograd_cli.errors import AnomalyDetected
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's word for the NaN that we make on purpose

SCRIPT = """\
forward: |
  x = torch.tensor([0.0, 4.0], requires_grad=True)
  weight = torch.tensor([0.0, 1.0])
  {first}
  root = x.sqrt()
  y = root * weight
  {second}
backward: y.sum()
"""


def run(tmp_path: Path, first: str = "pass", second: str = "pass"):
    path = tmp_path / "nan.yaml"
    path.write_text(SCRIPT.format(first=first, second=second), encoding="utf-8")
    return run_scenario(load_scenario(path))


def test_the_error_names_the_node_the_input_the_line_of_the_forward_and_the_variable(tmp_path):
    trace = run(tmp_path, "torch.autograd.set_detect_anomaly(True)")
    error = trace.error
    assert (error.kind, error.type) == ("AnomalyDetected", "RuntimeError")
    assert error.message == "SqrtBackward0 returned NaN as the gradient of its input 0 (`self`); its forward is at line 5"
    assert error.variable == "root"
    assert trace.graph.nodes[error.node].name == "SqrtBackward0"


def test_the_pass_that_failed_ends_with_the_node(tmp_path):
    trace = run(tmp_path, "torch.autograd.set_detect_anomaly(True)")
    (failed,) = trace.passes
    assert failed.failed
    assert [trace.graph.nodes[n].name for n in failed.order] == ["SumBackward0", "MulBackward0", "SqrtBackward0"]


def test_switched_on_after_the_forward_the_line_is_known_all_the_same(tmp_path):
    trace = run(tmp_path, second="torch.autograd.set_detect_anomaly(True)")
    assert "its forward is at line 5" in trace.error.message


def test_anomaly_mode_ends_with_the_run(tmp_path):
    run(tmp_path, "torch.autograd.set_detect_anomaly(True)")
    assert run(tmp_path).error is None
    assert not torch.is_anomaly_enabled()


def leaf_with_nan():
    x = torch.zeros(1, requires_grad=True)
    return x.sqrt() * 0


def test_without_a_recorder_the_place_is_that_of_the_users_file():
    with torch.autograd.detect_anomaly():
        y = leaf_with_nan()
        with pytest.raises(AnomalyDetected, match=r"SqrtBackward0 .*test_anomaly\.py:\d+$"):
            y.sum().backward()


def test_without_a_recorder_a_forward_before_it_is_not_known():
    y = leaf_with_nan()
    with torch.autograd.detect_anomaly(), pytest.raises(AnomalyDetected, match="switch anomaly mode on before the forward"):
        y.sum().backward()


def test_a_node_made_in_a_backward_pass_is_named():
    x = torch.zeros(1, requires_grad=True)
    with torch.autograd.detect_anomaly():
        (g,) = torch.autograd.grad((x**1.5).sum(), x, create_graph=True)
        with pytest.raises(AnomalyDetected, match="PowBackward0"):
            (g * 0).sum().backward()


def test_infinities_are_no_anomaly():
    x = torch.zeros(1, requires_grad=True)
    with torch.autograd.detect_anomaly():
        x.sqrt().sum().backward()
    assert x.grad.tolist() == [float("inf")]
