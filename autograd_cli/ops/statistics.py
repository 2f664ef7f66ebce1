"""Statistics beyond ``reduce.py`` and ``norms.py``: two at once, without nan, quantiles, distances, differences, covariances."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core import dtype as dt
from ..core.array import array_module, broadcast_shapes
from ..core.basic_ops import expand_to
from ..core.given import given
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch, ShapeMismatch
from .arithmetic import div_scalar, mul_scalar, sub
from .compare import clamp, isnan, logical_not
from .gather import gather_at
from .lists import cat
from .norms import Dims, norm_backward, norm_of_array, std_backward, var_backward, variance
from .parts import narrow, select_at, slice_at, slice_backward
from .reduce import mean, mean_backward, mean_dim_backward, sum, sum_backward, typed
from .scan import cumsum
from .shape import flatten, m_t, movedim, reshape_to, unsafe_view, view_to
from .sizes import squeeze, unsqueeze_at
from .sorting import sort
from .support import as_int, data_of, reduced_dims, want_tensor, wrap_dim, wrap_dims

# ---- a spread and the mean at once ----


@op(
    "VarMeanBackward0",
    outputs=("var", "mean"),
    num_grads=2,
    self=lambda grads, self, dim, correction, keepdim: var_mean_backward(grads, self, dim, correction, keepdim),
)
def var_mean_of(self, dim, correction, keepdim):
    """The variance and the mean."""
    return variance(self, dim, correction, keepdim), _mean_of(self, dim, keepdim)


@op(
    "StdMeanBackward0",
    outputs=("result0", "result1"),
    num_grads=2,
    self=lambda grads, self, result0, dim, correction, keepdim: std_mean_backward(grads, self, result0, dim, correction, keepdim),
)
def std_mean_of(xp, self, dim, correction, keepdim):
    """The standard deviation and the mean."""
    return xp.sqrt(variance(self, dim, correction, keepdim)), _mean_of(self, dim, keepdim)


def _mean_of(data: Any, dim: Dims, keepdim: bool) -> Any:
    return scalar(data.mean(axis=None if dim is None else dim, keepdims=keepdim))


def var_mean_backward(grads: Any, self: Any, dim: Dims, correction: Any, keepdim: bool) -> Any:
    """PyTorch's var_mean_backward."""
    by_spread = None if grads[0] is None else var_backward(grads[0], self, dim, correction, keepdim)
    return _with_mean(by_spread, grads[1], self, dim, keepdim)


def std_mean_backward(grads: Any, self: Any, result: Any, dim: Dims, correction: Any, keepdim: bool) -> Any:
    """PyTorch's std_mean_backward."""
    by_spread = None if grads[0] is None else std_backward(grads[0], self, dim, correction, keepdim, result)
    return _with_mean(by_spread, grads[1], self, dim, keepdim)


def _with_mean(by_spread: Any, grad: Any, self: Any, dim: Dims, keepdim: bool) -> Any:
    """What comes by the spread, and what comes by the mean."""
    if grad is None:
        return by_spread
    sizes = data_of(self).shape
    by_mean = mean_backward(grad, sizes) if dim is None else mean_dim_backward(grad, sizes, dim, keepdim)
    return by_mean if by_spread is None else by_spread + by_mean


