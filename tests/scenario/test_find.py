"""Built-in scenarios are found by name from any folder; unknown names get close matches."""

import pytest

from autograd_cli.errors import FileProblem
from autograd_cli.scenario import find
from autograd_cli.scenario.find import builtin_scenarios, find_scenario


@pytest.fixture
def builtin(tmp_path, monkeypatch):
    folder = tmp_path / "built-in"
    for name in ("abc", "iris", "nn/mlp", "nn/deep/cnn", "dist/two", "other/two"):
        path = folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("forward: x = 1")
    (folder / "data").mkdir()
    (folder / "data" / "iris.csv").write_text("1")
    monkeypatch.setattr(find, "FOLDERS", (tmp_path / "none", folder))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return folder


def test_names(builtin):
    assert list(builtin_scenarios()) == ["abc", "dist/two", "iris", "nn/deep/cnn", "nn/mlp", "other/two"]


@pytest.mark.parametrize(
    ("name", "file"), [("abc", "abc"), ("abc.yaml", "abc"), ("nn/mlp", "nn/mlp"), ("mlp", "nn/mlp"), ("cnn", "nn/deep/cnn")]
)
def test_by_name_or_by_its_last_part(builtin, name, file):
    assert find_scenario(name) == builtin / f"{file}.yaml"


def test_an_existing_path_wins_over_a_name(builtin, tmp_path):
    (tmp_path / "elsewhere" / "abc").write_text("forward: y = 1")
    assert find_scenario("abc").resolve() == tmp_path / "elsewhere" / "abc"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("irsi", "iris"), ("nn/mpl", "nn/mlp"), ("zzz", "built-in scenarios: abc"), ("two", "say which: dist/two, other/two")],
)
def test_unknown_names_get_a_hint(builtin, name, hint):
    with pytest.raises(FileProblem) as caught:
        find_scenario(name)
    assert hint in caught.value.hint


def test_files_beside_a_mistyped_path(builtin, tmp_path):
    (tmp_path / "elsewhere" / "lesson.yaml").write_text("forward: x")
    with pytest.raises(FileProblem) as caught:
        find_scenario("lessen.yaml")
    assert "lesson.yaml" in caught.value.hint


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, ""])
def test_odd_names_are_file_problems(builtin, name):
    with pytest.raises(FileProblem):
        find_scenario(name)


@pytest.mark.parametrize("target", ["nowhere.yaml", "lesson.yaml"])
def test_link_that_leads_nowhere_is_called_one(builtin, tmp_path, target):
    (tmp_path / "elsewhere" / "lesson.yaml").symlink_to(target)
    with pytest.raises(FileProblem, match="is a link to a file that is not there"):
        find_scenario("lesson.yaml")


def test_the_repository_has_its_own():
    assert all(path.is_file() and path.suffix == ".yaml" for path in builtin_scenarios().values())
