"""Finding a scenario by path, or a built-in one by name."""

from __future__ import annotations

from pathlib import Path

from autograd_cli.errors import FileProblem, Place
from autograd_cli.scenario.fields import did_you_mean

PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = (PACKAGE / "builtin_scenarios", PACKAGE.parent / "scenarios")  # in a wheel, in a checkout


def builtin_scenarios() -> dict[str, Path]:
    """The built-in scenarios by name: the path inside their folder, without `.yaml`, with forward slashes; sorted."""
    for folder in FOLDERS:
        if folder.is_dir():
            return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.yaml"))}
    return {}


def find_scenario(name_or_path: str | Path) -> Path:
    """The file of a scenario: an existing path, else a built-in scenario by its name or by the last part of its name.

    Raises
    ------
    FileProblem
        There is neither; the hint names close matches.
    """
    path = Path(name_or_path)
    name = str(name_or_path)
    try:
        if path.exists() and not path.is_dir():
            return path
    except (OSError, ValueError) as error:  # a name too long, or with a null byte in it
        raise FileProblem(f"{name[:80]!r} is not a path: {getattr(error, 'strerror', None) or error}") from None
    if path.is_symlink() and not path.is_dir():
        raise FileProblem(f"{name} is a link to a file that is not there", place=Place(name))
    if not name:
        raise FileProblem("the name of the scenario is empty")
    known = builtin_scenarios()
    wanted = name.removesuffix(".yaml")
    if wanted in known:
        return known[wanted]
    stems = [found for found in known if found.rsplit("/", 1)[-1] == wanted]
    if len(stems) == 1:
        return known[stems[0]]
    if stems:
        raise FileProblem(
            f"{name} is the name of several built-in scenarios", hint=f"say which: {', '.join(stems)}", place=Place(name)
        )
    if path.is_dir():
        raise FileProblem(f"{name} is a folder; a scenario is a YAML file or a .py file", place=Place(name))
    neighbours = _neighbours(path)
    hint = did_you_mean(wanted, [*known, *(found.rsplit("/", 1)[-1] for found in known)]) or did_you_mean(name, neighbours)
    raise FileProblem(f"there is no file and no built-in scenario {name}", hint=hint or _some_names(known), place=Place(name))


def _neighbours(path: Path) -> list[str]:
    """Scenario files beside a path that does not exist."""
    try:
        return [str(found) for found in path.parent.iterdir() if found.suffix in (".yaml", ".yml", ".py")]
    except OSError:
        return []


def _some_names(known: dict[str, Path]) -> str | None:
    return f"built-in scenarios: {', '.join(known)}" if known else None
