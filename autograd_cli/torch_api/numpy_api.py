"""The `numpy` that scripts see: array creation and arithmetic, real ndarrays of numbers, no door to memory, files or objects.

Note [NumPy's doors]
An array of objects is memory full of pointers, and NumPy has ways to write raw memory (`ndarray(buffer=…)`, `.data.cast`,
`resize`). Together they leave any sandbox. So no function here returns an array of anything but numbers, `numpy.ndarray` cannot
be called, and the attributes that open memory or files are refused by the script policy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..errors import BadArgumentType, LimitExceeded, Unsupported
from .namespace import Namespace

_MATH = """
abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not bitwise_or bitwise_xor
cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs floor floor_divide
fmax fmin fmod greater greater_equal heaviside hypot invert isfinite isinf isnan left_shift less less_equal log log10
log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply negative
nextafter not_equal positive power rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh sqrt
square subtract tan tanh true_divide trunc
"""
_REDUCTIONS = """
all allclose amax amin any argmax argmin argsort argwhere array_equal average bincount corrcoef count_nonzero cov
cumprod cumsum diff histogram isclose max mean median min nan_to_num nanmax nanmean nanmin nanstd nansum nanvar nonzero
percentile prod ptp quantile searchsorted sort std sum trace unique var
"""
_SHAPES = """
append array_split atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to column_stack concatenate copy delete
diag diagonal digitize dstack expand_dims flip fliplr flipud gradient hsplit hstack insert interp meshgrid moveaxis ndim
outer pad ravel repeat reshape roll rollaxis rot90 round shape size split squeeze stack swapaxes take take_along_axis
tile transpose tril triu vsplit vstack where
"""
_LINEAR = """
clip convolve cross dot einsum inner kron matmul real imag angle tensordot vdot isreal iscomplex ix_ indices
triu_indices tril_indices
"""
_CREATION = """
arange array asarray ascontiguousarray empty_like eye full full_like geomspace identity linspace logspace ones ones_like
tri zeros zeros_like
"""
_SHAPED = (
    "zeros",
    "ones",
    "full",
    "eye",
    "identity",
    "tri",
    "linspace",
    "arange",
    "empty",
)  # their first argument says how large
_DTYPES = """
float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool_ single double half
intp
"""
_CONSTANTS = ("pi", "e", "inf", "nan", "newaxis", "euler_gamma")
_RANDOM = """
seed rand randn randint random random_sample normal uniform standard_normal choice permutation shuffle binomial poisson
exponential beta gamma laplace multinomial multivariate_normal
"""
_LINALG = """
norm inv det slogdet solve lstsq eig eigh eigvals eigvalsh svd qr cholesky pinv matrix_rank matrix_power cond
"""
_NUMBERS = "biufc"
# Where NumPy makes an ndarray of a Tensor. From the others PyTorch gets a Tensor back (`Tensor.__array_wrap__`), or an error.
_TAKE_TENSORS = """
array asarray ascontiguousarray stack concatenate vstack hstack dstack column_stack dot where allclose array_equal zeros_like
ones_like empty_like full_like expand_dims norm
"""

ToArray = Callable[[Any], Any]


class NumpyNamespace(Namespace):
    """A table of NumPy's names; a name that NumPy has and scripts have not is Unsupported."""

    def __getattr__(self, name: str) -> Any:
        whole = self.__name__
        module: Any = np
        for part in whole.split(".")[1:]:
            module = getattr(module, part)
        if not name.startswith("_") and name in dir(module):
            raise Unsupported(
                f"{whole}.{name} is not part of the script language",
                hint="scripts have NumPy's array creation and arithmetic; data files are named under tensors: with load:",
            )
        raise AttributeError(f"module {whole!r} has no attribute {name!r}", name=name)


class _NdarrayType(type):
    """`isinstance(x, numpy.ndarray)` works, calling it does not. See Note [NumPy's doors]."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, np.ndarray)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, np.ndarray) or type.__subclasscheck__(cls, subclass)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise BadArgumentType("numpy.ndarray cannot be called in a script", hint="use numpy.array or numpy.zeros")

    def __repr__(cls) -> str:
        return "<class 'numpy.ndarray'>"


class ndarray(metaclass=_NdarrayType):
    """Stands for numpy.ndarray in scripts."""

    __module__ = "numpy"


def stand_in(kind: type) -> type:
    """What a script's ``type(x)`` is for a type of NumPy: numbers and errors are themselves, ndarray is its stand-in."""
    if kind is np.ndarray:
        return ndarray
    if issubclass(kind, (np.number, np.bool_, Exception)):
        return kind
    raise BadArgumentType(f"type() of a numpy {kind.__name__} is not part of the script language")


def number_dtype(dtype: Any) -> np.dtype[Any]:
    """The NumPy dtype, when it is one of numbers or booleans; otherwise BadArgumentType."""
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError as error:
        raise BadArgumentType(f"this is no dtype of numbers: {error}", hint="use a dtype such as numpy.float32") from None
    if found.kind not in _NUMBERS:
        raise BadArgumentType(f"arrays in scripts hold numbers, not {found}", hint="use a dtype such as numpy.float32")
    return found


