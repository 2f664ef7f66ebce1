"""`str.format` whose fields may read only what a script may read."""

from __future__ import annotations

import string
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ReadAttribute = Callable[[Any, str], Any]


class SafeFormatter(string.Formatter):
    """Python's own formatting, with attributes in fields read through a guard."""

    def __init__(self, read: ReadAttribute) -> None:
        self.read = read

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
