"""Whether two printed lines say the same: the same words, and numbers that differ in their last digit at most."""

from __future__ import annotations

import re
from decimal import Decimal

_FLOAT = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?(?![\w.])")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
ALL_DIGITS = 9  # a number that is printed with so many shows all the digits of a float32: it is a value, not a rounded one


def same_line(ours: str, torch: str, rtol: float) -> bool:
    """Whether two lines agree.

    A number with a decimal point or an exponent may differ by one in its last digit, since rounding may have gone the other way; one
    that is printed with ALL_DIGITS or more may differ by `rtol`, as a value may. Integers and words may not differ; the address in
    ``<… object at 0x…>`` is of no account.
    """
    if ours == torch:
        return True
    ours, torch = _ADDRESS.sub("", ours), _ADDRESS.sub("", torch)
    if _words(ours) != _words(torch):
        return False
    return all(_near(one, other, rtol) for one, other in zip(_FLOAT.findall(ours), _FLOAT.findall(torch), strict=True))


def line_key(line: str) -> str:
    """What two lines that belong to each other have in common: all but the numbers."""
    return "#".join(_words(_ADDRESS.sub("", line)))


def _words(line: str) -> list[str]:
    """What is between the numbers; how many blanks there are depends on their widths."""
    return [" ".join(part.split()) for part in _FLOAT.split(line)]


def _near(ours: str, torch: str, rtol: float) -> bool:
    one, other = Decimal(ours), Decimal(torch)
    if one == other:
        return True
    if min(_digits(one), _digits(other)) >= ALL_DIGITS:
        return abs(one - other) <= Decimal(rtol) * max(abs(one), abs(other))
    if not (_is_rounded(ours) and _is_rounded(torch)):
        return False
    unit = int(one.as_tuple().exponent)
    return unit == other.as_tuple().exponent and abs(one - other) <= Decimal(1).scaleb(unit)


def _is_rounded(text: str) -> bool:
    """Whether digits stand after the point; ``12.`` is how PyTorch prints what is 12 and nothing else."""
    return re.search(r"\.\d", text) is not None


def _digits(number: Decimal) -> int:
    return len(number.as_tuple().digits)
