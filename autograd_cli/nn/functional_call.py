"""``torch.func.functional_call``: a module called with other parameters than its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue
from .module import Module


def functional_call(
    module: Module, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, *, tie_weights: bool = True,
    strict: bool = False,
) -> Any:  # fmt: skip
    """Call `module` as if its parameters and buffers were those given.

    Parameters
    ----------
    module : Module
        Is as before afterwards.
    parameter_and_buffer_dicts : dict or sequence of dict
        Tensors by name, as ``named_parameters()`` and ``named_buffers()`` have them.
    args : tuple or object
        The arguments of the call.
    tie_weights : bool
        A tensor that the module has under several names is replaced under all of them.
    strict : bool
        All names must be there, and no other.
    """
    given = _merged(parameter_and_buffer_dicts)
    if strict:
        known = {*dict(module.named_parameters(remove_duplicate=False)), *dict(module.named_buffers(remove_duplicate=False))}
        missing, unknown = sorted(known - set(given)), sorted(set(given) - known)
        if missing or unknown:
            raise BadArgumentValue(f"functional_call(strict=True): missing {missing}, unknown {unknown}")
    if tie_weights:
        given = _tied(module, given)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given):
        return module(*args, **(kwargs or {}))


def _merged(dicts: Any) -> dict[str, Tensor]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    if not isinstance(dicts, Sequence) or not all(isinstance(d, Mapping) for d in dicts):
        raise BadArgumentType(
            f"functional_call() takes a dictionary of tensors by name, or several, not {type(dicts).__name__}",
            hint="dict(module.named_parameters())",
        )
    found: dict[str, Tensor] = {}
    for one in dicts:
        twice = sorted(set(found) & set(one))
        if twice:
            raise BadArgumentValue(f"functional_call() got {twice[0]} in more than one dictionary")
        found |= one
    return found


def _tied(module: Module, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """`given` with the other names of the same tensors."""
    names: dict[int, list[str]] = {}
    own = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    for name, tensor in own:
        names.setdefault(id(tensor), []).append(name)
    found = dict(given)
    for group in names.values():
        values = {id(given[name]): given[name] for name in group if name in given}
        if len(values) > 1:
            raise BadArgumentValue(
                f"{' and '.join(group)} are one tensor in the module, and functional_call() got several", hint="give one of them"
            )
        for name in group if values else ():
            found[name] = next(iter(values.values()))
    return found


@contextmanager
def _replaced(module: Module, given: dict[str, Tensor]) -> Iterator[None]:
    """`given` in the tables of the modules that own the names; what stood there comes back."""
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for path, tensor in given.items():
            owner_path, _, name = path.rpartition(".")
            owner = module.get_submodule(owner_path) if owner_path else module
            table = next((t for t in (owner._parameters, owner._buffers) if name in t), None)
            if table is None:
                raise AttributeError(f"{type(module).__name__} has no parameter or buffer {path}")
            before.append((table, name, table[name]))
            table[name] = tensor
        yield
    finally:
        for table, name, value in reversed(before):
            table[name] = value
