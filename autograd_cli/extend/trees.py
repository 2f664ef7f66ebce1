"""Trees: tuples, lists and dictionaries of tensors, taken apart into their leaves and put together again."""

from __future__ import annotations

from typing import Any


class _Leaf:
    """The place of a leaf in a tree."""


LEAF = _Leaf()


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """(the leaves from left to right, the tree with LEAF in the place of each)."""
    if isinstance(tree, dict):
        parts = [flatten(v) for v in tree.values()]
        return [leaf for leaves, _ in parts for leaf in leaves], dict(zip(tree, (t for _, t in parts), strict=True))
    if type(tree) in (list, tuple):
        parts = [flatten(v) for v in tree]
        return [leaf for leaves, _ in parts for leaf in leaves], type(tree)(t for _, t in parts)
    return [tree], LEAF


def rebuild(tree: Any, leaves: list[Any]) -> Any:
    """The tree with `leaves` at its places, from left to right."""
    return _take(tree, iter(leaves))


def _take(tree: Any, leaves: Any) -> Any:
    if tree is LEAF:
        return next(leaves)
    if isinstance(tree, dict):
        return {key: _take(value, leaves) for key, value in tree.items()}
    return type(tree)(_take(value, leaves) for value in tree)
