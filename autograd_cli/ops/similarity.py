"""Distances and similarities of vectors, and the losses made of them."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any

from ..core.array import broadcast_shapes
from ..core.grad_mode import no_grad
from ..errors import BadArgument, BadArgumentValue, DtypeMismatch, ShapeMismatch
from .arithmetic import add_scalar, mul, neg, sub, sub_scalar
from .compare import clamp_min, minimum, where
from .inplace import in_place
from .loss import reduced
from .norms import norm, norm_along, vector_norm
from .pointwise import sqrt
from .reduce import sum
from .shape import clone
from .sizes import expand
from .support import check_reduction, want_tensor, wrap_dim, zeros_like

EPSILON = 1e-12  # what PyTorch's cosine_embedding_loss adds to squared lengths


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of x1 - x2 + eps along the last dimension."""
    x1, x2 = want_tensor(x1, "pairwise_distance", "x1"), want_tensor(x2, "pairwise_distance", "x2")
    away = add_scalar(sub(x1, x2), eps)
    return norm_along(away, float(p), (away._data.ndim - 1,) if away._data.ndim else (), keepdim)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along `dim`; lengths count as `eps` at least."""
    x1, x2 = want_tensor(x1, "cosine_similarity", "x1"), want_tensor(x2, "cosine_similarity", "x2")
    for x in (x1, x2):
        if x._data.dtype.kind not in "fV":
            raise DtypeMismatch(
                f"cosine_similarity() takes floating-point tensors, not {x.dtype.name}", hint="convert first: x.float()"
            )
    shape = broadcast_shapes(x1._data.shape, x2._data.shape)
    dim = wrap_dim(dim, len(shape))
    if x1._data.shape != x2._data.shape:
        x1, x2 = expand(x1, shape), expand(x2, shape)
    lengths = [clone(vector_norm(x, 2, (dim,) if shape else (), True)) for x in (x1, x2)]
    with no_grad():
        for length in lengths:
            in_place(length, "clamp_min_", clamp_min, eps)
    second = x2 / lengths[1]  # See Note [Right operand first]
    return sum((x1 / lengths[0]) * second, dim)


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """Vectors along `dim` divided by their p-norm, which counts as `eps` at least."""
    if out is not None:
        raise BadArgument("normalize() has no out= here", hint="assign the result")
    length = clamp_min(norm(want_tensor(input, "normalize"), p, dim, True), eps)
    return input / expand(length, input._data.shape)


# ---- losses ----


def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """How far input1 is from being larger (target 1) or smaller (-1) than input2 by `margin`."""
    reduction = check_reduction(reduction, size_average, reduce)
    a, b, wanted = (want_tensor(t, "margin_ranking_loss") for t in (input1, input2, target))
    if not a._data.ndim == b._data.ndim == wanted._data.ndim:
        raise ShapeMismatch(
            f"margin_ranking_loss() got tensors of {a._data.ndim}, {b._data.ndim} and {wanted._data.ndim} dimensions",
            hint="both inputs and the target have the same number of dimensions",
        )
    losses = add_scalar(mul(neg(wanted), sub(a, b)), margin)
    return reduced(in_place(losses, "clamp_min_", clamp_min, 0), reduction)


def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Distances where the target is 1, what they lack of `margin` where it is -1."""
    reduction = check_reduction(reduction, size_average, reduce)
    input, target = want_tensor(input, "hinge_embedding_loss"), want_tensor(target, "hinge_embedding_loss", "target")
    zeros = zeros_like(input)
    lack = in_place(sub(margin, input), "clamp_min_", clamp_min, 0)
    return reduced(where(target != 1, lack, zeros) + where(target != -1, input, zeros), reduction)


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """1 - cosine where the target is 1, what the cosine exceeds `margin` by where it is -1."""
    reduction = check_reduction(reduction, size_average, reduce)
    a, b, target = (want_tensor(t, "cosine_embedding_loss") for t in (input1, input2, target))
    if target._data.ndim > 1 or a._data.ndim != target._data.ndim + 1 or b._data.ndim != a._data.ndim:
        raise ShapeMismatch(
            f"cosine_embedding_loss() got inputs of shapes {list(a._data.shape)} and {list(b._data.shape)} and a target of shape "
            f"{list(target._data.shape)}",
            hint="inputs are (N, D) and the target (N), or (D) and ()",
        )
    dim = target._data.ndim
    product = sum(mul(a, b), dim)
    lengths = [add_scalar(sum(mul(x, x), dim), EPSILON) for x in (a, b)]
    cosine = product / in_place(lengths[0] * lengths[1], "sqrt_", sqrt)
    zeros = zeros_like(cosine)
    far = sub(1, cosine)
    near = in_place(sub_scalar(cosine, margin), "clamp_min_", clamp_min, 0)
    return reduced(where(target == 1, far, zeros) + where(target == -1, near, zeros), reduction)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """What the anchor's distance from `negative` lacks of its distance from `positive` plus `margin`."""
    reduction = check_reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise BadArgumentValue(f"margin of triplet_margin_loss() is greater than 0, not {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced(clamp_min(add_scalar(near, margin) - far, 0), reduction)


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """triplet_margin_loss with a distance of one's own."""
    check_reduction(reduction)
    if margin <= 0:
        raise BadArgumentValue(f"margin of triplet_margin_with_distance_loss() is greater than 0, not {margin}")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(clamp_min(margin + near - far, 0), reduction)
