"""Which of several equal elements PyTorch's selections take: those that the C++ library's ``nth_element``, ``sort`` and
``partial_sort`` leave in the first places.

PyTorch's ``topk`` and ``kthvalue`` find elements by such algorithms on the CPU, and they do not keep the order of equal elements. A
learner sees their choice in the indices and in where the gradient goes, so it is made the same way here: on Python lists of (value, index),
where equal elements occur at all. Source: libstdc++, ``bits/stl_algo.h`` and ``bits/stl_heap.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Items = list[tuple[Any, int]]
Before = Callable[[tuple[Any, int], tuple[Any, int]], bool]


def _median_to_first(items: Items, result: int, a: int, b: int, c: int, before: Before) -> None:
    x, y, z = items[a], items[b], items[c]
    if before(x, y):
        chosen = b if before(y, z) else c if before(x, z) else a
    else:
        chosen = a if before(x, z) else c if before(y, z) else b
    items[result], items[chosen] = items[chosen], items[result]


def _partition(items: Items, first: int, last: int, before: Before) -> int:
    """Split around the median of three; where the second part begins."""
    _median_to_first(items, first, first + 1, first + (last - first) // 2, last - 1, before)
    pivot = items[first]
    first += 1
    while True:
        while before(items[first], pivot):
            first += 1
        last -= 1
        while before(pivot, items[last]):
            last -= 1
        if not first < last:
            return first
        items[first], items[last] = items[last], items[first]
        first += 1


def _insertion_sort(items: Items, first: int, last: int, before: Before) -> None:
    """Each element moved before those that it precedes; this one keeps the order of equal elements."""
    for i in range(first + 1, last):
        value = items[i]
        hole = i
        while hole > first and before(value, items[hole - 1]):
            items[hole] = items[hole - 1]
            hole -= 1
        items[hole] = value


def _sift(items: Items, first: int, hole: int, length: int, value: tuple[Any, int], before: Before) -> None:
    """Let a hole sink to the leaves, then `value` rise from there."""
    top = hole
    child = hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if before(items[first + child], items[first + child - 1]):
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        items[first + hole] = items[first + child - 1]
        hole = child - 1
    parent = (hole - 1) // 2
    while hole > top and before(items[first + parent], value):
        items[first + hole] = items[first + parent]
        hole = parent
        parent = (hole - 1) // 2
    items[first + hole] = value


def _heap_select(items: Items, first: int, middle: int, last: int, before: Before) -> None:
    length = middle - first
    for parent in range((length - 2) // 2, -1, -1) if length > 1 else ():
        _sift(items, first, parent, length, items[first + parent], before)
    for i in range(middle, last):
        if before(items[i], items[first]):
            value, items[i] = items[i], items[first]
            _sift(items, first, 0, length, value, before)


def partial_sort(items: Items, first: int, middle: int, last: int, before: Before) -> None:
    """The elements from first to middle become the smallest, sorted."""
    if first == middle:
        return
    _heap_select(items, first, middle, last, before)
    while middle - first > 1:
        middle -= 1
        value, items[middle] = items[middle], items[first]
        _sift(items, first, 0, middle - first, value, before)


def nth_element(items: Items, nth: int, before: Before) -> None:
    """The element at place nth becomes the one that sorting would put there; smaller ones stand before it."""
    first, last = 0, len(items)
    if nth == last:
        return
    depth = 2 * (last.bit_length() - 1)
    while last - first > 3:
        if not depth:
            _heap_select(items, first, nth + 1, last, before)
            items[first], items[nth] = items[nth], items[first]
            return
        depth -= 1
        cut = _partition(items, first, last, before)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insertion_sort(items, first, last, before)


def sort(items: Items, last: int, before: Before) -> None:
    """Sort the first `last` elements."""
    parts = [(0, last, 2 * (last.bit_length() - 1))]
    while parts:
        first, end, depth = parts.pop()
        while end - first > 16:
            if not depth:
                partial_sort(items, first, end, end, before)
                break
            depth -= 1
            cut = _partition(items, first, end, before)
            parts.append((cut, end, depth))
            end = cut
    _insertion_sort(items, 0, last, before)


def smaller(a: tuple[Any, int], b: tuple[Any, int]) -> bool:
    """The order from small to large; nan is the largest."""
    return bool((a[0] == a[0] and b[0] != b[0]) or a[0] < b[0])


def larger(a: tuple[Any, int], b: tuple[Any, int]) -> bool:
    """The order from large to small; nan is the largest."""
    return bool((a[0] != a[0] and b[0] == b[0]) or a[0] > b[0])


def quick_select(items: Items, k: int) -> None:
    """PyTorch's own selection, of ``kthvalue``: the element at place k becomes the one that sorting would put there."""

    def exchange(a: int, b: int) -> None:
        items[a], items[b] = items[b], items[a]

    low, high = 0, len(items) - 1
    while high > low + 1:
        exchange((low + high) // 2, low + 1)
        for a, b in ((low + 1, high), (low, high), (low + 1, low)):
            if smaller(items[b], items[a]):
                exchange(a, b)
        i, j, pivot = low + 1, high, items[low]
        while True:
            i += 1
            while smaller(items[i], pivot):
                i += 1
            j -= 1
            while smaller(pivot, items[j]):
                j -= 1
            if j < i:
                break
            exchange(i, j)
        exchange(low, j)
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
    if high == low + 1 and smaller(items[high], items[low]):
        exchange(low, high)
