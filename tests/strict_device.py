"""An array module that stands in for CuPy on machines without a GPU, and refuses whatever CuPy refuses.

Its arrays hold NumPy data, but NumPy does not get at them: every implicit conversion and every mixing of the two is a TypeError.
What is there, by name and by parameter, is what CuPy has (``device/cupy_api.json``, recorded from CuPy itself); where CuPy moves
data between host and device unasked, as for a list used as an index, this module refuses. Results without dimensions stay arrays.
There are two devices; arrays of another device than the current one are refused, as CuPy does without peer access. ``transfers``
counts the copies that cross the bus, and the ``reads`` of single elements, for which the host waits.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autograd_cli.ops import special as own  # CuPy's functions are kernels; these are theirs in Python

API = json.loads((Path(__file__).parent / "device" / "cupy_api.json").read_text(encoding="utf-8"))
SCALARS = (bool, int, float, complex, np.generic)
# Functions of the host, whose answers are no arrays.
ON_HOST = {
    "broadcast_shapes",
    "shares_memory",
    "may_share_memory",
    "promote_types",
    "result_type",
    "can_cast",
    "ndim",
    "size",
    "shape",
}
ATTRIBUTES = ("dtype", "itemsize", "nbytes", "ndim", "shape", "size", "strides")
VIEWS = ("T", "mT", "real", "imag", "diagonal", "ravel", "reshape", "squeeze", "swapaxes", "transpose", "view")
AT = {  # what CuPy's atomic operations know
    "add": "iefdIL", "subtract": "iI", "maximum": "ifdIL", "minimum": "ifdIL",
}  # fmt: skip

transfers: Counter[str] = Counter()  # by kind: to_device, to_host, reads, across


class Device:
    """A device; as a context, the current one."""

    count = 2
    current_id = 0

    def __init__(self, device: Any = None) -> None:
        self.id = Device.current_id if device is None else getattr(device, "id", device)
        self._before: list[int] = []

    def use(self) -> Device:
        """Make it current."""
        Device.current_id = self.id
        return self

    def synchronize(self) -> None:
        """Nothing is pending here."""

    def __enter__(self) -> Device:
        self._before.append(Device.current_id)
        return self.use()

    def __exit__(self, *_: object) -> None:
        Device.current_id = self._before.pop()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<strict device {self.id}>"


class Flags:
    """What CuPy's flags tell."""

    def __init__(self, host: np.ndarray) -> None:
        self.c_contiguous, self.f_contiguous = host.flags.c_contiguous, host.flags.f_contiguous
        self.owndata = host.flags.owndata


