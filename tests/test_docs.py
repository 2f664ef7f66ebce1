"""What docs/language.md and docs/output.md list is what there is: names of torch, keys, error kinds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from update_ops import PAGE, page

from autograd_cli import errors
from autograd_cli.scenario import build, build_expect, policy, world
from autograd_cli.torch_api.modules import modules
from autograd_cli.torch_api.pytorch_names import known, namespaces
from autograd_cli.trace import both_model, compare_model, dist_model, model

ROOT = Path(__file__).parent.parent
# Made where the array library has it, so not everywhere.
OPTIONAL = {"bfloat16"}


def submodules(namespace: str) -> set[str]:
    """The names of a namespace that are modules; a function may have the name of one, such as ``torch.autograd.gradcheck``."""
    inside = {name.removeprefix(f"{namespace}.") for name in modules() if name.startswith(f"{namespace}.")}
    return {name for name in inside if getattr(getattr(modules()[namespace], name, None), "_is_namespace", False)}


def section(page: str, heading: str) -> str:
    """The text below a heading of a page, up to the next heading of the same or a higher level."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", text, re.S | re.M)
    assert found, f"docs/{page} has no section {heading!r}"
    return found[2]


def rows(text: str) -> list[list[str]]:
    """The rows of the tables in `text`, without head."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [row for row in cells if not set(row[0]) <= set("-: ") and row[0] not in ("key", "kind", "what", "module", "")]


def words_of_cell(cell: str) -> list[str]:
    """The words in the code spans of a cell."""
    return [word for span in re.findall(r"`([^`]+)`", cell) for word in span.split()]


def listed(heading: str) -> list[str]:
    """The names that the table below a heading of docs/language.md lists."""
    return [word for row in rows(section("language.md", heading)) for word in words_of_cell(row[1])]


def compare(names: list[str], there: set[str]) -> None:
    """Fail where docs/language.md does not list just what is there."""
    assert sorted(names) == sorted(set(names)), "a name is listed twice"
    assert not there - set(names), f"docs/language.md does not list {sorted(there - set(names))}"
    assert not set(names) - there, f"docs/language.md lists {sorted(set(names) - there)}, which is not there"


def names_listed(namespace: str) -> list[str]:
    """What docs/language.md lists for a namespace: in a section of its own, or in a row of "Other modules"."""
    if f"\n### `{namespace}`\n" in (ROOT / "docs" / "language.md").read_text(encoding="utf-8"):
        return listed(f"`{namespace}`")
    others = {row[0].strip("`"): words_of_cell(row[1]) for row in rows(section("language.md", "Other modules"))}
    assert namespace in others or not set(dir(modules()[namespace])) - submodules(namespace), (
        f"docs/language.md has neither a section nor a row for {namespace}"
    )
    return others.get(namespace, [])


@pytest.mark.parametrize("name", sorted(modules()))
def test_language_lists_the_names_of(name: str) -> None:
    compare(names_listed(name), set(dir(modules()[name])) - OPTIONAL - submodules(name))


def test_language_lists_what_a_tensor_has() -> None:
    tensor = modules()["torch"].Tensor
    compare(listed("`torch.Tensor`"), {name for name in dir(tensor) if not name.startswith("_")})


@pytest.mark.parametrize("name", sorted({*modules(), "torch.Tensor"} & namespaces()))
def test_every_name_is_pytorchs(name: str) -> None:
    assert set(names_listed(name)) <= known(name)


@pytest.mark.parametrize(
    ("heading", "keys"),
    [
        ("Keys", build.KEYS),
        ("`tensors`", build.TENSOR_KEYS),
        ("`backward`", build.BACKWARD_KEYS),
        ("`expect`", build_expect.KEYS),
    ],
)
def test_language_lists_the_keys_of(heading: str, keys: tuple[str, ...]) -> None:
    assert {word for row in rows(section("language.md", heading)) for word in words_of_cell(row[0])} == set(keys)


def test_language_lists_builtins_and_imports() -> None:
    names = set(re.findall(r"\b\w+\b", section("language.md", "Builtins").split("```")[1])) - {"text"}
    assert names == {*world.BUILTINS, *world.GUARDED_BUILTINS}
    imports = {word.split(".")[0] for row in rows(section("language.md", "Imports")) for word in words_of_cell(row[0])}
    assert imports == set(policy.IMPORTABLE)


def kinds() -> set[str]:
    """The kinds of the errors that are raised, that is of the leaves of the tree."""
    found, todo = set(), [errors.AgradError]
    while todo:
        kind = todo.pop()
        below = kind.__subclasses__()
        todo += below
        if kind.__module__ == errors.__name__ and (not below or kind.kind_name):
            found.add(kind.kind_name or kind.__name__)
    return found


def test_output_lists_every_error_kind() -> None:
    names = [word for row in rows(section("output.md", "Error kinds")) for word in words_of_cell(row[0])]
    assert sorted(names) == sorted(set(names))
    assert set(names) == kinds() | {"InternalError"}


@pytest.mark.parametrize(
    ("heading", "record", "inside"),
    [
        ("`agrad/run@1`", model.Trace, [model.ScenarioRecord, model.WarningRecord]),
        ("`agrad/dist@1`", dist_model.DistTrace, [model.WarningRecord]),
        ("Workers", dist_model.WorkerRecord, []),
        ("Contexts", dist_model.ContextRecord, [dist_model.SendRecord, dist_model.RecvRecord, dist_model.GradientRecord]),
        ("Passes over workers", dist_model.DistPassRecord, [dist_model.WorkerPassRecord, dist_model.StageRecord]),
        ("Messages", dist_model.MessageRecord, []),
        ("`agrad/both@1`", both_model.BothTrace, []),
        ("`agrad/compare@1`", compare_model.CompareTrace, [compare_model.ComparedRecord]),
    ],
)
def test_output_lists_the_fields_of(heading: str, record: type, inside: list[type]) -> None:
    """The first column has the fields of the record; those of the records inside it are named somewhere in the section."""
    text = section("output.md", heading)
    names = [word.split(".")[0] for row in rows(text) for word in words_of_cell(row[0])]
    assert sorted(names) == sorted(record.__struct_encode_fields__)
    assert {field for one in inside for field in one.__struct_encode_fields__} <= set(words_of_cell(text))


def test_output_lists_what_is_compared() -> None:
    """The first table below "Differences" has the fields of one, the second the words for what differs."""
    names = [word for row in rows(section("output.md", "Differences")) for word in words_of_cell(row[0])]
    fields = compare_model.DifferenceRecord.__struct_fields__
    assert names[: len(fields)] == list(fields)
    assert names[len(fields) :] == ["what", *compare_model.WHAT]


def test_architecture_shows_real_code_and_real_notes() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    sources = {path.relative_to(ROOT / "autograd_cli"): path.read_text("utf-8") for path in ROOT.glob("autograd_cli/**/*.py")}
    for excerpt in re.findall(r"```python\n(.*?)```", page, re.S):
        assert any(excerpt in source for source in sources.values()), excerpt
    for note, where, _ in rows(section("architecture.md", "Notes")):
        if note != "note":
            written = re.search(rf"(?<!See )Note \[{re.escape(note)}\]", sources[Path(where.strip("`"))])
            assert written, f"{where} has no Note [{note}]"


def test_every_note_that_code_refers_to_is_written() -> None:
    written, used = set(), set()
    for path in ROOT.glob("autograd_cli/**/*.py"):
        text = re.sub(r"[\s#]+", " ", path.read_text("utf-8"))
        for reference, note in re.findall(r"([Ss]ee |\()?Note \[([^\]]+)\]", text):
            (used if reference else written).add(note)
    assert written
    assert used <= written, f"no such Note: {sorted(used - written)}"


def test_the_page_of_operations_is_current() -> None:
    """Otherwise: python tests/update_ops.py"""
    assert PAGE.read_text(encoding="utf-8") == page()
