"""Factory functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import HOST, array_module, cast_array, check_size, device_of, put_on
from ..core.device import defaults, place_of
from ..core.device_operands import at_device
from ..core.device_streams import generator_for
from ..core.device_streams import manual_seed as seed_all
from ..core.generator import Generator
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch, NotDifferentiable
from .convert import to
from .support import as_dtype, as_int, as_size, data_of, want_tensor


def _leaf(data: Any, requires_grad: bool, device: Any = None) -> Tensor:
    """A new tensor around `data`, moved to the device."""
    data = scalar(data)
    place = chosen(device)
    if place != "cpu" or data.__class__ not in HOST:
        data = put_on(data, place)
    if type(requires_grad) is not bool and requires_grad is not None:
        raise BadArgumentType(f"requires_grad is True or False, not {type(requires_grad).__name__}")
    if requires_grad and data.dtype.kind in "biu":
        raise NotDifferentiable(
            f"only floating point and complex tensors can require grad, and this one is {dt.of(data).name}",
            hint="write the numbers with a decimal point, or give dtype=torch.float32",
        )
    dt.notice(data)
    return Tensor._leaf(data, bool(requires_grad))


def chosen(device: Any) -> str:
    """The device that a factory function puts its tensor on: the one it is told, or the default."""
    return (defaults.device or "cpu") if device is None else place_of(device)


def _wanted(dtype: Any, otherwise: dt.dtype | None = None) -> Any:
    found = as_dtype(dtype)
    return (found or otherwise or dt.default.dtype).numpy


def _size(op: str, *size: Any) -> tuple[int, ...]:
    """The size that a factory was given, as a tuple of ints that a tensor may have."""
    shape = as_size(size)
    for n in shape:
        if n < 0:
            raise BadArgument(f"{op}() got the negative size {n} in {list(shape)}")
    check_size(shape)
    return shape


def _only_size(op: str, size: tuple[Any, ...], more: dict[str, Any]) -> tuple[int, ...]:
    """The size of a factory that takes it positional or by name, and nothing else in `more`."""
    given = more.pop("size", None)
    if more:
        raise BadArgumentType(f"{op}() got an unknown argument {next(iter(more))!r}")
    if not size and given is None:
        raise BadArgumentType(f"{op}() needs a size", hint=f"torch.{op}(2, 3)")
    return _size(op, *size) if given is None else _size(op, given)


# ---- from data ----


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A new tensor with a copy of `data`: numbers, nested lists, an array or a tensor.

    Integers make int64, floats the default dtype, bools bool; `dtype` says otherwise.
    """
    if requires_grad is None:
        raise BadArgumentType("requires_grad of tensor() is True or False, not None")
    if isinstance(data, Tensor):
        warn("CopyOfTensor", data)
    wanted = as_dtype(dtype)
    array = array_of(data, wanted)
    if device is None and defaults.device is None and isinstance(data, Tensor):
        device = device_of(array)
    return _leaf(
        at_device(array).copy() if array is data or isinstance(data, (np.ndarray, Tensor)) else array, requires_grad, device
    )


def array_of(data: Any, wanted: dt.dtype | None) -> Any:
    """`data` as an array in the dtype that PyTorch infers."""
    if isinstance(data, (Tensor, np.ndarray, np.generic)):
        array = data_of(data)
        if wanted is None and array.dtype not in dt.dtype._of_numpy:
            raise BadArgumentType(f"no tensor can hold {array.dtype}", hint="tensors hold numbers and bools")
        return array if wanted is None or array.dtype == wanted.numpy else cast_array(array, wanted.numpy)
    try:
        kinds = _kinds(data)
        if wanted is not None and dt.COMPLEX in kinds and not wanted.is_complex:
            raise BadArgumentType(f"a complex number cannot be put into a tensor of dtype {wanted.name}", hint="leave dtype out")
        direct = wanted is not None and dt.COMPLEX not in kinds and wanted.numpy not in dt.HALVES
        array = np.array(_plain(data), wanted.numpy if wanted is not None and direct else None)
    except OverflowError:
        raise BadArgument("a number in the data does not fit into the dtype", hint="use a wider dtype") from None
    except ValueError as error:
        raise BadArgumentValue(f"the rows of nested data must have one length ({error})".split(" (setting")[0]) from None
    if wanted is None:
        wanted = _inferred(kinds)
    if array.dtype == object:
        raise BadArgument("a number in the data does not fit into int64", hint="write it as a float")
    return array if array.dtype == wanted.numpy else cast_array(array, wanted.numpy)


