"""The modules that scripts may import beside torch and numpy: tables of chosen names, never the modules."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from autograd_cli.scenario.safe_stdlib import safe_stdlib

Progress = Callable[..., Iterable[Any]]


class Table:
    """A namespace made of chosen names. Others raise AttributeError, as on a module."""

    __slots__ = ("_name", "_names")
    _is_namespace = True  # no variable of the script, wherever it is bound

    def __init__(self, name: str, names: Mapping[str, Any]) -> None:
        self._name = name
        self._names = MappingProxyType(dict(names))

    def __getattr__(self, name: str) -> Any:
        try:
            return self._names[name]
        except KeyError:
            raise AttributeError(f"module {self._name!r} has no attribute {name!r} that scripts may use", name=name) from None

    def __dir__(self) -> list[str]:
        return list(self._names)

    def __repr__(self) -> str:
        return f"<module {self._name!r}>"

    def __copy__(self) -> Table:
        return self

    def __deepcopy__(self, memo: Any) -> Table:
        return self


def safe_modules(
    progress: Progress | None = None, sleep: Callable[[float], None] = time.sleep, seed: int = 0
) -> dict[str, Table]:
    """The tables by module name: "math", "time", "copy", "tqdm", "tqdm.auto", "tqdm.notebook", and those of `safe_stdlib`.

    Parameters
    ----------
    progress : callable, optional
        ``progress(iterable, total=…, description=…)`` wraps an iterable so that a progress bar shows how far it is.
    sleep : callable
        What `time.sleep` does.
    seed : int
        Where the stream of `random` begins.
    """
    library = safe_stdlib(seed)
    abc = library["collections"]["abc"] = Table("collections.abc", library.pop("collections.abc"))
    bar = _tqdm(progress)
    tqdm = {"tqdm": bar, "trange": lambda *limits, **options: bar(range(*limits), **options)}
    auto, notebook = Table("tqdm.auto", tqdm), Table("tqdm.notebook", tqdm)
    return {
        "math": Table("math", {name: value for name, value in vars(math).items() if not name.startswith("_")}),
        "time": Table("time", {"time": time.time, "perf_counter": time.perf_counter, "sleep": sleep}),
        "copy": Table("copy", {"copy": lambda x: copy.copy(x), "deepcopy": lambda x, memo=None: copy.deepcopy(x)}),
        "tqdm": Table("tqdm", tqdm | {"auto": auto, "notebook": notebook}),
        "tqdm.auto": auto,
        "tqdm.notebook": notebook,
        "collections.abc": abc,
        **{name: Table(name, names) for name, names in library.items()},
    }


def _tqdm(progress: Progress | None) -> type:
    class tqdm:
        """The part of tqdm that training loops use; it shows nothing by itself."""

        def __init__(
            self, iterable: Iterable[Any] | None = None, desc: str | None = None, total: int | None = None, **options: Any
        ) -> None:
            self.iterable, self.total, self.n = iterable, total, 0
            if total is None and hasattr(iterable, "__len__"):
                self.total = len(iterable)  # type: ignore[arg-type]
            if progress is not None and iterable is not None:
                self.iterable = progress(iterable, total=self.total, description=desc)

        def __iter__(self) -> Iterator[Any]:
            for item in self.iterable or ():
                yield item
                self.n += 1

        def __len__(self) -> int:
            return self.total or 0

        def __enter__(self) -> tqdm:
            return self

        def __exit__(self, *error: object) -> None:
            self.close()

        def update(self, n: int = 1) -> None:
            """Count n more."""
            self.n += n

        def set_description(self, desc: str | None = None, refresh: bool = True) -> None:
            """Accepted; our bar shows its own."""

        def set_postfix(self, ordered_dict: Any = None, refresh: bool = True, **values: Any) -> None:
            """Accepted; our bar shows its own."""

        def close(self) -> None:
            """Accepted."""

    return tqdm
