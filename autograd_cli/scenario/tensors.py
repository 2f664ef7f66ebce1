"""`load:` sources as plain NumPy arrays: .npy, .npz and .csv, never unpickled, never from outside the scenario's folder."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import IO, TYPE_CHECKING, Any

from autograd_cli.errors import FileProblem, LimitExceeded
from autograd_cli.scenario.fields import did_you_mean
from autograd_cli.scenario.model import TensorSpec

if TYPE_CHECKING:
    import numpy as np

MAX_BYTES = 2**30
_KINDS = "biufc"


def read_source(
    spec: TensorSpec, folder: Path | None, default_dtype: str = "float32", max_bytes: int = MAX_BYTES
) -> np.ndarray[Any, Any]:
    """The array that a `load:` names.

    Parameters
    ----------
    spec : TensorSpec
        An entry of `tensors:` with the source "load".
    folder : Path, optional
        The scenario's folder; None for a scenario that is in no file.
    default_dtype : str
        What a csv becomes when the entry gives no dtype.
    max_bytes : int
        The largest file, and the largest array.

    Returns
    -------
    ndarray
        `.npy` and `.npz` keep their dtype, in native byte order; a csv has ``spec.dtype`` or the default.

    Raises
    ------
    FileProblem
        Missing, unreadable, malformed, outside the folder, or not of numbers; with the place in the scenario.
    LimitExceeded
        Larger than ``max_bytes``.
    """
    name, _, member = spec.value.partition(".npz:")
    if member:
        name += ".npz"
    path = _inside(spec, name, folder)
    with _problems(spec, name):
        if path.stat().st_size > max_bytes:
            raise LimitExceeded(f"{name} has {path.stat().st_size} bytes; the limit is {max_bytes}", place=spec.place)
        if path.suffix == ".npz":
            return _npz(spec, path, member, max_bytes)
        if path.suffix == ".npy":
            with path.open("rb") as file:
                return _npy(spec, file, path.stat().st_size, max_bytes)
        if path.suffix == ".csv":
            from autograd_cli.scenario.csv_source import read_csv

            return read_csv(spec, path, default_dtype)
    raise problem(spec, f"{name} is none of .npy, .npz and .csv")


def problem(spec: TensorSpec, message: str, hint: str | None = None) -> FileProblem:
    """A FileProblem at the place of the `load:`."""
    return FileProblem(message, hint=hint, place=spec.place, variable=spec.name)


@contextmanager
def _problems(spec: TensorSpec, name: str) -> Iterator[None]:
    """What reading a file can raise, as one clear error."""
    try:
        yield
    except FileProblem:
        raise
    except OSError as error:
        raise problem(spec, f"{name} cannot be read: {error.strerror or error}") from None
    except Exception as error:  # zlib, zipfile, tokenize and NumPy each have their own ways to say that a file is damaged
        raise problem(spec, f"{name} is damaged or not what its name says: {error}") from None


def _inside(spec: TensorSpec, name: str, folder: Path | None) -> Path:
    """The file, after symbolic links, when it lies in the scenario's folder."""
    if folder is None:
        raise problem(spec, "load: needs a scenario that is in a file: the path is relative to it")
    parts = PureWindowsPath(name)
    if "\0" in name or parts.is_absolute() or parts.drive or parts.root or ".." in parts.parts:
        raise problem(spec, f"{name!r} leaves the scenario's folder", "give a path inside the folder, such as data/iris.csv")
    home = folder.resolve()
    try:
        path = (home / name).resolve(strict=True)
    except FileNotFoundError:
        raise problem(spec, f"there is no file {name} beside the scenario", _similar(home / name)) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise problem(spec, f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not path.is_relative_to(home):
        raise problem(spec, f"{name} is a link that leaves the scenario's folder", "copy the file into the folder")
    if not path.is_file():
        raise problem(spec, f"{name} is not a regular file")
    return path


def _similar(path: Path) -> str | None:
    try:
        return did_you_mean(path.name, [found.name for found in path.parent.iterdir()])
    except OSError:
        return None


def _npz(spec: TensorSpec, path: Path, member: str, max_bytes: int) -> np.ndarray[Any, Any]:
    with zipfile.ZipFile(path) as archive:
        names = [info.filename.removesuffix(".npy") for info in archive.infolist()]
        if member not in names:
            what = f"{path.name} has no array {member!r}" if member else f"{path.name} holds several arrays by name"
            raise problem(spec, what, f"write {path.name}:NAME with one of {', '.join(names[:8])}")
        info = archive.infolist()[names.index(member)]
        with archive.open(info) as file:
            return _npy(spec, file, info.file_size, max_bytes)


def _npy(spec: TensorSpec, file: IO[bytes], size: int, max_bytes: int) -> np.ndarray[Any, Any]:
    """Read an .npy stream of ``size`` bytes; its header is looked at before anything is allocated."""
    import numpy as np
    from numpy.lib import format as npy

    version = npy.read_magic(file)
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
    if read_header is None:
        raise problem(spec, f"{spec.value} is an .npy file of version {version}, which holds no plain numbers")
    shape, fortran_order, dtype = read_header(file)
    if dtype.kind not in _KINDS:
        raise problem(spec, f"{spec.value} holds {dtype}, and a tensor holds numbers or booleans")
    count = math.prod(shape)
    if count * dtype.itemsize > max_bytes:
        raise LimitExceeded(f"{spec.value} would take {count * dtype.itemsize} bytes; the limit is {max_bytes}", place=spec.place)
    if count * dtype.itemsize > size:
        raise problem(spec, f"{spec.value} is cut off: its header speaks of {count} values, the file is too short for them")
    if not count:
        return np.zeros(shape, dtype.newbyteorder("="))
    data = bytearray(file.read(count * dtype.itemsize))
    if len(data) < count * dtype.itemsize:
        raise problem(spec, f"{spec.value} is cut off")
    array = np.frombuffer(data, dtype=dtype, count=count)
    array = array.reshape(shape[::-1]).T if fortran_order else array.reshape(shape)
    return np.ascontiguousarray(array, dtype=dtype.newbyteorder("=")).reshape(shape)
