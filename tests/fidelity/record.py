"""Record what PyTorch 2.13 does with each program of ``programs/`` as ``goldens/NAME.json``. Needs torch.

python tests/fidelity/record.py             every program
python tests/fidelity/record.py mul stack   these
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import sys
import types
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))

from canonical import canonical, never_started
from program import Program, read_program
from watch import Watch, short_name

HERE = Path(__file__).parent
TORCH_VERSION = "2.13"
KEPT_IN_FULL = 8  # a longer run keeps its first two and last two passes (OUTPUT.md)
ELIDED_ABOVE = 10_000  # elements


def record(program: Program) -> dict[str, Any]:
    """Run a program under PyTorch.

    Parameters
    ----------
    program : Program
        What ``read_program`` read.

    Returns
    -------
    dict
        An ``agrad/run@1`` document with what PyTorch lets one see: no variables or lines of nodes, no times, no hints.
    """
    watch = Watch(program.file, program.backward_line)
    out = io.StringIO()
    torch.manual_seed(program.seed)
    torch.set_num_threads(1)
    torch.autograd.set_detect_anomaly(False)
    torch.set_default_dtype(getattr(torch, program.dtype))
    names = program.namespace()
    predefined = dict(names)
    error = None
    with watch.installed(), contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            names |= program.make_tensors()
            exec(program.script, names)
            program.run_backward(names)
        except Exception as exception:
            error = _error(exception, program)
        own = (name for name in names if not name.startswith("__"))  # not what exec and warnings leave there
        left = {name: names[name] for name in own if name not in predefined or names[name] is not predefined[name]}
        variables = {name: _value(value, watch) for name, value in left.items() if not _is_definition(value)}
    document = {
        "format": "agrad/run@1",
        "torch": torch.__version__,
        "scenario": {"path": program.path.name, "title": program.title, "seed": program.seed, "dtype": program.dtype},
        "status": "error" if error else "ok",
        "error": error,
        "stdout": out.getvalue(),
        "variables": variables,
        "graph": {"nodes": watch.finish()},
        "passes": _elide([a_pass for a_pass in watch.passes if not never_started(a_pass)]),
    }
    return document | canonical(document) | {"error": error}  # canonical numbers, or each new recording would be another


def _error(exception: Exception, program: Program) -> dict[str, Any]:
    """The exception's Python type, and the line of the innermost frame of the script."""
    line = None
    traceback = exception.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == program.file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    message = str(exception).splitlines()[0] if str(exception) else ""
    return {"type": type(exception).__name__, "message": message, "line": line or program.backward_line}


def _is_definition(value: Any) -> bool:
    """Whether a name is a function, a class or a module: those are no variables. So are imported names."""
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.ModuleType | type)


def _value(value: Any, watch: Watch) -> dict[str, Any]:
    """OUTPUT.md's VALUE."""
    if isinstance(value, torch.Tensor):
        return _tensor(value, watch)
    if value is None or isinstance(value, bool | str):
        return {"type": type(value).__name__, "value": value}
    if isinstance(value, int | float | complex):
        return {"type": "number", "value": _number(value)}
    if isinstance(value, list | tuple):
        return {"type": "list" if isinstance(value, list) else "tuple", "items": [_value(item, watch) for item in value]}
    if isinstance(value, dict):
        return {"type": "dict", "items": {str(key): _value(item, watch) for key, item in value.items()}}
    return {"type": type(value).__name__}


def _tensor(tensor: torch.Tensor, watch: Watch) -> dict[str, Any]:
    node = None
    if tensor.requires_grad:
        node = watch.node_id(torch.autograd.graph.get_gradient_edge(tensor).node)
    shown = tensor.numel() <= ELIDED_ABOVE
    return {
        "type": "tensor",
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "requires_grad": tensor.requires_grad,
        "is_leaf": tensor.is_leaf,
        "grad_fn": tensor.grad_fn and short_name(tensor.grad_fn),
        "node": node,
        "version": None if tensor.is_inference() or watch.is_gradient(tensor) else tensor._version,
        "value": _number(tensor.tolist()) if shown else None,
        "grad": None if tensor.grad is None or not shown else _number(tensor.grad.tolist()),
    } | ({} if shown else {"elided": True})


def _number(value: Any) -> Any:
    """Numbers as they are; JSON has no NaN and no infinities, so they are strings, and a complex number is a pair."""
    if isinstance(value, list):
        return [_number(item) for item in value]
    if isinstance(value, complex):
        return [_number(value.real), _number(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _elide(passes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep the first two and the last two of many passes."""
    if len(passes) <= KEPT_IN_FULL:
        return passes
    middle = [{"kind": a_pass["kind"], "line": a_pass["line"], "elided": True} for a_pass in passes[2:-2]]
    return passes[:2] + middle + passes[-2:]


def as_json(document: dict[str, Any]) -> str:
    """JSON with one line a node, a pass or a variable, so that a change of a golden can be read."""
    variables = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in document["variables"].items()]
    parts = {key: json.dumps(value) for key, value in document.items()}
    parts["variables"] = _one_a_line("{", variables, "}")
    parts["graph"] = '{"nodes": ' + _one_a_line("[", map(json.dumps, document["graph"]["nodes"]), "]") + "}"
    parts["passes"] = _one_a_line("[", map(json.dumps, document["passes"]), "]")
    return _one_a_line("{", (f"{json.dumps(key)}: {text}" for key, text in parts.items()), "}") + "\n"


def _one_a_line(opening: str, lines: Iterable[str], closing: str) -> str:
    return opening + "\n" + ",\n".join(lines) + "\n" + closing


def main(arguments: list[str]) -> None:
    """Record the named programs, or all of a folder."""
    if not torch.__version__.startswith(TORCH_VERSION):
        sys.exit(f"the goldens are those of PyTorch {TORCH_VERSION}, this is {torch.__version__}")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs without .yaml; all when none is named")
    parser.add_argument("--folder", type=Path, default=HERE, help="holds programs/ and gets goldens/")
    options = parser.parse_args(arguments)
    (options.folder / "goldens").mkdir(exist_ok=True)
    for path in sorted((options.folder / "programs").glob("*.yaml")):
        if options.names and path.stem not in options.names:
            continue
        document = record(read_program(path))
        (options.folder / "goldens" / f"{path.stem}.json").write_text(as_json(document), encoding="utf-8")
        print(f"{path.stem}: {len(document['graph']['nodes'])} nodes, {len(document['passes'])} passes", document["error"] or "")


if __name__ == "__main__":
    main(sys.argv[1:])
