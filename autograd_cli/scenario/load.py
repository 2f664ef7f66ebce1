"""A scenario file to a typed `Scenario`: YAML, or a .py file whose whole text is the script."""

from __future__ import annotations

import gc
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from autograd_cli.errors import FileProblem, InvalidScenario, Place
from autograd_cli.scenario.find import builtin_scenarios, find_scenario
from autograd_cli.scenario.model import Scenario
from autograd_cli.scenario.script import Script

__all__ = ["builtin_scenarios", "find_scenario", "load_scenario", "read_scenario"]

MAX_BYTES = 16 * 2**20


def load_scenario(path: Path | str) -> Scenario:
    """Read a scenario file.

    Raises
    ------
    FileProblem
        The file is missing, no regular file, unreadable or larger than 16 MiB.
    InvalidScenario
        It does not say what LANGUAGE.md allows; the place and a hint are in the error.
    """
    path = Path(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise FileProblem(f"{path} is {kind}; a scenario is a YAML file or a .py file", place=Place(str(path)))
        if status.st_size > MAX_BYTES:
            raise _too_large(str(path), status.st_size)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FileProblem):
            raise
        why = getattr(error, "strerror", None) or str(error)
        raise FileProblem(f"{path} cannot be read: {why}", place=Place(str(path))) from None
    return read_scenario(data, path)


def read_scenario(data: bytes, path: Path | None, name: str | None = None) -> Scenario:
    """A Scenario from the bytes of a file; ``name`` is what messages call it, by default its path or `<stdin>`."""
    shown = name or (str(path) if path else "<stdin>")
    if len(data) > MAX_BYTES:
        raise _too_large(shown, len(data))
    text = _decode(data, shown)
    with _no_gc():
        if path is not None and path.suffix == ".py":
            return Scenario(path, Script.whole_file(text.replace("\r\n", "\n"), shown), title=None)
        from autograd_cli.scenario.build import build_scenario
        from autograd_cli.scenario.yaml_reader import Document

        return replace(build_scenario(Document(text, shown)), path=path)


def _too_large(shown: str, size: int) -> FileProblem:
    message = f"{shown} has {size} bytes; a scenario file may have {MAX_BYTES}"
    return FileProblem(message, hint="put large data into a .npy or .csv file and load it under tensors:", place=Place(shown))


def _decode(data: bytes, shown: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        head = data[:start].decode("utf-8", errors="replace")
        line, column = head.count("\n") + 1, len(head) - (head.rfind("\n") + 1) + 1
        source = data.split(b"\n")[line - 1].decode("utf-8", errors="replace").rstrip("\r")
        message = f"the file is not UTF-8 text: byte 0x{data[start]:02x} cannot stand here"
        raise InvalidScenario(message, hint="save the file as UTF-8", place=Place(shown, line, column, source)) from None


@contextmanager
def _no_gc() -> Iterator[None]:
    """No garbage collection while a tree of many small objects grows: it would walk it again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
