"""Columns of a csv file as an array; every complaint names row and column."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograd_cli.errors import FileProblem
from autograd_cli.scenario.fields import did_you_mean
from autograd_cli.scenario.model import TensorSpec

if TYPE_CHECKING:
    import numpy as np

_MISSING = {"": "nothing", "na": "NA", "n/a": "N/A", "?": "?"}


def read_csv(spec: TensorSpec, path: Path, default_dtype: str) -> np.ndarray[Any, Any]:
    """Read the columns that `columns:` names, after `skip_rows:` lines.

    With column names the first row that is left is the header; with numbers every row is data; without `columns:` all columns are
    read, and a first row in which no cell is a number is taken for a header. One column gives shape (rows,), a list
    (rows, columns).
    """
    import numpy as np

    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = [(number, row) for number, row in enumerate(csv.reader(file), start=1) if row]
        except csv.Error as error:
            raise _problem(spec, f"{path.name} is not a csv file: {error}") from None
        except UnicodeDecodeError:
            raise _problem(spec, f"{path.name} is not UTF-8 text", "save it as UTF-8") from None
    rows = [(number, row) for number, row in rows if number > spec.skip_rows]
    if not rows:
        raise _problem(spec, f"{path.name} has no rows{' after skip_rows' if spec.skip_rows else ''}")
    indices, header = _columns(spec, path, rows)
    data = rows[1:] if header else rows
    if not data:
        raise _problem(spec, f"{path.name} has a header and no rows")
    names = rows[0][1] if header else None
    values = [[_number(spec, path, number, row, index, names) for index in indices] for number, row in data]
    dtype = spec.dtype if spec.dtype and spec.dtype != "bfloat16" else default_dtype
    array = np.asarray(values, dtype=np.float64).astype("float32" if dtype == "bfloat16" else dtype)
    return array[:, 0] if isinstance(spec.columns, (str, int)) else array


def _columns(spec: TensorSpec, path: Path, rows: list[tuple[int, list[str]]]) -> tuple[list[int], bool]:
    """The indices of the columns that are asked for, and whether the first row is a header."""
    first = [cell.strip() for cell in rows[0][1]]
    if spec.columns is None:
        return list(range(len(first))), not any(_is_number(cell) for cell in first)
    asked = spec.columns if isinstance(spec.columns, tuple) else (spec.columns,)
    header = any(isinstance(column, str) for column in asked)
    indices = []
    for column in asked:
        if isinstance(column, str):
            if column not in first:
                hint = did_you_mean(column, first) or f"the columns are {', '.join(first[:12])}"
                raise _problem(spec, f"{path.name} has no column {column!r}", hint)
            indices.append(first.index(column))
        else:
            if column >= len(first):
                raise _problem(
                    spec, f"{path.name} has {len(first)} columns, so there is no column {column}", "columns count from 0"
                )
            indices.append(column)
    return indices, header


def _number(spec: TensorSpec, path: Path, number: int, row: list[str], index: int, names: list[str] | None) -> float:
    column = f"column {names[index].strip()!r}" if names and index < len(names) else f"column {index}"
    where = f"{path.name}, row {number}, {column}"
    if index >= len(row):
        raise _problem(spec, f"{where}: the row has {len(row)} cells only")
    cell = row[index].strip()
    if not _is_number(cell):
        if cell.lower() in _MISSING:
            raise _problem(spec, f"{where}: a number is missing ({_MISSING[cell.lower()]})", "fill it in, or write nan")
        hint = "text cannot be a tensor: give each text a number in the file, or leave the column out"
        if names is None and number == spec.skip_rows + 1:
            hint = f"if this row is a header, name the columns instead of numbering them, or write skip_rows: {number}"
        raise _problem(spec, f"{where}: {cell[:40]!r} is not a number", hint)
    return float(cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _problem(spec: TensorSpec, message: str, hint: str | None = None) -> FileProblem:
    return FileProblem(message, hint=hint, place=spec.place, variable=spec.name)
