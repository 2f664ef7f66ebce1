"""How the parts of a node are written: the same words in every picture.

Texts come from scenario files of strangers, so control characters (which could drive a terminal or break XML) are shown as
escapes, never sent.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_CONTROL = {
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Zl",
    "Zp",
}  # controls, invisible formatting (also right-to-left overrides), surrogates, private use

Shape = Sequence[int] | None


def printable(text: str) -> str:
    r"""`text` on one line, its control characters written as escapes (``\x1b``, ``\n``)."""
    if text.isprintable():
        return text
    return "".join(
        c if unicodedata.category(c) not in _CONTROL else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def printable_lines(text: str) -> list[str]:
    """The lines of `text`, each printable; tabs become spaces."""
    return [printable(line.expandtabs(4)) for line in text.splitlines()]


def ascii_text(text: str) -> str:
    """`text` in ASCII: common signs get a twin, the rest is escaped."""
    if text.isascii():
        return text
    return text.translate(_TWINS).encode("ascii", "backslashreplace").decode()


_TWINS = str.maketrans(
    {"…": "...", "·": "-", "×": "x", "→": "->", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "✓": "yes"}
)


def shape_text(shape: Shape) -> str:
    """A shape as PyTorch prints it in a ``torch.Size``: ``[3, 3]``, and ``[]`` for a scalar."""
    return "" if shape is None else f"[{', '.join(map(str, shape))}]"


def count_text(dependencies: int | None) -> str:
    """``deps 2``; ``deps -`` where nothing was counted, since 0 would be a false statement."""
    return f"deps {'-' if dependencies is None else dependencies}"


def plural(count: int, noun: str) -> str:
    """``1 node``, ``2 nodes``, ``2 passes``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('s') else 's'}"


def clip(text: str, width: int, ellipsis: str = "…") -> str:
    """`text`, cut to `width` characters with an ellipsis where it is longer."""
    if len(text) <= width:
        return text
    return text[: max(width - len(ellipsis), 0)] + ellipsis[:width]
