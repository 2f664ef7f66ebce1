"""Running a script of the language on the strict device."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from autograd_cli.scenario.load import read_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.session.options import RunOptions
from autograd_cli.trace import codec


def run(script: str, head: str = "", **options: Any) -> Any:
    """The document of a script."""
    text = f"{head}\nforward: |\n{textwrap.indent(textwrap.dedent(script).strip(), '  ')}\n"
    return json.loads(codec.encode(run_scenario(read_scenario(text.encode(), None), RunOptions(events=True, **options))))


def printed(script: str, head: str = "", **options: Any) -> list[str]:
    """The lines that a script prints."""
    document = run(script, head, **options)
    assert document["error"] is None, document["error"]
    lines: list[str] = document["stdout"].splitlines()
    return lines
