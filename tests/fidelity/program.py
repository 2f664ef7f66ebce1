"""A scenario file as the recorder reads it: plain PyYAML, no checks, the lines kept. Needs torch.

This reader is independent of the package's own on purpose: it is half of the oracle.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import torch
import yaml

FACTORIES = ("rand", "randn", "zeros", "ones")


@dataclass
class Program:
    """A scenario of one process, ready to run under PyTorch."""

    path: Path
    title: str | None
    seed: int
    dtype: str
    tensors: dict[str, dict[str, Any]]
    script: CodeType
    backward: Any  # an expression, a list of expressions, a mapping, or None
    backward_line: int | None

    @property
    def file(self) -> str:
        """The file name that the script's frames carry."""
        return str(self.path)

    def namespace(self) -> dict[str, Any]:
        """The names that exist before the script's first line."""
        return {
            "__name__": "__main__",
            "torch": torch,
            "nn": torch.nn,
            "F": torch.nn.functional,
            "optim": torch.optim,
            "math": math,
        }

    def make_tensors(self) -> dict[str, torch.Tensor]:
        """Make the leaves of ``tensors:`` in file order."""
        return {name: _tensor(spec, self.path.parent) for name, spec in self.tensors.items()}

    def run_backward(self, names: dict[str, Any]) -> None:
        """Run the pass of the ``backward:`` key, as LANGUAGE.md words it."""
        if self.backward is None:
            return
        spec = self.backward if isinstance(self.backward, dict) else {"roots": self.backward}
        roots = spec["roots"] if isinstance(spec["roots"], list) else [spec["roots"]]
        tensors = [eval(self.expression(root), names) for root in roots]
        gradient = self._gradient(spec.get("gradient"), tensors, names)
        more = {key: self._value(spec[key], names) for key in ("retain_graph", "create_graph", "inputs") if key in spec}
        torch.autograd.backward(tensors, gradient, **more)

    def expression(self, text: str) -> CodeType:
        """Compile an expression so that its frames carry the line of the ``backward:`` key's value."""
        return compile("\n" * (self.backward_line - 1) + text.strip(), self.file, "eval")

    def _gradient(self, spec: Any, roots: list[torch.Tensor], names: dict[str, Any]) -> list[torch.Tensor | None] | None:
        if spec is None:
            return None
        specs = spec if len(roots) > 1 else [spec]
        values = [self._value(one, names) for one in specs]
        return [
            torch.tensor(value, dtype=root.dtype) if isinstance(value, int | float | list) else value
            for value, root in zip(values, roots, strict=True)
        ]

    def _value(self, spec: Any, names: dict[str, Any]) -> Any:
        """Strings are expressions; of a list, each string is one; numbers and lists are data."""
        if isinstance(spec, str):
            return eval(self.expression(spec), names)
        if isinstance(spec, list) and spec and all(isinstance(one, str) for one in spec):
            return [self._value(one, names) for one in spec]
        return spec


def read_program(path: Path) -> Program:
    """Read a scenario file.

    Parameters
    ----------
    path : Path
        A YAML scenario without ``workers``.
    """
    text = path.read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    lines = {key.value: (value, value.start_mark.line + 1) for key, value in yaml.compose(text).value}
    return Program(
        path=path,
        title=document.get("title"),
        seed=document.get("seed", 0),
        dtype=document.get("dtype", "float32"),
        tensors=document.get("tensors") or {},
        script=compile(_with_lines(*lines["forward"]), str(path), "exec"),
        backward=document.get("backward"),
        backward_line=lines["backward"][1] if "backward" in lines else None,
    )


def _with_lines(node: yaml.Node, line: int) -> str:
    """The script's text, padded so that each line has its number in the file."""
    if isinstance(node, yaml.SequenceNode):
        padded: list[str] = []
        for item in node.value:
            padded += [""] * (item.start_mark.line - len(padded)) + [item.value]
        return "\n".join(padded)
    block = node.style in ("|", ">")  # the text of a block begins on the line after its indicator
    return "\n" * (line - 1 + block) + node.value


def _tensor(spec: dict[str, Any], folder: Path) -> torch.Tensor:
    """Make one entry of ``tensors:``."""
    requires_grad = bool(spec.get("requires_grad", False))
    dtype = getattr(torch, spec["dtype"]) if "dtype" in spec else None
    for factory in FACTORIES:
        if factory in spec:
            return getattr(torch, factory)(spec[factory], dtype=dtype, requires_grad=requires_grad)
    if "load" in spec:
        loaded = _load(folder, spec)
        return loaded.to(dtype or loaded.dtype).requires_grad_(requires_grad)
    if requires_grad and dtype is None:
        dtype = torch.get_default_dtype()
    return torch.tensor(spec["data"], dtype=dtype, requires_grad=requires_grad)


def _load(folder: Path, spec: dict[str, Any]) -> torch.Tensor:
    """Read a ``.npy``, ``.npz:NAME`` or ``.csv`` source."""
    file, _, member = spec["load"].partition(":")
    if file.endswith(".csv"):
        return _load_csv(folder / file, spec.get("columns"), spec.get("skip_rows", 0))
    array = np.load(folder / file, allow_pickle=False)
    return torch.from_numpy(array[member] if member else array)


def _load_csv(path: Path, columns: Any, skip_rows: int) -> torch.Tensor:
    """Columns of a csv as the default float: one name gives 1-D, a list 2-D; names are those of the header row."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[skip_rows:]
    header = rows[0]
    wanted = columns if isinstance(columns, list) else [columns]
    if any(isinstance(column, str) for column in wanted):
        rows = rows[1:]
        wanted = [header.index(column) for column in wanted]
    numbers = [[float(row[column]) for column in wanted] for row in rows]
    table = torch.tensor(numbers)
    return table if isinstance(columns, list) else table[:, 0]