def _both(name: str, operation: Any) -> Any:
    def both(input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
        tensor = want_tensor(input, name)
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if tensor._data.dtype.kind in "biu":
            raise DtypeMismatch(
                f"{name}() takes floating-point tensors, not {tensor.dtype.name}", hint="convert first: x.float()"
            )
        if correction is None:
            correction = (
                int(unbiased) if unbiased is not None else given(1, None) if dim is None else 1
            )  # what PyTorch saves then
        dims = None if dim is None and not keepdim else wrap_dims(dim, tensor._data.ndim)
        return operation(tensor, dims, correction, keepdim)

    both.__name__ = both.__qualname__ = name
    both.__doc__ = f"({name[:3]}, mean) of all elements, or along `dim`."
    return both


std_mean, var_mean = _both("std_mean", std_mean_of), _both("var_mean", var_mean_of)


# ---- without nan ----


@op("NansumBackward0", self=lambda grad, self, dim, keepdim: nansum_backward(grad, self, dim, keepdim))
def nansum_of(xp, self, dim, keepdim):
    """The sum of the elements that are not nan."""
    return scalar(xp.nansum(self, axis=dim, keepdims=keepdim, dtype="int64" if self.dtype.kind in "biu" else self.dtype))


def nansum_backward(grad: Any, self: Any, dim: Dims, keepdim: bool) -> Any:
    """The gradient of a sum, and none for nan."""
    sizes = data_of(self).shape
    found = (
        expand_to(grad, sizes) if dim is None and not keepdim else sum_backward(grad, sizes, wrap_dims(dim, len(sizes)), keepdim)
    )
    number = logical_not(isnan(self)) if isinstance(self, Tensor) else self == self
    return found * number


def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of the elements that are not nan, of all or along `dim`."""
    tensor = typed(want_tensor(input, "nansum"), dtype)
    return nansum_of(tensor, None if dim is None else reduced_dims(dim, tensor._data.ndim), keepdim)


def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of the elements that are not nan, of all or along `dim`."""
    tensor = want_tensor(input, "nanmean")
    if tensor._data.dtype.kind not in "fcV":
        raise DtypeMismatch(f"nanmean() takes floating-point tensors, not {tensor.dtype.name}", hint="convert first: x.float()")
    count = sum(logical_not(isnan(tensor)), dim, keepdim)
    return nansum(tensor, dim, keepdim, dtype=dtype) / count


# ---- quantiles ----

MODES = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, ignore_nan: bool) -> Any:
    def quantile(
        input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear", out: Any = None
    ) -> Any:
        tensor = want_tensor(input, name)
        data = tensor._data
        if data.dtype.kind != "f" or data.dtype.itemsize < 4:
            raise DtypeMismatch(f"{name}() takes float32 or float64, not {tensor.dtype.name}", hint="convert first: x.float()")
        if interpolation not in MODES:
            raise BadArgument(f"interpolation is one of {', '.join(MODES)}, not {interpolation!r}")
        places = q if isinstance(q, Tensor) else fresh(data.dtype.type(q))
        if places._data.dtype != data.dtype or places._data.ndim > 1:
            raise BadArgument(f"{name}() takes q as a number or a vector of the tensor's dtype")
        if not data.size:
            raise BadArgument(f"{name}() of a tensor without elements has no value")
        if places._data.size and not ((places._data >= 0) & (places._data <= 1)).all():
            raise BadArgument(f"{name}() takes q from 0 to 1")
        return _quantile_of(tensor, places, dim, keepdim, interpolation, ignore_nan)

    quantile.__name__ = quantile.__qualname__ = name
    quantile.__doc__ = f"The `q`-quantiles of all elements, or along `dim`{', without nan' if ignore_nan else ''}."
    return quantile


def _quantile_of(tensor: Tensor, q: Tensor, dim: Any, keepdim: bool, interpolation: str, ignore_nan: bool) -> Any:
    """PyTorch's quantile_compute: between the two sorted elements that the rank lies between."""
    ndim = tensor._data.ndim
    last = wrap_dim(dim, ndim) if dim is not None else 0
    if dim is None:
        ordered = sort(flatten(tensor))[0]
    else:
        ordered = sort(tensor if last == ndim - 1 or not ndim else movedim(tensor, last, -1))[0]
    if not ndim:
        ordered = reshape_to(ordered, (1,))
    data, ranks = ordered._data, _ranks(ordered._data, q._data, ignore_nan)
    xp = array_module(data)
    ranks = {"lower": xp.floor, "higher": xp.ceil, "nearest": xp.rint}.get(interpolation, lambda r: r)(ranks)
    below = ranks.astype("int64")
    found = gather_at(ordered, data.ndim - 1, fresh(below))
    if interpolation in ("linear", "midpoint"):
        weights = ranks - below if interpolation == "linear" else xp.full_like(ranks, 0.5)
        above = gather_at(ordered, data.ndim - 1, fresh(xp.ceil(ranks).astype("int64")))
        found = found + (above - found) * fresh(weights.astype(data.dtype))
    return _arranged(found, q, dim, keepdim, last, ndim)


def _arranged(found: Tensor, q: Tensor, dim: Any, keepdim: bool, last: int, ndim: int) -> Any:
    """The quantiles first, where there are several, and the reduced dimension where it was, if it is kept."""
    place = found._data.ndim - 1
    rest: Any = movedim(found, place, 0) if q._data.ndim else squeeze(found, place)
    if not keepdim:
        return rest
    if dim is None:
        return reshape_to(rest, (*q._data.shape, *(1,) * ndim))
    return unsqueeze_at(rest, last + q._data.ndim) if ndim else rest


