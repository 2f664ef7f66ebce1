"""The one place where Tensor gets its methods and operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..core import autograd
from ..core.array import device_of
from ..core.basic_ops import add
from ..core.conjugates import is_conj
from ..core.node import AccumulateGrad
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.version_counter import NO_VERSIONS
from ..errors import BadArgument, BadArgumentType, NotDifferentiable
from ..missing import missing
from . import (
    activation,
    aminmax,
    arithmetic,
    cholesky,
    combine,
    compare,
    complex_numbers,
    convert,
    copying,
    creation,
    decompositions,
    determinants,
    draws,
    einsum,
    elementary,
    gather,
    grids,
    index,
    index_write,
    inplace,
    inplace_views,
    linalg,
    linalg_more,
    linalg_sums,
    lists,
    masks,
    matrices,
    norms,
    overwrite,
    part_scatter,
    parts,
    places,
    pointwise,
    power,
    random_inplace,
    rearrange,
    reduce,
    scan,
    scan_log,
    search,
    sections,
    shape,
    sizes,
    softmax,
    sorting,
    special,
    statistics,
    strided,
    tensor_equations,
    text,
    typed_tensors,
)
from .support import wrap_dim
from .synonyms import SYNONYMS

known_names: Callable[[], frozenset[str]] = frozenset  # names PyTorch's Tensor has; torch_api sets it


def attribute(self: Tensor, name: str) -> Any:
    """For names that Tensor does not have: PyTorch's are Unsupported, others an AttributeError."""
    if name in known_names():
        raise missing(f"torch.Tensor.{name}")
    raise AttributeError(f"'Tensor' object has no attribute {name!r}")


# ---- Python's protocols ----


def length(self: Tensor) -> int:
    """``len(self)``: the size of the first dimension."""
    if not self._data.ndim:
        raise BadArgumentType("len() of a 0-d tensor is not defined", hint="use x.numel() for the number of elements")
    return len(self._data)


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The slices along the first dimension."""
    if not self._data.ndim:
        raise BadArgumentType("a 0-d tensor cannot be iterated over", hint="use x.item() to get its value")
    return iter(lists.unbind(self, 0))


def contains(self: Tensor, value: Any) -> bool:
    """``value in self``: whether an element equals it."""
    if not isinstance(value, (Tensor, int, float, complex)):
        raise BadArgument(f"`in` looks for a number or a tensor in a tensor, not for {type(value).__name__}")
    return bool(compare.eq(self, value)._data.any())


def equals(self: Tensor, other: Any) -> Any:
    """``self == other``; what is no number and no tensor is not equal."""
    return compare.eq(self, other) if _comparable(other) else NotImplemented


def differs(self: Tensor, other: Any) -> Any:
    """``self != other``."""
    return compare.ne(self, other) if _comparable(other) else NotImplemented


def _comparable(other: Any) -> bool:
    return isinstance(other, (Tensor, int, float, complex)) or hasattr(other, "dtype")


def size(self: Tensor, dim: Any = None) -> Any:
    """The shape, or the size of one dimension."""
    return self.shape if dim is None else self._data.shape[wrap_dim(dim, self._data.ndim)]


def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add the gradients of self to the ``.grad`` of the leaves; see ``torch.autograd.backward``."""
    autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def get_data(self: Tensor) -> Tensor:
    """``.data``: the same storage without history; changes to it do not move this tensor's version."""
    return fresh(self._storage(), None, NO_VERSIONS if self.is_inference() else None)


def set_data(self: Tensor, other: Any) -> None:
    """``.data = other``: take over another tensor's storage."""
    if not isinstance(other, Tensor):
        raise BadArgumentType(f".data takes a tensor, not {type(other).__name__}")
    if self._edge is not None and not other.dtype.is_floating_point and not other.dtype.is_complex:
        raise NotDifferentiable(
            f".data of a tensor that requires grad takes floating point and complex numbers, not {other.dtype.name}",
            hint="convert them first: x.data = other.float()",
        )
    data = other._storage()
    if self._edge.__class__ is AccumulateGrad and data.dtype != self._data.dtype:
        self._edge = AccumulateGrad(self)  # what was recorded leads to the old one
    self._set_data(data)


