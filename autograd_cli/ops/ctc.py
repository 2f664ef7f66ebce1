"""Connectionist temporal classification: the likelihood of a sequence of labels under scores for each moment.

Source of the recursions: A. Graves et al., Connectionist Temporal Classification, ICML 2006, equations 6 to 16, in logarithms.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, DtypeMismatch
from .compare import isinf, where_self
from .reduce import mean, sum
from .support import as_int, check_reduction, no_derivative, on_device_of, refuse_halves, want_tensor


class Labels(NamedTuple):
    """What the scores are compared with.

    Attributes
    ----------
    path : array of int, (N, 2 S + 1)
        The labels of each example with a blank before, between and after.
    skips : array of bool, like path
        Where the blank before a label may be left out: not between equal labels.
    moments, ends : array of int, (N,)
        How many moments and places of the path each example has.
    """

    path: Any
    skips: Any
    moments: Any
    ends: Any


def make_labels(rows: list[Any], moments: Any, blank: int) -> Labels:
    """Labels from one vector of class numbers for each example."""
    longest = max((len(r) for r in rows), default=0)
    path = np.full((len(rows), 2 * longest + 1), blank)
    for i, row in enumerate(rows):
        path[i, 1 : 2 * len(row) : 2] = row
    skips = np.zeros(path.shape, bool)
    skips[:, 2:] = (path[:, 2:] != blank) & (path[:, 2:] != path[:, :-2])
    return Labels(path, skips, np.asarray(moments), np.array([2 * len(r) + 1 for r in rows]))


def shifted(x: Any, steps: int) -> Any:
    """Each row moved right (left for negative `steps`), with zero likelihood coming in."""
    out = np.full(x.shape, -np.inf, x.dtype)
    if steps > 0:
        out[:, steps:] = x[:, :-steps]
    else:
        out[:, :steps] = x[:, -steps:]
    return out


def alphas(scores: Any, labels: Labels) -> Any:
    """(T, N, 2 S + 1): the logarithm of the likelihood of all ways to each place of the path, up to each moment."""
    at = np.take_along_axis(scores, np.broadcast_to(labels.path, (len(scores), *labels.path.shape)), 2)
    outside = np.arange(labels.path.shape[1]) >= labels.ends[:, None]
    at[:, outside] = -np.inf
    found = np.full(at.shape, -np.inf, scores.dtype)
    found[0, :, :2] = at[0, :, :2]
    for t in range(1, len(scores)):
        before = found[t - 1]
        skipped = np.where(labels.skips, shifted(before, 2), -np.inf)
        found[t] = np.logaddexp(np.logaddexp(before, shifted(before, 1)), skipped) + at[t]
    return found


def betas(scores: Any, labels: Labels) -> Any:
    """As ``alphas``, of all ways from each place to the end."""
    at = np.take_along_axis(scores, np.broadcast_to(labels.path, (len(scores), *labels.path.shape)), 2)
    places = np.arange(labels.path.shape[1])
    at[:, places >= labels.ends[:, None]] = -np.inf
    last = places >= labels.ends[:, None] - 2
    skips = np.zeros(labels.skips.shape, bool)
    skips[:, :-2] = labels.skips[:, 2:]
    found = np.full(at.shape, -np.inf, scores.dtype)
    after = np.full(labels.path.shape, -np.inf, scores.dtype)
    for t in reversed(range(len(scores))):
        going = np.logaddexp(np.logaddexp(after, shifted(after, -1)), np.where(skips, shifted(after, -2), -np.inf)) + at[t]
        ending = np.where(last, at[t], -np.inf)
        now = np.where((labels.moments == t + 1)[:, None], ending, going)
        found[t] = after = np.where((labels.moments > t)[:, None], now, -np.inf)
    return found


def losses_of(alpha: Any, labels: Labels) -> Any:
    """Minus the logarithm of each example's likelihood."""
    rows = np.arange(len(labels.ends))
    final = alpha[np.maximum(labels.moments - 1, 0), rows]
    one, two = final[rows, labels.ends - 1], final[rows, np.maximum(labels.ends - 2, 0)]
    total = np.where(labels.ends > 1, np.logaddexp(one, two), one)
    nothing = np.where(labels.ends > 1, np.inf, 0).astype(alpha.dtype)  # no moments: likely only where there are no labels
    return np.where(labels.moments > 0, -total, nothing)


@op(
    "CtcLossBackward0",
    real_only=True,
    log_probs=lambda grad, log_probs, labels, zero_infinity: ctc_backward(grad, log_probs, labels, zero_infinity),
)
def ctc_forward(log_probs, labels, zero_infinity):
    """The loss of each example."""
    with np.errstate(all="ignore"):
        return on_device_of(log_probs, losses_of(alphas(on_host(log_probs), labels), labels))


