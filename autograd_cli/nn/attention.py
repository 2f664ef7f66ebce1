"""MultiheadAttention."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue, ShapeMismatch, Unsupported
from ..ops.multihead import Projections, multi_head_attention
from ..ops.shape import transpose
from . import init
from .linear import Linear
from .make import new_parameter
from .module import Module


class NonDynamicallyQuantizableLinear(Linear):
    """Linear, under the name that PyTorch shows inside of MultiheadAttention."""


class MultiheadAttention(Module):
    """Several attentions side by side, each on a part of the features.

    Parameters
    ----------
    embed_dim : int
        Features of queries and results.
    num_heads : int
        How many attentions; embed_dim is divisible by it.
    dropout : float
        Of the attention weights.
    kdim, vdim : int, optional
        Features of keys and values, where they differ.
    batch_first : bool
        Whether tensors are (N, L, E) and not (L, N, E).
    """

    in_proj_weight: Any
    in_proj_bias: Any
    out_proj: Any

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise BadArgumentValue(f"embed_dim and num_heads are greater than 0, not {embed_dim} and {num_heads}")
        if embed_dim % num_heads:
            raise AssertionError(f"embed_dim, {embed_dim}, must be divisible by num_heads, {num_heads}")
        if add_bias_kv or add_zero_attn:
            raise Unsupported("add_bias_kv and add_zero_attn are part of PyTorch, but agrad does not have them yet")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.head_dim = embed_dim // num_heads
        packed = self.kdim == embed_dim == self.vdim
        widths = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if packed:
            self.in_proj_weight = new_parameter(3 * embed_dim, embed_dim, device=device, dtype=dtype)
        for name, width in widths.items():
            self.register_parameter(name, None if packed else new_parameter(embed_dim, width, device=device, dtype=dtype))
        if not packed:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", new_parameter(3 * embed_dim, device=device, dtype=dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
        average_attn_weights: bool = True, is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """(output, attention weights or None)."""
        self._check(query, key, value)
        swapped = self.batch_first and query._data.ndim == 3
        if swapped:
            query, key, value = self._swapped(query, key, value)
        weights = Projections(
            self.in_proj_weight, (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight), self.in_proj_bias, self.out_proj.weight,
            self.out_proj.bias,
        )  # fmt: skip
        output, attention = multi_head_attention(
            query, key, value, self.num_heads, weights, self.dropout if self.training else 0.0, key_padding_mask, need_weights,
            attn_mask, average_attn_weights, is_causal,
        )  # fmt: skip
        return (transpose(output, 1, 0) if swapped else output), attention

    @staticmethod
    def _swapped(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
        """Batch and sequence exchanged, once for what is the same tensor."""
        if key is not value:
            return transpose(query, 1, 0), transpose(key, 1, 0), transpose(value, 1, 0)
        if query is key:
            query = key = transpose(query, 1, 0)
        else:
            query, key = transpose(query, 1, 0), transpose(key, 1, 0)
        return query, key, key

    def _check(self, query: Any, key: Any, value: Any) -> None:
        for name, tensor, size in (("query", query, self.embed_dim), ("key", key, self.kdim), ("value", value, self.vdim)):
            if not isinstance(tensor, Tensor):
                raise BadArgumentType(f"MultiheadAttention takes tensors, and {name} is a {type(tensor).__name__}")
            if tensor._data.ndim not in (2, 3) or tensor._data.shape[-1] != size:
                raise ShapeMismatch(
                    f"{name} of MultiheadAttention has 2 or 3 dimensions and the last size {size}, not shape {list(tensor._data.shape)}"
                )
