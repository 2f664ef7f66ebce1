"""Record what PyTorch 2.13 does with each program of ``programs/`` as ``goldens/NAME.json``. Needs torch.

python tests/fidelity/record.py             every program
python tests/fidelity/record.py mul stack   these
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from autograd_cli.pytorch.run import run_in_pytorch
from autograd_cli.scenario.load import load_scenario
from autograd_cli.trace import codec

HERE = Path(__file__).parent
TORCH_VERSION = "2.13"
_TENSOR = ("type", "shape", "dtype", "requires_grad", "is_leaf", "grad_fn", "version", "value", "grad", "elided", "node")
_NODE = ("id", "name", "shape", "dtype", "sequence_nr", "next")
_SAVED = ("name", "shape", "dtype")
_PASS = ("kind", "line", "failed", "restricted", "roots", "dependencies", "order")
_ELIDED = ("kind", "line", "elided")

Document = dict[str, Any]


def record(path: Path) -> Document:
    """Run a program under PyTorch.

    Parameters
    ----------
    path : Path
        A scenario of one process.

    Returns
    -------
    dict
        Of its ``agrad/run@1`` document what PyTorch tells, and nothing that differs between two recordings.
    """
    document: Document = json.loads(codec.encode(run_in_pytorch(load_scenario(path))))
    error, scenario = document["error"], document["scenario"]
    return {
        "format": document["format"],
        "torch": torch.__version__,
        "scenario": {"path": path.name} | _only(scenario, ("title", "seed", "dtype")),
        "status": document["status"],
        "error": error and _only(error, ("type", "message", "line")),
        "stdout": document["stdout"],
        "variables": {name: _value(value) for name, value in sorted(document["variables"].items())},
        "graph": {"nodes": [_node(node) for node in document["graph"]["nodes"]]},
        "passes": [_pass(a_pass) for a_pass in document["passes"]],
    }


def _only(fields: Document, names: Iterable[str]) -> Document:
    return {name: fields[name] for name in names if name in fields}


def _value(value: Document) -> Document:
    if value["type"] == "tensor":
        return _only(value, _TENSOR)
    if isinstance(value.get("items"), dict):
        return value | {"items": {key: _value(item) for key, item in value["items"].items()}}
    return value | {"items": [_value(item) for item in value["items"]]} if "items" in value else value


def _node(node: Document) -> Document:
    saved = None if "saved" in node.get("unknown", []) else [_only(one, _SAVED) for one in node["saved"]]
    return _only(node, _NODE) | {"saved": saved}


def _pass(a_pass: Document) -> Document:
    if a_pass.get("elided"):
        return _only(a_pass, _ELIDED)
    return _only({"failed": False, "restricted": False} | a_pass, _PASS)


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
        document = record(path)
        (options.folder / "goldens" / f"{path.stem}.json").write_text(as_json(document), encoding="utf-8")
        print(f"{path.stem}: {len(document['graph']['nodes'])} nodes, {len(document['passes'])} passes", document["error"] or "")


if __name__ == "__main__":
    main(sys.argv[1:])