@op("CtcLossBackwardBackward0", grad=lambda grad: no_derivative("_ctc_loss_backward"))
def ctc_backward(grad, log_probs: Tensor, labels, zero_infinity):
    """The gradient of ctc_loss, which takes for granted that the scores are those of log_softmax, as PyTorch's does."""
    scores = on_host(log_probs)
    with np.errstate(all="ignore"):
        alpha = alphas(scores, labels)
        both = alpha + betas(scores, labels)
        losses = losses_of(alpha, labels)
        by_class = np.full(scores.shape, -np.inf, scores.dtype)
        t, n = np.ogrid[: len(scores), : len(labels.path)]
        for place in range(labels.path.shape[1]):
            at = (t, n, np.broadcast_to(labels.path[:, place], (len(scores), len(labels.path))))
            by_class[at] = np.logaddexp(by_class[at], both[:, :, place])
        found = np.exp(scores) - np.exp(by_class + losses[:, None] - scores)
        found *= on_host(grad)[:, None]
    found[np.arange(len(scores))[:, None] >= labels.moments] = 0
    if zero_infinity:
        found[:, np.isinf(losses)] = 0
    return on_device_of(log_probs, found)


def on_host(data: Any) -> Any:
    """An array as NumPy's: the recursions run moment by moment."""
    return data if isinstance(data, (np.ndarray, np.generic)) else data.get()


# ---- what scripts call ----


def lengths(value: Any, name: str, count: int) -> Any:
    """``input_lengths`` or ``target_lengths``: a tensor or a sequence, one number for each example."""
    data = on_host(value._data) if isinstance(value, Tensor) else np.array([as_int(n, name) for n in value])
    found = np.asarray(data, np.int64).reshape(-1)
    if len(found) != count or (found < 0).any():
        raise BadArgument(
            f"{name} of ctc_loss() holds a number of 0 or more for each of the {count} examples, not {found.tolist()}"
        )
    return found


def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Minus the log-likelihood of sequences of labels.

    Parameters
    ----------
    log_probs : Tensor
        (T, N, C), or (T, C) of one example: log_softmax over the classes at each moment.
    targets : Tensor of int
        (N, S), or all sequences one after the other.
    input_lengths, target_lengths : Tensor or sequence of int
        Of each example.
    blank : int
        The class that stands for no label.
    """
    refuse_halves("ctc_loss", want_tensor(log_probs, "ctc_loss")._data)
    check_reduction(reduction)
    scores, wanted = want_tensor(log_probs, "ctc_loss", "log_probs"), on_host(want_tensor(targets, "ctc_loss", "targets")._data)
    if wanted.dtype.kind not in "iu":
        raise DtypeMismatch(f"ctc_loss() takes integer targets, not {wanted.dtype.name}", hint="convert them with .long()")
    single = scores._data.ndim == 2
    if single:
        scores = scores.unsqueeze(1)  # type: ignore[attr-defined]
    if scores._data.ndim != 3:
        raise BadArgument(f"ctc_loss() takes scores of shape (T, N, C) or (T, C), not {list(scores._data.shape)}")
    time, count, classes = scores._data.shape
    if not 0 <= blank < classes:
        raise BadArgument(f"blank of ctc_loss() is a class from 0 to {classes - 1}, not {blank}")
    moments, sizes = lengths(input_lengths, "input_lengths", count), lengths(target_lengths, "target_lengths", count)
    if (moments > time).any():
        raise BadArgument(f"input_lengths of ctc_loss() are at most {time}, the number of moments, not {moments.tolist()}")
    losses = ctc_forward(scores, make_labels(_rows(wanted, sizes, count), moments, blank), zero_infinity)
    if zero_infinity:
        losses = where_self(isinf(losses), 0, losses)
    if single:
        losses = losses.squeeze(0)
    if reduction == "mean":
        parts = fresh(on_device_of(losses._data, np.maximum(sizes, 1)[0 if single else slice(None)]))
        return mean(losses / parts)
    return sum(losses) if reduction == "sum" else losses


def _rows(targets: Any, sizes: Any, count: int) -> list[Any]:
    """The labels of each example."""
    if targets.ndim == 2:
        if len(targets) != count or (count and sizes.max() > targets.shape[1]):
            raise BadArgument(f"ctc_loss() got targets of shape {list(targets.shape)} for lengths {sizes.tolist()}")
        return [row[:n] for row, n in zip(targets, sizes, strict=True)]
    if targets.ndim != 1 or len(targets) != sizes.sum():
        raise BadArgument(
            f"ctc_loss() got {targets.size} labels, and target_lengths {sizes.tolist()} add up to {int(sizes.sum())}"
        )
    return np.split(targets, np.cumsum(sizes)[:-1])
