"""`agrad run`: what it prints where, and its exit status."""

from __future__ import annotations

import json

import pytest


def script(*lines: str, more: str = "") -> str:
    """A scenario with a script of these lines."""
    return "forward: |\n" + "".join(f"  {line}\n" for line in lines) + more


def test_without_scenario_runs_abc(invoke):
    result = invoke("run")
    assert result.exit_code == 0
    assert "AddBackward0" in result.stdout
    assert result.stderr == ""


def test_prints_the_scripts_output_first(invoke, scenario):
    result = invoke("run", scenario())
    assert result.exit_code == 0
    assert result.stdout.startswith("d is 36.0\n")
    assert "SumBackward0" in result.stdout


def test_quiet_prints_only_the_scripts_output(invoke, scenario):
    assert invoke("run", "--quiet", scenario()).stdout == "d is 36.0\n"


def test_report_begins_on_its_own_line(invoke, scenario):
    result = invoke("run", scenario(script('print("no end", end="")')))
    assert result.stdout.startswith("no end\n")


def test_json_is_one_document(invoke, scenario):
    result = invoke("run", "--json", scenario())
    assert result.exit_code == 0
    assert result.stderr == ""
    document = json.loads(result.stdout)
    assert document["format"] == "agrad/run@1"
    assert document["stdout"] == "d is 36.0\n"
    assert document["variables"]["a"]["grad"] == [[1, 1], [1, 1]]
    assert "events" not in document
    names = {node["id"]: node["name"] for node in document["graph"]["nodes"]}
    assert sorted(names.values()) == ["AccumulateGrad"] * 3 + ["AddBackward0", "MulBackward0", "SumBackward0"]
    (record,) = document["passes"]
    assert [names[node] for node in record["order"]] == ["SumBackward0", "AddBackward0", "AccumulateGrad", "AccumulateGrad"]


def test_half_a_surrogate_pair_is_escaped_in_the_document(invoke, scenario):
    text = script(r"text = {'\udc00': ['\ud800']}", r"print('\ud800')")
    document = json.loads(invoke("run", "--json", scenario(text)).stdout)
    assert document["status"] == "ok"
    assert document["stdout"] == "\\ud800\n"
    assert document["variables"]["text"]["items"] == {"\\udc00": {"type": "list", "items": [{"type": "str", "value": "\\ud800"}]}}


def test_events_are_in_the_document(invoke, scenario):
    document = json.loads(invoke("run", "--json", "--events", scenario()).stdout)
    kinds = [event["kind"] for event in document["events"]]
    assert kinds.count("evaluate_end") == len(document["passes"][0]["order"])
    assert kinds.index("pass_start") < kinds.index("pass_end")


def test_events_are_shown(invoke, scenario):
    text = invoke("run", "--events", scenario()).stdout
    assert "evaluate_start" in text
    assert "evaluate_start" not in invoke("run", scenario()).stdout


def test_script_from_standard_input(invoke):
    result = invoke("run", "-", "--quiet", input=script('print("from stdin")'))
    assert (result.exit_code, result.stdout) == (0, "from stdin\n")


def test_python_file_is_a_script(invoke, scenario):
    path = scenario("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nprint(x.grad)\n", "pasted.py")
    assert invoke("run", "-q", path).stdout == "tensor([1., 1.])\n"


def test_seed_wins_over_the_scenarios(invoke, scenario):
    path = scenario(script("print(torch.rand(1).item())", more="seed: 3\n"))
    other = scenario(script("print(torch.rand(1).item())", more="seed: 5\n"), "other.yaml")
    assert invoke("run", "-q", path).stdout != invoke("run", "-q", other).stdout
    assert invoke("run", "-q", path, "--seed", "5").stdout == invoke("run", "-q", other).stdout


def test_record_all_keeps_every_pass(invoke, scenario):
    loop = ["w = torch.ones(1, requires_grad=True)", "for i in range(12):", "    (w * i).sum().backward()"]
    path = scenario(script(*loop))
    elided = [record.get("elided", False) for record in json.loads(invoke("run", "--json", path).stdout)["passes"]]
    assert elided == [False] * 2 + [True] * 8 + [False] * 2
    kept = json.loads(invoke("run", "--json", "--record", "all", path).stdout)["passes"]
    assert not any(record.get("elided") for record in kept)
    some = json.loads(invoke("run", "--json", "--record", "5..6", path).stdout)["passes"]
    assert [number for number, record in enumerate(some, 1) if not record.get("elided")] == [5, 6]


