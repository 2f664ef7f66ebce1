"""The built-in scenarios: each loads, runs and holds its ``expect``, which was recorded from PyTorch."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.scenario.expect import check
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.cluster import run_distributed
from autograd_cli.session.local import run_scenario
from autograd_cli.trace import codec
from autograd_cli.trace.dist_views import first_worker

FOLDER = Path(__file__).parents[1] / "scenarios"
ALL = sorted(FOLDER.glob("*.yaml"))
DISTRIBUTED = [path for path in ALL if load_scenario(path).is_distributed]
PATHS = [path for path in ALL if path not in DISTRIBUTED]
PROMISED = {
    "abc",
    "tiny-network",
    "scalar",
    "vector",
    "matrix",
    "tensor-4d",
    "retain-grad",
    "no-grad",
    "dynamic-loop",
    "iris",
}

PROMISED_DISTRIBUTED = {"ring", "worked-example", "stalls", "nested-call"}
every_scenario = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def document(path: Path) -> dict[str, Any]:
    """The run document of a scenario."""
    return json.loads(codec.encode(run_scenario(load_scenario(path))))


def without_times(path: Path) -> str:
    """The run document as text, but for the times."""
    found = document(path)
    for a_pass in found["passes"]:
        del a_pass["duration"]
    for event in found.get("events", ()):
        del event["t"]
    return json.dumps(found)


def test_promised_scenarios_are_there() -> None:
    assert {path.stem for path in PATHS} >= PROMISED
    assert {path.stem for path in DISTRIBUTED} >= PROMISED_DISTRIBUTED


@pytest.mark.parametrize("path", DISTRIBUTED, ids=lambda path: path.stem)
def test_expectations_of_distributed_scenarios_hold(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.title
    assert scenario.about
    assert scenario.expect is not None
    dist = run_distributed(scenario)
    assert not check(scenario.expect, first_worker(dist))
    assert codec.decode(codec.encode(dist)) == dist


@every_scenario
def test_teaches_something(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.title
    assert scenario.about
    assert "Look at" in scenario.about
    assert scenario.expect is not None
    assert scenario.expect.variables
    assert scenario.expect.grads


@every_scenario
def test_expectations_hold(path: Path) -> None:
    scenario = load_scenario(path)
    trace = run_scenario(scenario)
    assert trace.status == "ok", trace.error
    assert not check(scenario.expect, trace)


@every_scenario
def test_gradients_equal_pytorchs(path: Path) -> None:
    """To 1e-6 in float32 and 1e-12 in float64, whatever tolerance the scenario itself asks for."""
    scenario = load_scenario(path)
    values = document(path)["variables"]
    near = 1e-12 if scenario.dtype == "float64" else 1e-6
    for name, expected in scenario.expect.grads.items():
        got = values[name]["grad"]
        if expected is None:
            assert got is None
        else:
            np.testing.assert_allclose(got, expected, rtol=near, atol=near, err_msg=name)


@every_scenario
def test_wrong_expectation_is_seen(path: Path) -> None:
    """The comparison above can fail: one gradient changed in its fourth digit is reported."""
    scenario = load_scenario(path)
    name, expected = next((name, grad) for name, grad in scenario.expect.grads.items() if grad is not None)
    wrong = replace(scenario.expect, grads={name: (np.array(expected) * 1.001 + 1e-3).tolist()})
    assert [difference.where for difference in check(wrong, run_scenario(scenario))] == [f"grads.{name}"]


@every_scenario
def test_trace_survives_json(path: Path) -> None:
    trace = run_scenario(load_scenario(path))
    assert codec.decode(codec.encode(trace)) == trace


@every_scenario
def test_every_run_is_the_same(path: Path) -> None:
    assert without_times(path) == without_times(path) == without_times(path)


def test_abc_multiplication_waits_for_nothing() -> None:
    """The design note's figure: add(1), mul(0)."""
    found = document(FOLDER / "abc.yaml")
    by_name = {node["name"]: str(node["id"]) for node in found["graph"]["nodes"]}
    (only,) = found["passes"]
    assert only["dependencies"][by_name["AddBackward0"]] == 1
    assert by_name["MulBackward0"] not in only["dependencies"]
    assert found["variables"]["c"]["grad"] is None


def test_tiny_network_gradients_are_those_of_paper() -> None:
    """L = 10 - d with d = w3 w1 a + w4 w2 a, differentiated by hand."""
    values = document(FOLDER / "tiny-network.yaml")["variables"]
    a, w1, w2, w3, w4 = (values[name]["value"] for name in ("a", "w1", "w2", "w3", "w4"))
    by_hand = {"a": -(w3 * w1 + w4 * w2), "w1": -w3 * a, "w2": -w4 * a, "w3": -w1 * a, "w4": -w2 * a}
    assert {name: values[name]["grad"] for name in by_hand} == by_hand


def test_vector_weighs_the_rows_of_the_jacobian() -> None:
    x = document(FOLDER / "vector.yaml")["variables"]["x"]
    assert x["grad"] == pytest.approx([2 * 1.0, 0.1 * 2 * 2.0, 0.0])


def test_dynamic_loop_has_three_different_graphs() -> None:
    passes = document(FOLDER / "dynamic-loop.yaml")["passes"]
    assert len({len(a_pass["order"]) for a_pass in passes}) == len(passes) == 3


def test_iris_is_the_real_data() -> None:
    """Fisher's 150 flowers: the means that his paper's table gives, by species, in centimetres."""
    with (FOLDER / "data" / "iris.csv").open(newline="") as file:
        rows = [[float(cell) for cell in row.values()] for row in csv.DictReader(file)]
    means = {
        species: [round(sum(row[i] for row in rows if row[4] == species) / 50, 3) for i in range(4)]
        for species in (0.0, 1.0, 2.0)
    }
    assert len(rows) == 150
    assert means == {
        0.0: [5.006, 3.428, 1.462, 0.246],
        1.0: [5.936, 2.770, 4.260, 1.326],
        2.0: [6.588, 2.974, 5.552, 2.026],
    }


def test_iris_learns() -> None:
    found = document(FOLDER / "iris.yaml")
    assert found["variables"]["loss"]["value"] < 0.2
    assert found["variables"]["accuracy"]["value"] > 0.95
    assert len(found["passes"]) == 100
