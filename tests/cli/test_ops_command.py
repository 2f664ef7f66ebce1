"""``agrad ops``."""

from __future__ import annotations

import json
from typing import Any

import pytest


def test_an_operation_is_shown_with_its_formula(invoke: Any) -> None:
    done = invoke("ops", "exp")
    assert done.exit_code == 0
    assert "ExpBackward0" in done.stdout
    assert "gradient of self      grad * conj(result)" in done.stdout


@pytest.mark.parametrize("name", ["torch.mul", "Tensor.mul", "MulBackward0", "mul"])
def test_an_operation_is_found_by_each_of_its_names(invoke: Any, name: str) -> None:
    assert "grad * conj(other)" in invoke("ops", name).stdout


def test_without_a_name_all_are_listed(invoke: Any) -> None:
    lines = invoke("ops").stdout.splitlines()
    assert any(line.startswith("sin ") and "SinBackward0" in line for line in lines)
    assert not any("BackwardBackward" in line for line in lines)
    assert any("TanhBackwardBackward0" in line for line in invoke("ops", "--all").stdout.splitlines())


def test_json_is_one_document(invoke: Any) -> None:
    document = json.loads(invoke("ops", "grid_sample", "--json").stdout)
    assert document["format"] == "agrad/ops@1"
    (op,) = document["ops"]
    assert (op["node"], op["second_derivative"], sorted(op["gradients"])) == ("GridSampler2DBackward0", False, ["grid", "input"])


def test_a_name_that_is_nowhere_is_a_usage_error(invoke: Any) -> None:
    done = invoke("ops", "no-such-operation")
    assert done.exit_code == 2
    assert "no operation has" in done.stderr
