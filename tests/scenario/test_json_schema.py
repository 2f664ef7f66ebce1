"""The JSON Schema accepts every valid file and rejects what the loader rejects, as far as shape goes."""

import json
import math
import re

import pytest
from test_load import BAD

from autograd_cli.errors import InvalidScenario
from autograd_cli.scenario.find import builtin_scenarios
from autograd_cli.scenario.load import read_scenario
from autograd_cli.scenario.schema import json_schema
from autograd_cli.scenario.yaml_reader import Document, scalar

jsonschema = pytest.importorskip("jsonschema")

VALID = [
    "forward: x = 1",
    "forward: [x = 1, y = 2]",
    "title: t\nabout: a\nseed: -3\ndevice: cuda:1\ndtype: torch.float64\nforward: x",
    "forward: x\ntensors: {a: {data: [[1, 2.5], [nan, true]], requires_grad: true}, b: {rand: []}}",
    "forward: x\ntensors: {c: {zeros: 3, dtype: int64, device: cuda}, n: {load: 'a.npz:x'}}",
    "forward: x\ntensors: {ä_1: {load: a.csv, columns: [0, b], skip_rows: 1}}",
    "forward: x\nbackward: d.sum()",
    "forward: x\nbackward: [a, b]",
    "forward: x\nbackward: {roots: [a, b], gradient: [1, c], inputs: [x], retain_graph: true, create_graph: false}",
    "forward: x\nbackward: {roots: a, gradient: [[1, 2], [3, 4]]}",
    "forward: x\nbackward: {roots: a, gradient: torch.ones(2)}",
    "forward: x\nexpect: {variables: {a: [1, null], b: text, c: {d: 1}}, grads: {a: [inf], b: null}}",
    "forward: x\nexpect: {dependencies: {a: 1}, order: [A], stdout: 1, rtol: 0, error: boom}",
    "forward: x\nworkers: 3\nmode: smart\nbackward: {roots: a, mode: fast}\n"
    "faults: [{worker: worker1, action: kill, at: {node: A}}]",
    "forward: {all: x, b: [y]}\nworkers: [a, b]\n"
    "faults: [{worker: b, action: delay, at: {message: '0:3'}, seconds: 1.5, times: 2}]",
]
# Bad in ways that JSON Schema cannot see: they are about the text of the YAML, or compare one part with another.
BEYOND_SHAPE = re.compile(
    r"ragged|folded|several lines|second|2 roots|there is no worker|worker7|list$|YAML reads|5000 digits|!!int|wrker0"
    r"|gradient: 1}|for: {data|mode: fast"
)


def plain(node):
    """A YAML tree as JSON data."""
    if node is None:
        return None
    if node.kind == "mapping":
        return {key.value: plain(value) for key, value in node.value}
    if node.kind == "list":
        return [plain(item) for item in node.value]
    value = scalar(node)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@pytest.fixture(scope="module")
def validator():
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_is_plain_json():
    assert json.loads(json.dumps(json_schema())) == json_schema()


@pytest.mark.parametrize("text", VALID)
def test_valid_files_are_valid_for_both(validator, text):
    read_scenario(text.encode(), None)
    validator.validate(plain(Document(text, "f").root))


@pytest.mark.parametrize("name", builtin_scenarios())
def test_built_in_scenarios_are_valid(validator, name):
    text = builtin_scenarios()[name].read_text(encoding="utf-8")
    validator.validate(plain(Document(text, name).root))


WITHIN_SHAPE = [case[0] for case in BAD if not BEYOND_SHAPE.search(f"{case[0]} {case[3]}")]


@pytest.mark.parametrize("text", WITHIN_SHAPE, ids=lambda text: repr(text)[:60])
def test_what_the_loader_refuses_is_invalid(validator, text):
    try:
        data = plain(Document(text, "f").root)
    except InvalidScenario:
        pytest.fail("this is no YAML: it belongs to BEYOND_SHAPE")
    assert not validator.is_valid(data)


def test_few_complaints_are_beyond_the_schema():
    assert len(WITHIN_SHAPE) > len(BAD) * 3 / 4
