"""How PyTorch prints a tensor, character by character.

One pass over the numbers decides the notation and a width common to all of them; then rows are cut into lines, and what the
numbers do not tell (dtype, device, gradient) follows as suffixes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograd_cli.core import print_options as _options
from autograd_cli.core.print_options import PrintOptions
from autograd_cli.errors import BadArgumentType

__all__ = ["format_text", "tensor_text"]

_FLOAT32 = np.dtype(np.float32)
_Cut = tuple[bool, ...]  # for each dimension, whether its middle is left out


def tensor_text(
    array: NDArray[Any],
    *,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    default_dtype: Any = _FLOAT32,
    device: str = "cpu",
    indent: int = 0,
    prefix: str = "tensor(",
    options: PrintOptions | None = None,
) -> str:
    """What ``print(tensor)`` shows in PyTorch 2.13.

    Parameters
    ----------
    array : numpy.ndarray
        The values; other devices' are copied to the host first.
    requires_grad : bool
        Shown if there is no ``grad_fn_name``.
    grad_fn_name : str, optional
        For example ``"AddBackward0"``.
    default_dtype : object with a ``name``
        The dtype that ``torch.get_default_dtype()`` is; others are shown.
    device : str
        Shown if it is not ``"cpu"``.
    indent : int
        Columns that stand before the prefix in the caller's line.
    prefix : str
        What stands before the numbers.
    options : PrintOptions, optional
        Those in force, if not given.
    """
    options = _options.print_options if options is None else options
    array = np.asarray(array)
    column = indent + len(prefix)
    suffixes = _value_suffixes(array, default_dtype.name, options)
    if device != "cpu":
        suffixes.insert(0, f"device='{device}'")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return _with_suffixes(prefix + _values_text(array, column, options), suffixes, column, options.linewidth)


def format_text(array: NDArray[Any], spec: str, whole: Callable[[], str]) -> str:
    """What ``format(tensor, spec)`` gives: of a 0-d tensor the Python number's format, of others ``whole()``, their ``str``.

    Raises
    ------
    BadArgumentType
        For a format specification on a tensor with dimensions.
    """
    array = np.asarray(array)
    if array.ndim == 0:
        return format(_plain(array), spec)
    if spec:
        raise BadArgumentType(
            f"The format {spec!r} needs a single number, and this tensor has shape {list(array.shape)}.",
            hint="Format one element (x[0].item()), or use torch.set_printoptions(precision=...).",
        )
    return whole()


# ---- the values ----


def _values_text(array: NDArray[Any], column: int, options: PrintOptions) -> str:
    if array.size == 0:
        return "[]"
    cut: _Cut = (False,) * array.ndim
    if array.size > options.threshold and array.ndim > 0:
        edge = options.edgeitems
        if edge == 0:
            return "[...]"
        cut = tuple(size > 2 * edge for size in array.shape)
        array = array[np.ix_(*(_edges(size, edge) for size in array.shape))]
    texts, item_width = _item_texts(array, options)
    if array.ndim == 0:
        return texts[0]
    return _nest(texts, array.shape, cut, column, item_width, options)


def _edges(size: int, edge: int) -> list[int]:
    """Indices of a dimension that a summary shows."""
    return list(range(size)) if size <= 2 * edge else [*range(edge), *range(size - edge, size)]


def _nest(texts: list[str], shape: tuple[int, ...], cut: _Cut, column: int, item_width: int, options: PrintOptions) -> str:
    """Brackets and line breaks around the texts of all items, from the innermost dimension outwards."""
    dims = len(shape)
    inner = column + dims  # where the text after the innermost bracket begins
    per_line = max(1, (options.linewidth - inner + 1) // (item_width + 2))
    line_break = ",\n" + " " * inner
    size = shape[-1]
    rows = []
    for start in range(0, len(texts), size):
        row = texts[start : start + size]
        if cut[-1]:
            row.insert(options.edgeitems, " ...")
        if len(row) <= per_line:
            rows.append(f"[{', '.join(row)}]")
        else:
            lines = [", ".join(row[i : i + per_line]) for i in range(0, len(row), per_line)]
            rows.append(f"[{line_break.join(lines)}]")
    for dim in range(dims - 2, -1, -1):
        size = shape[dim]
        between = "," + "\n" * (dims - 1 - dim) + " " * (column + dim + 1)
        groups = [rows[start : start + size] for start in range(0, len(rows), size)]
        if cut[dim]:
            for group in groups:
                group.insert(options.edgeitems, "...")
        rows = [f"[{between.join(group)}]" for group in groups]
    return rows[0]


def _plain(array: NDArray[Any]) -> Any:
    """The array as (a list of) Python numbers."""
    return (array.astype(np.float64) if array.dtype.kind == "V" else array).tolist()  # "V" is bfloat16


def _item_texts(array: NDArray[Any], options: PrintOptions) -> tuple[list[str], int]:
    """The text of each item, aligned, and the width that line breaking reckons with."""
    flat = array.reshape(-1)
    kind = flat.dtype.kind
    if kind in "biu":
        texts = [str(value) for value in flat.tolist()]
        width = max(map(len, texts))
        return [text.rjust(width) for text in texts], width
    if kind != "c":
        return _float_texts(_plain(flat), options)
    real, real_width = _float_texts(flat.real.tolist(), options)
    imag, imag_width = _float_texts(flat.imag.tolist(), options)
    return [_complex_text(a, b.lstrip()) for a, b in zip(real, imag, strict=True)], real_width + imag_width + 1


def _complex_text(real: str, imag: str) -> str:
    return f"{real}{imag}j" if imag[0] == "-" else f"{real}+{imag}j"


def _float_texts(values: list[float], options: PrintOptions) -> tuple[list[str], int]:
    """Texts of floating numbers in one notation: as integers with a point, scientific, or with a fixed number of digits.

    Zeros, infinities and NaN have no say in the notation nor in the width.
    """
    telling = [value for value in values if value and math.isfinite(value)]
    digits = options.precision
    if not telling:
        return [_integer_text(value) for value in values], 1
    if _is_scientific(telling, options):
        width = max(len(f"{value:.{digits}e}") for value in telling)
        return [f"{value:{width}.{digits}e}" for value in values], width
    if all(value.is_integer() for value in telling):
        width = max(len(f"{value:.0f}") for value in telling) + 1
        return [_integer_text(value).rjust(width) for value in values], width
    pattern = f".{digits}f"
    width = max(len(format(value, pattern)) for value in telling)
    return [format(value, pattern).rjust(width) for value in values], width


def _integer_text(value: float) -> str:
    return f"{value:.0f}." if math.isfinite(value) else str(value)


def _is_scientific(telling: list[float], options: PrintOptions) -> bool:
    if options.sci_mode is not None:
        return options.sci_mode
    magnitudes = [abs(value) for value in telling]
    smallest, largest = min(magnitudes), max(magnitudes)
    return largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4


# ---- the suffixes ----


def _value_suffixes(array: NDArray[Any], default_dtype: str, options: PrintOptions) -> list[str]:
    """Shape and dtype, where the printed numbers do not tell them."""
    suffixes = []
    name = array.dtype.name
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={array.shape}")
        known = {default_dtype}  # no number tells an integer from a float
    else:
        if options.edgeitems == 0:
            suffixes.append(f"size={array.shape}")
        known = {default_dtype, "complex128" if default_dtype == "float64" else "complex64", "int64", "bool"}
    if name not in known:
        suffixes.append(f"dtype=torch.{name}")
    return suffixes


def _with_suffixes(text: str, suffixes: list[str], column: int, linewidth: int) -> str:
    parts = [text]
    length = len(text) - text.rfind("\n") + 1  # one more than there is, two without a line break: so does PyTorch
    for suffix in suffixes:
        if length + len(suffix) + 2 > linewidth:
            parts.append(",\n" + " " * column + suffix)
            length = column + len(suffix)
        else:
            parts.append(", " + suffix)
            length += len(suffix) + 2
    return "".join(parts) + ")"
