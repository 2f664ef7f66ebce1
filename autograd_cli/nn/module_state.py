"""``state_dict`` and ``load_state_dict``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType
from .parameter import is_parameter, mark

if TYPE_CHECKING:
    from .module import Module


class IncompatibleKeys(NamedTuple):
    """What ``load_state_dict`` returns: the keys that were missing, and those nobody wanted."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def state_dict(self: Module, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
    """Parameters and persistent buffers by their dotted names, detached but sharing storage."""
    found = OrderedDict() if destination is None else destination
    for _, key, tensor in entries(self, prefix):
        found[key] = tensor if keep_vars else tensor.detach()
    return found


def entries(module: Module, prefix: str = "") -> Iterator[tuple[dict[str, Any], str, Tensor]]:
    """(the table it stands in, the dotted name, the tensor) of everything that is part of the state."""
    for path, owner in module.named_modules(remove_duplicate=False):
        head = f"{prefix}{path}." if path else prefix
        for table in (owner._parameters, owner._buffers):
            for name, tensor in table.items():
                if tensor is not None and not (table is owner._buffers and name in owner._non_persistent):
                    yield table, head + name, tensor


def load_state_dict(self: Module, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> IncompatibleKeys:
    """Copy a state into parameters and buffers.

    Raises
    ------
    BadArgument
        If a shape differs or, with ``strict``, the names are not the same. What fits has been copied then, as in PyTorch.
    """
    if not isinstance(state_dict, Mapping):
        raise BadArgumentType(f"load_state_dict() takes a dictionary of tensors, not {type(state_dict).__name__}")
    own = list(entries(self))
    names = {key for _, key, _ in own}
    missing = [key for _, key, _ in own if key not in state_dict]
    unexpected = [key for key in state_dict if key not in names]
    problems = []
    if strict and unexpected:
        problems.append(f"unexpected: {', '.join(unexpected)}")
    if strict and missing:
        problems.append(f"missing: {', '.join(missing)}")
    for table, key, tensor in own:
        if key in state_dict:
            misfit = _misfit(key, tensor, state_dict[key])
            if misfit is None:
                _load(table, key.rpartition(".")[2], tensor, state_dict[key], assign)
            else:
                problems.append(misfit)
    if problems:
        raise BadArgument(
            f"the state does not fit {type(self).__name__}: {'; '.join(problems)}",
            hint="a state fits the class and the sizes it was taken from; strict=False ignores missing and unexpected names",
        )
    return IncompatibleKeys(missing, unexpected)


def _misfit(key: str, tensor: Tensor, given: Any) -> str | None:
    if not isinstance(given, Tensor):
        return f"{key} is a {type(given).__name__} and no tensor"
    if given._data.shape != tensor._data.shape:
        return f"{key} has shape {list(given._data.shape)} and {list(tensor._data.shape)} is wanted"
    return None


def _load(table: dict[str, Any], name: str, tensor: Any, given: Tensor, assign: bool) -> None:
    if assign:
        wanted = given.detach()
        table[name] = mark(wanted, tensor.requires_grad) if is_parameter(tensor) else wanted
        return
    with no_grad():
        tensor.copy_(given)
