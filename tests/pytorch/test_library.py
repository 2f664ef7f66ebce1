"""Without PyTorch, with one that cannot be imported, or with one that is too old: one clear error that says what to do."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

import pytest

from autograd_cli.errors import ExtraMissing
from autograd_cli.pytorch.library import require_torch


def raising(error: Exception) -> Callable[[str], Any]:
    """An import that fails."""

    def import_module(name: str) -> Any:
        raise error

    return import_module


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "PyTorch is not installed"),
        (ModuleNotFoundError("No module named 'sympy'", name="sympy"), "it needs sympy"),
        (OSError("libtorch.so: cannot open shared object file"), "cannot be imported: libtorch.so"),
    ],
)
def test_no_torch(error: Exception, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib, "import_module", raising(error))
    with pytest.raises(ExtraMissing, match=words) as raised:
        require_torch()
    assert raised.value.exit_code == 2
    assert raised.value.hint


@pytest.mark.parametrize(("version", "fits"), [("2.3.1", False), ("1.13", False), ("2.4.0", True), ("2.13.0+cpu", True)])
def test_versions(version: str, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = types.SimpleNamespace(__version__=version)
    monkeypatch.setattr(importlib, "import_module", lambda name: torch)
    if fits:
        assert require_torch() is torch
    else:
        with pytest.raises(ExtraMissing, match=r"needs 2\.4 or newer"):
            require_torch()
