"""A line search that ends where the strong Wolfe conditions hold (Nocedal and Wright 2006, algorithms 3.5 and 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

C1, C2 = 1e-4, 0.9  # how much the value must fall, and how much the slope must flatten
TOLERANCE = 1e-9


@dataclass
class Point:
    """One try: the step t, the value there, the gradient, and the slope along the direction."""

    t: Any
    value: float
    gradient: Any
    slope: Any


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is lowest, within the bounds."""
    low, high = bounds if bounds is not None else (a.t, b.t) if a.t <= b.t else (b.t, a.t)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square**0.5 if isinstance(square, float) else type(square)(math.sqrt(square))
    if a.t <= b.t:
        lowest = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        lowest = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(lowest, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Any]], direction: Any, start: Point, t: Any, most: int
) -> tuple[Point, int]:
    """The point to go to, and how often `evaluate` was called.

    Parameters
    ----------
    evaluate : callable
        (value, gradient) at a step t along the direction.
    direction : array
    start : Point
        Where the search begins, at t = 0.
    t : number
        The first step to try.
    most : int
        How many more tries there may be after the first.
    """

    def at(step: Any) -> Point:
        value, gradient = evaluate(step)
        return Point(step, value, gradient, gradient.dot(direction))

    bracket, tries = _bracketed(at, start, t, most)
    if len(bracket) == 1:
        return bracket[0], tries + 1
    return _zoomed(at, bracket, start, abs(direction).max(), tries, most)


def _bracketed(at: Callable[[Any], Point], start: Point, t: Any, most: int) -> tuple[list[Point], int]:
    """Two points between which the conditions can be met, or the one where they are."""
    before, now, tries = start, at(t), 0
    while tries < most:
        if now.value > start.value + C1 * now.t * start.slope or (tries > 1 and now.value >= before.value):
            return [before, now], tries
        if abs(now.slope) <= -C2 * start.slope:
            return [now], tries
        if now.slope >= 0:
            return [before, now], tries
        bounds = (now.t + 0.01 * (now.t - before.t), now.t * 10)
        before, now = now, at(cubic_minimum(before, now, bounds))
        tries += 1
    return [start, now], tries


def _zoomed(
    at: Callable[[Any], Point], bracket: list[Point], start: Point, size: Any, tries: int, most: int
) -> tuple[Point, int]:
    """Make the bracket smaller until its lower end meets the conditions."""
    done = stuck = False
    low, high = (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)
    while not done and tries < most and abs(bracket[1].t - bracket[0].t) * size >= TOLERANCE:
        first, last = min(p.t for p in bracket), max(p.t for p in bracket)
        t, margin = cubic_minimum(bracket[0], bracket[1]), 0.1 * (last - first)
        if min(last - t, t - first) < margin:  # too near to an end: once is let through
            if stuck or t >= last or t <= first:
                t = last - margin if abs(t - last) < abs(t - first) else first + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = at(t)
        tries += 1
        if now.value > start.value + C1 * now.t * start.slope or now.value >= bracket[low].value:
            bracket[high] = now
            low, high = (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)
        else:
            if abs(now.slope) <= -C2 * start.slope:
                done = True
            elif now.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = now
    return bracket[low], tries + 1
