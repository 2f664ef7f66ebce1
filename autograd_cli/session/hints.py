"""What to do about an error of Python's own: the attribute or the argument that may have been meant."""

from __future__ import annotations

import inspect
import re
from typing import Any

from ..core.tensor import Tensor
from ..scenario.fields import did_you_mean
from ..torch_api.modules import modules


def hint_for_attribute(error: AttributeError) -> str | None:
    """Names that are close to the one that ``error.obj`` does not have."""
    name, value = error.name, error.obj
    if not name or name.startswith("_"):
        return None
    if value is None:
        if hasattr(Tensor, name):
            return "it is None where a tensor is expected; a .grad is None until a backward pass has filled it"
        return None
    if not isinstance(value, Tensor) and type(value).__module__.partition(".")[0] != "autograd_cli":
        return None  # other objects may have attributes that are not for scripts
    return did_you_mean(name, [known for known in dir(value) if not known.startswith("_")])


def hint_for_arguments(function: str, complaint: str) -> str:
    """What the arguments of one of our functions are called.

    Parameters
    ----------
    function : str
        Its name, as Python's TypeError has it.
    complaint : str
        The text of that error.
    """
    known = _arguments_of(function)
    wrong = re.search(r"unexpected keyword argument '(\w+)'", complaint)
    meant = did_you_mean(wrong[1], known) if wrong else None
    if meant:
        return meant
    listed = f"its arguments are {', '.join(known)}" if known else f"see the arguments of {function}()"
    return f"{listed}; PyTorch's documentation says what they mean" if known else f"{listed} in PyTorch's documentation"


def _arguments_of(function: str) -> list[str]:
    """The names of the arguments of a function of torch, of torch.nn.functional, or of a method of Tensor; empty if unknown."""
    spaces: list[Any] = [vars(modules()["torch"]), vars(modules()["torch.nn.functional"]), vars(Tensor)]
    for space in spaces:
        found = space.get(function)
        if callable(found):
            try:
                parameters = inspect.signature(found).parameters.values()
            except (TypeError, ValueError):
                continue
            return [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "self"]
    return []
