"""Lists side by side: one cause is one difference."""

from __future__ import annotations

from autograd_cli.pytorch.align import MOST, aligned


def runs(ours: str, torch: str) -> list[tuple[str, str]]:
    return [("".join(one), "".join(other)) for one, other in aligned(ours, torch, lambda entry: entry)]


def test_lists_of_one_length_are_paired_as_they_stand() -> None:
    assert runs("abc", "axc") == [("a", "a"), ("b", "x"), ("c", "c")]


def test_what_one_has_more_of_does_not_shift_the_rest() -> None:
    assert runs("abcd", "acd") == [("a", "a"), ("b", ""), ("c", "c"), ("d", "d")]
    assert runs("ad", "abcd") == [("a", "a"), ("", "bc"), ("d", "d")]
    assert runs("", "ab") == [("", "ab")]


def test_runs_of_different_length_come_as_one() -> None:
    assert runs("axxd", "ayd") == [("a", "a"), ("xx", "y"), ("d", "d")]


def test_long_lists_are_paired_from_the_beginning() -> None:
    found = list(aligned("a" * (MOST + 1), "b", lambda entry: entry))
    assert [(len(one), len(other)) for one, other in found] == [(1, 1), (MOST, 0)]
