"""The public names that PyTorch 2.13 has: to tell "PyTorch has it, agrad not yet" from "there is no such name"."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["known", "namespaces"]

_FILE = Path(__file__).with_name("pytorch_names.txt")


@cache
def _lines() -> dict[str, str]:
    """For each namespace its names, separated by blanks."""
    text = _FILE.read_text(encoding="utf-8")
    return dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith("#"))


@cache
def known(namespace: str) -> frozenset[str]:
    """Public names of a PyTorch namespace.

    Parameters
    ----------
    namespace : str
        A module or a class by its full name: ``"torch"``, ``"torch.Tensor"``, ``"torch.nn.functional"``.

    Returns
    -------
    frozenset of str
        Empty if the namespace is not recorded.
    """
    return frozenset(_lines().get(namespace, "").split())


def namespaces() -> frozenset[str]:
    """The namespaces whose names are recorded."""
    return frozenset(_lines())