def _kinds(data: Any) -> set[int]:
    """Which categories of numbers occur in nested lists; no recursion, and TypeError for what is not a number."""
    found: set[int] = set()
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, (list, tuple, range)):
            stack.extend(value)
        elif isinstance(value, (bool, np.bool_)):
            found.add(dt.BOOL)
        elif isinstance(value, (int, np.integer)):
            found.add(dt.INTEGER)
        elif isinstance(value, (float, np.floating)):
            found.add(dt.FLOATING)
        elif isinstance(value, (complex, np.complexfloating)):
            found.add(dt.COMPLEX)
        elif isinstance(value, (Tensor, np.ndarray)):
            if isinstance(value, Tensor) and value._data.size != 1:
                raise BadArgumentValue(
                    f"tensor() takes lists of numbers, and one item is a tensor of shape {list(value._data.shape)}",
                    hint="use torch.stack()",
                )
            found.add(dt.of(data_of(value)).category)
        else:
            kind = BadArgument if value is None else BadArgumentType
            raise kind(f"tensor() takes numbers, not {type(value).__name__}", hint="give numbers or nested lists of them")
    return found


def _plain(data: Any) -> Any:
    """Nested data with tensors replaced by their arrays."""
    if isinstance(data, (list, tuple)):
        if not any(isinstance(v, (list, tuple, Tensor)) for v in data):
            return data
        return [_plain(v) for v in data]
    return np.asarray(put_on(data._data, "cpu")) if isinstance(data, Tensor) else data


def _inferred(kinds: set[int]) -> dt.dtype:
    if dt.COMPLEX in kinds:
        return dt.complex128 if dt.default.dtype is dt.float64 else dt.complex64
    if dt.FLOATING in kinds or not kinds:
        return dt.default.dtype
    return dt.int64 if dt.INTEGER in kinds else dt.bool_


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor; nothing is copied where that is possible."""
    wanted = as_dtype(dtype)
    if isinstance(data, Tensor):
        return to(data, dtype=wanted, device=defaults.device if device is None else device)
    return _leaf(array_of(data, wanted), False, device)


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise BadArgumentType(f"from_numpy() takes a NumPy array, not {type(ndarray).__name__}", hint="use torch.tensor(data)")
    if ndarray.dtype not in dt.dtype._of_numpy:
        raise BadArgumentType(f"no tensor can hold {ndarray.dtype}", hint="tensors hold numbers and bools")
    dt.notice(ndarray)
    return fresh(ndarray)  # also where it is 0-d: the memory is shared


# ---- constant ----


def _constant(name: str, doc: str) -> Any:
    def factory(
        *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
        names: Any = None, memory_format: Any = None, **more: Any,
    ) -> Tensor:  # fmt: skip
        return _leaf(getattr(np, name)(_only_size(name, size, more), _wanted(dtype)), requires_grad, device)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = doc
    return factory


zeros = _constant("zeros", "A tensor of zeros.")
ones = _constant("ones", "A tensor of ones.")


def empty(*size: Any, **options: Any) -> Tensor:
    """A tensor whose values do not matter: zeros here, so that runs repeat."""
    return zeros(*size, **options)  # type: ignore[no-any-return]


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one value, whose kind decides the dtype."""
    if isinstance(size, int):
        raise BadArgumentType(f"full() takes a size like ({size},), not an int", hint=f"torch.full(({size},), value)")
    value = fill_value._data if isinstance(fill_value, Tensor) else fill_value
    wanted = as_dtype(dtype) or (dt.of(value) if hasattr(value, "dtype") else dt.of_number(value))
    if not wanted.is_complex and (isinstance(value, complex) or getattr(value, "dtype", wanted.numpy).kind == "c"):
        raise BadArgument(f"a complex number cannot be put into a tensor of dtype {wanted.name}", hint="leave dtype out")
    return _leaf(np.full(_size("full", size), value, wanted.numpy), requires_grad, device)


