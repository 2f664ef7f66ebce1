"""Whether there is a PyTorch to ask. This module can be imported without one."""

from __future__ import annotations

import importlib
import re
from typing import Any

from ..errors import ExtraMissing

OLDEST = (2, 4)  # the first whose nodes show all that is compared
_HINT = "install it with the extra `torch`: pip install 'agrad[torch]'"


def require_torch() -> Any:
    """PyTorch, imported.

    Raises
    ------
    ExtraMissing
        It is not installed, cannot be imported, or is older than OLDEST.
    """
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise ExtraMissing(f"PyTorch is installed, but it needs {error.name}, which is not", hint=_HINT) from None
        raise ExtraMissing("agrad compare runs the scenario in PyTorch too, and PyTorch is not installed", hint=_HINT) from None
    except Exception as error:  # a library that it loads is missing or too old: whatever its loader says
        raise ExtraMissing(f"PyTorch is installed, but it cannot be imported: {error}", hint="install it anew") from None
    numbers = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if numbers and (int(numbers[1]), int(numbers[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ExtraMissing(
            f"PyTorch {torch.__version__} is installed, and agrad compare needs {oldest} or newer",
            hint=f"pip install 'torch>={oldest}'",
        )
    return torch
