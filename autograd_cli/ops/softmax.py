"""softmax and log_softmax as scripts call them."""

from __future__ import annotations

from typing import Any

from ..core.warning import warn
from ..errors import BadArgumentType, DtypeMismatch
from .activation import log_softmax_at, softmax_at
from .reduce import typed
from .support import want_tensor, wrap_dim


def _prepared(input: Any, dim: Any, dtype: Any, name: str) -> tuple[Any, int]:
    input = typed(want_tensor(input, name), dtype)
    if input._data.dtype.kind in "biu":
        raise DtypeMismatch(f"{name}() takes floating-point tensors, not {input.dtype.name}", hint="convert first: x.float()")
    if dim is None:
        raise BadArgumentType(
            f"{name}() needs dim: the dimension along which the result sums to one", hint="for rows of logits: dim=1"
        )
    return input, wrap_dim(dim, input._data.ndim)


def softmax(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """Exponentials along `dim`, divided by their sum."""
    return softmax_at(*_prepared(input, dim, dtype, "softmax"))


def log_softmax(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The logarithm of softmax along `dim`."""
    return log_softmax_at(*_prepared(input, dim, dtype, "log_softmax"))


def _implicit_dim(input: Any, dim: Any, name: str) -> Any:
    """What ``F.softmax`` without dim takes: 0 for 0, 1 and 3 dimensions, else 1."""
    if dim is not None:
        return dim
    ndim = want_tensor(input, name)._data.ndim
    chosen = 0 if ndim in (0, 1, 3) else 1
    warn("ImplicitDim", op=name, dim=chosen, ndim=ndim)
    return chosen


def functional_softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``F.softmax``."""
    return softmax(input, _implicit_dim(input, dim, "softmax"), dtype)


def functional_log_softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``F.log_softmax``."""
    return log_softmax(input, _implicit_dim(input, dim, "log_softmax"), dtype)


def softmin(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax of the negative."""
    return softmax(-input, _implicit_dim(input, dim, "softmin"), dtype)
