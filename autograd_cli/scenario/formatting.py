"""`str.format` whose fields may read only what a script may read."""

from __future__ import annotations

import string
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

ReadAttribute = Callable[[Any, str], Any]


class SafeFormatter(string.Formatter):
    """Python's own formatting, with attributes in fields read through a guard."""

    def __init__(self, read: ReadAttribute) -> None:
        self.read = read
        self.automatic = 0  # fields without a number so far
        self.manual = False

    def parse(self, format_string: Any) -> Iterator[Any]:
        """The fields of a text, with numbers for those that have none; `string.Formatter` knows `{}` but not `{.shape}`."""
        for literal, field, spec, conversion in super().parse(format_string):
            yield literal, self._numbered(field), spec, conversion

    def _numbered(self, field: str | None) -> str | None:
        if field is None:
            return None
        first, _ = _split(field)
        if first != "":
            self.manual = self.manual or isinstance(first, int)
        else:
            field = f"{self.automatic}{field}"
            self.automatic += 1
        if self.manual and self.automatic:
            raise ValueError("cannot mix {} and {0} in one format")
        return field

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The object that a field such as ``0.shape[1]`` names, and the key it begins with."""
        first, rest = _split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            value = self.read(value, name) if is_attribute else value[name]
        return value, first


def _split(field_name: str) -> tuple[Any, Any]:
    from _string import formatter_field_name_split

    return formatter_field_name_split(field_name)  # type: ignore[no-any-return]


def safe_formatter(found: Any, read: ReadAttribute) -> Any:
    """What ``value.format`` or ``value.format_map`` gave: a method of `str` is replaced, anything else is itself.

    It looks at the method and not at the object, so that no proxy (`super`, a subclass of it) can hide the text.
    """
    if isinstance(found, types.BuiltinMethodType) and isinstance(found.__self__, str):
        return _bound(found.__name__, found.__self__, read)
    if isinstance(found, types.MethodDescriptorType) and issubclass(found.__objclass__, str):
        return lambda text, *args, **kwargs: _bound(found.__name__, _text(text), read)(*args, **kwargs)
    return found


def _bound(name: str, text: str, read: ReadAttribute) -> Callable[..., str]:
    if name == "format_map":
        return lambda mapping: SafeFormatter(read).vformat(text, (), mapping)
    return lambda *args, **kwargs: SafeFormatter(read).vformat(text, args, kwargs)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"str.format is called on a str, not on {type(value).__name__}")
    return value