# ---- --check ----


def test_check_passes(invoke, scenario):
    path = scenario(script("x = torch.ones(2)", more="expect: {variables: {x: [1, 1]}}\n"))
    result = invoke("run", "--check", path)
    assert result.exit_code == 0
    assert "came out" in result.stdout


def test_check_tells_every_difference(invoke, scenario):
    expect = "expect:\n  variables: {x: [1, 2]}\n  stdout: hello\n"
    path = scenario(script("x = torch.ones(2)", more=expect))
    assert invoke("run", path).exit_code == 0
    result = invoke("run", "--check", path)
    assert result.exit_code == 1
    assert "2 things did not come out as expected" in result.stderr
    assert "x" in result.stderr
    assert "hello" in result.stderr
    document = json.loads(invoke("run", "--check", "--json", path).stdout)
    assert (document["status"], document["error"]["kind"]) == ("error", "ExpectationFailed")
    assert document["error"]["type"] == "AssertionError"


def test_check_of_an_expected_error_is_a_success(invoke, scenario):
    lines = "x = torch.ones(2, requires_grad=True)", "x.backward()"
    path = scenario(script(*lines, more="expect: {error: one element}\n"))
    assert invoke("run", path).exit_code == 1
    assert invoke("run", "--check", path).exit_code == 0
    document = invoke("run", "--check", "--json", path)
    assert document.exit_code == 0
    assert json.loads(document.stdout)["error"]["kind"] == "NonScalarRoot"
    other = invoke("run", "--check", scenario(script(*lines, more="expect: {error: volcano}\n"), "other.yaml"))
    assert other.exit_code == 1
    assert "volcano" in other.stderr


def test_check_of_an_expected_error_before_the_run(invoke, scenario):
    path = scenario(script("import os", more="expect: {error: os}\n"))
    assert invoke("run", path).exit_code == 2
    assert invoke("run", "--check", path).exit_code == 0
    assert invoke("run", "--check", scenario(script("import os", more="expect: {error: volcano}\n"))).exit_code == 2


def test_check_of_a_run_that_fails_shows_both(invoke, scenario):
    path = scenario(script("x = 1", 'raise ValueError("volcano")', more="expect: {variables: {x: 2}}\n"))
    result = invoke("run", "--check", path)
    assert result.exit_code == 1
    assert "check: the run failed: volcano" in result.stderr
    assert "check: variables.x" in result.stderr


def test_check_of_an_error_that_does_not_come_fails(invoke, scenario):
    path = scenario(script("x = 1", more="expect: {error: volcano}\n"))
    assert invoke("run", "--check", path).exit_code == 1


def test_check_needs_something_to_check(invoke, scenario):
    result = invoke("run", "--check", scenario())
    assert result.exit_code == 2
    assert "has no `expect`" in result.stderr
    assert result.stdout == ""


# ---- bad input: a clear error of the right kind and status, no traceback ----

BAD = [
    ("unknown key", "forwrd: x = 1\n", 2, "InvalidScenario", "SyntaxError"),
    ("bad YAML", "forward: [1, 2\n", 2, "InvalidScenario", "SyntaxError"),
    ("not Python", script("x = = 1"), 2, "ForbiddenSyntax", "SyntaxError"),
    ("import", script("import os"), 2, "ForbiddenImport", "ImportError"),
    ("underscore", script("x = torch.ones(1).__class__"), 2, "ForbiddenSyntax", "SyntaxError"),
    ("missing file", script("y = x", more="tensors: {x: {load: nowhere.npy}}\n"), 2, "FileProblem", "OSError"),
    ("outside", script("y = x", more="tensors: {x: {load: ../../secret.npy}}\n"), 2, "FileProblem", "OSError"),
    ("unknown name", script("y = nonsense"), 1, "NameNotDefined", "NameError"),
    ("shapes", script("torch.ones(2, 3) @ torch.ones(2, 3)"), 1, "ShapeMismatch", "RuntimeError"),
    ("raises", script('raise ValueError("volcano")'), 1, "ScriptRaised", "ValueError"),
    ("division", script("1 / 0"), 1, "ScriptRaised", "ZeroDivisionError"),
    ("too large", script("torch.zeros(1000000, 1000000)"), 1, "LimitExceeded", "RuntimeError"),
    ("no graph", script("torch.ones(1).backward()"), 1, "NoGraph", "RuntimeError"),
]


