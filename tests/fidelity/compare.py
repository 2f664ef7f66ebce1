"""Two canonical documents, PyTorch's and ours, and where they differ. No torch in this file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

TOLERANCE = {"float64": 1e-12, "float32": 1e-6, "complex128": 1e-12, "complex64": 1e-6}


def differences(torch: Any, agrad: Any, where: str = "", tolerance: float = 0.0) -> Iterator[str]:
    """Yield each place where two documents differ; numbers of a tensor may differ by its dtype's tolerance."""
    stack = [(torch, agrad, where, tolerance)]
    while stack:
        expected, got, where, tolerance = stack.pop()
        if isinstance(expected, dict) and isinstance(got, dict):
            near = TOLERANCE.get(expected.get("dtype", ""), tolerance) if expected.get("type") == "tensor" else tolerance
            for key in sorted(expected.keys() | got.keys(), reverse=True):
                if key in ("saved", "version") and expected.get(key) is None:  # what PyTorch does not show, or does not mean
                    continue
                stack.append((expected.get(key, "(absent)"), got.get(key, "(absent)"), f"{where}.{key}", near))
        elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
            pairs = enumerate(zip(expected, got, strict=True))
            stack.extend((left, right, f"{where}[{i}]", tolerance) for i, (left, right) in reversed(list(pairs)))
        elif not _same(expected, got, tolerance):
            yield f"{where.removeprefix('.')}: torch {_short(expected)}, agrad {_short(got)}"


def _same(expected: Any, got: Any, tolerance: float) -> bool:
    if type(expected) is float and type(got) is float and tolerance:
        return abs(expected - got) <= tolerance * max(1.0, abs(expected))
    return type(expected) is type(got) and expected == got


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else text[:400] + " ..."
