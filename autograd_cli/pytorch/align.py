"""Two lists side by side: what one of them has more of is one difference, not a shift of all that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

MOST = 2_000  # entries of a list; the time it takes grows with the square of it


def aligned(
    ours: Sequence[Any], torch: Sequence[Any], key: Callable[[Any], Any]
) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """Yield (entries of ours, entries of PyTorch's) that stand side by side, in order.

    Pairs of one each are to be compared. Where one side has more, the run of entries that the other has no partners for comes as one.
    Lists of one length are paired entry by entry, whatever stands in them; so is what lists longer than MOST begin with.
    """
    if len(ours) == len(torch) or max(len(ours), len(torch)) > MOST:
        both = min(len(ours), len(torch))
        yield from (([one], [other]) for one, other in zip(ours[:both], torch[:both], strict=True))
        if len(ours) != len(torch):
            yield ours[both:], torch[both:]
        return
    matcher = SequenceMatcher(None, [key(one) for one in ours], [key(one) for one in torch], autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal" or i_end - i == j_end - j:
            yield from (([one], [other]) for one, other in zip(ours[i:i_end], torch[j:j_end], strict=True))
        else:
            yield ours[i:i_end], torch[j:j_end]
