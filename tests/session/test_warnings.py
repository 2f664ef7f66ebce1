"""What PyTorch warns about is warned about, at the same lines, and nothing else is; the words are ours, and name the variable."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from warning_cases import CASES, all_cases, script_of

from autograd_cli.core.warning import WARNINGS
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.trace.model import Trace

PYTORCH = json.loads((Path(__file__).parent / "warnings.json").read_text(encoding="utf-8"))


@cache
def run(case: str, folder: Path) -> Trace:
    path = folder / "case.py"
    path.write_text(script_of(case)[0], encoding="utf-8")
    return run_scenario(load_scenario(path))


@pytest.mark.parametrize(("kind", "case"), all_cases())
def test_warned_where_pytorch_warns(kind: str, case: str, tmp_path: Path) -> None:
    assert PYTORCH[case] == script_of(case)[1], "the marks are not what PyTorch does"
    trace = run(case, tmp_path)
    assert trace.error is None
    assert [(w.kind, w.line) for w in trace.warnings] == [(kind, line) for line in PYTORCH[case]]


def test_every_warning_has_a_case() -> None:
    assert set(CASES) == set(WARNINGS)
    assert set(PYTORCH) == {case for _, case in all_cases()}


def test_a_warning_names_the_variable(tmp_path: Path) -> None:
    for case in ("warns: float(w.sum())", "warns: torch.tensor(w)", CASES["NonLeafGrad"][0]):
        message = run(case, tmp_path).warnings[0].message
        named = "this tensor" not in message
        assert named == (case != "warns: float(w.sum())"), message
