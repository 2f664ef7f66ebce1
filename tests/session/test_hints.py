"""What a beginner is told about a mistyped name, a wrong argument, a gradient that is not there, and a tensor that cannot be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_cli.errors import ForbiddenSyntax
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.trace.model import ErrorRecord


def error_of(tmp_path: Path, text: str, name: str = "lesson.py") -> ErrorRecord:
    """The error of a run that fails."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    error = run_scenario(load_scenario(path)).error
    assert error is not None
    return error


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("torch.ones(3).smu()", "did you mean sum"),
        ("torch.tenosr([1.0])", "did you mean tensor"),
        ("F.mse_los(1, 2)", "did you mean mse_loss?"),
        ("torch.tensor([1.0], require_grad=True)", "did you mean requires_grad?"),
        ("torch.ones(2, 2).mean(dimension=0)", "its arguments are input, dim, keepdim"),
        ("torch.sin()", "its arguments are input"),
        ("torch.ones(1, requires_grad=True).grad.zero_()", "a .grad is None until a backward pass has filled it"),
    ],
)
def test_mistake_gets_a_hint(tmp_path: Path, line: str, hint: str) -> None:
    assert hint in (error_of(tmp_path, line).hint or "")


@pytest.mark.parametrize(
    "line", ["None.strip()", "'text'.zero_()", "(1).smu", "import numpy as np; np.ones(3).shpae", "(3).sum(axsi=0)"]
)
def test_what_is_not_ours_gets_no_guess(tmp_path: Path, line: str) -> None:
    assert error_of(tmp_path, line).hint is None


@pytest.mark.parametrize("call", ["torch.add(x, x, out=x)", "torch.exp(x, out=x)", "torch.linalg.inv(torch.eye(2), out=x)"])
def test_results_are_not_written_into_what_is_there(tmp_path: Path, call: str) -> None:
    error = error_of(tmp_path, f"x = torch.ones(2)\n{call}")
    name = call.partition("(")[0].rpartition(".")[2]
    assert (error.kind, error.line) == ("Unsupported", 2)
    assert error.message.startswith(f"{name}() cannot write its result")
    assert f"result.copy_({name}(" in (error.hint or "")


def test_refused_assignment_is_called_what_the_script_wrote(tmp_path: Path) -> None:
    error = error_of(tmp_path, "x = torch.ones(2, requires_grad=True)\nx[0] = 3.0")
    assert error.kind == "LeafInplace"
    assert error.message.startswith("assigning to x[...] would change x, a leaf")


def test_magic_method_says_where_those_are_listed_that_there_are(tmp_path: Path) -> None:
    path = tmp_path / "lesson.py"
    path.write_text("class Net:\n    def __exit__(self, *error):\n        return True\n", encoding="utf-8")
    with pytest.raises(ForbiddenSyntax) as caught:
        run_scenario(load_scenario(path))
    assert "docs/language.md lists the magic methods" in caught.value.hint


@pytest.mark.parametrize("source", ["data: [99999999999999999999]", "rand: [100000, 1000000]"])
def test_tensor_that_cannot_be_made_has_its_line(tmp_path: Path, source: str) -> None:
    error = error_of(tmp_path, f"tensors:\n  x: {{{source}}}\nforward: y = x\n", "lesson.yaml")
    assert (error.line, error.source.strip()) == (2, f"x: {{{source}}}")


def test_imported_modules_are_no_variables(tmp_path: Path) -> None:
    path = tmp_path / "lesson.py"
    path.write_text("import math, time, copy, torch\nimport numpy as np\nfrom tqdm import auto\nx = math.pi\n", encoding="utf-8")
    assert list(run_scenario(load_scenario(path)).variables) == ["x"]
