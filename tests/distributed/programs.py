"""The programs of ``programs/`` and ``stalls/`` under agrad, in memory: one module for each worker, as each process would have."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from autograd_cli.core.generator import default_generator
from autograd_cli.distributed import dist_autograd
from autograd_cli.scenario.sandbox import compile_script
from autograd_cli.scenario.script import Script
from autograd_cli.session.script_world import ScriptWorld

from .simulate import Choice, Simulation

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Program:
    """One file: its text and the number of workers it is for."""

    name: str
    text: str
    workers: int


def read(path: Path) -> Program:
    """A program of a file."""
    text = path.read_text()
    found = [s.value for s in ast.parse(text).body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == "WORKERS"]
    return Program(path.stem, text, ast.literal_eval(found[0]))


def all_of(folder: str) -> list[Program]:
    """Every program of a folder."""
    return [read(path) for path in sorted((HERE / folder).glob("*.py"))]


def golden(name: str) -> Any:
    """What was recorded of PyTorch under that name."""
    return json.loads((HERE / "goldens" / f"{name}.json").read_text())


@cache
def code_of(program: Program) -> CodeType:
    """The program, compiled as a script is."""
    return compile_script(Script.whole_file(program.text, f"{program.name}.py"))


class Run:
    """A program in memory, ready to run.

    Attributes
    ----------
    contexts : list of dict
        What ``watch`` and ``look`` saw, in the form of the goldens (without ``order``).
    """

    def __init__(self, program: Program, choose: Choice | None = None, mode: str = "fast") -> None:
        self.sim = Simulation(program.workers, choose=choose, mode=mode)
        self.contexts: list[dict[str, Any]] = []
        self.modules: list[dict[str, Any]] = []
        default_generator.manual_seed(0)
        for worker in self.sim.workers:
            world = ScriptWorld(lambda *_, **__: None, 0, dist_autograd.tables(worker))
            worker.functions.script = world.names
            exec(code_of(program), world.names)
            self.modules.append(world.names)

    def main(self, *arguments: Any) -> Any:
        """What the program's ``main`` returns on worker 0."""
        return self.sim.run(lambda: self.modules[0]["main"](*arguments))

    def watched(self) -> Any:
        """As ``main``, with ``watch`` and ``look``."""
        return self.main(self.watch, self.look)

    def watch(self, context_id: int, loss: Any) -> None:
        roots = [[loss.grad_fn], *([None] for _ in self.sim.workers[1:])]
        graphs = [graph(w.contexts.contexts.get(context_id), r) for w, r in zip(self.sim.workers, roots, strict=True)]
        self.contexts.append({"id": context_id, "graph": graphs})

    def look(self, context_id: int) -> None:
        if not self.contexts or self.contexts[-1]["id"] != context_id:
            self.contexts.append({"id": context_id})
        self.contexts[-1]["gradients"] = [gradients(w.contexts.contexts.get(context_id)) for w in self.sim.workers]


def graph(context: Any, roots: list[Any]) -> dict[str, Any]:
    """One worker's part of the graph: ids, and the nodes depth first in the order of their edges."""
    if context is None:
        return {"sends": [], "recvs": [], "known": [], "nodes": []}
    sends = context.sends
    nodes: list[Any] = []
    todo = [n for n in reversed([*(sends[m] for m in sorted(sends)), *roots]) if n is not None]
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.append(node)
            todo.extend(n for n, _ in reversed(node.next_functions) if n is not None)
    return {
        "sends": sorted(sends),
        "recvs": sorted(context.recvs),
        "known": sorted(context.known_workers),
        "nodes": [
            [n.name().rpartition("::")[2], [None if m is None else [nodes.index(m), k] for m, k in n.next_functions]]
            for n in nodes
        ],
    }


def gradients(context: Any) -> list[Any]:
    """One worker's gradients, in the form of the goldens."""
    if context is None:
        return []
    rows = [
        [str(leaf.dtype).removeprefix("torch."), leaf.tolist(), grad.tolist()] for leaf, grad in context.get_gradients().items()
    ]
    return sorted(rows, key=json.dumps)
