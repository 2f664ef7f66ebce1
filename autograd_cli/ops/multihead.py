"""``multi_head_attention_forward`` (Vaswani et al. 2017), in PyTorch's order of operations."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, ShapeMismatch
from .attention import scaled_dot_product_attention
from .dropout import dropout
from .linalg import baddbmm, bmm, linear
from .lists import chunk, split
from .reduce import mean
from .shape import contiguous, permute, reshape, transpose, unflatten, view
from .sizes import expand, squeeze, unsqueeze
from .softmax import functional_softmax
from .support import where_array


class Projections(NamedTuple):
    """The weights of one attention: packed (`packed` is 3E x E), or one for each of query, key and value."""

    packed: Any
    separate: tuple[Any, Any, Any]
    bias: Any
    out_weight: Any
    out_bias: Any


def projected(query: Any, key: Any, value: Any, weights: Projections) -> tuple[Any, Any, Any]:
    """Query, key and value, each times its weights; what is the same tensor goes through one product."""
    size = query._data.shape[-1]
    if weights.packed is not None and query is key is value:
        q, k, v = _apart(linear(query, weights.packed, weights.bias), 3, size)
    elif weights.packed is not None and key is value:
        first, rest = split(weights.packed, [size, 2 * size])
        first_bias, rest_bias = (None, None) if weights.bias is None else split(weights.bias, [size, 2 * size])
        q = linear(query, first, first_bias)
        k, v = _apart(linear(key, rest, rest_bias), 2, size)
    else:
        matrices = weights.separate if weights.packed is None else chunk(weights.packed, 3)
        biases = (None, None, None) if weights.bias is None else chunk(weights.bias, 3)
        q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), matrices, biases, strict=True))
    return q, k, v


def _apart(product: Any, count: int, size: int) -> list[Any]:
    """The parts of a packed product, one after another in memory."""
    seen = unsqueeze(unflatten(product, -1, (count, size)), 0)
    whole = contiguous(squeeze(transpose(seen, 0, -2), -2))
    return [whole[i] for i in range(count)]


def as_scores(mask: Any, name: str, like: Any) -> Any:
    """A mask as numbers that are added to the scores: booleans that are True hide."""
    if mask is None:
        return None
    data = mask._data
    if data.dtype.kind == "b":
        return fresh(where_array(data, like._data.dtype.type(-np.inf), like._data.dtype.type(0)))
    if data.dtype.kind not in "fV":
        raise BadArgumentType(f"{name} holds booleans or floating-point numbers, not {mask.dtype.name}")
    return mask


def _mask_for(mask: Any, batch: int, heads: int, length: int, source: int) -> Any:
    """An attention mask with three dimensions."""
    if mask is None:
        return None
    shape = mask._data.shape
    if len(shape) == 2 and shape == (length, source):
        return unsqueeze(mask, 0)
    if len(shape) == 3 and shape == (batch * heads, length, source):
        return mask
    raise ShapeMismatch(
        f"attn_mask has shape {list(shape)}; {[length, source]} or {[batch * heads, length, source]} is wanted",
        hint="one row for each query, one column for each key",
    )


def multi_head_attention(
    query: Any, key: Any, value: Any, heads: int, weights: Projections, dropout_p: float, padding: Any, need_weights: bool, mask: Any,
    average: bool, is_causal: bool,
) -> tuple[Any, Any]:  # fmt: skip
    """(output (L, N, E), attention weights or None) for queries (L, N, E), keys and values (S, N, E)."""
    batched = query._data.ndim == 3
    if not batched:
        query, key, value = unsqueeze(query, 1), unsqueeze(key, 1), unsqueeze(value, 1)
        padding = None if padding is None else unsqueeze(padding, 0)
    length, batch, size = query._data.shape
    source = key._data.shape[0]
    padding = as_scores(padding, "key_padding_mask", query)
    if is_causal and mask is None:
        raise BadArgument(
            "is_causal=True is a hint and needs attn_mask", hint="nn.Transformer.generate_square_subsequent_mask(size)"
        )
    if is_causal and padding is None and not need_weights:
        mask = None
    else:
        mask = as_scores(mask, "attn_mask", query)
        is_causal = is_causal and padding is None
    q, k, v = projected(query, key, value, weights)
    mask = _mask_for(mask, batch, heads, length, source)
    q, k, v = (transpose(view(x, (n, batch * heads, size // heads)), 0, 1) for x, n in ((q, length), (k, source), (v, source)))
    if padding is not None:
        wide = expand(view(padding, (batch, 1, 1, source)), (-1, heads, -1, -1))
        padding = reshape(wide, (batch * heads, 1, source))
        mask = padding if mask is None else mask + padding
    if not need_weights:
        output, attention = _fused(q, k, v, mask, (batch, heads, length, source), dropout_p, is_causal, weights), None
    else:
        output, attention = _with_weights(q, k, v, mask, (batch, heads, length, source), dropout_p, average, weights)
    if not batched:
        output = squeeze(output, 1)
        attention = None if attention is None else squeeze(attention, 0)
    return output, attention


def _with_weights(
    q: Any, k: Any, v: Any, mask: Any, sizes: tuple[int, int, int, int], dropout_p: float, average: bool, weights: Projections
) -> tuple[Any, Any]:
    batch, heads, length, source = sizes
    width = q._data.shape[2]
    scaled = q * math.sqrt(1.0 / float(width))
    scores = bmm(scaled, transpose(k, -2, -1)) if mask is None else baddbmm(mask, scaled, transpose(k, -2, -1))
    attention = functional_softmax(scores, dim=-1)
    if dropout_p > 0:
        attention = dropout(attention, dropout_p)
    output = reshape(transpose(bmm(attention, v), 0, 1), (length * batch, heads * width))
    output = linear(output, weights.out_weight, weights.out_bias)
    output = view(output, (length, batch, output._data.shape[1]))
    shown = view(attention, (batch, heads, length, source))
    return output, mean(shown, 1) if average else shown


def _fused(
    q: Any, k: Any, v: Any, mask: Any, sizes: tuple[int, int, int, int], dropout_p: float, is_causal: bool, weights: Projections
) -> Tensor:
    batch, heads, length, source = sizes
    width = q._data.shape[2]
    if mask is not None:
        mask = unsqueeze(mask, 0) if mask._data.shape[0] == 1 else view(mask, (batch, heads, -1, source))
    q, k, v = (view(x, (batch, heads, n, width)) for x, n in ((q, length), (k, source), (v, source)))
    output = permute(scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal), 2, 0, 1, 3)
    output = linear(reshape(output, (batch * length, heads * width)), weights.out_weight, weights.out_bias)
    found: Tensor = view(output, (length, batch, output._data.shape[1]))
    return found
