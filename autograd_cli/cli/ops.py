"""``agrad ops``: the operations there are, with their nodes and the formulas of their gradients."""

from __future__ import annotations

import json

import click

from autograd_cli.cli.command import AgradCommand

EXAMPLES = [
    ("agrad ops exp", "the node, the gradient's formula and what is saved"),
    ("agrad ops ExpBackward0", "the same, by the node's name"),
    ("agrad ops norm", "every operation with the word in its names or its text"),
    ("agrad ops --json", "the whole table, for programs"),
]


@click.command(cls=AgradCommand, examples=EXAMPLES)
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="Also the operations that only backward passes call.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str | None, everything: bool, as_json: bool) -> int:
    """Show the operations: nodes, and formulas of gradients.

    NAME is an operation, a function of PyTorch such as torch.exp, a node's name, or a word to search for. Without it, all are listed.
    """
    from autograd_cli.torch_api.op_listing import all_entries, search

    found = search(name) if name else list(all_entries().values())
    if not name and not everything:
        found = [entry for entry in found if not entry.is_of_a_backward]
    if not found:
        raise click.UsageError(f"no operation has {name!r} in its names or its text. 'agrad ops' lists them all.")
    if as_json:
        click.echo(json.dumps({"format": "agrad/ops@1", "ops": [entry.as_json() for entry in found]}, indent=2))
        return 0
    from autograd_cli.cli.console import stdout_console
    from autograd_cli.render.terminal_ops import print_details, print_ops

    rows = [entry.as_json() for entry in found]
    if name and len(found) <= DETAILED:
        print_details(rows, stdout_console())
    else:
        print_ops(rows, stdout_console())
    return 0


DETAILED = 4  # up to so many operations are shown in full
