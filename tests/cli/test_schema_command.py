"""`agrad schema`."""

from __future__ import annotations

import json

from autograd_cli.scenario.schema import json_schema


def test_prints_the_schema(invoke):
    result = invoke("schema")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == json.loads(json.dumps(json_schema()))