def _ranks(data: Any, q: Any, ignore_nan: bool) -> Any:
    """The places of the quantiles in each sorted row; the last one, which is nan, where a row has nan."""
    xp = array_module(data)
    nan = data != data
    if ignore_nan:
        return xp.maximum(q * ((~nan).sum(axis=-1, keepdims=True) - 1).astype(data.dtype), 0)
    last = data.shape[-1] - 1
    return xp.where(nan.any(axis=-1, keepdims=True), data.dtype.type(last), q * data.dtype.type(last))


quantile, nanquantile = _quantile("quantile", False), _quantile("nanquantile", True)


# ---- distances, differences ----


@op(
    "DistBackward0",
    broadcasts=("self", "other"),
    self=lambda grad, self, other, p, result: norm_backward(grad, self - other, p, None, False, result),
    other=lambda grad, self, other, p, result: -norm_backward(grad, self - other, p, None, False, result),
)
def dist_of(self, other, p):
    """The p-norm of a difference."""
    return norm_of_array(self - other, p, None, False)  # type: ignore[arg-type]


def dist(input: Any, other: Any, p: Any = 2) -> Any:
    """The p-norm of input - other."""
    a, b = want_tensor(input, "dist"), want_tensor(other, "dist", "other")
    broadcast_shapes(a._data.shape, b._data.shape)
    return dist_of(a, b, p)


