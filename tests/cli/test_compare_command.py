"""``agrad compare`` without PyTorch, and what it makes of a comparison; with PyTorch: tests/pytorch/test_live.py."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from click.testing import Result

from autograd_cli.errors import CompareMismatch
from autograd_cli.pytorch import compare as comparing
from autograd_cli.trace.codec import error_record
from autograd_cli.trace.compare_model import ComparedRecord, CompareTrace, DifferenceRecord
from autograd_cli.trace.model import ScenarioRecord

DIFFERENCE = DifferenceRecord("gradient", "a[0][1]", 2.0, 1.0, line=3, node=2, note="1 of 4 elements differ")


def comparison(differences: list[DifferenceRecord]) -> CompareTrace:
    """A comparison that found these."""
    return CompareTrace(
        scenario=ScenarioRecord("lesson.yaml", "A lesson", 0, "cpu", "float32"),
        torch="2.13.0",
        status="error" if differences else "ok",
        error=error_record(CompareMismatch("1 difference from PyTorch 2.13.0")) if differences else None,
        compared=[ComparedRecord("node", 4, 0), ComparedRecord("gradient", 3 - len(differences), len(differences))],
        differences=differences,
    )


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that PyTorch is there and that the comparisons find what is given, one after the other."""
    original = importlib.import_module

    def set_up(*found: list[DifferenceRecord]) -> None:
        results = iter(found)
        monkeypatch.setattr(
            importlib, "import_module", lambda name: SimpleNamespace(__version__="2.13.0") if name == "torch" else original(name)
        )
        monkeypatch.setattr(comparing, "compare_scenario", lambda *_: comparison(next(results)))

    return set_up


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch is not installed, wherever these tests run."""
    monkeypatch.setitem(__import__("sys").modules, "torch", None)


@pytest.mark.usefixtures("without_torch")
def test_without_pytorch(invoke: Callable[..., Result]) -> None:
    result = invoke("compare", "abc")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "PyTorch is not installed" in result.stderr
    assert "pip install 'agrad[torch]'" in result.stderr


@pytest.mark.usefixtures("without_torch")
def test_without_pytorch_as_json(invoke: Callable[..., Result]) -> None:
    result = invoke("compare", "abc", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["format"], document["status"]) == (2, "agrad/compare@1", "error")
    assert document["error"]["kind"] == "ExtraMissing"
    assert document["differences"] == []


def test_equal(invoke: Callable[..., Result], pretend: Callable[..., None]) -> None:
    pretend([])
    result = invoke("compare", "abc")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "A lesson",
        "agrad beside PyTorch 2.13.0",
        "",
        "compared   equal  different",
        "───────────────────────────",
        "nodes          4          0",
        "gradients      3          0",
        "",
        "no difference from PyTorch 2.13.0",
    ]


def test_a_difference(invoke: Callable[..., Result], pretend: Callable[..., None], scenario: Callable[..., str]) -> None:
    pretend([DIFFERENCE])
    result = invoke("compare", scenario())
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.splitlines()[-6:] == [
        "",
        "gradient of a[0][1], line 3",
        "  a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)",
        "  agrad    2.0",
        "  PyTorch  1.0",
        "  1 of 4 elements differ",
    ]


def test_a_difference_as_json(invoke: Callable[..., Result], pretend: Callable[..., None]) -> None:
    pretend([DIFFERENCE])
    result = invoke("compare", "abc", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["status"], document["error"]["kind"]) == (1, "error", "CompareMismatch")
    assert document["compared"] == [
        {"what": "node", "equal": 4, "different": 0},
        {"what": "gradient", "equal": 2, "different": 1},
    ]
    (only,) = document["differences"]
    assert (only["what"], only["where"], only["ours"], only["torch"], only["line"]) == ("gradient", "a[0][1]", 2.0, 1.0, 3)


def test_many_differences_are_cut(invoke: Callable[..., Result], pretend: Callable[..., None]) -> None:
    pretend([DIFFERENCE] * 25, [DIFFERENCE] * 25)
    result = invoke("compare", "abc")
    assert result.stdout.count("gradient of a") == 20
    assert "… and 5 more (--verbose shows all)" in result.stdout
    assert invoke("compare", "abc", "--verbose").stdout.count("gradient of a") == 25


def test_several(invoke: Callable[..., Result], pretend: Callable[..., None]) -> None:
    pretend([], [DIFFERENCE])
    result = invoke("compare", "abc", "vector", "nothing-of-that-name")
    assert result.exit_code == 1
    lines = [line for line in result.stdout.splitlines() if line]
    assert lines[:3] == ["abc: equal, 7 things compared", "vector: 1 difference", "gradient of a[0][1], line 3"]
    assert lines[-2].startswith("nothing-of-that-name: not compared: there is no file")
    assert lines[-1] == "1 of 3 scenarios equal, 1 different, 1 not compared"


@pytest.mark.parametrize(
    ("names", "found", "code"),
    [(["abc", "vector"], [[], []], 0), (["abc", "nothing-of-that-name"], [[]], 2), (["abc", "vector"], [[], [DIFFERENCE]], 1)],
)
def test_several_as_json(invoke, pretend, names, found, code) -> None:
    pretend(*found)
    result = invoke("compare", "--json", *names)
    document = json.loads(result.stdout)
    assert (result.exit_code, document["format"]) == (code, "agrad/comparisons@1")
    assert document["status"] == ("ok" if code == 0 else "error")
    assert [one["format"] for one in document["comparisons"]] == ["agrad/compare@1"] * 2


@pytest.mark.parametrize("value", ["x", "-1", "nan", "inf"])
def test_a_tolerance_is_a_number(invoke: Callable[..., Result], value: str) -> None:
    result = invoke("compare", "abc", f"--rtol={value}")
    assert result.exit_code == 2
    assert "is not a number from 0 on" in result.stderr
