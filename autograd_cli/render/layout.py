"""Lay a graph out: find a Graphviz, run it, and fall back to the next one where it fails.

Order: an executable named by the user (``engine=`` or the environment's ``AGRAD_DOT``), the one that the ``graphviz-pure`` wheel
brings, a ``dot`` on the PATH, pygraphviz. Only this file starts a process, and only while a picture is made.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from autograd_cli.errors import FileProblem, LimitExceeded

DEFAULT_TIMEOUT = 120.0  # seconds
PURE_FORMATS = frozenset(("svg", "png", "jpg", "jpeg", "json", "xdot", "plain", "canon"))
GRAPHVIZ_FORMATS = PURE_FORMATS | {"pdf", "ps", "eps", "svgz", "gif", "webp"}

_GET_ONE = "`pip install graphviz-pure` or your system's Graphviz (apt install graphviz, brew install graphviz) brings one"
_PYGRAPHVIZ = (
    "import sys, pygraphviz; "
    "graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode('utf-8')); "
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))"
)


@dataclass(frozen=True)
class Engine:
    """A way to lay out DOT: what to call it, the command without its format, and the formats it writes."""

    name: str
    command: tuple[str, ...]
    formats: frozenset[str]

    def arguments(self, fmt: str) -> list[str]:
        """The command line that reads DOT on standard input and writes `fmt` on standard output."""
        return [*self.command, fmt if self.name == "pygraphviz" else f"-T{fmt}"]


@dataclass(frozen=True)
class Drawing:
    """A laid out picture, the engine that made it, and what the user should be told."""

    data: bytes
    engine: str
    warnings: list[str] = field(default_factory=list)


def find_engines(engine: str | None = None) -> list[Engine]:
    """All engines there are, best first; only the named one where the user names one.

    Raises
    ------
    FileProblem
        The executable that was named does not exist.
    """
    named = engine or os.environ.get("AGRAD_DOT")
    if named:
        return [_named_engine(named)]
    engines = []
    if (bundled := _bundled()) is not None:
        engines.append(Engine("graphviz-pure", (bundled,), PURE_FORMATS))
    if (system := _which("dot")) is not None:
        engines.append(Engine("dot", (system,), GRAPHVIZ_FORMATS))
    if _has_pygraphviz():
        engines.append(Engine("pygraphviz", (sys.executable, "-c", _PYGRAPHVIZ), GRAPHVIZ_FORMATS))
    return engines


def layout(dot: str, fmt: str, *, engine: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Drawing:
    """Lay `dot` out and write it as `fmt`.

    Parameters
    ----------
    dot : str
        DOT text.
    fmt : str
        ``svg``, ``png``, ``jpg``, ``json``; with a system Graphviz or pygraphviz also ``pdf``, ``ps``, ``gif``, ``webp``, ….
    engine : str, optional
        An executable to use instead of those found; ``AGRAD_DOT`` in the environment does the same.
    timeout : float
        Seconds that each engine may take.

    Raises
    ------
    FileProblem
        No engine is there, none writes this format, or all failed.
    LimitExceeded
        The last engine took too long.
    """
    engines = find_engines(engine)
    able = [candidate for candidate in engines if fmt in candidate.formats]
    if not able:
        raise _no_engine(fmt, engines)
    warnings: list[str] = []
    for position, candidate in enumerate(able):
        following = able[position + 1].name if position + 1 < len(able) else None
        try:
            return Drawing(_run(candidate, dot, fmt, timeout), candidate.name, warnings)
        except (FileProblem, LimitExceeded) as problem:
            if following is None:
                raise
            warnings.append(f"{problem.message} {following} drew the picture instead.")
    raise AssertionError("unreachable: the last engine returns or raises")


def _run(engine: Engine, dot: str, fmt: str, timeout: float) -> bytes:
    """Run one engine on `dot`."""
    import subprocess  # only here: commands that draw no picture must start without it

    try:
        done = subprocess.run(engine.arguments(fmt), input=dot.encode("utf-8"), capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise LimitExceeded(
            f"{engine.name} did not lay the graph out within {timeout:g} seconds.",
            hint="Show less: --around NAME shows a neighbourhood. The terminal drawing and --dot have no such limit.",
        ) from None
    except OSError as problem:
        raise FileProblem(f"{engine.name} could not be started: {problem.strerror or problem}.", hint=_GET_ONE + ".") from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[0][:200] if said else f"exit status {done.returncode}"
        raise FileProblem(f"{engine.name} could not lay the graph out: {reason}.", hint=_GET_ONE + "; --dot works without.")
    return done.stdout


def _no_engine(fmt: str, engines: list[Engine]) -> FileProblem:
    """Nothing here writes `fmt`: say what would."""
    if fmt not in GRAPHVIZ_FORMATS:
        return FileProblem(f"{fmt!r} is not a picture format.", hint=f"Formats: {', '.join(sorted(GRAPHVIZ_FORMATS))}.")
    if not engines:
        return FileProblem(
            f"No Graphviz was found to write {fmt}.",
            hint=f"{_GET_ONE}. Without any, --dot prints DOT and the terminal drawing works.",
        )
    names = " and ".join(engine.name for engine in engines)
    return FileProblem(
        f"{names} cannot write {fmt}.",
        hint="Write svg or png, or install your system's Graphviz (apt install graphviz) or `pip install 'agrad[pdf]'`.",
    )


def _named_engine(named: str) -> Engine:
    """The executable the user named, a path or a name on the PATH."""
    path = _which(named)
    if path is None:
        raise FileProblem(
            f"The layout engine {named!r} was not found or may not be run.",
            hint=f"Name an executable of Graphviz, or leave it out (AGRAD_DOT too): {_GET_ONE}.",
        )
    pure = "graphviz-pure" in Path(path).name
    return Engine(Path(path).name, (path,), PURE_FORMATS if pure else GRAPHVIZ_FORMATS)


def _which(name: str) -> str | None:
    import shutil

    return shutil.which(name)


def _bundled() -> str | None:
    """The executable of the graphviz-pure wheel, which has no Python code to ask."""
    import importlib.metadata
    import sysconfig

    names = ("graphviz-pure", "graphviz-pure.exe")
    try:
        files = importlib.metadata.files("graphviz-pure") or ()
    except importlib.metadata.PackageNotFoundError:
        files = ()
    candidates = [Path(str(file.locate())) for file in files if file.name in names]
    candidates += [Path(sysconfig.get_path("scripts"), name) for name in names]
    found = next((path for path in candidates if path.exists()), None)
    return str(found.resolve()) if found is not None else _which("graphviz-pure")


def _has_pygraphviz() -> bool:
    import importlib.util

    return importlib.util.find_spec("pygraphviz") is not None
