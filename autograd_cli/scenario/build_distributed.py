"""The keys of a scenario file that are about workers: `workers`, `forward` by worker, `faults`."""

from __future__ import annotations

import re

from autograd_cli.errors import Place
from autograd_cli.scenario.fields import Reader, did_you_mean
from autograd_cli.scenario.model import Fault
from autograd_cli.scenario.script import Script
from autograd_cli.scenario.script_source import read_script
from autograd_cli.scenario.yaml_reader import Node

MAX_WORKERS = 1024
EVERYONE = "all"
ACTIONS = ("kill", "stop", "delay", "fail")
STAGES = ("forward", "backward", "discovery")
FAULT_KEYS = ("worker", "action", "at", "seconds", "times")
_MESSAGE = re.compile(r"\d+:\d+")
_WORKER = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")

Workers = int | tuple[str, ...]


def worker_names(workers: Workers) -> tuple[str, ...]:
    """The names of the workers: those listed, or worker0, worker1, … for a count."""
    return tuple(f"worker{rank}" for rank in range(workers)) if isinstance(workers, int) else workers


def read_workers(reader: Reader, node: Node) -> Workers:
    """A count, or a tuple of names."""
    if node.kind != "list":
        return reader.integer(node, "workers", 1, MAX_WORKERS)
    names: list[str] = []
    for item in node.value:
        name = reader.text(item, "the name of a worker")
        if not _WORKER.fullmatch(name) or name == EVERYONE:
            raise reader.error(
                f"{name!r} cannot be the name of a worker", item, "letters, digits, _ and -; the name all means every worker"
            )
        if name in names:
            raise reader.error(f"the worker {name!r} is listed twice", item)
        names.append(name)
    if not 1 <= len(names) <= MAX_WORKERS:
        raise reader.error(f"workers must list from 1 to {MAX_WORKERS} names", node)
    return tuple(names)


def read_forward(reader: Reader, node: Node, workers: Workers | None) -> Script | dict[str, Script]:
    """The script, or a script for each worker named."""
    if node.kind != "mapping":
        return read_script(reader, node, "forward")
    if workers is None:
        hint = "a script with a colon on its first line needs block text: forward: | and the script below it, indented"
        raise reader.error("forward is a mapping, which is for distributed scenarios with workers:", node, hint)
    known = (*worker_names(workers), EVERYONE)
    scripts = {}
    for name, (key, value) in reader.mapping(node, "forward").items():
        if name not in known:
            raise reader.error(
                f"there is no worker {name!r}", key, did_you_mean(name, known) or f"the workers are {', '.join(known[:8])}"
            )
        scripts[name] = read_script(reader, value, f"the script of {name}")
    if not scripts:
        raise reader.error("forward has no script", node)
    return scripts


def read_faults(reader: Reader, node: Node, workers: Workers | None) -> tuple[Fault, ...]:
    """What goes wrong on purpose."""
    names = worker_names(workers or ())
    return tuple(_fault(reader, item, names) for item in reader.items(node, "faults"))


def _fault(reader: Reader, node: Node, names: tuple[str, ...]) -> Fault:
    entries = {key: value for key, (_, value) in reader.mapping(node, "a fault", FAULT_KEYS).items()}
    for key in ("worker", "action", "at"):
        if key not in entries:
            raise reader.error(f"a fault needs the key {key}:", node)
    place: Place = reader.document.place(node)
    return Fault(
        worker=reader.choice(entries["worker"], "worker", names),
        action=reader.choice(entries["action"], "action", ACTIONS),
        at=_at(reader, entries["at"]),
        place=place,
        seconds=reader.number(entries["seconds"], "seconds") if "seconds" in entries else None,
        times=reader.integer(entries["times"], "times", 1) if "times" in entries else None,
    )


def _at(reader: Reader, node: Node) -> str | tuple[str, str]:
    if node.kind != "mapping":
        return reader.choice(node, "at", STAGES)
    entries = reader.mapping(node, "at", ("node", "message"))
    if len(entries) != 1:
        raise reader.error("at must name one node or one message", node, 'at: {node: MulBackward0} or at: {message: "0:3"}')
    ((kind, (_, value)),) = entries.items()
    text = reader.text(value, kind)
    if kind == "message" and not _MESSAGE.fullmatch(text):
        raise reader.error(f"{text!r} is not a message", value, 'sender:counter, for example "0:3"')
    return kind, text
