"""Complex numbers: their parts, their conjugates, and tensors made of two real ones.

Note [Conjugates are copied]
    PyTorch's ``conj()`` is a view with a flag, and the numbers are conjugated when somebody computes with them. NumPy has no such flag, so
    here the conjugate is computed at once. It is a view all the same: it shares the version counter, the chain of its views says whether
    it is a conjugate (``is_conj``), and a change in place of one side is copied to the other: ``core/conjugates.py``.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module
from ..core.basic_ops import conj_view, recording
from ..core.conjugates import is_conj, mirror, odd
from ..core.copy_slices import COPIED, NOT_STRIDED
from ..core.modes import modes
from ..core.op import op
from ..core.op_support import fresh, scalar
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch
from .arithmetic import mul_scalar, neg
from .compare import where_self
from .parts import select_at
from .pointwise import abs, sgn
from .power import pow_scalar
from .shape import clone_data, contiguous, transpose
from .support import data_of, want_tensor, zeros_like

PART_OF = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
WHOLE_OF = {part: whole for whole, part in PART_OF.items()}

# ---- complex as pairs ----


@op("ViewAsRealBackward0", view=True, self=lambda grad: as_complex(grad))
def pairs(self):
    """The numbers as pairs (real, imaginary): one dimension more, the memory is shared."""
    part = self.real
    step = part.dtype.itemsize
    return array_module(self).lib.stride_tricks.as_strided(part, (*part.shape, 2), (*part.strides, step))


@op("ViewAsComplexBackward0", view=True, self=lambda grad: as_real(grad))
def from_pairs(self):
    """Pairs along the last dimension as complex numbers; the memory is shared."""
    return self.view(WHOLE_OF[self.dtype])[..., 0]


def as_complex(grad: Any) -> Any:
    """A gradient of pairs as complex numbers."""
    if grad.__class__ is Tensor:
        return from_pairs(contiguous(grad))
    return scalar(from_pairs._info.plain(array_module(grad).ascontiguousarray(grad)))


def as_real(grad: Any) -> Any:
    """A complex gradient as pairs."""
    return pairs(resolve_conj(contiguous(grad)))


def view_as_real(input: Any) -> Any:
    """A complex tensor as a real one with one dimension more, of size 2; a view."""
    _want_complex(input, "view_as_real")
    if is_conj(input):
        raise BadArgument("view_as_real() takes no conjugate: its memory holds other numbers", hint="use x.resolve_conj() first")
    return pairs(input)


def view_as_complex(input: Any) -> Any:
    """A real tensor whose last dimension has size 2 as a complex one; a view."""
    modes.complex_seen = True
    data = want_tensor(input, "view_as_complex")._data
    if data.dtype not in WHOLE_OF:
        raise DtypeMismatch(f"view_as_complex() takes float32 or float64, not {dt.of(data).name}")
    if not data.shape or data.shape[-1] != 2:
        raise BadArgument(f"view_as_complex() takes a last dimension of size 2, not the shape {list(data.shape)}")
    if data.strides[-1] != data.itemsize:
        raise BadArgument("view_as_complex() needs the two parts next to each other in memory", hint="use contiguous() first")
    return from_pairs(input)


def _want_complex(input: Any, name: str) -> None:
    if want_tensor(input, name)._data.dtype.kind != "c":
        raise DtypeMismatch(f"{name}() takes a complex tensor, not {input.dtype.name}")


def real(input: Any) -> Any:
    """The real part, a view; a real tensor as it is."""
    if want_tensor(input, "real")._data.dtype.kind != "c":
        return input
    return select_at(pairs(conj(input) if is_conj(input) else input), input._data.ndim, 0)


recording.real = real


@op("NegViewBackward0", view=True, self=lambda grad: neg(grad))
def neg_view(self):
    """Self with the other sign."""
    return -self


NOT_STRIDED.update((pairs, from_pairs, neg_view))
COPIED.add(neg_view)


def imag(input: Any) -> Any:
    """The imaginary part, a view."""
    _want_complex(input, "imag")
    if not is_conj(input):
        return select_at(pairs(input), input._data.ndim, 1)
    seen = pairs(conj(input))
    return select_at(mirror(seen, neg_view(seen)), input._data.ndim, 1)


def set_part(name: str) -> Any:
    """``x.real = value`` and ``x.imag = value``: the setter."""
    part = {"real": real, "imag": imag}[name]

    def assign(self: Tensor, value: Any) -> None:
        from .overwrite import copy_

        copy_(part(self), value)

    return assign


# ---- conjugates ----


def conj(input: Any) -> Any:
    """The complex conjugate, a view; a real tensor as it is. See Note [Conjugates are copied]."""
    if want_tensor(input, "conj")._data.dtype.kind != "c":
        return input
    return mirror(input, conj_view(input))


@op("ConjPhysicalBackward0", self=lambda grad: conj_copy(grad))
def conj_copy(self):
    """The complex conjugate in memory of its own."""
    return self.conj()


def conj_physical(input: Any) -> Any:
    """The complex conjugate in memory of its own; a real tensor as it is."""
    return conj_copy(input) if want_tensor(input, "conj_physical")._data.dtype.kind == "c" else input


def resolve_conj(input: Any) -> Any:
    """A copy of a conjugate that is one no more; other tensors as they are."""
    return clone_data(input) if is_conj(want_tensor(input, "resolve_conj")) else input


def is_neg(input: Any) -> bool:
    """Whether the tensor is the negative of what its base's memory holds: so is the ``imag`` of a conjugate."""
    return odd(want_tensor(input, "is_neg"), neg_view)