class ndarray:  # CuPy's name
    """An array on a device."""

    __array_ufunc__ = None  # NumPy's operators leave theirs to this class, which refuses arrays of NumPy
    __slots__ = ("__weakref__", "_base", "_host", "_place")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, host: Any, source: ndarray | None = None) -> None:
        self._host = np.asarray(host)
        self._place = Device.current_id if source is None else source._place
        self._base: ndarray | None = None
        if source is not None and np.may_share_memory(self._host, source._host):
            self._base = source if source._base is None else source._base

    @property
    def device(self) -> Device:
        """Where it is."""
        return Device(self._place)

    @property
    def flags(self) -> Flags:
        """Its memory order."""
        return Flags(self._host)

    @property
    def base(self) -> Any:
        """The array that owns the memory, if this is a view."""
        return self._base

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"data": (self._host.ctypes.data, False)}

    @property
    def data(self) -> Any:
        """The memory; only its address is there."""
        return SimpleNamespace(ptr=self._host.ctypes.data, device=self.device, device_id=self._place)

    # ---- what NumPy may not do ----

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array of a device is not converted to NumPy implicitly: use get() or asnumpy()")

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise TypeError(f"numpy.{function.__name__} was called with an array of a device")

    # ---- explicit ways to the host ----

    def get(self) -> Any:
        """A copy for NumPy."""
        transfers["to_host"] += 1
        return self._host.copy()

    def _read(self) -> Any:
        transfers["reads"] += 1
        return self._host

    def item(self) -> Any:
        """The only element as a Python number."""
        return self._read().item()

    def tolist(self) -> Any:
        """The elements as nested lists."""
        return self.get().tolist()

    def __float__(self) -> float:
        return float(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<strict array of shape {self.shape} on device {self._place}>"

    # ---- parts ----

    def __getitem__(self, item: Any) -> ndarray:
        index, advanced = _index(item)
        if advanced:
            _check_current(self)
        return ndarray(self._host[index], self)

    def __setitem__(self, item: Any, value: Any) -> None:
        _check_current(self)
        self._host[_index(item)[0]] = _plain(value)

    def copy(self, order: str = "C") -> ndarray:
        """A copy, on its device."""
        _check_current(self)
        return ndarray(self._host.copy(order))

    def fill(self, value: Any) -> None:
        """Make every element `value`."""
        self[...] = value


def _check_current(array: ndarray) -> None:
    if array._place != Device.current_id:
        raise ValueError(f"an array of device {array._place} is used while device {Device.current_id} is current")


def _index(item: Any) -> tuple[Any, bool]:
    """An index for NumPy, and whether it is more than a view."""
    items = item if isinstance(item, tuple) else (item,)
    made, advanced = [], False
    for i in items:
        if isinstance(i, ndarray):
            if i.dtype.kind not in "biu":
                raise IndexError(f"an index array of dtype {i.dtype}")
            made.append(_plain(i))
            advanced = True
        elif i is None or i is Ellipsis or isinstance(i, (bool, int, np.integer, slice)):
            made.append(i)
            advanced = advanced or isinstance(i, bool)
        else:
            raise TypeError(f"{type(i).__name__} as an index of an array on a device")
    if not advanced and Ellipsis not in [i for i in items if not isinstance(i, ndarray)]:
        made.append(Ellipsis)  # a view also where no dimension is left
    return tuple(made), advanced


def _plain(value: Any) -> Any:
    """An argument for NumPy: arrays of the current device opened, arrays of NumPy refused."""
    if isinstance(value, ndarray):
        _check_current(value)
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError("an array of NumPy is used beside arrays on a device")
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v) for v in value)
    return value


def _wrapped(value: Any) -> Any:
    """A result of NumPy as arrays of the current device; other answers as they are."""
    if isinstance(value, (np.ndarray, np.generic)):
        return ndarray(value)
    if isinstance(value, (list, tuple)):
        made = [_wrapped(v) for v in value]
        return made if isinstance(value, list) else tuple(made)
    return value


def _check_names(where: str, row: Any, keywords: Any) -> None:
    known = row.get("parameters")
    if known is not None:
        for name in keywords:
            if name not in known:
                raise TypeError(f"CuPy's {where} has no parameter {name!r}")


class Function:
    """A function of CuPy's, computed by NumPy's of the same name."""

    def __init__(self, where: str, row: Any, function: Any) -> None:
        self.where, self.row, self.function = where, row, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _check_names(self.where, self.row, kwargs)
        out = kwargs.get("out")
        if self.where in ("sort", "argsort"):
            kwargs["kind"] = "stable"  # as CuPy's always is
        result = self.function(*_plain(args), **{k: _plain(v) for k, v in kwargs.items()})
        if out is not None:
            return out
        return result if self.where in ON_HOST else _wrapped(result)


