"""An error about shapes, dtypes or indices says which variables of the line have them; one in a backward function names its node."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.trace.model import ErrorRecord

NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 2))
    def forward(self, x):
        return x @ self.weight
net = Net()
"""


def error_of(folder: Path, text: str) -> ErrorRecord:
    path = folder / "script.py"
    path.write_text(f"import torch\nfrom torch import nn\n{text}\n", encoding="utf-8")
    error = run_scenario(load_scenario(path)).error
    assert error is not None
    return error


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("ShapeMismatch", "a, b = torch.ones(2, 3), torch.ones(2, 3)\na @ b", "Here a has shape [2, 3], and b has shape [2, 3]"),
        ("ShapeMismatch", "a = torch.ones(2)\ny = (a +\n  torch.ones(3))", "Here a has shape [2]"),
        ("ShapeMismatch", f"{NET}net(torch.ones(3, 5))", "Here x has shape [3, 5], and self.weight has shape [4, 2]"),
        ("ShapeMismatch", f"{NET}net.weight @ net.weight", "Here net.weight has shape [4, 2]"),
        ("DtypeMismatch", "n = torch.tensor([1, 2])\nw = torch.ones(2, 2)\nw @ n", "Here w is float32, and n is int64"),
        ("IndexOutOfRange", "x = torch.zeros(3, 4)\nx[3]", "Here x has shape [3, 4]"),
        ("ShapeMismatch", "def f(v):\n  return v @ v\nv = 1\nf(torch.ones(2, 3))", "Here v has shape [2, 3]"),
    ],
)
def test_the_tensors_of_the_line_are_told(tmp_path: Path, kind: str, text: str, told: str) -> None:
    error = error_of(tmp_path, text)
    assert (error.kind, error.message.partition(". ")[2]) == (kind, told)


def test_a_line_with_one_tensor_names_the_variable_of_the_error(tmp_path: Path) -> None:
    assert error_of(tmp_path, "x = torch.zeros(3, 4)\nx[3]").variable == "x"
    assert error_of(tmp_path, "x, y = torch.zeros(3, 4), torch.ones(3)\nx @ y").variable is None


def test_no_property_is_asked_for_its_value(tmp_path: Path) -> None:
    text = "class Box:\n  @property\n  def t(self):\n    print('asked')\n    return torch.ones(2)\nbox = Box()\nbox.t + torch.ones(3)"
    path = tmp_path / "script.py"
    path.write_text(f"import torch\n{text}\n", encoding="utf-8")
    assert run_scenario(load_scenario(path)).stdout == "asked\n"


def test_an_error_in_a_backward_names_the_node_and_its_line(tmp_path: Path) -> None:
    text = "w = torch.ones(3, requires_grad=True)\ny = w * 2\ny.register_hook(lambda g: g[:2])\ny.sum().backward()"
    error = error_of(tmp_path, text)
    assert error.kind == "GradShapeMismatch"
    assert error.message.endswith("(in the backward of MulBackward0 at line 4)")
    assert error.variable == "y"
