"""The layers of autograd_cli import downwards only, each outside library has one home, and files stay small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "autograd_cli"

CORE = {"core", "errors", "missing"}
TABLE = CORE | {"ops", "optim", "nn", "extend"}
SCRIPT = TABLE | {"torch_api", "scenario", "trace"}

# A layer may import itself and what is listed for it. Read it from the bottom up.
MAY_IMPORT = {
    "__main__": {"cli"},
    "__init__": {"torch_api", "session"},
    "cli": SCRIPT | {"distributed", "transport", "render", "session", "pytorch", "__init__"},
    "pytorch": SCRIPT | {"session"},
    "session": SCRIPT | {"distributed", "transport"},
    "render": {"trace", "errors"},
    "distributed": SCRIPT | {"transport"},
    "transport": {"errors"},
    "scenario": TABLE | {"torch_api", "trace"},
    "torch_api": TABLE | {"trace"},
    "nn": CORE | {"ops"},
    "trace": CORE,
    "extend": CORE | {"ops"},
    "optim": CORE | {"ops"},
    "ops": CORE,
    "core": {"errors", "missing"},
    "missing": {"errors"},
    "errors": set(),
}
# trace, ops and optim stand side by side; render sees plain data only, so it may not reach through trace to the engine.
RENDER_SEES = {"trace.model", "trace.codec", "trace.dist_model", "trace.dist_views", "trace.compare_model", "trace.both_model"}

HOME = {  # library -> the only places that may import it
    "cupy": {"core/array.py"},
    "ml_dtypes": {"core/dtype.py", "torch_api/dtype_info.py"},
    "click": {"cli"},
    "rich": {"render/terminal*.py", "render/report*.py", "render/timeline*.py", "cli"},
    "graphviz": {"render"},
    "yaml": {"scenario"},
    "RestrictedPython": {"scenario"},
    "socket": {"transport"},
    "selectors": {"transport"},
    "ssl": {"transport"},
    "subprocess": {"session", "render/layout*.py"},
    "multiprocessing": {"session"},
    "signal": {"session"},
    "greenlet": {"distributed", "transport", "session"},
    "torch": {"pytorch"},
}
NOT_IN = {"numpy": {"cli", "errors", "render", "transport"}}

FILES = sorted(p for p in ROOT.rglob("*.py") if "__pycache__" not in p.parts)
assert len(FILES) > 50


def layer_of(where: Path) -> str:
    """The layer a file belongs to: the folder, or the file's own name at the top of the package."""
    return where.parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[list[str]]:
    """Every import of a file, wherever it stands in it, as a list of name parts; relative ones made absolute."""
    package = ["autograd_cli", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            yield from ([*base, alias.name] for alias in node.names)


def complaints(path: Path) -> list[str]:
    """What is wrong with the imports of one file."""
    where = path.relative_to(ROOT)
    layer = layer_of(where)
    found = []
    for name in imports(path):
        text = f"{where} imports {'.'.join(name)}"
        if name[0] == "autograd_cli":
            inner = name[1] if len(name) > 1 and name[1] in MAY_IMPORT else "__init__"
            if inner != layer and inner not in MAY_IMPORT[layer]:
                found.append(text)
            if layer == "render" and inner == "trace" and ".".join(name[1:3]) not in RENDER_SEES:
                found.append(text)
        elif (name[0] in HOME and not any(where.match(home) or layer == home for home in HOME[name[0]])) or layer in NOT_IN.get(
            name[0], ()
        ):
            found.append(text)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_downwards_and_libraries_stay_at_home(path):
    assert complaints(path) == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_file_fits_on_the_desk(path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400


def test_every_layer_is_on_the_map():
    assert {layer_of(p.relative_to(ROOT)) for p in FILES} <= set(MAY_IMPORT)


def test_the_map_itself_has_no_circle():
    left = {layer: set(below) for layer, below in MAY_IMPORT.items()}
    while left:
        lowest = {layer for layer, below in left.items() if not below & set(left)}
        assert lowest, f"these import each other: {sorted(left)}"
        left = {layer: below for layer, below in left.items() if layer not in lowest}


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("core/engine.py", "from ..trace import recorder"),
        ("core/engine.py", "def late():\n    from ..ops.pointwise import tanh"),
        ("render/dot.py", "from ..trace.recorder import Recorder"),
        ("render/dot.py", "import autograd_cli.core.node"),
        ("transport/frame.py", "from ..core.tensor import Tensor"),
        ("ops/shape.py", "import cupy as xp"),
        ("cli/run.py", "import numpy"),
        ("session/local.py", "import rich.console"),
        ("scenario/load.py", "import torch"),
        ("core/engine.py", "import socket"),
        ("trace/codec.py", "from .. import torch"),
    ],
)
def test_a_wrong_import_is_found(where, line, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / where
    path.parent.mkdir(parents=True)
    path.write_text(line, encoding="utf-8")
    assert len(complaints(path)) >= 1