class Ufunc:
    """A ufunc of CuPy's: knows CuPy's loops only."""

    def __init__(self, name: str, row: Any) -> None:
        self.name, self.ufunc = name, getattr(np, name)
        self.loops = [loop.partition("->")[0] for loop in row["types"]]

    def __call__(self, *args: Any, out: Any = None, dtype: Any = None, casting: str = "same_kind") -> Any:
        if len(args) > len(self.loops[0]):  # CuPy takes the output by position too
            args, out = args[:-1], args[-1]
        plain = _plain(args)
        if not any(isinstance(a, ndarray) for a in args) and not all(isinstance(a, SCALARS) for a in args):
            raise TypeError(f"{self.name} of {[type(a).__name__ for a in args]}")
        kinds = [a.dtype for a in plain if hasattr(a, "dtype")]
        if not any(all(np.can_cast(k, loop[i]) for i, k in enumerate(kinds)) for loop in self.loops):
            raise TypeError(f"CuPy's {self.name} has no loop for {kinds}")
        if out is not None:
            self.ufunc(*plain, out=_plain(out), dtype=dtype, casting=casting)
            return out
        return _wrapped(self.ufunc(*plain, dtype=dtype, casting=casting))

    def at(self, a: ndarray, indices: Any, b: Any) -> None:
        """The atomic operation, for the dtypes that CUDA has it for."""
        if a.dtype.char not in AT.get(self.name, ""):
            raise TypeError(f"CuPy's {self.name}.at does not know {a.dtype}")
        self.ufunc.at(_plain(a), _index(indices)[0], _plain(b))


def _method(name: str, row: Any) -> Any:
    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        _check_names(f"ndarray.{name}", row, kwargs)
        if name not in VIEWS:
            _check_current(self)
        out = kwargs.get("out")
        result = getattr(self._host, name)(*_plain(args), **{k: _plain(v) for k, v in kwargs.items()})
        if name == "diagonal":
            result.flags.writeable = True  # NumPy gives it read-only, CuPy does not
        if out is not None:
            return out
        return ndarray(result, self) if name in VIEWS else _wrapped(result)

    return method


def _operator(name: str) -> Any:
    in_place = name.startswith("__i") and name not in ("__invert__", "__index__")

    def operate(self: ndarray, *others: Any) -> Any:
        _check_current(self)
        for other in others:
            if isinstance(other, np.ndarray):
                raise TypeError("an array of NumPy is used beside arrays on a device")
            if not isinstance(other, (ndarray, *SCALARS)):
                return NotImplemented
        host = self._host[()] if in_place and not self._host.ndim else self._host
        result = getattr(self._host if in_place else host, name)(*(_plain(o) for o in others))
        return self if in_place else result if result is NotImplemented else _wrapped(result)

    return operate


def _part(name: str) -> property:
    """The real or the imaginary part, which can be set."""

    def give(self: ndarray) -> ndarray:
        return ndarray(getattr(self._host, name), self)

    def put(self: ndarray, value: Any) -> None:
        _check_current(self)
        setattr(self._host, name, _plain(value))

    return property(give, put)


def _fill_class() -> None:
    for name, row in API["ndarray"].items():
        if hasattr(ndarray, name) and name in vars(ndarray):
            continue
        numbers = name.strip("_") in OPERATORS or name.strip("_")[1:] in OPERATORS
        if name in ATTRIBUTES:
            setattr(ndarray, name, property(lambda self, name=name: getattr(self._host, name)))
        elif name in ("T", "mT"):
            setattr(ndarray, name, property(lambda self, name=name: ndarray(getattr(self._host, name), self)))
        elif name in ("real", "imag"):
            setattr(ndarray, name, _part(name))
        elif name.startswith("__") and numbers and hasattr(np.ndarray, name):
            setattr(ndarray, name, _operator(name))
        elif not name.startswith("__") and callable(getattr(np.ndarray, name, None)):
            setattr(ndarray, name, _method(name, row))


OPERATORS = {
    "abs", "add", "and", "divmod", "eq", "floordiv", "ge", "gt", "invert", "le", "lshift", "lt", "matmul", "mod", "mul", "ne", "neg", "or",
    "pos", "pow", "rshift", "sub", "truediv", "xor",
}  # fmt: skip
_fill_class()


# ---- the module ----


