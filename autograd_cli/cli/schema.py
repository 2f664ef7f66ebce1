"""``agrad schema``: the JSON Schema of scenario files."""

from __future__ import annotations

import json

import click

from autograd_cli.cli.command import AgradCommand

EXAMPLES = [
    ("agrad schema > scenario.schema.json", "save it"),
    ("# yaml-language-server: $schema=scenario.schema.json", "first line of a scenario: completion in editors"),
]


@click.command(cls=AgradCommand, examples=EXAMPLES)
def command() -> int:
    """Print the JSON Schema of the scenario format."""
    from autograd_cli.scenario.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
    return 0
