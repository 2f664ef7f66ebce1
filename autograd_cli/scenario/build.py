"""The keys of a scenario file, one function each: YAML nodes in, the parts of a `Scenario` out."""

from __future__ import annotations

import re
from typing import Any

from autograd_cli.errors import InvalidScenario
from autograd_cli.scenario.build_distributed import read_faults, read_forward, read_workers
from autograd_cli.scenario.build_expect import read_expect
from autograd_cli.scenario.fields import Reader
from autograd_cli.scenario.model import BackwardSpec, Scenario, TensorSpec
from autograd_cli.scenario.script import Script
from autograd_cli.scenario.script_source import read_script
from autograd_cli.scenario.yaml_reader import Document, Node

KEYS = ("title", "about", "seed", "device", "dtype", "tensors", "forward", "backward", "mode", "workers", "faults", "expect")
FLOATING = ("float16", "float32", "float64", "bfloat16", "half", "float", "double")
DTYPES = (*FLOATING, "int8", "uint8", "int16", "int32", "int64", "short", "int", "long", "bool", "complex64", "complex128")
ALIASES = {"half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64"}
MODES = ("fast", "smart")
SOURCES = ("data", "rand", "randn", "zeros", "ones", "load")
TENSOR_KEYS = (*SOURCES, "columns", "skip_rows", "dtype", "device", "requires_grad")
BACKWARD_KEYS = ("roots", "gradient", "retain_graph", "create_graph", "inputs", "mode")
_DEVICE = re.compile(r"cpu|cuda(:\d{1,3})?")


def build_scenario(document: Document) -> Scenario:
    """The Scenario of a YAML document, without its path."""
    reader = Reader(document)
    if document.root is None:
        raise InvalidScenario("the file is empty", hint="a scenario has at least the key forward:", place=document.place_at(0, 0))
    entries = {key: value for key, (_, value) in reader.mapping(document.root, "a scenario", KEYS).items()}
    if "forward" not in entries:
        raise reader.error("a scenario needs the key forward:", document.root, "forward: | and the script below it, indented")
    workers = read_workers(reader, entries["workers"]) if "workers" in entries else None
    for key in ("mode", "faults"):
        if key in entries and workers is None:
            raise reader.error(
                f"{key} is for distributed scenarios", entries[key], "add workers: with a count or a list of names"
            )
    return Scenario(
        path=None,
        script=read_forward(reader, entries["forward"], workers),
        title=_text(reader, entries, "title"),
        about=_text(reader, entries, "about"),
        seed=reader.integer(entries["seed"], "seed", -(2**63), 2**64 - 1) if "seed" in entries else 0,
        device=_device(reader, entries["device"], auto=True) if "device" in entries else "cpu",
        dtype=_dtype(reader, entries["dtype"], FLOATING) if "dtype" in entries else "float32",
        tensors=_tensors(reader, entries["tensors"]) if "tensors" in entries else (),
        backward=_backward(reader, entries["backward"], workers is not None) if "backward" in entries else None,
        mode=reader.choice(entries["mode"], "mode", MODES) if "mode" in entries else None,
        workers=workers,
        faults=read_faults(reader, entries["faults"], workers) if "faults" in entries else (),
        expect=read_expect(reader, entries["expect"]) if "expect" in entries else None,
    )


def _text(reader: Reader, entries: dict[str, Node], key: str) -> str | None:
    return reader.text(entries[key], key, "put it in quotes") if key in entries else None


def _device(reader: Reader, node: Node, *, auto: bool) -> str:
    value = reader.text(node, "device")
    if not (_DEVICE.fullmatch(value) or (auto and value == "auto")):
        raise reader.error(f"there is no device {value!r}", node, f"cpu, cuda, cuda:N{' or auto' if auto else ''}")
    return value


def _dtype(reader: Reader, node: Node, choices: tuple[str, ...]) -> str:
    value = reader.text(node, "dtype")
    if value.startswith("torch."):
        value = value.removeprefix("torch.")
    if value not in choices:
        return reader.choice(node, "dtype", choices)
    return ALIASES.get(value, value)


# ---- tensors ----


def _tensors(reader: Reader, node: Node) -> tuple[TensorSpec, ...]:
    return tuple(_tensor(reader, key, value) for key, value in reader.mapping(node, "tensors").values())