def asarray(a: Any, dtype: Any = None, order: str | None = None, copy: bool | None = None, blocking: bool = False) -> ndarray:
    """`a` on the current device: an explicit transfer where it is not there."""
    if isinstance(a, ndarray):
        if a._place == Device.current_id and not copy:
            return a if dtype is None or a.dtype == dtype else ndarray(a._host.astype(dtype))
        transfers["across" if a._place != Device.current_id else "copies"] += 1
        return ndarray(np.array(a._host, dtype))
    transfers["to_device"] += 1
    return ndarray(np.array(a, dtype, order=order or "K"))


def array(obj: Any, dtype: Any = None, copy: bool = True, order: str = "K") -> ndarray:
    """A new array on the current device."""
    return asarray(obj, dtype, order, copy)


def asnumpy(a: Any) -> Any:
    """A copy for NumPy."""
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def as_strided(x: ndarray, shape: Any = None, strides: Any = None) -> ndarray:
    """A view of any shape and strides."""
    return ndarray(np.lib.stride_tricks.as_strided(x._host, shape, strides), x)


def broadcast_to(array: ndarray, shape: Any) -> ndarray:
    """A view that repeats elements; CuPy's can be written to."""
    return as_strided(array, shape, np.broadcast_to(array._host, shape).strides)


def _known(name: str) -> Any:
    row = API["module"].get(name)
    if row is None:
        raise AttributeError(f"CuPy has no {name}")
    found = getattr(np, name)
    if "types" in row:
        return Ufunc(name, row)
    return Function(name, row, found) if "parameters" in row else found


def _known_linalg(name: str) -> Any:
    row = API["linalg"].get(name)
    if row is None:
        raise AttributeError(f"CuPy has no linalg.{name}")
    found = getattr(np.linalg, name)
    return Function(f"linalg.{name}", row, found) if "parameters" in row else found


class StrictModule(ModuleType):
    """The stand-in for ``cupy``."""

    def __init__(self) -> None:
        super().__init__("strict_device")
        self.ndarray = ndarray
        self.asarray, self.array, self.asnumpy = asarray, array, asnumpy
        self.asanyarray, self.broadcast_to = asarray, broadcast_to
        self.lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=as_strided))
        self.linalg = ModuleType("strict_device.linalg")
        self.linalg.__getattr__ = _known_linalg
        runtime = SimpleNamespace(
            getDeviceCount=lambda: Device.count,
            getDevice=lambda: Device.current_id,
            setDevice=lambda number: Device(number).use(),
            deviceSynchronize=lambda: None,
        )
        self.cuda = SimpleNamespace(Device=Device, runtime=runtime)

    def __getattr__(self, name: str) -> Any:
        found = _known(name)
        setattr(self, name, found)
        return found


class Special:
    """The stand-in for ``cupyx.scipy.special``; it computes with agrad's own functions of one number."""

    @staticmethod
    def _each(function: Any, data: ndarray) -> ndarray:
        flat = [function(v) for v in _plain(data).ravel().tolist()]
        return ndarray(np.array(flat, data.dtype).reshape(data.shape))

    def erf(self, data: ndarray) -> ndarray:
        """The error function."""
        return self._each(math.erf, data)

    def erfc(self, data: ndarray) -> ndarray:
        """One minus the error function."""
        return self._each(math.erfc, data)

    def erfinv(self, data: ndarray) -> ndarray:
        """The inverse of the error function."""
        return self._each(own._erfinv, data)

    def gammaln(self, data: ndarray) -> ndarray:
        """The logarithm of the gamma function."""
        return self._each(own._lgamma, data)

    def digamma(self, data: ndarray) -> ndarray:
        """Its derivative."""
        return self._each(own._digamma, data)

    def polygamma(self, n: int, data: ndarray) -> ndarray:
        """Its derivatives."""
        return self._each(own._polygamma(n), data)


strict = StrictModule()
special = Special()