def numpy_namespace(to_array: ToArray | None = None, seed: int = 0, max_elements: int = 2**31) -> NumpyNamespace:
    """The table of names.

    Parameters
    ----------
    to_array : callable, optional
        Turns a Tensor into an ndarray and gives anything else back unchanged; by default, ``Tensor.numpy``. Applied to arguments
        and to the items of lists.
    seed : int
        Where `numpy.random` starts: every run has its own stream, so that runs repeat.
    max_elements : int
        The size above which creating an array is refused.
    """
    to_array = to_array or _numpy_of
    return NumpyNamespace(
        "numpy", {**_same_in_every_run(to_array, max_elements), "random": _random(_Maker(to_array, max_elements), seed)}
    )


@cache
def _same_in_every_run(to_array: ToArray, max_elements: int) -> dict[str, Any]:
    """The names that have no state."""
    make = _Maker(to_array, max_elements)
    functions = (_MATH, _REDUCTIONS, _SHAPES, _LINEAR, _CREATION)
    table: dict[str, Any] = {name: make.function(getattr(np, name), name) for text in functions for name in text.split()}
    table["empty"] = make.function(np.zeros, "empty")
    table |= {name: getattr(np, name) for name in (*_DTYPES.split(), *_CONSTANTS)}
    table |= {
        "bool": np.bool_,
        "ndarray": ndarray,
        "dtype": number_dtype,
        "number": np.number,
        "integer": np.integer,
        "floating": np.floating,
    }
    table |= {"finfo": lambda dtype: np.finfo(number_dtype(dtype)), "iinfo": lambda dtype: np.iinfo(number_dtype(dtype))}
    table["linalg"] = NumpyNamespace(
        "numpy.linalg", {name: make.function(getattr(np.linalg, name), name) for name in _LINALG.split()}
    )
    return table


def _random(make: _Maker, seed: int) -> NumpyNamespace:
    state = np.random.RandomState(seed % 2**32)

    def default_rng(seed: int | None = None) -> np.random.Generator:
        """A new Generator; without a seed it takes one from this run's stream."""
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise BadArgumentType("default_rng takes an integer or nothing")
        return np.random.default_rng(int(state.randint(2**31)) if seed is None else int(seed))

    functions = {name: make.function(getattr(state, name), name) for name in _RANDOM.split()}
    return NumpyNamespace("numpy.random", {**functions, "default_rng": default_rng})


def _numpy_of(value: Any) -> Any:
    is_tensor = isinstance(value, Tensor)
    return value.numpy() if is_tensor else value


class _Maker:
    """Wraps NumPy's functions: Tensors go in as arrays, only numbers come out, and not too many of them."""

    def __init__(self, to_array: ToArray, max_elements: int) -> None:
        self.to_array = to_array
        self.max_elements = max_elements

    def function(self, found: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function as scripts see it."""

        @wraps(found, assigned=("__doc__",), updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            if "dtype" in kwargs and kwargs["dtype"] is not None:
                kwargs["dtype"] = number_dtype(kwargs["dtype"])
            if name in _SHAPED:
                self._check_size(name, args, kwargs)
            values = [self._plain(value, name) for value in args]
            return self._checked(found(*values, **{key: self._plain(value, name) for key, value in kwargs.items()}), name)

        call.__name__ = call.__qualname__ = name
        del call.__wrapped__
        return call

    def _plain(self, value: Any, name: str) -> Any:
        """The value with Tensors as arrays, for the functions that make arrays of them."""
        if isinstance(value, (list, tuple)):
            plain = [self._plain(item, name) for item in value]
            return plain if isinstance(value, list) else tuple(plain)
        if value is None or isinstance(value, (int, float, complex, str, np.ndarray, np.generic, type)):
            return value
        if isinstance(value, Tensor) and name not in _TAKE_TENSORS.split():
            raise Unsupported(
                f"numpy.{name} of a Tensor, which PyTorch answers with a Tensor, is not there yet",
                hint="use the function of torch, or give it the array: x.numpy()",
            )
        return self.to_array(value)

    def _checked(self, result: Any, name: str) -> Any:
        for one in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(one, (np.ndarray, np.generic)) and one.dtype.kind not in _NUMBERS:
                raise BadArgumentType(f"numpy.{name} would make an array of {one.dtype}, and arrays in scripts hold numbers")
        return result

    def _check_size(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        numbers = [value for value in args if isinstance(value, (int, float)) and not isinstance(value, bool)]
        if name == "arange" and numbers and len(numbers) == len(args):
            start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers[:2], *(numbers[2:3] or [1]))
            count = abs((stop - start) / step) if step else 0
        elif name == "linspace":
            count = kwargs.get("num", args[2] if len(args) > 2 else 50)
        elif name in ("eye", "tri", "identity"):
            first = args[0] if args else kwargs.get("N", kwargs.get("n", 0))
            other = args[1] if len(args) > 1 and name != "identity" else kwargs.get("M")
            count = _size((first, first if other is None else other))
        else:
            count = _size(args[0] if args else kwargs.get("shape", 0))
        if isinstance(count, (int, float)) and count > self.max_elements:
            shown = int(count) if math.isfinite(count) else count
            raise LimitExceeded(f"numpy.{name} would make an array of {shown} elements; the limit is {self.max_elements}")


def _size(shape: Any) -> int:
    """The number of elements of a shape; 0 for what is none, which NumPy then complains about."""
    sizes = shape if isinstance(shape, (list, tuple)) else (shape,)
    return math.prod(sizes) if all(isinstance(size, (int, np.integer)) for size in sizes) else 0
