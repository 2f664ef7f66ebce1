"""``agrad explain``: what an error means, why PyTorch's engine has it, and how to fix it."""

from __future__ import annotations

import click

from autograd_cli.cli.command import AgradCommand

EXAMPLES = [
    ("agrad explain", "list what can be explained"),
    ("agrad explain GraphFreed", "why a second backward() fails, and four ways to fix it"),
    ("agrad explain inplacemodified | less", "case does not matter"),
]


def names_from(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The topics that begin with what was typed, in whatever case."""
    from autograd_cli.cli.topics import all_topics

    return [name for name in all_topics() if name.casefold().startswith(incomplete.casefold())]


@click.command(cls=AgradCommand, examples=EXAMPLES)
@click.argument("topic", required=False, shell_complete=names_from)
def command(topic: str | None) -> int:
    """Explain a kind of error: why it happens, and how to fix it.

    TOPIC is the word that an error panel or a warning ends with, such as GraphFreed. Without it, all are listed.
    """
    from autograd_cli.cli.console import stdout_console
    from autograd_cli.cli.topics import all_topics, close_to, find
    from autograd_cli.render.terminal_about import print_about, print_list

    console = stdout_console()
    if topic is None:
        print_list([(found.group, found.name, found.summary) for found in all_topics().values()], console)
        return 0
    found = find(topic)
    if found is None:
        near = close_to(topic)
        raise click.UsageError(
            f"there is nothing to explain under {topic!r}. "
            + (f"Did you mean {' or '.join(near)}?" if near else "'agrad explain' lists everything.")
        )
    print_about(found.name, found.text, console)
    return 0
