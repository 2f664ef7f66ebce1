"""Each module can be the first one of the package that is imported: no import works by luck of an earlier one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "autograd_cli"

# One interpreter for all modules: what is outside the package stays loaded, the package itself is forgotten before each.
ALONE = """
import importlib, json, sys, traceback
failed = {}
for name in json.loads(sys.stdin.read()):
    for known in [m for m in sys.modules if m.partition(".")[0] == "autograd_cli"]:
        del sys.modules[known]
    try:
        importlib.import_module(name)
    except BaseException:
        failed[name] = traceback.format_exc()
print(json.dumps(failed))
"""

HEAVY = ["numpy", "yaml", "msgspec", "graphviz", "RestrictedPython", "greenlet", "multiprocessing", "socket", "torch", "cupy"]
# The modules of pytorch/ that work on plain data, and those that say that there is no PyTorch.
WITHOUT_TORCH = ["__init__", "compare", "comparison", "findings", "library", "pairs", "printed"]


def modules() -> list[str]:
    """The dotted name of every module that does not need an extra."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        if parts[1] != "__main__" and (parts[1] != "pytorch" or path.stem in WITHOUT_TORCH):
            found.append(".".join(parts).removesuffix(".__init__"))
    return found


def run(program: str, text: str = "") -> str:
    done = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_module_imports_alone():
    names = modules()
    assert len(names) > 50
    assert json.loads(run(ALONE, json.dumps(names))) == {}


def test_a_module_that_cannot_be_first_is_reported():
    failed = json.loads(run(ALONE, json.dumps(["autograd_cli.errors", "autograd_cli.there_is_no_such_module"])))
    assert list(failed) == ["autograd_cli.there_is_no_such_module"]


@pytest.mark.parametrize("module", ["autograd_cli", "autograd_cli.errors", "autograd_cli.cli.main"])
def test_starting_the_command_loads_nothing_heavy(module):
    loaded = json.loads(run(f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"))
    assert module in loaded
    assert sorted(set(HEAVY) & set(loaded)) == []


def test_renderers_load_no_engine():
    names = [name for name in modules() if name.startswith("autograd_cli.render.")]
    program = (
        f"import importlib, json, sys\nfor n in {names!r}: importlib.import_module(n)\nprint(json.dumps(sorted(sys.modules)))"
    )
    loaded = json.loads(run(program))
    assert names[0] in loaded
    assert [n for n in loaded if n.startswith(("autograd_cli.core", "autograd_cli.ops", "numpy"))] == []
