"""What each worker of a distributed scenario runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType

from ..errors import InvalidScenario
from ..scenario.model import Scenario
from ..scenario.sandbox import compile_script
from ..scenario.script import Script

ALL = "all"


@dataclass
class Role:
    """One worker's part.

    Attributes
    ----------
    is_first : bool
        Whether it is the worker that makes `tensors:` and runs `backward:`.
    definitions : list of Script
        What is defined on every worker before its script: top-level functions, classes, imports and assignments of literals of all
        scripts.
    scripts : list of Script
        What it runs, `all` before its own.
    """

    is_first: bool
    definitions: list[Script]
    scripts: list[Script]
    all_scripts: list[Script]
    homes: dict[str, list[str]]

    def home(self, name: str) -> list[str]:
        """The workers on which the top-level `name` exists only."""
        return self.homes.get(name, [])

    def compiled(self) -> tuple[list[CodeType], list[CodeType]]:
        """Definitions and scripts as code."""
        return [compile_script(s) for s in self.definitions], [compile_script(s) for s in self.scripts]


def worker_names(scenario: Scenario, count: int | None) -> list[str]:
    """The names of the workers; `count` wins over a count in the file.

    Raises
    ------
    InvalidScenario
        The file names its workers and `count` is another number.
    """
    workers = scenario.workers
    if isinstance(workers, tuple):
        if count is not None and count != len(workers):
            raise InvalidScenario(
                f"--workers {count}: this scenario names its {len(workers)} workers: {', '.join(workers)}",
                hint="leave --workers out, or give a count under workers: in the file",
            )
        return list(workers)
    return [f"worker{i}" for i in range(count if count is not None else workers if workers is not None else 3)]


def roles(scenario: Scenario, names: list[str]) -> list[Role]:
    """A Role for each worker.

    Raises
    ------
    InvalidScenario
        A script is for a worker that the run does not have, or two scripts define one function differently.
    """
    given = scenario.script if isinstance(scenario.script, dict) else {names[0]: scenario.script}
    for name, script in given.items():
        if name != ALL and name not in names:
            raise InvalidScenario(
                f"forward: there is a script for {name}, and the workers are {', '.join(names)}",
                hint="name one of them, or all",
                place=script.place,
            )
    scripts = list(given.values())
    definitions = [d for d in map(definitions_of, scripts) if d is not None]
    check_definitions(scripts)
    homes = _homes(given, names)
    made = []
    for rank, name in enumerate(names):
        own = [given[n] for n in (ALL, name) if n in given]
        made.append(Role(rank == 0, definitions, own, scripts, homes))
    return made


def definitions_of(script: Script) -> Script | None:
    """The part of a script that every worker runs first: the other statements are blanked, so that lines stay where they are."""
    try:
        tree = ast.parse(script.text)
    except SyntaxError:
        return None  # the compiler says so, with the place
    lines = [line.encode() for line in script.text.split("\n")]
    found = False
    for statement in tree.body:
        if is_definition(statement):
            found = True
        else:
            _blank(lines, statement)
    if not found:
        return None
    return Script(b"\n".join(lines).decode(), script.file, script.places, script.source)


def is_definition(statement: ast.stmt) -> bool:
    """Whether a top-level statement is run on every worker."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return True
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if value is None:
        return False
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _blank(lines: list[bytes], statement: ast.stmt) -> None:
    """Put spaces where `statement` stands; a `;` after it goes too."""
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    for i in range(first, last + 1):
        start = statement.col_offset if i == first else 0
        end = (statement.end_col_offset or 0) if i == last else len(lines[i])
        lines[i] = lines[i][:start] + b" " * (end - start) + lines[i][end:]
    rest = lines[last].lstrip()
    if rest.startswith(b";"):
        lines[last] = lines[last].replace(b";", b" ", 1)
    if rest.startswith((b"#", b";")) or not rest:
        return


def check_definitions(scripts: list[Script]) -> None:
    """Two scripts may not define one function or class differently: which one would a call mean?"""
    seen: dict[str, tuple[str, int]] = {}
    for script in scripts:
        try:
            tree = ast.parse(script.text)
        except SyntaxError:
            continue
        for statement in tree.body:
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                continue
            text, line = ast.dump(statement), script.file_position(statement.lineno, 0)[0]
            before = seen.setdefault(statement.name, (text, line))
            if before[0] != text:
                raise InvalidScenario(
                    f"{statement.name} is defined twice, differently: here and at line {before[1]}",
                    hint="give one of them another name: every worker knows both",
                    place=script.place_of(statement.lineno, statement.col_offset),
                )


def _homes(given: dict[str, Script], names: list[str]) -> dict[str, list[str]]:
    """For each top-level name that is no definition: the workers whose scripts bind it."""
    homes: dict[str, list[str]] = {}
    for worker, script in given.items():
        try:
            tree = ast.parse(script.text)
        except SyntaxError:
            continue
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and not is_definition(statement):
                for target in statement.targets:
                    for node in ast.walk(target):
                        if isinstance(node, ast.Name):
                            homes.setdefault(node.id, []).extend(names if worker == ALL else [worker])
    return homes


Home = Callable[[str], list[str]]