def eye(n: Any, m: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """The unit matrix."""
    rows = as_int(n, "n")
    shape = _size("eye", rows, rows if m is None else as_int(m, "m"))
    return _leaf(np.eye(*shape, dtype=_wanted(dtype)), requires_grad, device)


def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Numbers from start to end (not included) in steps; integers unless one argument is a float."""
    start, end = (0, start) if end is None else (start, end)
    bounds = [v.item() if hasattr(v, "item") else v for v in (start, end, step)]
    low, high, by = bounds
    if not all(math.isfinite(v) for v in bounds):
        raise BadArgument(f"arange() from {low} to {high} in steps of {by} has no number of elements", hint="give finite numbers")
    if by == 0 or (high - low) / by < 0:
        raise BadArgument(
            f"arange() from {low} to {high} in steps of {by} never arrives", hint="the sign of step must lead from start to end"
        )
    floating = any(isinstance(v, float) for v in bounds)
    count = math.ceil((high - low) / by)
    check_size((count,))
    wanted = _wanted(dtype, dt.default.dtype if floating else dt.int64)
    work = np.float64 if floating or wanted.kind == "f" else np.int64
    values = np.asarray(low, work) + np.arange(count, dtype=work) * np.asarray(by, work)
    return _leaf(cast_array(values, wanted), requires_grad, device)


def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`steps` numbers from start to end, both included."""
    count = as_int(steps, "steps")
    if count < 0:
        raise BadArgument(f"linspace() takes a number of steps from 0 on, not {count}")
    check_size((count,))
    wanted = _wanted(dtype)
    low, high = (v.item() if hasattr(v, "item") else v for v in (start, end))
    if count == 1:
        return _leaf(np.array([low], wanted), requires_grad, device)
    real = wanted.type if wanted.kind == "f" and wanted.itemsize > 2 else np.float64
    by = real(real(real(high) - real(low)) / real(max(count - 1, 1)))
    places = np.arange(count)
    up, down = real(low) + by * places.astype(real), real(high) - by * (count - 1 - places).astype(real)
    return _leaf(np.where(places < count // 2, up, down).astype(wanted), requires_grad, device)  # from both ends, as PyTorch


# ---- random ----


def _random(name: str, doc: str) -> Any:
    draw = {"rand": "uniform", "randn": "normal"}[name]

    def factory(
        *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Any = None, layout: Any = None,
        pin_memory: bool = False, names: Any = None, **more: Any,
    ) -> Tensor:  # fmt: skip
        shape, wanted = _only_size(name, size, more), _wanted(dtype)
        if wanted.kind in "biu":
            raise DtypeMismatch(f"{name}() draws floating-point numbers, not {wanted}", hint="use torch.randint for integers")
        flat = getattr(generator_for(generator, chosen(device)), draw)(math.prod(shape), dtype=wanted)
        return _leaf(flat.reshape(shape), requires_grad, device)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = doc
    return factory


rand = _random("rand", "Random numbers from [0, 1).")
randn = _random("randn", "Random numbers, normally distributed.")


def randint(
    low: Any,
    high: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    generator: Any = None,
) -> Tensor:
    """Random integers from low (default 0) to high (not included)."""
    if size is None:
        if not isinstance(high, (tuple, list)):
            raise BadArgumentType("randint() needs a size", hint="torch.randint(0, 10, (2, 3))")
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    shape = _size("randint", size)
    wanted = _wanted(dtype, dt.int64)
    flat = generator_for(generator, chosen(device)).randint(
        as_int(low, "low"), as_int(high, "high"), math.prod(shape), dtype=wanted
    )
    return _leaf(flat.reshape(shape), requires_grad, device)


def randperm(n: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Any = None) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    check_size((as_int(n, "n"),))
    order = generator_for(generator, chosen(device)).randperm(as_int(n, "n"))
    return _leaf(order.astype(_wanted(dtype, dt.int64)), requires_grad, device)


def manual_seed(seed: Any) -> Generator:
    """Start the random stream anew."""
    return seed_all(int(seed) if isinstance(seed, float) else as_int(seed, "seed"))


# ---- like another tensor ----


def _like(name: str, factory: Any) -> Any:
    def like(
        input: Any, *more: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
        memory_format: Any = None, **options: Any,
    ) -> Tensor:  # fmt: skip
        input = want_tensor(input, name)
        place = device_of(input._data) if device is None else device
        wanted = input.dtype if dtype is None else dtype
        made: Tensor = factory(input._data.shape, *more, dtype=wanted, device=place, requires_grad=requires_grad, **options)
        if made._data.ndim > 1 and not input._data.flags.c_contiguous and not requires_grad:
            made._data = _in_order_of(input._data, made._data)
        return made

    like.__name__ = like.__qualname__ = name
    like.__doc__ = f"``{name.removesuffix('_like')}`` with the shape, dtype, device and memory order of input."
    return like


def _in_order_of(like: Any, data: Any) -> Any:
    """The elements of `data` in the memory order of another array, which PyTorch keeps: numbers are drawn in the order of memory."""
    out = array_module(data).empty_like(put_on(like, device_of(data)), data.dtype, order="K")
    order = sorted(range(out.ndim), key=lambda dim: -out.strides[dim])
    out.transpose(order)[...] = data.reshape([out.shape[dim] for dim in order])
    return out


zeros_like, ones_like, empty_like = _like("zeros_like", zeros), _like("ones_like", ones), _like("empty_like", empty)
full_like, rand_like, randn_like = _like("full_like", full), _like("rand_like", rand), _like("randn_like", randn)


def randint_like(
    input: Any, low: Any, high: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """``randint`` with the shape, dtype and device of input."""
    low, high = (0, low) if high is None else (low, high)
    input = want_tensor(input, "randint_like")
    place = device_of(input._data) if device is None else device
    return randint(low, high, input._data.shape, dtype=dtype or input.dtype, device=place, requires_grad=requires_grad)
