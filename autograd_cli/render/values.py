"""VALUEs of the Trace (what a name holds at the end of a run) as short text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograd_cli.render.labels import clip, plural, printable, shape_text
from autograd_cli.trace.model import Json

NOT_COMPUTED = "not computed"
ELIDED = "(elided)"
NOT_KEPT = "not kept"  # PyTorch frees the gradients of tensors that are no leaves


def type_text(value: Json) -> str:
    """What a value is: ``float32 [2, 2]`` for a tensor, a class name otherwise."""
    kind = value.get("type")
    if kind == "tensor":
        device = "" if value["device"] == "cpu" else f" {value['device']}"
        return f"{value['dtype']} {shape_text(value['shape'])}{device}"
    if kind == "module":
        return printable(f"{value['class']} module")
    if kind in ("list", "tuple", "dict"):
        return f"{kind} of {len(value['items'])}"
    return printable(str(kind))


def value_text(value: Json, width: int, dots: str = "…") -> str:
    """A value in at most `width` characters; only what is shown is formatted, however large the value is."""
    kind = value.get("type")
    if kind == "tensor" and value.get("elided"):
        return clip(f"({plural(math.prod(value['shape']), 'element')})", width, dots)
    if kind == "module":
        return clip(printable(", ".join(value["parameters"])), width, dots)
    return _joined(_tokens(value), width, dots)


def grad_text(value: Json, width: int, dots: str = "…") -> str:
    """A tensor's gradient. One that is not there is never shown as 0, since nobody computed it."""
    if value.get("type") != "tensor" or not value.get("requires_grad"):
        return ""
    if value.get("grad") is None and value.get("elided"):
        return ELIDED  # the Trace leaves the numbers of large tensors out; whether there were any it does not tell
    if value.get("grad") is None:
        return NOT_COMPUTED if value["is_leaf"] else NOT_KEPT
    return _joined(_array_tokens(value["grad"], value["dtype"]), width, dots)


def _joined(tokens: Iterator[str], width: int, dots: str) -> str:
    """Tokens up to `width` characters. A number is left out whole, since a part of its digits would be another number."""
    text = kept = ""
    for token in tokens:
        text += token
        if len(text) > width:
            if not any(map(str.isalnum, kept)):  # room for the first number at most
                kept = text.removesuffix(", ")
            return clip(kept + dots, width, dots)
        if len(text) <= width - len(dots):
            kept = text
    return text


def _tokens(value: Json) -> Iterator[str]:
    """The pieces of a value's text, from left to right. A stack, not recursion: scripts can nest lists deeply."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        kind = item.get("type")
        if kind == "tensor":
            if item.get("elided"):
                yield f"tensor {shape_text(item['shape'])}"
            else:
                yield from _array_tokens(item["value"], item["dtype"])
        elif kind in ("list", "tuple"):
            opening, closing = "[]" if kind == "list" else "()"
            parts: list[Json] = [opening, "..."] if item.get("elided") else [opening]
            for number, inner in enumerate(item["items"]):
                parts += [", ", inner] if number else [inner]
            if kind == "tuple" and len(item["items"]) == 1:
                parts.append(",")
            stack += reversed([*parts, closing])
        elif kind == "dict":
            parts = ["{", "..."] if item.get("elided") else ["{"]
            for number, (key, inner) in enumerate(item["items"].items()):
                parts += [", " if number else "", f"{printable(key)}: ", inner]
            stack += reversed([*parts, "}"])
        elif kind == "str":
            yield printable(repr(item["value"]))
        elif kind == "number":
            yield _python_number(item["value"])
        elif kind == "bool":
            yield str(item["value"])
        elif kind == "NoneType":
            yield "None"
        elif kind == "cycle":
            yield "..."
        else:
            yield printable(str(kind))


def _array_tokens(data: Json, dtype: str) -> Iterator[str]:
    """The pieces of a tensor's text: nested lists of numbers. A complex number is a pair in the data, one number in the text."""
    is_complex = dtype.startswith("complex")
    stack: list[Json] = [(data, "")]
    while stack:
        item, after = stack.pop()
        if not isinstance(item, list):
            yield number_text(item) + after
        elif is_complex and len(item) == 2 and not any(isinstance(part, list) for part in item):
            real, imaginary = map(number_text, item)
            yield f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j{after}"
        else:
            yield "["
            stack.append(("]", after))
            stack += [(inner, "" if last else ", ") for last, inner in _reversed_with_last(item)]


def _reversed_with_last(items: list[Json]) -> Iterator[tuple[bool, Json]]:
    """Items from the last to the first, each with whether it is the last."""
    for index in range(len(items) - 1, -1, -1):
        yield index == len(items) - 1, items[index]


def number_text(number: Json) -> str:
    """An element as PyTorch prints it: four decimals, ``1.`` for a whole float, an exponent for very large and small ones."""
    if not isinstance(number, float):
        return str(number)  # int, bool, and the strings "nan", "inf", "-inf"
    if number == 0 or (number == int(number) and abs(number) < 1e6):
        return f"{number:.0f}."
    return f"{number:.4f}" if 1e-4 <= abs(number) < 1e6 else f"{number:.4e}"


def _python_number(number: Json) -> str:
    """A Python number as Python prints it; complex numbers are pairs."""
    if isinstance(number, list):
        return f"({number[0]}{'+' if not str(number[1]).startswith('-') else ''}{number[1]}j)"
    return str(number)