def _tensor(reader: Reader, key: Node, node: Node) -> TensorSpec:
    name = reader.name(key, "a tensor")
    what = f"the tensor {name}"
    if node.kind != "mapping":
        hint = f"{name}: {{data: [1, 2, 3]}}, for example; or with {', '.join(SOURCES[1:-1])} or {SOURCES[-1]}"
        raise reader.error(f"{what} must be a mapping with its source, not {reader.describe(node)}", node, hint)
    entries = {field: value for field, (_, value) in reader.mapping(node, what, TENSOR_KEYS).items()}
    sources = [field for field in entries if field in SOURCES]
    if len(sources) != 1:
        why = "has no source" if not sources else f"has more than one source: {', '.join(sources)}"
        raise reader.error(f"{what} {why}", node if not sources else entries[sources[1]], f"give one of {', '.join(SOURCES)}")
    source = sources[0]
    for field in ("columns", "skip_rows"):
        if field in entries and source != "load":
            raise reader.error(f"{field} goes with load:", entries[field])
    return TensorSpec(
        name=name,
        source=source,
        value=_source_value(reader, source, entries[source], what),
        place=reader.document.place(entries[source]),
        columns=_columns(reader, entries["columns"]) if "columns" in entries else None,
        skip_rows=reader.integer(entries["skip_rows"], "skip_rows", 0) if "skip_rows" in entries else 0,
        dtype=_dtype(reader, entries["dtype"], DTYPES) if "dtype" in entries else None,
        device=_device(reader, entries["device"], auto=False) if "device" in entries else None,
        requires_grad="requires_grad" in entries and reader.boolean(entries["requires_grad"], "requires_grad"),
    )


def _source_value(reader: Reader, source: str, node: Node, what: str) -> Any:
    if source == "data":
        return reader.tensor_data(node, f"the data of {what}")
    if source == "load":
        return reader.text(node, "load")
    if node.kind == "scalar":
        return (reader.integer(node, source, 0),)
    return tuple(reader.integer(item, f"each size of {source}", 0) for item in reader.items(node, source))


def _columns(reader: Reader, node: Node) -> tuple[str | int, ...] | str | int:
    if node.kind == "list":
        if not node.value:
            raise reader.error("columns must not be empty", node)
        return tuple(_column(reader, item) for item in node.value)
    return _column(reader, node)


def _column(reader: Reader, node: Node) -> str | int:
    value = reader.scalar(node, "a column")
    if isinstance(value, str):
        return value
    return reader.integer(node, "a column", 0)


# ---- backward ----


def _backward(reader: Reader, node: Node, distributed: bool) -> BackwardSpec:
    place = reader.document.place(node)
    if node.kind != "mapping":
        return BackwardSpec(_roots(reader, node, "backward"), place)
    entries = {key: value for key, (_, value) in reader.mapping(node, "backward", BACKWARD_KEYS).items()}
    if "roots" not in entries:
        raise reader.error("backward needs roots:", node, "roots: an expression such as loss, or a list of expressions")
    if "mode" in entries and not distributed:
        raise reader.error("mode is for distributed scenarios", entries["mode"], "add workers: with a count or a list of names")
    roots = _roots(reader, entries["roots"], "roots")
    several = entries["roots"].kind == "list"
    return BackwardSpec(
        roots=roots,
        place=reader.document.place(entries["roots"]),
        gradient=_gradient(reader, entries["gradient"], len(roots), several) if "gradient" in entries else None,
        inputs=_roots(reader, entries["inputs"], "inputs") if "inputs" in entries else None,
        retain_graph=reader.boolean(entries["retain_graph"], "retain_graph") if "retain_graph" in entries else None,
        create_graph="create_graph" in entries and reader.boolean(entries["create_graph"], "create_graph"),
        mode=reader.choice(entries["mode"], "mode", MODES) if "mode" in entries else None,
    )


def _roots(reader: Reader, node: Node, what: str) -> tuple[Script, ...]:
    nodes = reader.items(node, what) if node.kind == "list" else [node]
    if not nodes:
        raise reader.error(f"{what} must not be empty", node, "give at least one expression, such as loss")
    return tuple(_expression(reader, item, what) for item in nodes)


def _expression(reader: Reader, node: Node, what: str) -> Script:
    if node.kind != "scalar" or not isinstance(reader.scalar(node, what), str):
        raise reader.error(
            f"{what} must be an expression, as text, not {reader.describe(node)}", node, "for example: loss, or d.sum()"
        )
    return read_script(reader, node, what)


def _gradient(reader: Reader, node: Node, roots: int, several: bool) -> Any:
    """Text is an expression, numbers and lists are data; when roots is a list, one entry each."""
    if not several:
        return _one_gradient(reader, node)
    items = reader.items(node, "gradient of several roots")
    if len(items) != roots:
        raise reader.error(
            f"gradient has {len(items)} entries for {roots} roots", node, "one entry for each root; null where a root needs none"
        )
    return [_one_gradient(reader, item) for item in items]


def _one_gradient(reader: Reader, node: Node) -> Any:
    if node.kind == "scalar":
        value = reader.scalar(node, "gradient", words=True)
        if value is None:
            return None
        if isinstance(value, str):
            return read_script(reader, node, "gradient")
    return reader.tensor_data(node, "gradient")
