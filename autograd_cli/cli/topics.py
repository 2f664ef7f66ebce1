"""What ``agrad explain`` can explain: a table of subjects, each with its topics by name.

A subject that comes later (a node, a term, a scenario) is one more row of ``SUBJECTS``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = (PACKAGE / "builtin_docs", PACKAGE.parent / "docs")  # in a wheel, in a checkout


@dataclass(frozen=True)
class Topic:
    """Something that can be explained.

    Attributes
    ----------
    name : str
    group : str
        The heading it is listed under.
    summary : str
        One sentence.
    text : str
        Markdown, which begins with the summary.
    """

    name: str
    group: str
    summary: str
    text: str


def page(name: str) -> str:
    """The text of a page of ``docs/``, which comes with the package."""
    path = next(path for folder in FOLDERS if (path := folder / name).is_file())
    return path.read_text(encoding="utf-8")


@cache
def error_kinds() -> dict[str, Topic]:
    """The kinds of errors and warnings: each is a section of the third level in ``docs/errors.md``."""
    found = {}
    for group, below in sections(page("errors.md"), "##"):
        for name, text in sections(below, "###"):
            summary = text.partition("\n\n")[0].replace("\n", " ")
            found[name] = Topic(name, group, summary, text)
    return found


def sections(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """The sections (heading, text) that begin with `mark`; what looks like a heading inside a code block is none."""
    parts = re.split(r"^(```.*?^```)", text, flags=re.S | re.M)
    hidden = [part if i % 2 == 0 else part.replace("\n#", "\n\0#") for i, part in enumerate(parts)]
    pieces = re.split(rf"^{mark} (.+)\n", "".join(hidden), flags=re.M)
    for heading, content in zip(pieces[1::2], pieces[2::2], strict=True):
        yield heading.strip(), content.replace("\0", "").strip()


SUBJECTS: dict[str, Callable[[], dict[str, Topic]]] = {
    "kind of error or warning": error_kinds,
}


def all_topics() -> dict[str, Topic]:
    """Every topic of every subject, by name."""
    return {name: topic for topics in SUBJECTS.values() for name, topic in topics().items()}


def find(name: str) -> Topic | None:
    """The topic of this name, whatever its case."""
    wanted = name.casefold()
    return next((topic for known, topic in all_topics().items() if known.casefold() == wanted), None)


def close_to(name: str) -> list[str]:
    """Names like `name`, the nearest first: also those that it is a part of."""
    known = {found.casefold(): found for found in all_topics()}
    wanted = name.casefold()
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    near += [found for found in known if len(wanted) > 2 and wanted in found and found not in near]
    return [known[found] for found in near[:3]]
