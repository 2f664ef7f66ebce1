"""Scaled dot-product attention (Vaswani et al. 2017)."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.array import array_module
from ..core.op import op
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, ShapeMismatch
from .activation import softmax_backward_data
from .arithmetic import mul_scalar
from .dropout import dropout
from .linalg import matmul
from .normalize import absent
from .shape import reshape_to, transpose
from .sizes import expand, unsqueeze_at
from .support import data_of, no_derivative, want_tensor


@op("SafeSoftmaxBackward0", real_only=True, self=lambda grad, result, dim: softmax_backward_data(grad, result, dim))
def safe_softmax(xp, self, dim):
    """Softmax, with zeros where a whole row is masked."""
    top = self.max(axis=dim, keepdims=True)
    y = xp.exp(self - xp.where(top == -np.inf, 0, top))
    total = y.sum(axis=dim, keepdims=True)
    return y / xp.where(total == 0, 1, total)


@op(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    real_only=True,
    outputs=("output", "logsumexp"),
    common=lambda grad, query, key, value, output, logsumexp, attn_mask, dropout_p, is_causal, scale: attention_backward(
        grad, query, key, value, output, logsumexp, attn_mask, dropout_p, is_causal, scale
    ),
    query=lambda grad, common: common[0],
    key=lambda grad, common: common[1],
    value=lambda grad, common: common[2],
)
def fused_attention(query, key, value, dropout_p, is_causal, attn_mask: Tensor, scale):
    """softmax(query @ key.T * scale + mask) @ value, as one operation, and the logarithms of the sums that softmax divided by.

    The backward makes the weights again from the latter (Dao et al. 2022, FlashAttention), so that no matrix of weights is kept.
    """
    xp = array_module(query)
    scores = scores_of(query, key, attn_mask, is_causal, scale)
    top = scores.max(axis=-1, keepdims=True)
    top = xp.where(top == -np.inf, 0, top)
    weights = xp.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    total = xp.where(total == 0, 1, total)  # a row that is all masked
    weights /= total
    out = xp.empty_like(query)  # in the query's memory order, as PyTorch's
    out[...] = weights @ value
    sums = (top + xp.log(total))[..., 0]
    return out, (sums.astype(np.float32) if query.dtype.itemsize == 2 else sums)


def scores_of(query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
    """What softmax makes the attention weights of, from arrays."""
    scores = (query @ key.swapaxes(-1, -2)) * query.dtype.type(factor_of(query, scale))
    if is_causal:
        scores += _causal(query, key)
    elif data_of(mask).ndim:  # else it stands for none
        scores += data_of(mask)
    return scores


def factor_of(query: Any, scale: float | None) -> float:
    """The scale, which is 1 / sqrt(E) if not given."""
    return 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)


@op(
    "NotImplemented",
    outputs=("grad_query", "grad_key", "grad_value"),
    num_grads=3,
    grad_output=lambda grad: no_derivative("scaled_dot_product_attention's backward"),
    query=lambda grad: no_derivative("scaled_dot_product_attention's backward"),
    key=lambda grad: no_derivative("scaled_dot_product_attention's backward"),
    value=lambda grad: no_derivative("scaled_dot_product_attention's backward"),
    output=lambda grad: no_derivative("scaled_dot_product_attention's backward"),
    logsumexp=lambda grad: no_derivative("scaled_dot_product_attention's backward"),
)
def attention_backward(grad_output, query, key, value, output, logsumexp, attn_mask, dropout_p, is_causal, scale):
    """The gradients of fused_attention by query, key and value."""
    xp = array_module(query)
    scores = scores_of(query, key, attn_mask, is_causal, scale)
    scores -= logsumexp[..., None]
    weights = xp.exp(scores)
    slope = grad_output @ value.swapaxes(-1, -2)
    slope -= (grad_output * output).sum(axis=-1, keepdims=True)
    slope *= weights
    slope *= query.dtype.type(factor_of(query, scale))
    return slope @ key, slope.swapaxes(-1, -2) @ query, weights.swapaxes(-1, -2) @ grad_output


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(query @ key.T * scale + mask) @ value.

    Parameters
    ----------
    query : Tensor
        (…, L, E).
    key, value : Tensor
        (…, S, E) and (…, S, Ev).
    attn_mask : Tensor, optional
        Broadcasts to (…, L, S): booleans (True takes part) or numbers that are added to the scores.
    is_causal : bool
        Each query sees the keys up to its own place.
    scale : float, optional
        1 / sqrt(E) if not given.
    """
    q, k, v = (want_tensor(t, "scaled_dot_product_attention", n) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    _check(q._data, k._data, v._data, attn_mask, is_causal)
    if enable_gqa:
        k, v = (_repeated(t, q._data.shape[-3]) for t in (k, v))
    if _fused(q, k, v, attn_mask, dropout_p):
        mask = absent(q) if attn_mask is None else fresh(_as_scores(attn_mask, q._data))
        return fused_attention(q, k, v, dropout_p, is_causal, mask, scale)[0]
    return _composed(q, k, v, attn_mask, dropout_p, is_causal, factor_of(q._data, scale))


def _check(q: Any, k: Any, v: Any, mask: Any, is_causal: bool) -> None:
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ShapeMismatch("scaled_dot_product_attention() takes tensors with 2 dimensions or more")
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ShapeMismatch(
            f"scaled_dot_product_attention() got query {list(q.shape)}, key {list(k.shape)} and value {list(v.shape)}",
            hint="query and key have one last size, key and value one length",
        )
    if mask is not None and is_causal:
        raise BadArgument("scaled_dot_product_attention() takes attn_mask or is_causal=True, not both")
    if mask is not None and want_tensor(mask, "scaled_dot_product_attention", "attn_mask")._data.dtype.kind not in "bfV":
        raise BadArgumentType("attn_mask holds booleans or floating-point numbers")


def _repeated(tensor: Tensor, heads: int) -> Any:
    """Keys or values of fewer heads, each used by several queries."""
    shape = tensor._data.shape
    times = heads // shape[-3]
    wide = expand(unsqueeze_at(tensor, len(shape) - 2), (*shape[:-2], times, *shape[-2:]))
    return reshape_to(wide, (*shape[:-3], heads, *shape[-2:]))


def _fused(q: Tensor, k: Tensor, v: Tensor, mask: Any, dropout_p: float) -> bool:
    """When PyTorch takes its fused CPU kernel: four dimensions, equal sizes, no dropout, a mask without gradient."""
    shapes = [t._data.shape for t in (q, k, v)]
    return (
        all(len(s) == 4 and 0 not in s for s in shapes)
        and shapes[0][:2] == shapes[1][:2] == shapes[2][:2]
        and shapes[0][3] == shapes[2][3]
        and dropout_p == 0
        and (mask is None or (mask._edge is None and mask._data.ndim in (2, 4)))
    )


def _causal(q: Any, k: Any) -> Any:
    """Scores that hide later keys."""
    xp = array_module(q)
    return xp.where(xp.tril(xp.ones((q.shape[-2], k.shape[-2]), bool)), q.dtype.type(0), q.dtype.type(-np.inf))


def _as_scores(mask: Any, like: Any) -> Any:
    """A mask as numbers that are added."""
    if mask is None or mask._data.dtype.kind != "b":
        return None if mask is None else mask._data
    return array_module(like).where(mask._data, like.dtype.type(0), like.dtype.type(-np.inf))


def _composed(q: Any, k: Any, v: Any, mask: Any, dropout_p: float, is_causal: bool, scale: float) -> Any:
    """The same in single operations, as PyTorch's _scaled_dot_product_attention_math: each factor gets the root of the scale."""
    root = math.sqrt(scale)
    scores = matmul(mul_scalar(q, root), mul_scalar(transpose(k, -2, -1), root))
    if is_causal:
        scores = scores + fresh(_causal(q._data, k._data))
    elif mask is not None:
        scores = scores + (fresh(_as_scores(mask, q._data)) if mask._data.dtype.kind == "b" else mask)
    weights = safe_softmax(scores, scores._data.ndim - 1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return matmul(weights, v)
