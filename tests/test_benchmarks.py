"""The benchmark harness stays alive: its references are right, its adapters agree with them, its parent refuses what is wrong."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest

from benchmarks import bars, big, memory, report, startup
from benchmarks.__main__ import main
from benchmarks.adapter import Adapter, NotComparable
from benchmarks.adapters import ADAPTERS
from benchmarks.graphs import chain, dag, fan_in
from benchmarks.harness import LIBRARIES, Measured, WorkloadRun, run_workload, sampled
from benchmarks.networks import double_backward, elementwise, elementwise_chain, mlp
from benchmarks.worker import gradients_of_a_pass, prepared, timed_pass
from benchmarks.workload import Workload, deviation
from benchmarks.workloads import MEMORY, RUN, WORKLOADS

TINY = {
    workload.name: workload
    for workload in (
        chain("chain", 40, repetitions=1),
        fan_in("fan", 30, None, repetitions=1),
        fan_in("fan_vector", 30, 5, repetitions=1),
        dag("dag", 40, matrix=3, repetitions=1),
        mlp("mlp", (5, 4, 3), batch=6, repetitions=1, dtype=np.float64),
        elementwise("elementwise", 7, repetitions=1, dtype=np.float64),
        elementwise_chain("elementwise_chain", 8, 7, dtype=np.float64),
        double_backward("double", 4, (3, 4, 3), repetitions=1, dtype=np.float64),
    )
}
every_workload = pytest.mark.parametrize("workload", TINY.values(), ids=TINY.keys())


def run_adapter(name: str, workload: Workload) -> list[np.ndarray]:
    return gradients_of_a_pass(prepared(name, workload))


def finite_differences(workload: Workload, step: float = 1e-6) -> list[np.ndarray]:
    """Central differences of the forward by hand (whose result is the penalty, where the workload differentiates twice)."""
    constants = list(workload.constants.values())
    grads = []
    for name in workload.gradient_names():
        grad = np.zeros_like(workload.leaves[name])
        for index in np.ndindex(grad.shape):
            values = []
            for shift in (step, -step):
                leaves = {key: array.copy() for key, array in workload.leaves.items()}
                leaves[name][index] += shift
                values.append(float(workload.by_hand.forward(list(leaves.values()), constants)[0]))
            grad[index] = (values[0] - values[1]) / (2 * step)
        grads.append(grad)
    return grads


@every_workload
def test_gradients_by_hand_are_those_of_finite_differences(workload: Workload) -> None:
    assert deviation(run_adapter("numpy", workload), finite_differences(workload)) < 1e-6


@every_workload
@pytest.mark.parametrize("library", ["agrad", "agrad-recording"])
def test_agrad_agrees_with_the_gradients_by_hand(library: str, workload: Workload) -> None:
    assert deviation(run_adapter(library, workload), run_adapter("numpy", workload)) < 1e-10


def test_every_library_of_the_table_has_an_adapter() -> None:
    assert set(LIBRARIES) - {"agrad-scenario"} <= set(ADAPTERS)


def test_every_bar_belongs_to_a_workload_that_is_measured() -> None:
    assert set(bars.STEP_BARS) | set(bars.BY_HAND_BARS) <= set(RUN)
    assert set(bars.MEMORY_BARS) == set(MEMORY)
    assert set(RUN) | set(MEMORY) <= set(WORKLOADS)


def test_a_timed_pass_reports_each_phase() -> None:
    times = timed_pass(prepared("numpy", WORKLOADS["smoke"]()))
    assert set(times) == {"forward", "backward", "step", "free", "wall"}
    assert times["step"] == pytest.approx(times["forward"] + times["backward"])


def test_workers_take_turns_and_agree() -> None:
    result = run_workload("smoke", ["numpy", "agrad", "agrad-scenario"])
    assert result.errors == {}
    assert [m.repetitions for m in result.measured.values()] == [3, 3, 3]
    assert all(m.deviation < 1e-9 and m.times["step"] > 0 for m in result.measured.values())


def test_a_missing_library_is_reported_and_the_rest_still_runs(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """A file that stands before an installed micrograd on the path makes the outcome the same on every machine."""
    (tmp_path / "micrograd.py").write_text("raise ModuleNotFoundError('not here', name='micrograd')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = run_workload("smoke", ["numpy", "micrograd"])
    assert result.errors == {"micrograd": "not installed (micrograd)"}
    assert list(result.measured) == ["numpy"]


def test_wrong_gradients_have_no_time(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """A micrograd whose additions forget their second operand."""
    (tmp_path / "micrograd").mkdir()
    (tmp_path / "micrograd" / "__init__.py").write_text("")
    (tmp_path / "micrograd" / "engine.py").write_text(
        "class Value:\n"
        "    def __init__(self, data): self.data, self.grad = data, 0\n"
        "    def __add__(self, other): return self\n"
        "    __mul__ = __add__\n"
        "    def backward(self): self.grad = 1\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = run_workload("smoke", ["numpy", "micrograd"])
    assert result.errors["micrograd"].startswith("wrong gradients: off by ")
    assert list(result.measured) == ["numpy"]


def test_a_process_that_dies_is_reported_with_its_last_words(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "micrograd.py").write_text("import os, sys; print('out of luck', file=sys.stderr, flush=True); os._exit(3)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run_workload("smoke", ["numpy", "micrograd"]).errors == {"micrograd": "process died, status 3: out of luck"}


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        ([np.array([1.0, 2.0])], 0.0),
        ([np.array([1.0, 2.2])], 0.1),
        ([np.array([1.0, np.nan])], np.inf),
        ([np.array([1.0])], np.inf),
        ([], np.inf),
    ],
)
def test_deviation_is_relative_to_the_largest_entry(ours: list[np.ndarray], expected: float) -> None:
    assert deviation(ours, [np.array([1.0, 2.0])]) == pytest.approx(expected)


def test_large_gradients_are_sampled_evenly() -> None:
    (small, large) = sampled([np.arange(6.0).reshape(2, 3), np.arange(1500.0)])
    assert small.tolist() == [0, 1, 2, 3, 4, 5]
    assert large.tolist() == list(range(0, 1500, 3))


def a_run(**steps: float) -> WorkloadRun:
    names = {"recording": "agrad-recording", "scenario": "agrad-scenario"}
    times = {names.get(name, name): dict.fromkeys(("forward", "backward", "step", "free"), step) for name, step in steps.items()}
    return WorkloadRun({name: Measured("1", 3, 0.0, t, t) for name, t in times.items()})


def test_a_check_is_the_median_of_the_ratios_within_runs() -> None:
    runs = [a_run(agrad=2.0, torch=10.0), a_run(agrad=30.0, torch=100.0), a_run(agrad=5.0, torch=10.0)]
    (check,) = report.median_checks("chain1k", runs)
    assert (check.ratio, check.bar, check.verdict) == (0.3, 0.40, "pass")


def test_checks_stand_beside_what_they_are_relative_to() -> None:
    checks = bars.step_checks("mlp", {"agrad": 9.0, "agrad-scenario": 18.0, "torch": 10.0, "numpy": 9.0, "mygrad": 8.0})
    assert [(c.what, c.beside, c.ratio, c.verdict) for c in checks] == [
        ("agrad", "torch", 0.9, "MISS"),
        ("agrad", "numpy", 1.0, "pass"),
        ("agrad-scenario", "agrad", 2.0, "MISS"),
        ("agrad", "mygrad", 1.125, "MISS"),
    ]


def test_the_table_shows_ratio_bar_and_verdict() -> None:
    text = report.run_table(WORKLOADS["chain1k"](), [a_run(agrad=2e-3, recording=7e-3, torch=1e-2)])
    rows = {line[:20].strip(): line for line in text.splitlines()[2:]}
    assert " ".join(rows["agrad"].split()) == "agrad 2.000 2.000 2.000 2.000 0.20 0e+00 agrad ÷ torch 0.20, bar 0.40 pass"
    assert rows["agrad, recording on"].endswith("agrad-recording ÷ torch 0.70, bar 0.60  MISS")
    assert " ".join(rows["PyTorch"].split()) == "PyTorch 10.000 10.000 10.000 10.000 1.00 0e+00"


def test_the_summary_marks_what_missed_its_bar() -> None:
    summary = report.summary({"chain1k": (WORKLOADS["chain1k"](), [a_run(agrad=2.0, recording=7.0, scenario=3.0, torch=10.0)])})
    assert summary.splitlines()[2] == (
        "| 0-d chain of 1,000 nodes | 10,000 | 0.20 (≤ 0.40) | - | **0.70 (≤ 0.60)** | - | - | - | - | - | **1.50 (≤ 1.40)** |"
    )


def test_libraries_say_what_they_cannot_do() -> None:
    with pytest.raises(NotComparable, match="scalars"):
        ADAPTERS["micrograd"]().check(TINY["mlp"])
    with pytest.raises(NotComparable, match="gradient of a gradient"):
        ADAPTERS["mygrad"]().check(TINY["double"])
    with pytest.raises(NotComparable, match="minutes"):
        ADAPTERS["mygrad"]().check(dataclasses.replace(TINY["chain"], left_out=("mygrad",)))


def test_a_long_chain_reports_times_and_its_size() -> None:
    answer = big.measure("numpy", 2_000, timeout=60)
    assert set(answer) == {"forward", "backward", "step", "free", "resident"}
    assert answer["resident"] > 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_the_elementwise_chain_is_at_least_what_it_keeps() -> None:
    peaks, errors = memory.measure("elementwise200", ["numpy"], repeat=1)
    assert errors == {}
    assert peaks["numpy"].peak >= peaks["numpy"].after_forward >= 48 * 4e6 / 2**20  # 50 rounds keep an input of 4 MB each


@pytest.mark.skipif(sys.platform == "win32", reason="reads the resource usage of children")
def test_startup_compares_a_command_with_an_empty_one() -> None:
    times, errors = startup.measure(["import autograd_cli"], repetitions=1)
    assert errors == {}
    assert set(times) == {startup.BASE, "import autograd_cli"}
    text, checks = report.startup_table(times, errors)
    assert checks == []
    assert startup.BASE in text


@pytest.mark.parametrize("arguments", [["run", "--only", "chian1k"], ["run", "--libs", "pytorch"]])
def test_an_unknown_name_is_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "unknown" in capsys.readouterr().err


def test_a_library_without_a_distribution_has_an_unknown_version() -> None:
    class Absent(Adapter):
        name, title, distribution = "absent", "Absent", "no-such-distribution"

    assert Absent().version() == "?"