@pytest.mark.parametrize(("text", "code", "kind", "type_name"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_input(invoke, scenario, text, code, kind, type_name):
    path = scenario(text)
    result = invoke("run", path)
    assert result.exit_code == code
    assert "lesson.yaml" in result.stderr
    document = invoke("run", "--json", path)
    assert document.exit_code == code
    error = json.loads(document.stdout)["error"]
    assert (error["kind"], error["type"]) == (kind, type_name)
    if kind not in ("FileProblem",):
        assert error["line"] is not None


def test_endless_loop_ends_with_timeout(invoke, scenario):
    path = scenario(script('print("begun")', "while True:", "    pass"))
    result = invoke("run", "--timeout", "0.2", path)
    assert result.exit_code == 1
    assert result.stdout.startswith("begun\n")
    assert "0.2" in result.stderr


@pytest.mark.parametrize("name", ["nowhere.yaml", "irsi", "../nowhere", "a\0b", "x" * 5000])
def test_missing_scenario(invoke, name):
    result = invoke("run", name)
    assert result.exit_code == 2
    document = invoke("run", "--json", name)
    assert document.exit_code == 2
    assert json.loads(document.stdout)["error"]["kind"] == "FileProblem"


def test_path_of_a_run_that_cannot_start_is_that_of_a_run(invoke, scenario):
    path = scenario("forward: |\n  import os\n")
    assert json.loads(invoke("run", "--json", path).stdout)["scenario"]["path"] == path
    worked = json.loads(invoke("run", "--json", "abc").stdout)["scenario"]["path"]
    assert json.loads(invoke("run", "--json", "abc", "--device", "cuda:77").stdout)["scenario"]["path"] == worked
    assert json.loads(invoke("run", "--json", "-", input="forward: 7\n").stdout)["scenario"]["path"] is None
    assert json.loads(invoke("run", "--json", "nowhere").stdout)["scenario"]["path"] == "nowhere"


def test_missing_scenario_suggests(invoke):
    assert "iris" in invoke("run", "irsi").stderr


def refusal(invoke, *arguments, **more):
    """(message, hint) of what cannot be a scenario."""
    result = invoke(*arguments, "--json", **more)
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["kind"]) == (2, "InvalidScenario")
    return error["message"], error["hint"]


def test_saved_run_is_no_scenario_and_graph_shows_it(invoke, scenario):
    document = invoke("run", "--json", scenario()).stdout
    laid_out = json.dumps(json.loads(document), indent=4)
    graph = invoke("graph", "--json", scenario()).stdout
    for name, text in (("run.json", document), ("laid_out.json", laid_out), ("graph.json", graph), ("run.txt", document)):
        path = scenario(text, name)
        for command in ("run", "dist"):
            message, hint = refusal(invoke, command, path)
            assert message == f"{path} is the document of a run that agrad wrote, and no scenario"
            assert hint == f"agrad graph {path} shows it; to run again, name the scenario that was run"
        assert invoke("graph", path).stdout == invoke("graph", scenario()).stdout
        assert refusal(invoke, "run", "-", input=text)[0].startswith("<stdin> is the document of a run")


def test_saved_distributed_run_is_called_one(invoke, scenario):
    path = scenario(invoke("dist", "--json", "--workers", "0").stdout, "dist.json")
    assert refusal(invoke, "run", path)[0] == f"{path} is the document of a distributed run that agrad wrote, and no scenario"


def test_folder_is_no_scenario(invoke, tmp_path):
    assert invoke("run", str(tmp_path)).exit_code == 2


def test_failed_run_keeps_what_was_recorded(invoke, scenario):
    path = scenario(script("x = torch.ones(2, requires_grad=True)", "y = x * 3", 'print("so far")', "y.view(7)"))
    result = invoke("run", "--json", path)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["stdout"] == "so far\n"
    assert [node["name"] for node in document["graph"]["nodes"] if node["name"].startswith("Mul")] == ["MulBackward0"]
    assert document["error"]["line"] == 5
    assert "lesson.yaml:5" in result.stderr
