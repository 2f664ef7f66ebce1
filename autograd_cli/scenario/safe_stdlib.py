"""`random`, `collections`, `itertools`, `functools` and `typing` as scripts see them: what tutorials import beside torch.

Note [What of the standard library is safe]
    Objects and functions that hold and order what the script hands over, and reach nothing else. ``functools.wraps`` copies attributes
    of any name from one object to another, and ``typing`` evaluates text, so these two are our own.
"""

from __future__ import annotations

import collections
import functools
import itertools
import random
from collections.abc import Callable, Iterable
from typing import Any

_RANDOM = """
betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate normalvariate paretovariate randbytes randint random
randrange sample seed shuffle triangular uniform vonmisesvariate weibullvariate
"""
_ITERTOOLS = """
accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby islice pairwise
permutations product repeat starmap takewhile tee zip_longest
"""
_TYPING = """
Any Callable ClassVar Collection Dict Final FrozenSet Generator Generic Hashable Iterable Iterator List Literal Mapping MutableMapping
MutableSequence NoReturn Optional Sequence Set Sized Tuple Type Union
"""


class Annotation:
    """A name of `typing`. Annotations are ignored in a script, so it says nothing but its name."""

    __slots__ = ("_name",)
    _is_namespace = True  # no variable of the script, wherever it is bound

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, items: Any) -> Annotation:
        return self

    def __or__(self, other: Any) -> Annotation:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"typing.{self._name}"


def safe_stdlib(seed: int = 0) -> dict[str, dict[str, Any]]:
    """The chosen names by module name. The stream of `random` begins at `seed`, so that a run can be repeated."""
    stream = random.Random(seed)
    annotations: dict[str, Any] = {name: Annotation(name) for name in _TYPING.split()}
    return {
        "random": {name: getattr(stream, name) for name in _RANDOM.split()},
        "collections": {
            "Counter": collections.Counter,
            "OrderedDict": collections.OrderedDict,
            "defaultdict": collections.defaultdict,
            "deque": collections.deque,
            "namedtuple": namedtuple,
        },
        "itertools": {name: getattr(itertools, name) for name in _ITERTOOLS.split() if hasattr(itertools, name)},
        "functools": {
            "cache": functools.cache,
            "lru_cache": functools.lru_cache,
            "partial": functools.partial,
            "reduce": functools.reduce,
            "wraps": wraps,
        },
        "typing": annotations | {"TypeVar": type_variable, "cast": cast},
        "collections.abc": {name: annotations[name] for name in annotations if hasattr(collections.abc, name)},
    }


def type_variable(name: str, *bounds: Any, **options: Any) -> Annotation:
    """A name for annotations."""
    return Annotation(name)


def cast(kind: Any, value: Any) -> Any:
    """The value."""
    return value


def namedtuple(typename: str, field_names: str | Iterable[str], *, rename: bool = False, defaults: Any = None) -> type:
    """A tuple whose items have names. See `collections.namedtuple`."""
    names = field_names if type(field_names) is str else list(field_names)
    return collections.namedtuple(typename, names, rename=rename, defaults=defaults, module="__main__")


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """A decorator that gives a function the name of another. See Note [What of the standard library is safe]."""

    def name_it(wrapper: Any) -> Any:
        if type(wrapper) is type(name_it) and type(wrapped) is type(name_it):
            wrapper.__name__ = wrapped.__name__
        return wrapper

    return name_it