def resolve_neg(input: Any) -> Any:
    """A copy of a negated view that is one no more; other tensors as they are."""
    return clone_data(input) if is_neg(input) else input


def adjoint(input: Any) -> Any:
    """The conjugate of the transpose: ``x.mH``."""
    ndim = want_tensor(input, "adjoint")._data.ndim
    if ndim < 2:
        raise BadArgument(f"adjoint() takes tensors with 2 dimensions or more, not {ndim}")
    return conj(transpose(input, -2, -1))


def conj_transpose(input: Any) -> Any:
    """``x.H``: the conjugate of a matrix's transpose."""
    if want_tensor(input, "H")._data.ndim not in (0, 2):
        raise BadArgument(f".H takes a matrix, not {input._data.ndim} dimensions", hint="use .mH for batches of matrices")
    return adjoint(input) if input._data.ndim else conj(input)


# ---- made of two real ones ----

real_part: Any
imaginary_part: Any
real_part, imaginary_part = real, imag  # under names that the parameters below do not take


@op(
    "ComplexBackward0",
    broadcasts=("real", "imag"),
    real=lambda grad, real: real_part(grad),
    imag=lambda grad, imag: imaginary_part(grad),
)
def complex_of(real, imag):
    """Real and imaginary parts put together."""
    made = array_module(real).empty(np.broadcast_shapes(real.shape, imag.shape), WHOLE_OF[real.dtype])
    made.real, made.imag = real, imag
    return made[()]


@op(
    "PolarBackward0",
    broadcasts=("abs", "angle"),
    abs=lambda grad, result: real_part(conj(grad) * sgn(result)),
    angle=lambda grad, result: real_part(conj(grad) * mul_scalar(result, 1j)),
)
def polar_of(xp, abs, angle):
    """abs * (cos(angle) + 1j * sin(angle))."""
    made = xp.empty(np.broadcast_shapes(abs.shape, angle.shape), WHOLE_OF[abs.dtype])
    made.real, made.imag = abs * xp.cos(angle), abs * xp.sin(angle)
    return made[()]


def _two_parts(a: Any, b: Any, name: str) -> None:
    first, second = want_tensor(a, name)._data.dtype, want_tensor(b, name)._data.dtype
    if first not in WHOLE_OF or first != second:
        raise DtypeMismatch(f"{name}() takes two tensors of float32 or of float64, not {a.dtype.name} and {b.dtype.name}")
    modes.complex_seen = True


def complex(real: Any, imag: Any) -> Any:
    """A complex tensor of its real and its imaginary part."""
    _two_parts(real, imag, "complex")
    return complex_of(real, imag)


def polar(abs: Any, angle: Any) -> Any:
    """A complex tensor of absolute values and angles."""
    _two_parts(abs, angle, "polar")
    return polar_of(abs, angle)


# ---- the angle ----


@op("AngleBackward0", self=lambda grad, self: angle_backward(grad, self))
def angle(xp, self):
    """The angle of a complex number in radians; of a real one 0, or pi where it is negative."""
    if self.dtype.kind == "b" or self.dtype.kind in "iu":
        self = self.astype(dt.default.dtype.numpy)
    found = xp.angle(self)
    return found if self.dtype.kind == "c" else xp.where(xp.isnan(self), self, found).astype(self.dtype)[()]


def angle_backward(grad: Any, self: Any) -> Any:
    """PyTorch's angle_backward: 0 at the origin, and for real numbers."""
    if data_of(self).dtype.kind != "c":
        return zeros_like(self)
    squared = pow_scalar(abs(self), 2)  # See Note [Right operand first]
    return where_self(self == 0, 0.0, mul_scalar(grad * self / squared, 1j))


# ---- questions ----


def isreal(input: Any) -> Any:
    """Whether the imaginary part is 0, elementwise."""
    data = want_tensor(input, "isreal")._data
    return fresh(scalar(array_module(data).isreal(data)))