def no_deleting(self: Tensor) -> None:
    """``del x.data``."""
    raise BadArgument("the data of a tensor cannot be deleted", hint="delete the tensor: del x")


def base_of(self: Tensor) -> Tensor | None:
    """``._base``: what this tensor is a view of."""
    return None if self._meta is None else self._meta.base


def beside(self: Tensor, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a factory whose tensor has this one's dtype and device, unless they say otherwise."""
    return {"dtype": self.dtype, "device": device_of(self._data), **options}


def new_factory(name: str) -> Any:
    """``new_zeros`` and its like: a factory with this tensor's dtype and device."""
    factory = getattr(creation, name.removeprefix("new_"))

    def method(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, **options: Any) -> Tensor:
        made: Tensor = factory(*args, dtype=dtype or self.dtype, device=device or device_of(self._data), **options)
        return made

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"``torch.{name.removeprefix('new_')}`` with this tensor's dtype and device."
    return method


PROPERTIES = {
    "T": property(shape.t_matrix),
    "mT": property(shape.m_t),
    "H": property(complex_numbers.conj_transpose),
    "mH": property(complex_numbers.adjoint),
    "real": property(complex_numbers.real, complex_numbers.set_part("real")),
    "imag": property(complex_numbers.imag, complex_numbers.set_part("imag")),
    "data": property(get_data, set_data, no_deleting),
    "_base": property(base_of),
    "is_cuda": property(lambda self: self.device.type == "cuda"),
    "is_cpu": property(lambda self: self.device.type == "cpu"),
    "itemsize": property(lambda self: self._data.dtype.itemsize),
    "nbytes": property(lambda self: self._data.nbytes),
}

OPERATORS = {
    "add": add, "sub": arithmetic.sub, "mul": arithmetic.mul, "truediv": arithmetic.div, "floordiv": arithmetic.floor_divide,
    "mod": arithmetic.remainder, "pow": power.pow, "matmul": linalg.matmul, "neg": arithmetic.neg, "abs": pointwise.abs,
    "radd": add, "rsub": arithmetic.rsub, "rmul": arithmetic.mul, "rtruediv": arithmetic.rdiv, "rpow": power.rpow,
    "rfloordiv": lambda self, other: arithmetic.floor_divide(other, self), "rmod": lambda self, other: arithmetic.remainder(other, self),
    "rmatmul": lambda self, other: linalg.matmul(other, self), "pos": lambda self: self,
    "eq": equals, "ne": differs, "lt": compare.lt, "le": compare.le, "gt": compare.gt, "ge": compare.ge,
    "and": compare.bitwise_and, "or": compare.bitwise_or, "xor": compare.bitwise_xor, "invert": compare.bitwise_not,
    "rand": compare.bitwise_and, "ror": compare.bitwise_or, "rxor": compare.bitwise_xor,
    "iadd": inplace.add_, "isub": inplace.sub_, "imul": inplace.mul_, "itruediv": inplace.derived("div_", arithmetic.div),
    "ifloordiv": inplace.derived("floor_divide_", arithmetic.floor_divide), "imod": inplace.derived("remainder_", arithmetic.remainder),
    "ipow": inplace.derived("pow_", power.pow), "iand": inplace.derived("bitwise_and_", compare.bitwise_and),
    "ior": inplace.derived("bitwise_or_", compare.bitwise_or), "ixor": inplace.derived("bitwise_xor_", compare.bitwise_xor),
    "lshift": compare.bitwise_left_shift, "rshift": compare.bitwise_right_shift,
    "rlshift": compare.shifted_left, "rrshift": compare.shifted_right,
    "ilshift": inplace.derived("bitwise_left_shift_", compare.bitwise_left_shift),
    "irshift": inplace.derived("bitwise_right_shift_", compare.bitwise_right_shift),
    "reversed": lambda self: rearrange.flip(self, 0) if self._data.ndim else self,
    "getitem": index.getitem, "setitem": overwrite.setitem, "len": length, "iter": iterate, "contains": contains,
    "bool": convert.truth, "float": convert.as_float, "int": convert.as_integer, "index": convert.as_index,
    "complex": convert.as_complex, "array": convert.array_protocol,
    "deepcopy": copying.deepcopy, "repr": text.text, "str": text.text, "format": text.formatted,
}  # fmt: skip

# name → function, where the method is not the function of the same name in the module
SPECIAL: dict[str, Any] = {
    "add": arithmetic.torch_add, "sub": arithmetic.torch_sub, "div": arithmetic.torch_div,
    "permute": shape.permute,
    "size": size, "backward": backward, "dim": lambda self: self._data.ndim, "ndimension": lambda self: self._data.ndim,
    "is_signed": lambda self: self.dtype.is_signed,
    "pin_memory": lambda self, device=None: self, "share_memory_": lambda self: self,
    "nelement": shape.numel, "element_size": lambda self: self._data.dtype.itemsize,
    "is_floating_point": lambda self: self.dtype.is_floating_point, "is_complex": lambda self: self.dtype.is_complex,
    "is_conj": is_conj, "is_neg": complex_numbers.is_neg,
    "type": typed_tensors.type_, "new": typed_tensors.new,
    "zero_": overwrite.zero_, "fill_": overwrite.fill_, "copy_": overwrite.copy_, "detach_": overwrite.detach_,
    "add_": inplace.add_, "sub_": inplace.sub_, "mul_": inplace.mul_, "item": convert.item, "tolist": convert.tolist,
    "numpy": convert.numpy, "get_device": convert.get_device, "to": convert.to, "cpu": convert.cpu, "cuda": convert.cuda,
    "type_as": convert.type_as,
    "bitwise_and": compare.bitwise_and, "softmax": softmax.softmax, "log_softmax": softmax.log_softmax,
    "_is_view": lambda self: self._meta is not None and self._meta.base is not None,
    "is_same_size": lambda self, other: self._data.shape == other._data.shape,
    "polygamma": special.polygamma_method, "broadcast_to": sizes.expand,
    "new_tensor": lambda self, data, **o: creation.tensor(data, **beside(self, o)),
    "new_full": lambda self, size, value, **o: creation.full(size, value, **beside(self, o)),
}  # fmt: skip

SAME_NAME: dict[Any, str] = {
    arithmetic: "mul true_divide floor_divide remainder fmod neg reciprocal",
    power: "pow square",
    pointwise: "abs sgn sign sqrt rsqrt exp exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh asinh acosh atanh atan2 "
    "hypot logit erf erfc floor ceil trunc round frac",
    combine: "lerp addcmul addcdiv",
    activation: "tanh sigmoid relu",
    compare: "eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_or bitwise_xor bitwise_not "
    "bitwise_left_shift bitwise_right_shift isnan isinf isfinite isclose allclose equal maximum minimum clamp clamp_min clamp_max",
    reduce: "sum mean max min amax amin argmax argmin any all",
    norms: "var std norm logsumexp",
    scan: "prod cumsum cumprod",
    scan_log: "logcumsumexp",
    aminmax: "aminmax",
    linalg_sums: "addmv addr addbmm",
    complex_numbers: "conj conj_physical resolve_conj resolve_neg adjoint angle isreal",
    linalg: "mm mv dot vdot bmm matmul addmm baddbmm outer ger tril triu diag diag_embed trace",
    shape: "t transpose movedim clone contiguous is_contiguous view reshape flatten unflatten ravel view_as reshape_as numel stride "
    "data_ptr storage_offset",
    sizes: "unsqueeze squeeze expand expand_as",
    strided: "as_strided",
    inplace_views: "t_ transpose_ unsqueeze_ squeeze_ as_strided_",
    parts: "select narrow diagonal unfold",
    sections: "tensor_split hsplit vsplit dsplit",
    index_write: "index_put index_fill index_copy",
    rearrange: "repeat tile flip roll",
    lists: "split chunk unbind",
    sorting: "sort argsort msort topk kthvalue median nanmedian mode cummax cummin",
    einsum: "inner",
    elementary: "nan_to_num logaddexp logaddexp2 heaviside nextafter copysign ldexp float_power deg2rad rad2deg fmax fmin positive "
    "signbit",
    special: "lgamma digamma mvlgamma erfinv sinc xlogy",
    masks: "masked_fill masked_select masked_scatter",
    places: "nonzero argwhere count_nonzero is_nonzero take put repeat_interleave fill_diagonal_",
    part_scatter: "select_scatter slice_scatter diagonal_scatter scatter_reduce",
    search: "unique unique_consecutive bincount histc",
    grids: "rot90 fliplr flipud diagflat",
    draws: "bernoulli multinomial",
    statistics: "nansum nanmean quantile nanquantile dist diff cov corrcoef kron sum_to_size narrow_copy",
    tensor_equations: "matrix_exp",
    matrices: "inverse",
    determinants: "det slogdet logdet",
    cholesky: "cholesky",
    decompositions: "svd qr",
    linalg_more: "cross matrix_power pinverse",
    gather: "gather scatter scatter_add index_select index_add take_along_dim",
    random_inplace: "uniform_ normal_ exponential_ bernoulli_ random_",
}

IN_PLACE = (
    "div true_divide floor_divide remainder fmod pow square neg reciprocal abs sgn sign sqrt rsqrt exp exp2 expm1 log log1p log2 log10 "
    "sin cos tan asin acos atan sinh cosh asinh acosh atanh atan2 hypot logit erf erfc floor ceil trunc round frac lerp addcmul addcdiv "
    "tanh sigmoid relu conj_physical masked_fill clamp clamp_min clamp_max addmm baddbmm "
    "addmv addr addbmm tril triu cumsum cumprod scatter scatter_add "
    "masked_scatter put scatter_reduce "
    "index_add index_put index_fill index_copy nan_to_num nextafter copysign ldexp float_power heaviside deg2rad rad2deg lgamma "
    "digamma mvlgamma erfinv sinc xlogy polygamma "
    "eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not "
    "bitwise_left_shift bitwise_right_shift"
)


def _where(self: Tensor, condition: Any, other: Any) -> Tensor:
    """``self`` where the condition holds, else other."""
    chosen: Tensor = compare.where(condition, self, other)
    return chosen


def install() -> None:
    """Give Tensor its methods."""
    Tensor.__new__ = staticmethod(typed_tensors.constructed)  # type: ignore[method-assign, assignment]
    for name, found in PROPERTIES.items():
        setattr(Tensor, name, found)
    for module, names in SAME_NAME.items():
        for name in names.split():
            setattr(Tensor, name, getattr(module, name))
    for table in (SPECIAL, convert.CASTS):
        for name, function in table.items():
            setattr(Tensor, name, function)
    Tensor.where = _where  # type: ignore[attr-defined]
    Tensor._without = attribute  # type: ignore[method-assign]
    for name in IN_PLACE.split():
        setattr(Tensor, f"{name}_", inplace.derived(f"{name}_", getattr(Tensor, name)))
    for name, first in SYNONYMS.items():
        for ending in ("", "_"):
            if hasattr(Tensor, f"{first}{ending}"):
                setattr(Tensor, f"{name}{ending}", getattr(Tensor, f"{first}{ending}"))
    for name in ("new_zeros", "new_ones", "new_empty"):
        setattr(Tensor, name, new_factory(name))
    for name, function in OPERATORS.items():
        setattr(Tensor, f"__{name}__", function)


install()

__all__ = ["attribute", "install", "known_names"]