def diff(input: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along `dim`, `n` times."""
    tensor, times = want_tensor(input, "diff"), as_int(n, "n")
    if not tensor._data.ndim:
        raise BadArgument("diff() takes a tensor with one dimension or more")
    dim = wrap_dim(dim, tensor._data.ndim)
    if times < 0:
        raise BadArgument(f"diff() takes a number of times from 0 on, not {times}")
    parts = [t for t in (prepend, tensor, append) if t is not None]
    if len(parts) > 1:
        tensor = cat(parts, dim)
    for _ in range(min(times, tensor._data.shape[dim])):
        size = tensor._data.shape[dim]
        bools = tensor._data.dtype.kind == "b"
        before = narrow(tensor, dim, 0, size - 1)  # See Note [Right operand first]
        after = narrow(tensor, dim, 1, size - 1)
        tensor = after ^ before if bools else sub(after, before)
    return tensor


def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Any:
    """The area below the points y by the trapezoidal rule, along `dim`."""
    tensor = want_tensor(y, "trapezoid", "y")
    place = wrap_dim(dim, tensor._data.ndim)
    if not tensor._data.ndim or not tensor._data.shape[place]:
        return sum(tensor, dim) if tensor._data.ndim else mul_scalar(tensor, 0)
    if x is not None:
        areas = _between(tensor, _steps(tensor, x, place, "trapezoid"), place)
        return div_scalar(sum(areas, dim), 2.0)
    tensor = _floating(tensor)
    last = select_at(tensor, place, tensor._data.shape[place] - 1)  # See Note [Right operand first]
    ends = mul_scalar(select_at(tensor, place, 0) + last, 0.5)
    return mul_scalar(sum(tensor, dim) - ends, 1.0 if dx is None else float(dx))


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Any:
    """The running area below the points y by the trapezoidal rule, along `dim`."""
    tensor = want_tensor(y, "cumulative_trapezoid", "y")
    place = wrap_dim(dim, tensor._data.ndim)
    if x is not None:
        return cumsum(_between(tensor, div_scalar(_steps(tensor, x, place, "cumulative_trapezoid"), 2.0), place), dim)
    return cumsum(mul_scalar(_pairs(_floating(tensor), place), (1 if dx is None else dx) / 2), dim)


def _floating(tensor: Tensor) -> Tensor:
    """Integers as the default floating dtype."""
    data = tensor._data
    return fresh(data.astype(dt.default.dtype.numpy)) if data.dtype.kind in "biu" else tensor


def _pairs(tensor: Tensor, place: int) -> Any:
    """The sums of neighbours."""
    size = tensor._data.shape[place]
    after = slice_at(tensor, place, 1, size, 1)
    return slice_at(tensor, place, 0, size - 1, 1) + after


def _between(tensor: Tensor, steps: Any, place: int) -> Any:
    return _pairs(tensor, place) * steps


def _steps(tensor: Tensor, x: Any, place: int, name: str) -> Any:
    """The differences of the places x, in a shape that fits the points."""
    places, shape = want_tensor(x, name, "x"), tensor._data.shape
    if places._data.ndim == 1:
        if places._data.size != shape[place]:
            raise BadArgument(f"{name}() takes one x for each y along the dimension, not {places._data.size} for {shape[place]}")
        places = view_to(places, tuple(places._data.size if d == place else 1 for d in range(len(shape))))
    return diff(places, 1, place)


# ---- covariances ----


def cov(input: Any, *, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariances of the rows of a matrix, whose columns are observations."""
    tensor = want_tensor(input, "cov")
    if tensor._data.ndim > 2:
        raise BadArgument(f"cov() takes a matrix or a vector, not {tensor._data.ndim} dimensions")
    if tensor._data.dtype.kind == "b":
        raise DtypeMismatch("cov() is not defined for bool tensors")
    rows = tensor if tensor._data.ndim == 2 else reshape_to(tensor, (1, tensor._data.size))
    count: Any = rows._data.shape[1]
    weights = _weights(fweights, aweights, count)
    if weights is None:
        centred = rows - mean(_floating(rows), 1, keepdim=True)
        divisor = max(count - correction, 0)
        product = centred @ m_t(centred)
    else:
        total = sum(weights)
        centred = rows - unsqueeze_at(sum(rows * weights, 1) / total, 1)
        lost = correction if aweights is None else correction * sum(weights * aweights) / total
        divisor = clamp(total - lost, min=0)
        product = centred @ m_t(centred * weights)
    return squeeze(product / divisor)


def _weights(fweights: Any, aweights: Any, count: int) -> Any:
    """The product of both weights of the observations, or None."""
    found = None
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        if w is None:
            continue
        if want_tensor(w, "cov", name)._data.shape != (count,) or (w._data < 0).any():
            raise BadArgument(f"cov() takes {name} as a vector with one number from 0 on for each observation")
        found = w if found is None else found * w
    return found


def corrcoef(input: Any) -> Any:
    """The correlations of the rows of a matrix, whose columns are observations."""
    found = cov(input)
    if not found._data.ndim:
        return found / found
    deviation = found.diag().sqrt()
    return clamp(found / unsqueeze_at(deviation, 1) / unsqueeze_at(deviation, 0), -1, 1)


# ---- Kronecker products and shapes ----


def kron(input: Any, other: Any) -> Any:
    """The Kronecker product: each element of input times all of other."""
    a, b = want_tensor(input, "kron"), want_tensor(other, "kron", "other")
    ndim = max(a._data.ndim, b._data.ndim)
    left, right = ((1,) * (ndim - t._data.ndim) + t._data.shape for t in (a, b))
    first = unsafe_view(a, tuple(n for size in left for n in (size, 1)))
    second = unsafe_view(b, tuple(n for size in right for n in (1, size)))
    return unsafe_view(first * second, tuple(n * m for n, m in zip(left, right, strict=True)))


def sum_to_size(self: Any, *size: Any) -> Any:
    """The sum over the dimensions along which `size` was broadcast to this shape."""
    from .reduce import sum_to_shape
    from .support import as_size

    shape = as_size(size)
    have = self._data.shape
    lead = len(have) - len(shape)
    if lead < 0 or any(n not in (1, m) for n, m in zip(shape, have[lead:], strict=True)):
        raise ShapeMismatch(f"sum_to_size() cannot sum the shape {list(have)} to {list(shape)}")
    return self if have == shape else sum_to_shape(self, shape)


@op(
    "NarrowCopyBackward0",
    self=lambda grad, self_sizes, dim, start, length: slice_backward(grad, self_sizes, dim, start, start + length, 1),
)
def narrow_copy_of(self, dim, start, length):
    """Some elements of a dimension, copied."""
    return self[(slice(None),) * dim + (slice(start, start + length),)].copy()


def narrow_copy(input: Any, dim: Any, start: Any, length: Any) -> Any:
    """narrow, copied."""
    shape = want_tensor(input, "narrow_copy")._data.shape
    part = narrow(input.detach(), dim, start, length)._data
    place = wrap_dim(dim, len(shape))
    first = as_int(start, "start") % max(shape[place], 1) if as_int(start, "start") < 0 else as_int(start, "start")
    return narrow_copy_of(input, place, first, part.shape[place])
