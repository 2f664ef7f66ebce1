"""`agrad graph`: every form of the picture, of a scenario and of a saved run."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

LOOP = """\
forward: |
  w = torch.ones(1, requires_grad=True)
  for i in range(12):
      loss = (w * float(i)).sum()
      loss.backward()
"""


def test_without_scenario_draws_abc(invoke):
    result = invoke("graph")
    assert result.exit_code == 0
    rows = result.stdout.splitlines()
    (add,) = [row for row in rows if "AddBackward0" in row]
    (mul,) = [row for row in rows if "MulBackward0" in row]
    assert "deps 1" in add
    assert "deps 0" in mul
    assert result.stderr == ""


def test_the_scripts_output_is_left_out(invoke, scenario):
    assert "d is" not in invoke("graph", scenario()).stdout


def test_dot_is_all_there_is(invoke, scenario):
    result = invoke("graph", "--dot", scenario())
    assert result.exit_code == 0
    assert result.stdout.startswith("digraph ")
    assert result.stdout.endswith("}\n")


def test_json_is_the_run_without_variables(invoke, scenario):
    path = scenario()
    document = json.loads(invoke("graph", "--json", path).stdout)
    run = json.loads(invoke("run", "--json", path).stdout)
    assert document["format"] == "agrad/graph@1"
    assert "variables" not in document
    assert document["graph"] == run["graph"]
    assert [record["order"] for record in document["passes"]] == [record["order"] for record in run["passes"]]


def test_ascii(invoke, scenario):
    path = scenario()
    assert not invoke("graph", path).stdout.isascii()
    assert invoke("graph", "--ascii", path).stdout.isascii()


def test_output_files(invoke, scenario, tmp_path):
    path = scenario()
    for ending in ("svg", "png", "dot", "gv", "json", "SVG"):
        result = invoke("graph", path, "-o", str(tmp_path / f"picture.{ending}"))
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        assert f"wrote {tmp_path / 'picture'}.{ending}" in result.stderr.replace("\n", "")
    assert ET.parse(tmp_path / "picture.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "picture.dot").read_text(encoding="utf-8") == invoke("graph", path, "--dot").stdout
    assert (tmp_path / "picture.gv").read_bytes() == (tmp_path / "picture.dot").read_bytes()
    assert json.loads((tmp_path / "picture.json").read_text(encoding="utf-8"))["format"] == "agrad/graph@1"


def test_output_into_a_missing_folder(invoke, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("graph", "-o", "nowhere/picture.dot")
    assert result.exit_code == 2
    assert "nowhere/picture.dot cannot be written: No such file or directory" in result.stderr


def test_layout_engine_that_is_not_there(invoke, tmp_path):
    result = invoke("graph", "-o", str(tmp_path / "picture.svg"), "--engine-exe", str(tmp_path / "no-dot"))
    assert result.exit_code == 2
    assert "no-dot" in result.stderr
    assert not (tmp_path / "picture.svg").exists()


@pytest.mark.parametrize("command", ["run", "graph"])
def test_saved_document_draws_the_same(invoke, scenario, tmp_path, command):
    path = scenario()
    saved = tmp_path / "saved.json"
    saved.write_text(invoke(command, "--json", path).stdout, encoding="utf-8")
    for form in ("--dot", "--ascii", "--json"):
        again, first = invoke("graph", form, str(saved)), invoke("graph", form, path)
        assert again.exit_code == 0
        if form == "--json":
            again_document, first_document = json.loads(again.stdout), json.loads(first.stdout)
            assert again_document["graph"] == first_document["graph"]
        else:
            assert again.stdout == first.stdout


def test_saved_document_through_a_pipe(invoke, scenario):
    path = scenario()
    for command in ("run", "graph"):
        result = invoke("graph", "-", "--dot", input=invoke(command, "--json", path).stdout)
        assert result.stdout == invoke("graph", path, "--dot").stdout


@pytest.mark.parametrize(
    "text",
    [
        "forward: x = torch.ones(1, requires_grad=True)\nbackward: x.sum()\n",
        '{"forward": "x = torch.ones(1, requires_grad=True)", "backward": "x.sum()"}',
    ],
)
def test_scenario_through_a_pipe(invoke, text):
    assert "SumBackward0" in invoke("graph", "-", input=text).stdout


def test_broken_document_through_a_pipe(invoke):
    result = invoke("graph", "-", input='{"format":"agrad/run@1"}')
    assert result.exit_code == 2
    assert "<stdin>" in result.stderr


def test_scenario_written_in_json(invoke, scenario):
    path = scenario('{"forward": "x = torch.ones(1, requires_grad=True)", "backward": "x.sum()"}', "lesson.json")
    assert "SumBackward0" in invoke("graph", path).stdout


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": "agrad/run@1"}', "missing required field"),
        ('{"format": "agrad/run@1", "scenario"', "truncated"),
        ('{"format": "agrad/compare@1"}', "agrad/compare@1"),
        ('{"format": 7}', "Expected `str`, got `int`"),
        ("[1, 2]", "Expected `object`, got `array`"),
        ("", "truncated"),
    ],
)
def test_broken_saved_run(invoke, scenario, text, reason):
    path = scenario(text, "saved.json")
    result = invoke("graph", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert path in result.stderr
    assert reason in result.stderr
    document = invoke("graph", "--json", path)
    assert document.exit_code == 2
    assert json.loads(document.stdout)["error"]["kind"] == "FileProblem"


def test_saved_run_with_an_edge_to_nowhere_is_refused(invoke, scenario, tmp_path):
    document = json.loads(invoke("run", "--json", scenario()).stdout)
    document["graph"]["nodes"][0]["next"] = [{"node": 99, "input": 0}]
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = invoke("graph", str(path))
    assert result.exit_code == 2
    assert "99" in result.stderr


def test_pass_chooses(invoke, scenario):
    path = scenario(LOOP)
    assert "pass 12 of 12" in invoke("graph", path).stdout
    assert "pass 5 of 12" in invoke("graph", path, "--pass", "5").stdout
    assert "pass 10 of 12" in invoke("graph", path, "--pass", "-3").stdout


def test_pass_that_is_not_there(invoke, scenario):
    result = invoke("graph", scenario(LOOP), "--pass", "13")
    assert result.exit_code == 2
    assert "13" in result.stderr
    assert "12" in result.stderr


def test_all_draws_every_pass(invoke, scenario):
    path = scenario(LOOP)
    assert invoke("graph", path).stdout.count("SumBackward0") == 1
    assert invoke("graph", path, "--all").stdout.count("SumBackward0") == 12


def test_around(invoke, scenario):
    path = scenario()
    result = invoke("graph", path, "--around", "e", "--depth", "0")
    assert "MulBackward0" in result.stdout
    assert "AddBackward0" not in result.stdout
    missing = invoke("graph", path, "--around", "nothing")
    assert missing.exit_code == 2
    assert "'nothing'" in missing.stderr


def test_failed_run_is_drawn_as_far_as_it_came(invoke, scenario):
    path = scenario("forward: |\n  x = torch.ones(2, requires_grad=True)\n  y = x * 3\n  y.backward()\n")
    result = invoke("graph", path)
    assert result.exit_code == 1
    assert "MulBackward0" in result.stdout
    assert "lesson.yaml:4" in result.stderr
    document = invoke("graph", "--json", path)
    assert document.exit_code == 1
    assert json.loads(document.stdout)["error"]["kind"] == "NonScalarRoot"


def test_scenario_that_cannot_start_has_no_picture(invoke, scenario, tmp_path):
    path = scenario("forward: |\n  import os\n")
    for arguments in ([], ["--dot"], ["-o", str(tmp_path / "x.svg")]):
        result = invoke("graph", path, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
    assert not Path(tmp_path / "x.svg").exists()
    document = invoke("graph", "--json", path)
    assert document.exit_code == 2
    assert json.loads(document.stdout)["format"] == "agrad/graph@1"
