"""Whether an expected value and a VALUE of a Trace agree, with the tolerances of torch.testing.

The VALUE is plain data: nested lists of numbers, NaN and infinities perhaps as the words of the JSON document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# dtype -> (rtol, atol). Source: torch.testing.assert_close, https://docs.pytorch.org/docs/stable/testing.html
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
EXACT = (0.0, 0.0)


@dataclass(frozen=True)
class Tolerance:
    """What `expect` itself asks for; None where the default of the dtype holds."""

    rtol: float | None = None
    atol: float | None = None

    def for_dtype(self, dtype: str) -> tuple[float, float]:
        """(rtol, atol) for values of a dtype."""
        rtol, atol = TOLERANCES.get(dtype, EXACT)
        return rtol if self.rtol is None else self.rtol, atol if self.atol is None else self.atol


def difference(expected: Any, value: Mapping[str, Any], tolerance: Tolerance) -> str | None:
    """What is different, in words; None when they agree.

    Parameters
    ----------
    expected : data
        Numbers, text, None, nested lists, mappings, as `expect` gives them.
    value : mapping
        A VALUE of OUTPUT.md.
    """
    kind = value.get("type")
    if value.get("elided"):
        return "is too large to be in the document, so it cannot be compared"
    if kind == "tensor":
        return numbers_differ(expected, value["value"], value["shape"], value["dtype"], tolerance)
    if kind == "number":
        dtype = "int64" if isinstance(value["value"], int) else "float64"
        if isinstance(value["value"], list):  # a Python complex number, as [re, im]
            return numbers_differ(expected, value["value"], [], "complex128", tolerance)
        return numbers_differ(expected, value["value"], [], dtype, tolerance)
    if kind in ("bool", "str", "NoneType"):
        same = type(expected) is type(value["value"]) and expected == value["value"]
        return None if same else f"is {value['value']!r}, expected {expected!r}"
    if kind in ("list", "tuple"):
        return _items_differ(expected, value["items"], tolerance)
    if kind == "dict":
        return _entries_differ(expected, value["items"], tolerance)
    return f"is a {value.get('class', kind)}, whose value cannot be compared"


def _items_differ(expected: Any, items: list[Any], tolerance: Tolerance) -> str | None:
    if not isinstance(expected, list) or len(expected) != len(items):
        shown = f"{len(expected)} items" if isinstance(expected, list) else repr(expected)
        return f"has {len(items)} items, expected {shown}"
    for index, (one, item) in enumerate(zip(expected, items, strict=True)):
        found = difference(one, item, tolerance)
        if found:
            return f"differs at [{index}]: it {found}"
    return None


def _entries_differ(expected: Any, items: Mapping[str, Any], tolerance: Tolerance) -> str | None:
    if not isinstance(expected, dict):
        return f"is a dict, expected {expected!r}"
    if set(expected) != set(items):
        return f"has the keys {sorted(items)}, expected {sorted(expected)}"
    for key, one in expected.items():
        found = difference(one, items[key], tolerance)
        if found:
            return f"differs at [{key!r}]: it {found}"
    return None


def numbers_differ(expected: Any, actual: Any, shape: list[int], dtype: str, tolerance: Tolerance) -> str | None:
    """What is different between nested lists of numbers; ``shape`` is that of ``actual``, without complex pairs."""
    is_complex = dtype.startswith("complex")
    want_shape = shape_of(expected)
    have_shape = [*shape, 2] if is_complex else list(shape)
    if want_shape != have_shape and not (expected == actual == []):
        pairs = " (complex numbers are [re, im] pairs)" if is_complex else ""
        return f"has shape {list(shape)}, expected {_show_shape(want_shape)}{pairs}"
    rtol, atol = tolerance.for_dtype(dtype)
    wrong = unequal(expected, actual, have_shape, rtol, atol)
    if not wrong:
        return None
    position, want, have = wrong[0]
    where = "".join(f"[{i}]" for i in position)
    count = f" ({len(wrong)} of {math.prod(have_shape)} values differ)" if len(wrong) > 1 else ""
    what = f"at {where} is" if where else "is"
    return f"{what} {have!r}, expected {want!r} (rtol {rtol:g}, atol {atol:g}){count}"


def unequal(expected: Any, actual: Any, shape: list[int], rtol: float, atol: float) -> list[tuple[list[int], Any, Any]]:
    """The elements of two nested lists of one shape that are not close: the position, what is expected, and what is there."""
    return [
        (_unravel(index, shape), want, have)
        for index, (want, have) in enumerate(zip(_flat(expected), _flat(actual), strict=True))
        if not _close(want, have, rtol, atol)
    ]


def shape_of(data: Any) -> list[int] | None:
    """The shape of nested lists; None when they are ragged."""
    shape: list[int] = []
    level = [data]
    while level and all(isinstance(item, list) for item in level):
        lengths = {len(item) for item in level}
        if len(lengths) > 1:
            return None
        shape.append(lengths.pop())
        level = [inner for item in level for inner in item]
    return None if any(isinstance(item, list) for item in level) else shape


def _show_shape(shape: list[int] | None) -> str:
    return "nested lists of one length each, and got ragged ones" if shape is None else str(shape)


def _flat(data: Any) -> list[Any]:
    level = [data]
    while level and isinstance(level[0], list):
        level = [inner for item in level for inner in item]
    return level


def _unravel(index: int, shape: list[int]) -> list[int]:
    position = []
    for size in reversed(shape):
        index, rest = divmod(index, size)
        position.append(rest)
    return position[::-1]


def _number(value: Any) -> Any:
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    return value


def _close(want: Any, have: Any, rtol: float, atol: float) -> bool:
    want, have = _number(want), _number(have)
    if (
        not isinstance(want, (int, float))
        or not isinstance(have, (int, float))
        or isinstance(want, bool) != isinstance(have, bool)
    ):
        return False
    if want == have:
        return True
    if math.isnan(want) or math.isnan(have):
        return math.isnan(want) and math.isnan(have)
    if math.isinf(want) or math.isinf(have):
        return False
    return abs(want - have) <= atol + rtol * abs(want)
